"""Runs some tests of a GoogleTest program, and says how each of them ended.

Used by rocksdb_unit_tests. All tests of a batch run in one process. If a test
crashes or exceeds its time, a new process runs the tests that are left. It is
not a runner of whole programs, and it keeps nothing.
"""

import contextlib
import os
import re
import signal
import subprocess
import threading
import time

# A test may print without a newline, so these may be anywhere in a line.
STEP = re.compile(rb"\[ +(RUN|OK|FAILED|SKIPPED) +\] ([^\s,]+)")
ENDS = {b"OK": "passed", b"FAILED": "failed", b"SKIPPED": "skipped"}
MOST_OUTPUT = 1 << 20  # Bytes of the output of one test that are kept.

# What tells most about a failure, the best first.
CAUSES = [re.compile(pattern) for pattern in (
    # A failure of GoogleTest, without the one that follows it.
    r"(?<=/)[\w.-]+:\d+: Failure\n(?:(?!.*: Failure\n|\[ +FAILED).*\n){0,4}",
    r"[\w.-]+:\d+: .*: Assertion `.*' failed",
    r"(?:==\d+==ERROR|terminate called).*",
    r".*symbol lookup error.*",
    r"Received signal.*",
)]


_running = set()  # Process groups.


def kill_all():
    """Kills the processes of all batches. They do not get the terminal's
    signals."""
    for group in list(_running):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


class Outcome:
    """How a test ended: passed, failed, skipped, crashed or timed out."""

    def __init__(self, end, seconds, output):
        self.end = end
        self.seconds = seconds
        self.output = output

    def cause(self):
        """One line that says why the test did not pass."""
        text = self.output.decode(errors="replace")
        for pattern in CAUSES:
            if found := pattern.search(text):
                return " ".join(found.group(0).split())[:300]
        text = STEP.sub(b"", self.output).decode(errors="replace")
        return f"{self.end}: " + " ".join(text[-200:].split())


def tests_of(program, environment):
    """The names of the tests of a program, without those that are disabled."""
    listing = subprocess.run([program, "--gtest_list_tests"], check=True,
                             capture_output=True, text=True, env=environment)
    names, suite = [], ""
    for line in listing.stdout.splitlines():
        name = line.split("#")[0].strip()
        if re.match(r"\S+\.(\s|$)", line):
            suite = name
        elif suite and line.startswith("  ") and name:
            names.append(suite + name)
    return [name for name in names if "DISABLED_" not in name]


class _Process:
    """One process, and what its output says of its tests."""

    def __init__(self, program, names, environment, limit_seconds):
        self.names = set(names)
        self.limit_seconds = limit_seconds
        self.outcomes = {}
        self.running = None
        self.timed_out = False
        self.output = b""
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [program, "--gtest_color=no", "--gtest_filter=" + ":".join(names)],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        _running.add(self.process.pid)

    def run(self):
        """Reads the output to its end. Returns how each test ended that has
        begun; if none has begun, how all of them ended."""
        ended = threading.Event()
        watch = threading.Thread(target=self._kill_in_time, args=(ended,))
        watch.start()
        for line in self.process.stdout:
            self._take(line)
        code = self.process.wait()
        _running.discard(self.process.pid)
        ended.set()
        watch.join()
        end = "timed out" if self.timed_out else "crashed"
        if self.running:
            self._end(self.running, end)
        elif not self.outcomes:
            for name in self.names:
                self._end(name, end)
        elif code < 0:
            # It crashed after its last test.
            self._end(next(reversed(self.outcomes)), end)
        return self.outcomes

    def _kill_in_time(self, ended):
        while not ended.wait(0.5):
            if time.monotonic() - self.begun > self.limit_seconds:
                self.timed_out = True
                # Children of the test would keep its output open.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                return

    def _take(self, line):
        self.output = (self.output + line)[-MOST_OUTPUT:]
        for step, word in STEP.findall(line):
            name = word.decode()
            if step == b"RUN" and name in self.names:
                self.running = name
                self.output = line
                self.begun = time.monotonic()
            elif name == self.running:
                self._end(name, ENDS[step])
                self.running = None

    def _end(self, name, end):
        seconds = time.monotonic() - self.begun
        self.outcomes[name] = Outcome(end, seconds, self.output)


def run_batch(program, names, environment, limit_seconds):
    """Runs the tests. Returns the outcome of each by name. `limit_seconds` is
    the time that each of them may take."""
    outcomes = {}
    left = list(names)
    while left:
        ended = _Process(program, left, environment, limit_seconds).run()
        outcomes.update(ended)
        left = [name for name in left if name not in ended]
    return outcomes
