"""A folder of 100,000 tables: order of the results, and memory.

Not under sanitizers, which need memory of their own.
"""

import os
import pathlib
import random
import subprocess
import tempfile

import cli
from cli import CliTest, PROGRAM, numbered_rows


class ManyFilesTest(CliTest):

    COUNT = 100000

    def setUp(self):
        super().setUp()
        # A disk takes a minute for this many directory entries.
        memory = "/dev/shm"
        if os.access(memory, os.W_OK):
            folder = tempfile.TemporaryDirectory(dir=memory)
            self.addCleanup(folder.cleanup)
            self.folder = pathlib.Path(folder.name)

    def peak_of(self, *arguments):
        """Returns the lines of its output, and its peak memory in KiB."""
        with tempfile.TemporaryFile() as out:
            with subprocess.Popen([PROGRAM, *arguments], cwd=self.folder,
                                  stdout=out) as run:
                _, status, usage = os.wait4(run.pid, 0)
                run.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(run.returncode, 0)
            out.seek(0)
            return out.read().decode().splitlines(), usage.ru_maxrss

    def test_order_and_memory(self):
        self.build("t.sst", numbered_rows(1), "--filter=none")
        names = [f"{number:05}.sst" for number in range(self.COUNT)]
        shuffled = list(names)
        random.Random(11).shuffle(shuffled)
        for folder, some in (("few", shuffled[:100]), ("all", shuffled)):
            (self.folder / folder).mkdir()
            for name in some:
                os.symlink("../t.sst", self.folder / folder / name)
        _, few = self.peak_of("identify", "few")
        lines, peak = self.peak_of("identify", "all")
        self.assertEqual(lines[:2 * self.COUNT:2],
                         [f"Process all/{name}" for name in names])
        self.assertEqual(lines[-1],
                         f"Number of valid SST files: {self.COUNT}")
        # The memory is for some names per file, not for the files' contents.
        self.assertLess((peak - few) * 1024 / self.COUNT, 600)


if __name__ == "__main__":
    cli.main()
