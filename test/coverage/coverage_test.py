#!/usr/bin/env python3
"""Tests what test/coverage/run makes of the counters."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import tempfile
import unittest


def load(path):
    loader = importlib.machinery.SourceFileLoader('coverage_run', path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader('coverage_run', loader))
    loader.exec_module(module)
    return module


run = load(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'run'))

SOURCE = '''int Half(int n) {
  if (n < 0) {
    return -1;
  }
  return n / 2;
}
'''
LCOV = '''SF:{root}/util/half.cc
FN:1,half.cc:_Z4Halfi
DA:1,5
DA:2,5
DA:3,{negative}
DA:4,{negative}
DA:5,5
DA:6,5
BRDA:2,0,0,{negative}
BRDA:2,0,1,5
end_of_record
SF:{root}/test/half_test.cc
DA:1,0
end_of_record
'''


def branches_json(path, *rows):
    """Returns what llvm-cov exports of rows (line, column, true, false)."""
    return json.dumps({'data': [{'files': [{
        'filename': str(path),
        'branches': [[line, column, line, column + 5, true, false, 0, 0, 4]
                     for line, column, true, false in rows]}]}]})


class CoverageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(os.path.realpath(folder.name))
        (self.root / 'util').mkdir()
        (self.root / 'util/half.cc').write_text(SOURCE)

    def coverage(self, negative):
        found = run.parse_lcov(
            LCOV.format(root=self.root, negative=negative))
        run.add_branches(found, branches_json(
            self.root / 'util/half.cc', (2, 7, negative, 5)))
        return run.of_library(found, self.root)

    def test_lines_and_branches_of_the_floors_are_counted(self):
        coverage = self.coverage(0)
        self.assertEqual(list(coverage), ['util/half.cc'])
        half = coverage['util/half.cc']
        self.assertEqual((half.reached(), half.missed()), (4, [3, 4]))
        self.assertEqual(half.counts(), (6, 4, 2, 1))

    def test_a_missed_line_has_its_text_and_a_brace_is_none(self):
        self.assertEqual(run.missed_texts(self.coverage(0), self.root),
                         {('util/half.cc', '_Z4Halfi', 'return -1;'): [3]})
        self.assertEqual(run.missed_texts(self.coverage(2), self.root), {})

    def test_the_line_after_an_assertion_counts_as_it_does(self):
        source = ['assert(a &&', '       b);', 'assert(c);', 'first();',
                  'second();', 'assert(d);', '}']
        (self.root / 'util/half.cc').write_text('\n'.join(source))
        lines = run.Lines()
        lines.times = {1: 7, 2: 7, 3: 0, 4: 0, 5: 0, 6: 7, 7: 0}
        run.fill_after_assertions({'util/half.cc': lines}, self.root)
        self.assertEqual(lines.times,
                         {1: 7, 2: 7, 3: 7, 4: 7, 5: 0, 6: 7, 7: 0})
        # One that no test reaches says nothing of the next line.
        lines.times = {6: 0, 7: 0, 1: 0, 2: 0, 3: 0}
        run.fill_after_assertions({'util/half.cc': lines}, self.root)
        self.assertEqual(lines.missed(), [1, 2, 3, 6, 7])

    def test_one_program_that_reaches_a_line_is_enough(self):
        total = {}
        for negative in (0, 3, 0):
            run.add(total, self.coverage(negative))
        self.assertEqual(total['util/half.cc'].missed(), [])
        self.assertEqual(total['util/half.cc'].taken(), 2)

    def test_each_program_takes_branches_for_all(self):
        total = {}
        for taken in ([True, False], [False, True]):
            lines = run.Lines()
            lines.branches[2] = {7: taken}
            run.add(total, {'util/half.cc': lines})
        self.assertEqual(total['util/half.cc'].branches,
                         {2: {7: [True, True]}})

    def test_branches_of_a_template_count_once(self):
        lines = run.Lines()
        # Two copies of a condition, and of one that the compiler knows.
        lines.conditions[2] = 2
        run.add_branches({'half.h': lines}, branches_json(
            'half.h', (2, 7, 0, 3), (2, 19, 0, 0), (2, 7, 4, 0), (2, 19, 0, 0)))
        self.assertEqual(lines.branches, {2: {7: [True, True]}})

    def test_a_condition_that_is_never_asked_counts(self):
        lines = run.Lines()
        lines.conditions[2] = 2
        run.add_branches({'half.h': lines}, branches_json(
            'half.h', (2, 7, 0, 3), (2, 19, 0, 0)))
        self.assertEqual(lines.branches,
                         {2: {7: [False, True], 19: [False, False]}})

    def test_a_line_belongs_to_the_function_before_it(self):
        lines = run.Lines()
        lines.functions = {3: '_Z4Halfi', 9: 'main'}
        self.assertEqual([lines.function_at(n) for n in (2, 3, 8, 9)],
                         ['', '_Z4Halfi', '_Z4Halfi', 'main'])

    @unittest.skipUnless(shutil.which('llvm-cxxfilt-16'), 'no llvm-cxxfilt-16')
    def test_functions_have_their_names_in_the_source(self):
        coverage = self.coverage(0)
        run.demangle(coverage)
        self.assertEqual(coverage['util/half.cc'].functions, {1: 'Half(int)'})

    def test_each_missed_line_needs_a_row_and_each_row_a_missed_line(self):
        missed = {('util/half.cc', 'Half(int)', 'return -1;'): [3]}
        row = {'path': 'util/*', 'text': 'return -1;', 'reason': 'why'}
        whole = {'path': 'util/half.cc', 'function': 'Half(*', 'reason': 'why'}
        other = {'path': 'util/half.cc', 'text': 'return *9;', 'reason': 'why'}
        third = {'path': 'util/half.cc', 'function': 'Third(*', 'reason': 'why'}
        self.assertEqual(run.compare(missed, [row]), ({}, []))
        self.assertEqual(run.compare(missed, [whole]), ({}, []))
        self.assertEqual(run.compare(missed, [other, third]),
                         (missed, [other, third]))
        self.assertEqual(run.compare({}, [row]), ({}, [row]))
        self.assertEqual(run.compare({}, [{**row, 'by_chance': True}]),
                         ({}, []))

    def test_the_list_can_be_read(self):
        for row in run.read_list():
            self.assertLessEqual({'path', 'reason'}, set(row))
            self.assertLessEqual(set(row),
                                 {'path', 'reason', 'text', 'function',
                                  'by_chance'})


if __name__ == '__main__':
    unittest.main()
