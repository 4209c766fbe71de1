"""Tests tools/bench/blog_tables and the pictures that it draws.

Argument: table_bench. Times are not checked.
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

PROGRAM = None
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


class BlogTablesTest(unittest.TestCase):
    def run_tables(self, *flags, program=None):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture.svg")
            done = subprocess.run(
                [sys.executable, "-B", str(ROOT / "tools/bench/blog_tables"),
                 f"--program={program or PROGRAM}", "--rounds=1",
                 "--num=2000", "--reads=300", "--keep_disturbed",
                 f"--svg={path}", *flags],
                capture_output=True, text=True, check=False)
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
                    'case "$*" in *--benchmarks=*,*|*=fwdrange\\ *)\n'
                    '  echo "every round was disturbed" >&2; exit 1;; esac\n'
                    f'exec "{os.path.abspath(PROGRAM)}" "$@"\n')
            os.chmod(fake, 0o755)
            table, picture = self.run_tables("--clients=2", "--skews=none",
                                             program=fake)
        missing = [line for line in table.splitlines()
                   if line.endswith("| - |")]
        self.assertEqual(len(missing), 2)
        self.assertTrue(all("| fwdrange |" in line for line in missing))
        self.assertEqual(len(bars(picture, 0)), 6)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
