"""Tests what tools/lint/tidy_selection.py chooses, in small trees."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../../tools/lint'))
import tidy_selection


def includes(*names):
    return ''.join(f'#include "{name}"\n' for name in names)


class TidySelectionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def chosen(self, files, *changed, count=2):
        for path, text in files.items():
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        sources = [path for path in files if path.endswith('.cc')]
        return tidy_selection.choose(sources, set(changed), count)

    def test_sources_that_changed(self):
        files = {'a.cc': '', 'b.cc': '', 'c.cc': ''}
        self.assertEqual(self.chosen(files, 'b.cc', 'gone.cc'), ['b.cc'])
        self.assertEqual(self.chosen(files, 'README.md'), [])

    def test_some_that_include_a_header(self):
        files = {f'{name}.cc': includes('a.h') for name in 'abcd'}
        files['a.h'] = ''
        files['c.cc'] += '// The longest of all.'
        files['d.cc'] += ' '
        self.assertEqual(self.chosen(files, 'a.h'), ['a.cc', 'b.cc'])
        self.assertEqual(self.chosen(files, 'a.h', count=3),
                         ['a.cc', 'b.cc', 'd.cc'])
        # One that is checked anyway counts.
        self.assertEqual(self.chosen(files, 'a.h', 'c.cc'), ['a.cc', 'c.cc'])

    def test_a_header_that_only_headers_include(self):
        files = {'a.h': '', 'b.h': includes('a.h'), 'c.h': includes('b.h'),
                 'far.cc': includes('c.h'), 'near.cc': includes('b.h'),
                 'other.cc': ''}
        self.assertEqual(self.chosen(files, 'a.h', count=1), ['near.cc'])
        self.assertEqual(self.chosen(files, 'a.h'), ['far.cc', 'near.cc'])

    def test_public_headers_and_those_of_the_system(self):
        files = {'a.h': '', 'a.cc': includes('ashlar/a.h'),
                 'b.cc': '#include <a.h>\n'}
        self.assertEqual(self.chosen(files, 'a.h'), ['a.cc'])

    def test_headers_that_include_each_other(self):
        files = {'a.h': includes('b.h'), 'b.h': includes('a.h'),
                 'a.cc': includes('a.h')}
        self.assertEqual(self.chosen(files, 'b.h'), ['a.cc'])

    def test_new_rules(self):
        files = {'a.cc': '', 'b.cc': ''}
        self.assertEqual(self.chosen(files, '.clang-tidy'), ['a.cc', 'b.cc'])

    def test_comments_alone_are_no_change(self):
        def git(*words):
            subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a',
                            *words], check=True, capture_output=True)

        def write(text):
            with open('a.h', 'w', encoding='utf-8') as file:
                file.write(text)
            return tidy_selection.same_but_for_comments('a.h', 'HEAD')

        before = ('// A number.\nint a = 1;  // One.\n'
                  'int b = f(/*c=*/2);  // NOLINT\n')
        write(before)
        git('init', '-q')
        git('add', 'a.h')
        git('commit', '-q', '-m', 'a')
        self.assertTrue(write(before))
        self.assertTrue(write(before.replace('A number.', 'A\n\n// text.')))
        self.assertTrue(write(before.replace('  // One.', '')))
        for old, new in [('a = 1', 'a = 2'), ('  // NOLINT', ''),
                         ('// One.', '// NOLINT'), ('c=', 'd='),
                         ('int b', '  int b'), ('int a', 'int c;\nint a'),
                         ('int a = 1;', '"//"')]:
            self.assertFalse(write(before.replace(old, new)), new)
        self.assertFalse(write(before.replace('  // NOLINT', '').replace(
            '// A', '// NOLINT A')))
        self.assertFalse(
            tidy_selection.same_but_for_comments('a.h', 'no-such-commit'))
        os.remove('a.h')
        self.assertFalse(
            tidy_selection.same_but_for_comments('a.h', 'HEAD'))


if __name__ == '__main__':
    unittest.main()
