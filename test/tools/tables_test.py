"""Tests tools/bench/tables and the pictures that it draws.

Argument: the folder of the programs. Times are not checked.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "bench"))
sys.dont_write_bytecode = True
import svg_bars  # noqa: E402
from svg_bars import Cluster, Panel  # noqa: E402

PROGRAMS = None
SVG = "{http://www.w3.org/2000/svg}"


def bars(picture, series):
    """Returns the bars in the panels, without the legend."""
    tree = ElementTree.fromstring(picture)
    return [rect for rect in tree.iter(SVG + "rect")
            if rect.get("class") == f"s{series}"]


class SvgBarsTest(unittest.TestCase):
    def draw(self, *clusters, title="title"):
        return svg_bars.draw(title, "subtitle", ("ours", "theirs"),
                             [Panel("panel", [("group", list(clusters))])], 1)

    def test_heights_are_in_proportion_and_bars_stand_on_the_axis(self):
        picture = self.draw(Cluster("2", [4.0, 1.0]), Cluster("8", [3.0, 2.0]))
        heights = [[float(rect.get("height")) for rect in bars(picture, i)]
                   for i in (0, 1)]
        unit = svg_bars.PANEL_HEIGHT / 4
        for found, values in zip(heights, ([4, 3], [1, 2])):
            for height, value in zip(found, values, strict=True):
                self.assertAlmostEqual(height, value * unit, delta=0.01)
        feet = {round(float(rect.get("y")) + float(rect.get("height")), 1)
                for i in (0, 1) for rect in bars(picture, i)}
        self.assertEqual(len(feet), 1)

    def test_what_was_not_measured_has_no_bar(self):
        picture = self.draw(Cluster("2", [4.0, None]), Cluster("8", [None] * 2))
        self.assertEqual(len(bars(picture, 0)), 1)
        self.assertEqual(len(bars(picture, 1)), 0)
        self.draw()  # no table at all

    def test_names_are_escaped(self):
        picture = self.draw(Cluster("<2>", [1.0, 2.0], note="1 < 2 & 3"),
                            title='a < "b" & c')
        tree = ElementTree.fromstring(picture)
        self.assertEqual(tree.find(SVG + "title").text, 'a < "b" & c')
        self.assertIn("1 < 2 & 3",
                      [text.text for text in tree.iter(SVG + "text")])

    def test_both_schemes_have_colours_of_their_own(self):
        light, dark = self.draw(Cluster("2", [1.0, 2.0])).split(
            "@media (prefers-color-scheme: dark)")
        for kind in ("text", "\\.ground", "\\.s0", "\\.s1"):
            colour = kind + r" {[^}]*fill: (#\w+)"
            self.assertNotEqual(re.search(colour, light)[1],
                                re.search(colour, dark)[1], kind)

    def test_the_axis_ends_at_a_round_number_above(self):
        for largest, limit in {0: 1, 0.7: 0.8, 1: 1, 1.01: 2, 2.2: 4, 5: 8,
                               81: 100, 0.0021: 0.004}.items():
            self.assertAlmostEqual(svg_bars.nice_limit(largest), limit)


def run_tables(*arguments):
    return subprocess.run(
        [sys.executable, "-B", str(ROOT / "tools/bench/tables"),
         f"--bin={PROGRAMS}", "--rounds=1", "--keep_disturbed", *arguments],
        capture_output=True, text=True, check=False)


class ReadsTest(unittest.TestCase):
    def run_tables(self, *flags):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture.svg")
            done = run_tables("reads", "--num=2000", "--reads=300",
                              f"--svg={path}", *flags)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                return done.stdout, file.read()

    def test_table_and_picture_have_every_cell(self):
        table, picture = self.run_tables("--clients=2,3", "--skews=none,8.64")
        lines = [line for line in table.splitlines() if line.startswith("|")]
        self.assertEqual(len(lines), 2 + 2 * 4 * 2)
        for line in lines[2:]:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            self.assertEqual(len(cells), 5)
            for cell in cells[3:]:
                self.assertRegex(
                    cell, r"^(\d+\.\d\d \(\d+\.\d\d - \d+\.\d\d\); "
                          r"\d+\.\d\d / \d+\.\d\d (db|file)|\d+\.\d\d)$")
        self.assertEqual(len(bars(picture, 0)), 2 * 4 * 2 * 2)

    def test_a_benchmark_that_was_always_disturbed_is_left_out(self):
        # This stand-in for the program fails for more than one benchmark, and
        # for one of them also alone.
        with tempfile.TemporaryDirectory() as folder:
            fake = os.path.join(folder, "fake")
            with open(fake, "w", encoding="utf-8") as file:
                file.write(
                    "#!/bin/sh\n"
                    "for last; do :; done\n"
                    'case "$*" in *--benchmarks=*,*|*=fwdrange)\n'
                    '  echo "every round was disturbed" >&2; exit 1;; esac\n'
                    f'exec "{os.path.abspath(PROGRAMS)}/table_bench" "$@"\n')
            os.chmod(fake, 0o755)
            table, picture = self.run_tables("--clients=2", "--skews=none",
                                             f"--program={fake}")
        missing = [line for line in table.splitlines()
                   if line.endswith("| - |")]
        self.assertEqual(len(missing), 2)
        self.assertTrue(all("| fwdrange |" in line for line in missing))
        self.assertEqual(len(bars(picture, 0)), 6)


class TablesTest(unittest.TestCase):
    def rows_of(self, *arguments):
        """The rows of each table, as lists of cells; the header comes first."""
        done = run_tables(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        tables = {}
        for line in done.stdout.splitlines():
            if line.startswith("<!-- tables "):
                rows = tables[line.split()[2]] = []
            elif line.startswith("| "):
                rows.append([cell.strip()
                             for cell in line.strip("|").split("|")])
        for name, rows in tables.items():
            for row in rows:
                self.assertEqual(len(row), len(rows[0]), name)
        return tables

    def test_groups_have_their_tables_and_these_all_rows(self):
        for arguments, lengths in (
                (["cache", "--ops=1000", "--threads=1,2"],
                 {"mixed": 2, "types": 2, "hits": 12, "hot_key": 4,
                  "pinned": 2}),
                (["parallel", "--num=300"],
                 {"threads": 18, "levels": 9, "worker": 7, "builders": 6})):
            tables = self.rows_of(*arguments)
            self.assertEqual({name: len(rows) - 1
                              for name, rows in tables.items()}, lengths)
            for name, rows in tables.items():
                self.assertEqual({row[-1] for row in rows[1:]}, {"1 + 0"}, name)

    def test_tables_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            tables = self.rows_of("sorting", "verify", "--num=2000",
                                  f"--db={folder}")
            self.assertEqual(sorted(os.listdir(folder)),
                             [f"rows-2000-{kind}.tsv"
                              for kind in ("shuffled", "sorted")])
        self.assertEqual([len(tables[name]) for name in ("verify", "sorting")],
                         [4, 2])

    def test_unknown_tables_are_an_error(self):
        done = run_tables("mixed", "unmixed")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("unknown table unmixed", done.stderr)


if __name__ == "__main__":
    PROGRAMS = sys.argv.pop(1)
    unittest.main()
