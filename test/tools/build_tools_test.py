#!/usr/bin/env python3
"""Tests the tools of the build and of `make check`.

These are test/support/join_sources.py, tools/stage and tools/slow_units. Takes
no arguments and needs no build.
"""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
JOIN = os.path.join(ROOT, 'test', 'support', 'join_sources.py')
STAGE = os.path.join(ROOT, 'tools', 'stage')
SLOW_UNITS = os.path.join(ROOT, 'tools', 'slow_units')

SOURCE = '''#include "a.h"
namespace ashlar {
namespace {
int Answer() { return 1; }
}  // namespace
}  // namespace ashlar
'''


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path


class JoinSources(Folder):
    def joined(self, *paths):
        target = os.path.join(self.folder, 'joined.cc')
        subprocess.run([sys.executable, '-B', JOIN, target, *paths],
                       check=True)
        with open(target, encoding='utf-8') as file:
            return file.read()

    def test_each_source_has_a_namespace_of_its_own(self):
        first = self.write('table/a_test.cc', SOURCE)
        second = self.write('cache/a_test.cc', SOURCE)
        text = self.joined(first, second)
        self.assertNotIn('namespace {\n', text)
        self.assertIn('\nnamespace table_a_test {\n', text)
        self.assertIn('\nnamespace cache_a_test {\n', text)

    def test_nothing_else_changes_and_lines_keep_their_numbers(self):
        path = self.write('table/a_test.cc', SOURCE)
        first, rest = self.joined(path).split('\n', 1)
        self.assertEqual(first, f'#line 1 "{path}"')
        self.assertEqual(rest.rstrip('\n').split('\n'), SOURCE.replace(
            'namespace {', 'namespace table_a_test {').rstrip('\n').split('\n'))

    def test_names_of_sources_in_the_tree_begin_at_its_root(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(JOIN)))
        path = os.path.join(root, 'test', 'util', 'file_test.cc')
        self.assertTrue(self.joined(path).startswith(
            '#line 1 "test/util/file_test.cc"\n'))


class Stage(Folder):
    def run_stage(self, *command, stages=''):
        return subprocess.run([STAGE, *command], capture_output=True, text=True,
                              env={**os.environ, 'STAGES': stages})

    def test_passes_on_what_the_command_prints_and_its_exit_code(self):
        run = self.run_stage('a', 'sh', '-c', 'echo out; echo err >&2; exit 7')
        self.assertEqual(run.returncode, 7)
        self.assertRegex(run.stdout, r'^out\nstage: a +\d+ s, +\d+ s of CPU')
        self.assertEqual(run.stderr, 'err\n')

    def test_cpu_time_is_that_of_the_command(self):
        busy = 'import time\nwhile time.process_time() < 1: pass'
        run = self.run_stage('busy', sys.executable, '-c', busy)
        self.assertRegex(run.stdout, r' [12] s of CPU time')

    def test_names_the_tree_and_collects_lines(self):
        stages = self.write('stages', '')
        self.run_stage('tests', 'echo', '--test-dir', 'build-asan',
                       stages=stages)
        self.run_stage('compile', 'false', stages=stages)
        with open(stages, encoding='utf-8') as file:
            lines = file.read().splitlines()
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith('tests, build-asan '))
        self.assertTrue(lines[1].startswith('compile '))


class SlowUnits(Folder):
    def run_units(self, *arguments):
        return subprocess.run([sys.executable, '-B', SLOW_UNITS, self.folder,
                               *arguments], capture_output=True, text=True)

    def test_sums_targets_and_lists_the_slowest(self):
        self.write('.ninja_log', '# ninja log v5\n'
                   '0\t9000\t1\ta/CMakeFiles/one.dir/x.cc.o\tc1\n'
                   '0\t3000\t2\ta/CMakeFiles/one.dir/x.cc.o\tc2\n'
                   '0\t1500\t2\ta/CMakeFiles/one.dir/y.cc.o\tc3\n'
                   '5\t505\t2\tlib.so\tc4\n'
                   '5\t505\t2\tlib.so.1\tc4\n')
        run = self.run_units('1')
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(
            [line.split() for line in run.stdout.splitlines()],
            [['5.0', 's', 'all', '3', 'commands'],
             ['4.5', 's', '2', 'one'],
             ['0.5', 's', '1', 'links', 'and', 'others'],
             [],
             ['3.0', 's', 'a/CMakeFiles/one.dir/x.cc.o']])

    def test_says_when_there_is_no_log(self):
        run = self.run_units()
        self.assertEqual(run.returncode, 1)
        self.assertIn('was ' + self.folder + ' built by Ninja?', run.stderr)


if __name__ == '__main__':
    unittest.main()
