"""Tests what test/mutation/run draws from, and that a switched mutant does what
its kind says while the others do nothing."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import mutants

HERE = pathlib.Path(__file__).resolve().parent
COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 else "c++"

SOURCE = '''// A comment with 1 < 2 and true.
#define BEFORE 1
constexpr int kLimit = 7;
enum Kind {
  kFirst = 1,
  kSecond,
};

int Run(int a, int b) {
  int sum = 0;
  if (a > 5 && b > 5) {
    sum += 100;
  }
  for (int i = 0; i < a; ++i) {
    sum += b;
  }
  Count(&sum);
  const char* text = "if (1 < 2)";
  return std::min(sum, 1000);
}
'''

# Prints what Run returns for some arguments.
PROGRAM = '''
#include <algorithm>
#include <cstdio>
void Count(int* sum) { *sum += 1; }
%s
int main() {
  for (const int a : {0, 3, 5, 6}) {
    for (const int b : {2, 5, 6, 400}) std::printf("%%d ", Run(a, b));
  }
}
'''


class Mutants(unittest.TestCase):
    def setUp(self):
        self.all = mutants.of_source("a.cc", SOURCE)

    def olds(self, kind):
        return [m.old for m in self.all if m.kind == kind]

    def test_each_kind_is_found(self):
        self.assertEqual(self.olds("condition"), ["a > 5 && b > 5"])
        self.assertEqual(self.olds("operand"), ["a > 5", "b > 5"])
        self.assertEqual(self.olds("comparison"), ["a > 5", "b > 5", "i < a"])
        self.assertEqual(self.olds("extreme"), ["std::min(sum, 1000)"])
        self.assertEqual(self.olds("addition"), ["sum += 100", "sum += b"])
        self.assertEqual(self.olds("statement"),
                         ["sum += 100", "sum += b", "Count(&sum)"])

    def test_what_is_no_code_of_run_time_is_left_alone(self):
        # Comments, literals, preprocessor lines, constants and enumerators.
        lines = {m.line(SOURCE) for m in self.all}
        self.assertTrue(lines.isdisjoint({1, 2, 3, 4, 5, 6, 18}), lines)

    def test_offsets_stay_where_they_were(self):
        self.assertEqual(len(mutants.masked(SOURCE)), len(SOURCE))
        for mutant in self.all:
            self.assertEqual(SOURCE[mutant.start:mutant.end], mutant.old)

    def test_the_seed_alone_decides_the_order(self):
        first = mutants.in_random_order(self.all, "a")
        self.assertEqual(first, mutants.in_random_order(self.all, "a"))
        self.assertNotEqual(first, mutants.in_random_order(self.all, "b"))
        self.assertEqual(sorted(map(id, first)), sorted(map(id, self.all)))

    def test_every_kind_is_among_the_first(self):
        kinds = {m.kind for m in self.all}
        first = mutants.in_random_order(self.all, "a")[:len(kinds)]
        self.assertEqual({m.kind for m in first}, kinds)

    def test_overlapping_mutants_are_told(self):
        condition = next(m for m in self.all if m.kind == "condition")
        operand = next(m for m in self.all if m.kind == "operand")
        call = next(m for m in self.all if m.old == "Count(&sum)")
        self.assertTrue(mutants.overlaps(operand, [condition]))
        self.assertFalse(mutants.overlaps(call, [condition]))

    def outputs(self, chosen):
        """What the program prints without a mutant, and with each."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            text = mutants.applied(SOURCE, list(enumerate(chosen)))
            (folder / "a.cc").write_text(PROGRAM % text)
            subprocess.run(
                [COMPILER, "-std=c++20", "-include", HERE / "mutant.h", "-o",
                 folder / "a", folder / "a.cc"], check=True)
            return [subprocess.run([folder / "a"], check=True,
                                   capture_output=True, text=True,
                                   env=environment).stdout.split()
                    for environment in
                    [{}] + [{"ASHLAR_MUTANT": str(n)}
                            for n in range(len(chosen))]]

    def test_a_switch_changes_what_it_says(self):
        chosen = []
        for mutant in self.all:
            if not mutants.overlaps(mutant, chosen):
                chosen.append(mutant)
        self.assertGreater(len(chosen), 5)
        plain, *switched = self.outputs(chosen)
        self.assertEqual(plain[:4], ["1"] * 4)  # a is 0
        for mutant, output in zip(chosen, switched):
            self.assertNotEqual(output, plain, mutant)

    def test_what_the_switch_of_a_comparison_does(self):
        loop = next(m for m in self.all if m.old == "i < a")
        plain, switched = self.outputs([loop])
        # One round more: b is added once more.
        self.assertEqual([int(x) for x in switched[:3]], [3, 6, 7])
        self.assertEqual([int(x) for x in plain[:3]], [1, 1, 1])


if __name__ == "__main__":
    unittest.main()
