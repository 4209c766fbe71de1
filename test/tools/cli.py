"""Runs the program under test. The test files of this folder share this module.

Each file is started as `<file>.py <program> [unittest arguments]`.
"""

import ctypes
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GOLDEN = ROOT / "test" / "golden"
# The path must be valid when the program is started from another folder.
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "ashlar"
# `make thorough` sets it: tests run in full.
THOROUGH = "ASHLAR_THOROUGH" in os.environ


def folder_of_folders():
    """Returns the folder for tests' folders, or None for tempfile's choice.

    The program syncs each table that it makes. On a disk that often takes
    longer than the program itself, and in a file system in memory it takes no
    time. TMPDIR overrides this choice.
    """
    memory = pathlib.Path("/dev/shm")
    if "TMPDIR" in os.environ or not os.access(memory, os.W_OK | os.X_OK):
        return None
    # A container may have as little as 64 MiB.
    return memory if shutil.disk_usage(memory).free >= 1 << 31 else None


FOLDERS = folder_of_folders()


class Outcome:
    """The result of a run of a program."""

    def __init__(self, completed):
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr.decode("utf-8", "replace")

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")


@functools.cache
def built(rows, *flags):
    """Returns the table that `build` makes of rows in the format of `hex`.

    Each combination of rows and flags is built once, since starting a sanitized
    program takes far longer than building a small table.
    """
    environment = dict(os.environ)
    environment.pop("SOURCE_DATE_EPOCH", None)
    with tempfile.TemporaryDirectory(dir=FOLDERS) as folder:
        path = pathlib.Path(folder) / "t.sst"
        subprocess.run([PROGRAM, "build", "--input_format=hex",
                        f"--out={path}", "--quiet", *flags], input=rows,
                       check=True, env=environment)
        return path.read_bytes()


class CliTest(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=FOLDERS)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *arguments, stdin=b"", program=PROGRAM, **more):
        environment = dict(os.environ)
        environment.pop("SOURCE_DATE_EPOCH", None)
        environment.update(more.pop("env", {}))
        arguments = [program, *map(str, arguments)]
        if "stdout" not in more:
            more.update(stdout=subprocess.PIPE)
        completed = subprocess.run(
            arguments, input=stdin, stderr=subprocess.PIPE, check=False,
            cwd=self.folder, env=environment, **more)
        outcome = Outcome(completed)
        self.assertGreaterEqual(outcome.code, 0,
                                f"{arguments} died of a signal:\n"
                                f"{outcome.err}")
        # A sanitizer's report exits with 1, as a fault of an input does.
        self.assertNotRegex(outcome.err, "(?m)^==[0-9]+==ERROR: |"
                            ": runtime error: ", arguments)
        return outcome

    def run_code(self, code, *arguments, **more):
        outcome = self.run_program(*arguments, **more)
        self.assertEqual(outcome.code, code, outcome.err)
        return outcome

    def run_ok(self, *arguments, **more):
        return self.run_code(0, *arguments, **more)

    def build(self, name, rows, *flags):
        """Builds a table from text. The rows have the format of `hex`."""
        self.run_ok("build", "--input_format=hex", f"--out={name}", "--quiet",
                    *flags, stdin=rows)
        return name

    def build_once(self, name, rows, *flags):
        """Like `build`, but tests that need the same table share its bytes."""
        (self.folder / name).write_bytes(built(rows, *flags))
        return name

    def flip(self, name, *places, to=None):
        """Changes a bit of each of these bytes of a file; `to` names a copy."""
        data = bytearray((self.folder / name).read_bytes())
        for place in places:
            data[place] ^= 1
        (self.folder / (to or name)).write_bytes(data)

    # A key that no other table of the tests has.
    SEPARATOR = b"the rows of another table follow"

    def scan_each(self, names, run=None):
        """Returns the rows of each table as canonical dump lines.

        One run of `scan --output_format=canonical` scans all tables, with a
        table of one row as separator between two.

        The rows of a table are a list of lines without line ends. `run` is
        run_ok by default.
        """
        self.build_once("separator.sst", hex_rows([(self.SEPARATOR, 0, 1, b"")]))
        between = [word for name in names for word in (name, "separator.sst")]
        outcome = (run or self.run_ok)(
            "scan", "--output_format=canonical", *between)
        (self.folder / "separator.sst").unlink()
        separator = f"{self.SEPARATOR.hex()} 0 1 "
        rows = [[]]
        for line in outcome.text.splitlines():
            if line == separator:
                rows.append([])
            else:
                rows[-1].append(line)
        self.assertEqual((len(rows), rows.pop()), (len(names) + 1, []))
        return rows

    def layout_of_each(self, names):
        """Returns the blocks of each table, from one run of the program."""
        document = json.loads(self.run_ok("layout", "--json", *names).out)
        return [file["blocks"] for file in document["files"]]

    def assert_usage_error(self, reason, *arguments, **more):
        outcome = self.run_code(2, *arguments, **more)
        self.assertEqual(outcome.err,
                         f"ashlar: {reason}\nTry 'ashlar --help'.\n")
        words = {"--json", "--jsonl", "--output_format=jsonl"}
        if not words.intersection(map(str, arguments)):
            self.assertEqual(outcome.out, b"")
            return
        self.assertEqual(json.loads(outcome.out)["errors"],
                         [{"code": "Invalid argument", "message": reason}])


def hex_rows(entries):
    """Returns rows in the format of `hex`: (key, sequence, type, value)."""
    return b"".join(
        b"%s %d %d %s\n" % (key.hex().encode(), sequence, kind,
                            value.hex().encode())
        for key, sequence, kind, value in entries)


def numbered_rows(count, value_size=20):
    return hex_rows([(b"key%06d" % i, 0, 1, b"%0*d" % (value_size, i))
                     for i in range(count)])


def take_signals():
    """Resets signals in a child.

    This process may ignore them, as a background job ignores SIGINT.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def without_rights_of_root():
    """Drops rights in a child, so that modes bind root too."""
    if os.geteuid() == 0:
        drop, override, search = 24, 1, 2
        for capability in (override, search):
            ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0)


def main():
    del sys.argv[1:2]
    unittest.main()
