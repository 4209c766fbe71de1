"""repeat_tests.py must notice each way in which a program can fail.

The programs are scripts with the output of GoogleTest.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parent / "repeat_tests.py"
PROGRAM = '''#!{python}
import os, sys
flags = dict(a[2:].split("=", 1) for a in sys.argv[1:] if "=" in a)
seed, times = int(flags["gtest_random_seed"]), int(flags["gtest_repeat"])
assert "--gtest_shuffle" in sys.argv
def begin(name):
    print("[ RUN      ] " + name, flush=True)
def end(name, how="      OK"):
    print("[ " + how + " ] " + name + " (3 ms)")
failed = False
for iteration in range(1, times + 1):
    if times > 1:
        print("\\nRepeating all tests (iteration %d) . . .\\n" % iteration)
    print("Note: Randomizing tests' orders with a seed of %d ." %
          (seed + iteration - 1))
    tests = 2
    begin("Suite.Good"); end("Suite.Good")
    begin("Suite.Other")
{body}
    print("[==========] %d tests from 1 test suite ran. (6 ms total)" % tests)
    if failed:
        print(" 1 FAILED TEST")
sys.exit(1 if failed else 0)
'''
GOOD = '    end("Suite.Other")'
FAILS = '''    if iteration == 2:
        end("Suite.Other", " FAILED "); failed = True
    else:
        end("Suite.Other")'''
FAILS_WITH_PARAMETER = '''    print("[  FAILED  ] Suite.Other, where GetParam() = 7 (3 ms)")
    failed = True'''
DIES = "    os.abort()"
HANGS = "    import time; time.sleep(1000)"
RUNS_NOTHING = '    tests = 0; end("Suite.Other")'
ENDS_BADLY = '    end("Suite.Other"); failed = iteration == times'
SHARD = '''    assert os.environ["GTEST_TOTAL_SHARDS"] == "4"
    assert 0 <= int(os.environ["GTEST_SHARD_INDEX"]) < 4
    end("Suite.Other")'''


class RepeatTestsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = pathlib.Path(folder.name) / "bin"
        self.bin.mkdir()

    def program(self, name, body):
        path = self.bin / name
        path.write_text(PROGRAM.format(python=sys.executable, body=body))
        path.chmod(0o755)

    def run_script(self, *arguments):
        """Returns the exit status and the output."""
        done = subprocess.run(
            [sys.executable, "-B", SCRIPT, *arguments, self.bin],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            text=True)
        return done.returncode, done.stdout

    def test_good_programs(self):
        self.program("a_test", GOOD)
        self.program("b_test", GOOD)
        self.program("no_program_of_ours", DIES)
        code, out = self.run_script("--times=7")
        self.assertEqual(code, 0, out)
        # Tests, repeats, and the number of repeats under load.
        for name in ("a_test", "b_test"):
            self.assertRegex(out, rf"(?m)^{name} +14 +7 +2$")
        self.assertRegex(out, r"^--seed=\d+, 7 times\n")
        self.assertIn("0 repeats failed", out)

    def test_a_failure_has_its_seed_and_command(self):
        self.program("a_test", FAILS)
        code, out = self.run_script("--times=6", "--seed=11")
        self.assertEqual(code, 1)
        # The second repeat of a process fails. Processes of 1, 2 and 3 repeats
        # run, and the first has no second repeat.
        self.assertIn("2 repeats failed, seed 11", out)
        pattern = (r"FAILED a_test, repeat 2, seed (\d+)(, beside a load)?\n"
                   r"  Suite\.Other\n  output: (.*)\n  again:  (.*)\n")
        found = re.findall(pattern, out)
        self.assertEqual(len(found), 2, out)
        self.assertEqual([load != "" for _, load, _, _ in found],
                         [True, False])
        for seed, _, log, command in found:
            self.assertIn("Repeating all tests",
                          pathlib.Path(log).read_text(encoding="utf-8"))
            self.assertEqual(
                command, f"{self.bin}/a_test --gtest_shuffle "
                f"--gtest_random_seed={int(seed) - 1} --gtest_repeat=2")
            again = subprocess.run(command, shell=True, check=False,
                                   stdout=subprocess.DEVNULL)
            self.assertEqual(again.returncode, 1)
        _, out = self.run_script("--times=6", "--seed=11")
        self.assertEqual(re.findall(pattern, out), found)

    def test_other_ends(self):
        for body, said, *more in (
                (FAILS_WITH_PARAMETER, "  Suite.Other\n"),
                (DIES, "  Suite.Other: exit status -6\n"),
                (HANGS, "did not end in time\n", "--limit=1"),
                (RUNS_NOTHING, "  no test ran\n"),
                (ENDS_BADLY, "  exit status 1\n")):
            with self.subTest(said):
                self.program("a_test", body)
                code, out = self.run_script("--times=1", *more)
                self.assertEqual(code, 1, out)
                self.assertIn(said, out)

    def test_shards(self):
        self.program("a_test", SHARD)
        code, out = self.run_script("--times=3", "--shards=4")
        self.assertEqual(code, 0, out)

    def test_what_is_left_out_is_said(self):
        self.program("a_test", GOOD)
        self.program("b_test", GOOD)
        code, out = self.run_script("--times=7", "--seconds=1e-9")
        self.assertEqual(code, 0, out)
        for name in ("a_test", "b_test"):
            self.assertRegex(out, rf"(?m)^{name} +2 +1 +0$")
        self.assertIn("12 repeats were left out", out)

    def test_an_interrupted_hunt_says_what_it_did(self):
        self.program("a_test", GOOD)
        self.program("b_test", HANGS)
        with subprocess.Popen(
                [sys.executable, "-B", SCRIPT, "--jobs=1", self.bin],
                stdout=subprocess.PIPE, text=True) as hunt:
            # The first program has finished; the second hangs or is about to.
            lines = [hunt.stdout.readline() for _ in range(2)]
            self.assertTrue(lines[1].startswith("a_test: 1 repeats, "), lines)
            hunt.terminate()
            out = hunt.stdout.read()
        self.assertEqual(hunt.returncode, 0)
        self.assertIn("repeats were left out: interrupted", out)
        self.assertRegex(out, r"(?m)^a_test +2 +1 +0$")
        self.assertNotIn("b_test", out)

    def test_no_programs(self):
        code, out = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("no test programs", out)


if __name__ == "__main__":
    unittest.main()
