"""Inputs: files with any name, and folders with any contents."""

import json
import os
import re

import cli
from cli import CliTest, numbered_rows, without_rights_of_root


class InputTest(CliTest):

    def test_recursive(self):
        for name in ("d", "d/x", "d/x/y", "d/empty", "d/b.sst"):
            (self.folder / name).mkdir()
        for name in ("d/c.sst", "d/x/y/a.sst", "d/x/z.sst", "d/b.sst/q.sst"):
            self.build(name, numbered_rows(1))
        os.symlink("..", self.folder / "d" / "x" / "circle")
        outcome = self.run_ok("check", "--recursive", "d")
        self.assertEqual(re.findall("Process (.*)", outcome.text),
                         ["d/c.sst", "d/b.sst/q.sst", "d/x/z.sst",
                          "d/x/y/a.sst"])
        outcome = self.run_program("check", "--recursive", "d/empty")
        self.assertIn("d/empty: NotFound: no .sst file in it", outcome.err)
        self.assertNotEqual(outcome.code, 0)

    def test_mixed_directory(self):
        tables = self.folder / "d"
        tables.mkdir()
        self.build("d/b.sst", numbered_rows(3))
        damaged = bytearray((tables / "b.sst").read_bytes())
        damaged[0] ^= 1
        (tables / "a.sst").write_bytes(b"")
        (tables / "c.sst").write_bytes(b"no table at all " * 10)
        (tables / "d.sst").write_bytes(damaged)
        (tables / "e.txt").write_bytes(b"not looked at")
        outcome = self.run_code(1, "check", "d")
        self.assertEqual(re.findall("Process (.*)", outcome.text),
                         ["d/a.sst", "d/b.sst", "d/c.sst", "d/d.sst"])
        for name in "acd":
            self.assertRegex(outcome.err,
                             rf"(?m)^d/{name}\.sst: Corruption: ")
        self.assertNotIn("d/b.sst", outcome.err)
        # The worst result decides, in any order.
        for inputs in (["d", "none.sst"], ["none.sst", "d"]):
            outcome = self.run_code(2, "check", "--json", *inputs)
            document = json.loads(outcome.out)
            self.assertEqual(
                {os.path.basename(file["path"]): file["status"]
                 for file in document["files"]},
                {"a.sst": "not_sst", "b.sst": "ok", "c.sst": "not_sst",
                 "d.sst": "corrupt", "none.sst": "io_error"})
            self.assertEqual(document["summary"],
                             {"files": 5, "ok": 1, "failed": 4, "skipped": 0,
                              "entries": 3})
            self.assertEqual(document["exit_code"], 2)
        # The older rule: one table is enough.
        self.run_ok("check", "--nostrict", "d")
        self.assertEqual(
            self.run_program("check", "--nostrict", "d/a.sst").code, 1)
        self.assertEqual(
            self.run_program("check", "--nostrict", "--x").code, 1)
        self.run_code(1, "rewrite", "--nostrict", "--out=d/b.sst", "d/b.sst")

    def test_unreadable_among_others(self):
        (self.folder / "d" / "locked").mkdir(parents=True)
        for name in ("a", "b", "c"):
            self.build(f"d/{name}.sst", numbered_rows(3))
        os.chmod(self.folder / "d" / "b.sst", 0)
        os.chmod(self.folder / "d" / "locked", 0)
        for command in (["check"], ["scan"], ["verify"], ["identify"],
                        ["properties"], ["layout"], ["stats"],
                        ["get", "--key=key000001"], ["raw"], ["report"],
                        ["space"], ["overlap"],
                        ["recompress", "--compression_types=none"]):
            outcome = self.run_program(*command, "--recursive", "d",
                                       preexec_fn=without_rights_of_root)
            self.assertEqual(outcome.code, 2, command)
            for name in ("b.sst", "locked"):
                self.assertRegex(
                    outcome.err,
                    rf"(?m)^d/{name}: IO error: .*: Permission denied$")
            for name in ("a", "c"):
                self.assertRegex(outcome.text,
                                 rf"Process d/{name}\.sst\nSst file format: ")

    def test_io_errors(self):
        outcome = self.run_code(2, "check", "none.sst")
        self.assertRegex(outcome.err,
                         r"\Anone\.sst: IO error: .*No such file")
        (self.folder / "d").mkdir()
        outcome = self.run_program("check", "--quiet", "d")
        self.assertEqual((outcome.code, outcome.err),
                         (1, "d: NotFound: no .sst file in it\n"))

    def test_suffix_does_not_matter(self):
        self.build("table.download", numbered_rows(3))
        self.run_ok("check", "table.download")

    def test_identify(self):
        self.build("a.sst", numbered_rows(3))
        (self.folder / "bad.sst").write_bytes(b"x" * 300)
        text = self.run_ok("identify", "a.sst").text
        self.assertTrue(text.endswith("\na.sst is a valid SST file\n"))
        outcome = self.run_code(1, "identify", ".")
        self.assertTrue(outcome.text.endswith(
            "------------------------------\n"
            "List of valid SST files found in .:\n./a.sst\n"
            "Number of valid SST files: 1\n"))
        self.assertIn("./bad.sst is not a valid SST file\n", outcome.err)
        (self.folder / "a.sst").unlink()
        outcome = self.run_program("identify", ".")
        self.assertIn("No valid SST files found in .\n", outcome.err)


if __name__ == "__main__":
    cli.main()
