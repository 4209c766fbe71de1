"""A small job that gets SIGTERM stops, or says that it is complete.

The program under test sends itself the signal at its n-th allocation
(failing_program.cc), for every n or for some that are spread evenly. So the
signal comes at every step, including the first and the last ones, and nothing
depends on time. Three outcomes are right:

- death by the signal, before anything has begun;
- exit code 130, and no new file;
- the complete result, and a line that says so.
"""

import os
import signal
import subprocess
import unittest

import cli
from cli import CliTest, PROGRAM, numbered_rows

ROWS = numbered_rows(50)
MAKE = ["--out=o.sst", "--identity=01", "--creation_time=1"]
COMPLETE = ("ashlar: a signal came when the work was complete; its result "
            "stands\n")
MOST_RUNS = 25

COMMANDS = (
    (["build", "--input_format=hex", *MAKE], ROWS),
    (["build", "--input_format=hex", "--quiet", *MAKE], ROWS),
    (["rewrite", *MAKE, "a.sst"], b""),
    (["salvage", *MAKE, "a.sst"], b""),
    (["compact", "--threads=1", *MAKE, "a.sst", "b.sst"], b""),
    (["raw", "--out=o.txt", "a.sst"], b""),
    (["report", "--out=o.html", "--filter_probes=10", "a.sst"], b""),
    (["check", "--threads=1", "a.sst"], b""),
    (["scan", "--quiet", "a.sst"], b""),
    (["properties", "--quiet", "a.sst"], b""),
    (["diff", "--quiet", "a.sst", "b.sst"], b""),
)


def default_signals():
    """Resets signals in a child, whatever the parent ignores."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


class SignalTest(CliTest):

    def setUp(self):
        super().setUp()
        self.build("a.sst", ROWS)
        self.build("b.sst", ROWS, "--block_size=500")
        self.before = sorted(os.listdir(self.folder))

    def run_with(self, command, stdin, **variables):
        environment = dict(os.environ)
        environment.update({name: str(value)
                            for name, value in variables.items()})
        for name in ("o.sst", "o.txt", "o.html"):
            (self.folder / name).unlink(missing_ok=True)
        # In its sandbox the program could not write the count.
        run = subprocess.run(
            [PROGRAM, *command, "--nosandbox"], input=stdin, env=environment,
            timeout=300,
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            check=False, preexec_fn=default_signals)
        made = {path.name: path.read_bytes()
                for path in self.folder.iterdir()
                if path.name not in self.before and path.name != "count"}
        return run, made

    def test_at_every_step(self):
        for command, stdin in COMMANDS:
            expected, expected_made = self.run_with(
                command, stdin, ASHLAR_COUNT_ALLOCATIONS="count")
            self.assertIn(expected.returncode, (0, 1))
            allocations = int((self.folder / "count").read_text())
            (self.folder / "count").unlink()
            step = max(1, allocations // MOST_RUNS)
            ends = {"died": 0, "stopped": 0, "complete": 0}
            numbers = {*range(1, allocations + 1, step),
                       *range(max(1, allocations - 20), allocations + 1)}
            for number in sorted(numbers):
                with self.subTest(command=command, number=number):
                    run, made = self.run_with(
                        command, stdin, ASHLAR_SIGNAL_AT_ALLOCATION=number,
                        ASHLAR_COUNT_ALLOCATIONS="count")
                    count = self.folder / "count"
                    # The number of allocations varies between runs.
                    if count.exists() and int(count.read_text()) < number:
                        continue
                    count.unlink(missing_ok=True)
                    end = self.end_of(run, made, expected, expected_made)
                    ends[end] += 1
            self.assertGreater(ends["died"], 0, command)
            self.assertGreater(ends["stopped"], 0, (command, ends))

    def end_of(self, run, made, expected, expected_made):
        error = run.stderr.decode()
        if run.returncode == -signal.SIGTERM:
            self.assertEqual((run.stdout, made), (b"", {}))
            return "died"
        if run.returncode == 130:
            self.assertEqual(made, {})
            self.assertNotIn(COMPLETE, error)
            return "stopped"
        self.assertEqual(run.returncode, expected.returncode, error)
        self.assertTrue(run.stdout == expected.stdout, "other output")
        self.assertEqual(made.keys(), expected_made.keys())
        for name in made:
            if name != "o.html":
                self.assertTrue(made[name] == expected_made[name], name)
        self.assertEqual(error.count(COMPLETE), 1, error)
        return "complete"

    def test_just_before_a_wait_for_input(self):
        """Sends the signal between the last look at the flag and the wait.

        Nothing writes a row or closes the pipe, so a program that misses the
        signal waits for ever.
        """
        os.mkfifo(self.folder / "pipe")
        self.before = sorted(os.listdir(self.folder))
        for source in ("-", "pipe"):
            reader, writer = os.pipe()
            try:
                run = subprocess.run(
                    [PROGRAM, "build", *MAKE, source], stdin=reader,
                    cwd=self.folder, timeout=100, stderr=subprocess.PIPE,
                    env=dict(os.environ, ASHLAR_SIGNAL_AT_WAIT="1"),
                    check=False, preexec_fn=default_signals)
            finally:
                os.close(reader)
                os.close(writer)
            self.assertEqual(run.returncode, 130, run.stderr)
            self.assertEqual(sorted(os.listdir(self.folder)), self.before)


if __name__ == "__main__":
    cli.main()
