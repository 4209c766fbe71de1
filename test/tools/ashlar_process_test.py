"""Threads, signals and pipes of a run of the program."""

import json
import os
import shutil
import signal
import subprocess

import cli
from cli import CliTest, GOLDEN, PROGRAM, numbered_rows, take_signals


class ThreadsTest(CliTest):

    def test_output_does_not_depend_on_threads(self):
        """Good and damaged files and folders: threads share a file's blocks."""
        (self.folder / "mixed").mkdir()
        for path in sorted((GOLDEN / "bad").glob("*.sst")):
            shutil.copy(path, self.folder / "mixed")
        self.damage_some(self.folder / "mixed")
        files = sorted((self.folder / "mixed").iterdir())
        # The threads and the result of a file do not depend on the other files
        # of a run. Starting the program takes longer than checking a file, so
        # 16 files share a run.
        inputs = [files[at:at + 16] for at in range(0, len(files), 16)]
        inputs += [[self.folder / "mixed"], [GOLDEN]]
        for command in ("check", "verify"):
            for paths in inputs:
                for form in ("--jsonl", "--max_errors=0"):
                    one, eight = (
                        self.run_program(command, form, f"--threads={threads}",
                                         "--readahead_size=2000", *paths)
                        for threads in (1, 8))
                    self.assertEqual(one.out, eight.out, (command, paths))
                    self.assertEqual(one.err, eight.err, (command, paths))
                    self.assertEqual(one.code, eight.code, (command, paths))

    def damage_some(self, folder):
        """Writes files of many blocks with several faults each."""
        for i, name in enumerate(("r119-part-fv7", "r119-comp-zstd-fv6",
                                  "r119-hashsearch-fv7", "peb-zstd",
                                  "r119-embedded", "r119-ts")):
            data = bytearray((GOLDEN / f"{name}.sst").read_bytes())
            for at in range(700 + 100 * i, len(data) - 200, len(data) // 9):
                data[at] ^= 0x40
            (folder / f"{name}.sst").write_bytes(data)


class ClosedStreamsTest(CliTest):
    """Cron and daemons start programs so. No file becomes such a stream."""

    def closed(self, streams, *arguments):
        def close():
            for stream in streams:
                os.close(stream)

        with subprocess.Popen([PROGRAM, *arguments], cwd=self.folder,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=close) as run:
            out, err = run.communicate(timeout=300)
        return run.returncode, out, err.decode()

    def test_input(self):
        code, _, err = self.closed([0], "build", "--out=c.sst")
        self.assertEqual(code, 2)
        self.assertIn("Bad file descriptor", err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_output(self):
        self.build("a.sst", numbered_rows(10))
        for streams in ([1], [0, 1]):
            code, out, err = self.closed(streams, "scan", "a.sst")
            self.assertEqual((code, out), (2, b""))
            self.assertIn("standard output: Bad file descriptor", err)

    def test_a_file_gets_no_diagnostics(self):
        self.build("a.sst", numbered_rows(2000))
        self.flip("a.sst", 20)
        code, _, err = self.closed([], "raw", "a.sst", "--out=right.txt")
        self.assertEqual(code, 1)
        self.assertIn("checksum", err)
        # Where the dump is cannot be printed.
        code, _, _ = self.closed([0, 1, 2], "raw", "a.sst", "--out=dump.txt")
        self.assertEqual(code, 2)
        self.assertEqual((self.folder / "dump.txt").read_bytes(),
                         (self.folder / "right.txt").read_bytes())


class SandboxOfProgramTest(CliTest):
    """What the sandbox refuses is tested by test/tools/ashlar/cli/."""

    def parts_of_a_run(self, *flags):
        """Returns NoNewPrivs and Seccomp of a waiting program's status."""
        with subprocess.Popen([PROGRAM, "scan", *flags, "a.sst"],
                              stdout=subprocess.PIPE,
                              cwd=self.folder) as run:
            # The program has begun, and then blocks on the full pipe.
            run.stdout.read(1)
            with open(f"/proc/{run.pid}/status", encoding="utf-8") as file:
                status = dict(line.split(":", 1) for line in file)
            run.stdout.read()
        self.assertEqual(run.returncode, 0)
        return status["NoNewPrivs"].strip(), status["Seccomp"].strip()

    def test_a_command_is_confined_unless_told_otherwise(self):
        self.build_once("a.sst", numbered_rows(20000))
        before = self.parts_of_a_run("--nosandbox")
        if os.environ.get("ASHLAR_SANITIZED"):
            self.assertEqual(self.parts_of_a_run(), before)
        else:
            self.assertEqual(self.parts_of_a_run(), ("1", "2"))
        if before[1] == "0":  # The test itself may run in a sandbox.
            self.assertEqual(before, ("0", "0"))


class InterruptTest(CliTest):

    def test_interrupted(self):
        self.build_once("a.sst", numbered_rows(20000))
        # The program blocks on the full pipe until the signal is sent.
        with subprocess.Popen([PROGRAM, "scan", "--json", "a.sst", "a.sst"],
                              stdout=subprocess.PIPE, cwd=self.folder,
                              preexec_fn=take_signals) as run:
            head = run.stdout.read(1)
            run.send_signal(signal.SIGINT)
            document = json.loads(head + run.stdout.read())
            self.assertEqual(run.wait(), 130)
        self.assertIs(document["interrupted"], True)
        self.assertEqual(document["exit_code"], 130)
        summary = document["summary"]
        self.assertEqual([summary[name] for name in ("files", "ok", "failed")],
                         [1, 0, 0])
        self.assertEqual(document["files"][0]["status"], "skipped")

    def test_two_interruptions_end_it(self):
        self.build_once("a.sst", numbered_rows(20000))
        with subprocess.Popen([PROGRAM, "scan", "a.sst", "a.sst"],
                              stdout=subprocess.PIPE, cwd=self.folder,
                              preexec_fn=take_signals) as run:
            run.stdout.read(1)
            # Nothing reads the pipe any more, so one signal would not end the
            # program.
            run.send_signal(signal.SIGINT)
            run.send_signal(signal.SIGTERM)
            self.assertIn(run.wait(300), (-signal.SIGINT, -signal.SIGTERM))

    def test_what_the_parent_ignores(self):
        self.build_once("a.sst", numbered_rows(20000))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with subprocess.Popen(
                    [PROGRAM, "scan", "a.sst"], stdout=subprocess.PIPE,
                    cwd=self.folder, preexec_fn=lambda: signal.signal(
                        number, signal.SIG_IGN)) as run:
                head = run.stdout.read(1)
                run.send_signal(number)
                rows = (head + run.stdout.read()).splitlines()
                self.assertEqual(run.wait(), 0)
            self.assertGreaterEqual(len(rows), 20000)

    def test_pipes_that_nobody_reads(self):
        self.build_once("a.sst", numbered_rows(20000))
        with subprocess.Popen([PROGRAM, "scan", "a.sst"], cwd=self.folder,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            run.stdout.read(1)
            run.stdout.close()
            self.assertEqual((run.stderr.read(), run.wait()), (b"", 2))
        reader, writer = os.pipe()
        os.close(reader)
        try:
            for command in ("rewrite", "salvage", "raw"):
                run = subprocess.run(
                    [PROGRAM, command, "--progress=always", "--out=b",
                     "a.sst"], cwd=self.folder, stdout=subprocess.DEVNULL,
                    stderr=writer, check=False)
                self.assertEqual(run.returncode, 0, command)
                self.assertEqual(sorted(os.listdir(self.folder)),
                                 ["a.sst", "b"])
                (self.folder / "b").unlink()
        finally:
            os.close(writer)

    def test_interrupted_commands_leave_nothing_and_say_how_far(self):
        self.build("a.sst", numbered_rows(300000))
        # The name is so long that the progress lines fill the pipe. So the
        # program waits, and cannot finish before the signal.
        name = "./" * 1900 + "a.sst"
        for number, *command in (
                (signal.SIGINT, "rewrite", "--out=b.sst"),
                (signal.SIGTERM, "raw", "--out=b.txt"),
                (signal.SIGHUP, "salvage", "--out=b.sst"),
                (signal.SIGINT, "recompress")):
            with subprocess.Popen(
                    [PROGRAM, *command, "--progress=always", name],
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    cwd=self.folder, preexec_fn=take_signals) as run:
                head = run.stderr.read(1)
                run.send_signal(number)
                text = (head + run.stderr.read()).decode()
                self.assertEqual(run.wait(), 130, command)
            self.assertRegex(
                text, r"\nashlar: interrupted in file 1 of 1, .*a\.sst, after "
                      r"about [1-9]?[0-9] % of it\n$")
            self.assertEqual(os.listdir(self.folder), ["a.sst"])


if __name__ == "__main__":
    cli.main()
