"""Runs the examples of the guide: its C++ by a compiled program, its ```sh
blocks by bash.

    guide_test.py <program of guide_program.py> <the program ashlar>

Each page runs in an empty folder of its own. What the C++ examples of a page
print must be what its ```output blocks show. A ```sh block must succeed.
"""

import os
import subprocess
import sys
import tempfile
import unittest

import guide_program

GUIDE = os.path.normpath(os.path.join(os.path.dirname(__file__),
                                      '../../docs/guide'))


def pages():
    for name in sorted(os.listdir(GUIDE)):
        with open(os.path.join(GUIDE, name), encoding='utf-8') as f:
            yield name, f.read()


def texts(page, language):
    return [text for _, text in guide_program.blocks(page, language)]


class GuideTest(unittest.TestCase):
    def test_there_are_examples(self):
        with_examples = [name for name, page in pages() if texts(page, 'cpp')]
        self.assertGreaterEqual(len(with_examples), 8)

    def test_cpp(self):
        for name, page in pages():
            if not texts(page, 'cpp'):
                continue
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [PROGRAM, guide_program.name_of(name)], cwd=folder,
                    capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ''))
                self.assertEqual(done.stdout, ''.join(texts(page, 'output')))

    def test_shell(self):
        for name, page in pages():
            script = '\n'.join(texts(page, 'sh'))
            if not script:
                continue
            path = os.path.dirname(ASHLAR) + os.pathsep + os.environ['PATH']
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    ['bash', '-euo', 'pipefail', '-c', script], cwd=folder,
                    env={**os.environ, 'PATH': path, 'NO_COLOR': '1'},
                    capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_unknown_page_is_an_error(self):
        done = subprocess.run([PROGRAM, 'nothing'], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, 'NotFound: no such page\n'))


class GuideProgramTest(unittest.TestCase):
    def test_errors_have_the_place_of_the_page(self):
        text = ('# Title\n\n```cpp\n#include <map>\nint a;\n```\n\n'
                '```sh\nls\n```\n\n```cpp\nint b;\n```\n')
        includes, function = guide_program.function_of('docs/a-page.md', text)
        self.assertEqual(includes, ['#include <map>'])
        self.assertIn('namespace page_a_page {', function)
        self.assertIn('#line 4 "docs/a-page.md"\n\nint a;\n'
                      '#line 13 "docs/a-page.md"\nint b;\n', function)


if __name__ == '__main__':
    ASHLAR = os.path.abspath(sys.argv.pop(2))
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
