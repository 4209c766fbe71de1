"""Tests that test/attack/run goes on where it has stopped, and tells what it
found."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("run")
# Takes the place of the attack: of 40 forms, number 20 is wrong if asked to be.
PROGRAM = """#!{python}
import json, sys
first, count = map(int, [a for a in sys.argv[1:] if a.isdigit()][:2])
taken = range(min(first, 40), min(first + count, 40))
wrong = int({wrong} and 20 in taken)
print(json.dumps(dict(forms=40, first=first, count=len(taken), flips=len(taken),
                      wrong=wrong)))
sys.exit(wrong)
"""


# Takes the place of test/fuzz/run. The target `index` is slow.
FUZZ = """#!/bin/sh
shift
echo "$RUNS $*" >> {log}
for target; do
  case $target in
    index) echo "index  4000000 executions" ;;
    *) printf '%-14s %10s executions\\n' "$target" "$RUNS" ;;
  esac
done
exit {code}
"""


# Takes the place of test/fuzz/afl. Each command has as many runs as seconds.
AFL = """#!/bin/sh
test "$1" = list && exec printf 'verify\\ncache-sim\\n'
echo "verify  $1 executions, 3 inputs"
echo "cache-sim  $1 executions, 3 inputs"
echo "all  $(($1 * 2)) executions"
exit {code}
"""


class RunTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "bin").mkdir()

    def write_programs(self, wrong):
        for name in ("faults_attack", "damage_attack"):
            program = self.path / "bin" / name
            program.write_text(PROGRAM.format(python=sys.executable,
                                              wrong=wrong))
            program.chmod(0o755)
        log = self.path / "fuzz.log"
        fuzz = self.path / "fuzz"
        fuzz.write_text(FUZZ.format(log=log, code=int(wrong)))
        fuzz.chmod(0o755)
        return program

    def run_script(self, *flags, wrong=False, part="damage"):
        self.write_programs(wrong)
        return self.run_prepared(*flags, part=part)

    def run_prepared(self, *flags, part="damage"):
        fuzz = self.path / "fuzz"
        result = subprocess.run(
            [sys.executable, "-B", SCRIPT, f"--parts={part}", "--jobs=1",
             f"--build={self.path}", f"--state={self.path}", f"--fuzz={fuzz}",
             f"--afl={self.path}/afl",
             f"--ledger={self.path}/ledger", *flags],
            capture_output=True, text=True, check=False)
        lines = (self.path / "ledger").read_text().splitlines()
        return result.returncode, json.loads(lines[-1]), len(lines)

    def state(self):
        return json.loads((self.path / "state.json").read_text())

    def test_takes_all_forms_and_begins_anew(self):
        code, line, _ = self.run_script("--minutes=1")
        self.assertEqual((code, line["count"], line["found"]), (0, 40, False))
        self.assertEqual(self.state(), {"damage_form": 0})

    def test_goes_on_where_it_stopped(self):
        (self.path / "state.json").write_text('{"damage_form": 32}')
        _, line, _ = self.run_script("--minutes=1")
        self.assertEqual((line["first_form"], line["count"]), (32, 8))
        (self.path / "state.json").write_text('{"damage_form": 32}')
        _, line, lines = self.run_script("--minutes=1", "--again")
        self.assertEqual((line["first_form"], line["count"]), (0, 40))
        self.assertEqual(lines, 2)

    def test_writes_down_what_it_took_when_it_is_told_to_end(self):
        program = self.write_programs(False)
        program.write_text(program.read_text().replace(
            "sys.exit", "os.kill(os.getppid(), 15); sys.exit").replace(
                "import json", "import os, json"))
        code, line, _ = self.run_prepared("--minutes=1")
        self.assertEqual((code, line["count"]), (0, 16))
        self.assertEqual(self.state(), {"damage_form": 16})

    def test_parts_go_on_by_themselves(self):
        (self.path / "state.json").write_text(
            '{"damage_form": 32, "faults_form": 16, "memory_form": 8}')
        for part, first in (("faults", 16), ("memory", 8)):
            _, line, _ = self.run_script("--minutes=1", part=part)
            self.assertEqual((line["part"], line["first_form"], line["count"]),
                             (part, first, 40 - first))
        self.run_script("--minutes=1", "--again", part="faults")
        self.assertEqual(self.state()["damage_form"], 32)

    def test_tells_what_was_wrong(self):
        code, line, _ = self.run_script("--minutes=1", wrong=True)
        self.assertEqual((code, line["wrong"], line["found"]), (1, 1, True))

    def test_fuzzes_each_target_until_it_has_enough_executions(self):
        code, line, _ = self.run_script("--minutes=1", part="fuzz")
        self.assertEqual((code, line["block"], line["index"], line["found"]),
                         (0, 10_000_000, 12_000_000, False))
        calls = (self.path / "fuzz.log").read_text().splitlines()
        self.assertIn(" block ", calls[0])
        self.assertEqual(calls[1:], ["10000000 index"] * 2)

    def test_fuzzes_only_what_the_ledger_lacks_of_enough(self):
        ledger = self.path / "ledger"
        lines = [{"part": "fuzz", "block": 6_000_000, "index": 9_000_000},
                 {"part": "damage", "footer": 9_999_999},
                 {"part": "fuzz", "block": 4_000_000, "verdict": 1_000_000}]
        ledger.write_text("".join(json.dumps(line) + "\n" for line in lines))
        _, line, _ = self.run_script("--minutes=1", part="fuzz")
        self.assertEqual((line["block"], line["verdict"], line["index"],
                          line["footer"]), (0, 0, 4_000_000, 10_000_000))
        _, line, _ = self.run_script("--minutes=1", "--again", part="fuzz")
        self.assertEqual(line["block"], 10_000_000)

    def test_gives_each_command_of_the_program_its_share(self):
        program = self.path / "afl"
        program.write_text(AFL.format(code=1))
        program.chmod(0o755)
        code, line, _ = self.run_script("--minutes=1", part="afl")
        self.assertEqual((code, line["found"], line["executions"]),
                         (1, True, 60))
        self.assertEqual((line["verify"], line["cache-sim"]), (30, 30))

    def test_fuzzes_no_longer_than_asked_and_tells_of_a_fault(self):
        code, line, _ = self.run_script("--minutes=0", part="fuzz")
        self.assertEqual((code, line["index"]), (0, 4_000_000))
        code, line, _ = self.run_script("--minutes=1", "--again", part="fuzz",
                                        wrong=True)
        self.assertEqual((code, line["index"], line["found"]),
                         (1, 4_000_000, True))


if __name__ == "__main__":
    unittest.main()
