"""The tables of each release of Ashlar: every later release must read them.

tools/release/make_files wrote them, once per release. Nobody may change them.
"""

import hashlib
import json
import unittest

import cli
from cli import CliTest, GOLDEN

RELEASES = GOLDEN / "releases"
# The SHA-256 of files.json and set-manifest.json of each release, which have
# those of its tables. A line is added with a release, and never changed.
RELEASED = {
    "0.1.0":
        "05cb6a302d1fa33d1a7dfc7ac260b81442bc85e259dd2bf836f337f1f497aeed",
    "0.2.0":
        "96150929bb955940de824e221359ab65ae2a91ced9791cc790737bac2705d4ab",
}


def folders():
    return sorted(path for path in RELEASES.iterdir() if path.is_dir())


class ReleasesTest(CliTest):

    def each(self):
        for folder in folders():
            facts = json.loads((folder / "files.json").read_text())
            for name, fact in facts.items():
                yield folder / name, fact

    def test_each_release_is_there_and_unchanged(self):
        sums = {folder.name: hashlib.sha256(
            (folder / "files.json").read_bytes() +
            (folder / "set-manifest.json").read_bytes()).hexdigest()
                for folder in folders()}
        self.assertEqual(sums, RELEASED)

    def test_nothing_is_missing(self):
        for folder in folders():
            facts = json.loads((folder / "files.json").read_text())
            self.assertEqual(sorted(facts), sorted(
                path.name for path in folder.glob("*.sst")))
            self.assertGreaterEqual(len(facts), 15)

    def test_files_are_as_they_were_written(self):
        for path, fact in self.each():
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(),
                             fact["sha256_file"], path)

    def test_they_hold_what_they_held(self):
        for path, fact in self.each():
            with self.subTest(path):
                dump = self.run_ok("scan", "--output_format=canonical",
                                   path).out
                self.assertEqual(dump.count(b"\n"), fact["entries"])
                self.assertEqual(hashlib.sha256(dump).hexdigest(),
                                 fact["sha256_dump"])

    def test_they_are_sound(self):
        self.run_ok("verify", "--quiet", *[path for path, _ in self.each()])

    def test_keys_are_found(self):
        for path, _ in self.each():
            if path.name.startswith("set-"):
                continue
            with self.subTest(path):
                found = self.run_ok("get", "--key=key-00200", path)
                self.assertIn("value 200", found.text)
                self.run_code(1, "get", "--key=key-99999", path)

    def test_the_set_is_whole(self):
        for folder in folders():
            manifest = json.loads((folder / "set-manifest.json").read_text())
            names = [each["path"] for each in manifest["files"]]
            self.assertEqual(names, sorted(
                path.name for path in folder.glob("set-*.sst")))
            self.assertEqual(
                sum(each["entries"] for each in manifest["files"]), 600)
            rows = self.run_ok("scan", "--output_format=tsv",
                               *[folder / name for name in names]).text
            self.assertEqual(rows, "".join(
                f"key-{i:05d}\tvalue {i}\n" for i in range(600)))


if __name__ == "__main__":
    cli.main()
