"""Files that the program reads, under a fault at every file call.

The layer of test/support/faulty_calls.h is under the program. Each command runs
once to count the file calls on its folder, and then once for each call and each
fault: errors, interruptions, short reads, and reads with a changed bit. A run
gives the usual output and exit code, or exits with 1 or 2 and names a file on
standard error. It never gives another output as if all were well. The inputs
stay as they are, and no file is made.

The last line of standard error has the number of runs with a fault.
"""

import os
import re
import shutil
import sys
import unittest

import cli
from cli import GOLDEN, CliTest, numbered_rows

LAYER = os.path.abspath(sys.argv.pop(2)) if len(sys.argv) > 2 else ""
FLIPS = int(os.environ.get("ASHLAR_READ_FLIPS", "3"))
COMMANDS = (
    ["check", "--threads=1", "a.sst"],
    ["verify", "--threads=1", "a.sst", "p.sst"],
    ["verify", "--threads=2", "p.sst"],
    ["scan", "a.sst"],
    ["scan", "--json", "--from=key000100", "--to=key000120", "p.sst"],
    ["properties", "a.sst"],
    ["layout", "p.sst"],
    ["get", "--key=key000007", "--key=key000123", "a.sst", "p.sst"],
    ["get", "--prefix=key00001", "p.sst"],
    ["stats", "--filter_probes=50", "--threads=1", "p.sst"],
    ["space", "a.sst", "p.sst"],
    ["overlap", "a.sst", "p.sst"],
    ["diff", "a.sst", "p.sst"],
    ["identify", "a.sst"],
    ["get", "--key=a", "db"],
    ["scan", "db"],
    ["check", "--threads=1", "tables"],
)
INTERRUPTED = {"open", "read", "close", "flock"}
runs = 0


def faults_of(n, name):
    faults = [f"{n}:EIO", f"{n}:EAGAIN", f"{n}+:EIO"]
    if name == "open":
        faults += [f"{n}:EMFILE", f"{n}:EACCES", f"{n}:ENOENT"]
    if name in INTERRUPTED:
        faults.append(f"{n}:EINTR")
    if name == "read":
        faults.append(f"{n}:short")
        faults += [f"{n}:flip-{i}" for i in range(FLIPS)]
    return faults


class ReadFaults(CliTest):

    def setUp(self):
        super().setUp()
        rows = numbered_rows(300)
        self.build("a.sst", rows)
        self.build("p.sst", rows, "--index_type=partitioned",
                   "--partition_filters", "--block_size=512")
        shutil.copytree(GOLDEN / "db" / "atomic", self.folder / "db")
        (self.folder / "tables").mkdir()
        for name in ("first.sst", "second.sst"):
            shutil.copy(self.folder / "a.sst", self.folder / "tables" / name)
        self.inputs = self.contents()

    def contents(self):
        return {path: path.read_bytes()
                for path in self.folder.rglob("*") if path.is_file()}

    def run_under(self, command, plan):
        # In its sandbox the program could not write the log.
        log = self.folder.with_suffix(".log")
        outcome = self.run_program(*command, "--nosandbox", env={
            "LD_PRELOAD": LAYER, "ASHLAR_FAULT_ROOT": str(self.folder),
            "ASHLAR_FAULT_PLAN": plan, "ASHLAR_FAULT_LOG": str(log)})
        calls = [line.split("\t") for line in log.read_text().splitlines()
                 ] if log.exists() else []
        log.unlink(missing_ok=True)
        return outcome, calls

    def judge(self, fault, outcome, expected, calls):
        # Threads may meet the fault at another call.
        number = int(fault.split(":")[0].rstrip("+"))
        met = calls[number - 1][1] if number <= len(calls) else ""
        harmless = not met or fault.endswith(":short") or (
            fault.endswith(":EINTR") and met in INTERRUPTED)
        if harmless:
            self.assertEqual((outcome.code, outcome.out, outcome.err),
                             (expected.code, expected.out, expected.err))
            return
        if outcome.code == expected.code == 0:
            given, right = outcome.out, expected.out
            if met == "stat":
                # A document has the file's size if it can be found out.
                given, right = (re.sub(rb'"size":\d+,', b"", out)
                                for out in (given, right))
            self.assertEqual(given, right)
            # Whether logs are missing cannot be found out, says a warning.
            if outcome.err:
                self.assertRegex(outcome.err, "^ashlar: warning: ")
            return
        if (outcome.code, outcome.out) == (expected.code, expected.out):
            return
        self.assertIn(outcome.code, (1, 2))
        self.assertRegex(outcome.err, r"db\b|tables\b|\.sst")
        self.assertNotIn("terminate", outcome.err)

    def test_every_command(self):
        global runs
        for command in COMMANDS:
            expected, calls = self.run_under(command, "")
            self.assertIn(expected.code, (0, 1), expected.err)
            self.assertGreater(len(calls), 3, command)
            for n, name, *_ in calls:
                for fault in faults_of(n, name):
                    with self.subTest(command=command, fault=fault, call=name):
                        outcome, met = self.run_under(command, fault)
                        runs += 1
                        self.judge(fault, outcome, expected, met)
            self.assertTrue(self.contents() == self.inputs, command)


if __name__ == "__main__":
    try:
        cli.main()
    finally:
        print(f"runs with a fault: {runs}", file=sys.stderr)
