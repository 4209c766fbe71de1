"""Tests that each fault of a site's links is found, and nothing else."""

import os
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '../..'))
sys.path.insert(0, os.path.join(ROOT, 'tools/docs'))
import check_links  # noqa: E402

SOUND = {
    'index.html': '<link href="a.css"><a href="sub/one.html#here">one</a>'
                  '<a href="https://example.org/#x">web</a>',
    'sub/one.html': '<h2 id="here">x</h2><a href="../index.html">back</a>'
                    '<a href="#here">here</a><a href="mailto:a@b.c">mail</a>',
    'a.css': '',
}


class CheckLinksTest(unittest.TestCase):
    def faults(self, **changed):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**SOUND, **changed.get('files', {})}.items():
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, 'w', encoding='utf-8') as f:
                    f.write(text)
            for name in changed.get('without', ()):
                os.remove(os.path.join(folder, name))
            return check_links.faults_of(folder)

    def with_link(self, link):
        return self.faults(files={
            'index.html': SOUND['index.html'] + f'<a href="{link}">x</a>'})

    def test_a_sound_site(self):
        self.assertEqual(self.faults(), [])
        self.assertEqual(self.with_link('sub/one.html'), [])

    def test_dead_links(self):
        for link, fault in (
                ('gone.html', 'there is no such file'),
                ('../outside.html', 'there is no such file'),
                ('sub', 'there is no such file'),
                ('#gone', 'the page has no such anchor'),
                ('sub/one.html#gone', 'the page has no such anchor')):
            self.assertEqual(self.with_link(link),
                             [f'index.html: {link}: {fault}'])

    def test_what_a_page_loads(self):
        self.assertEqual(self.faults(without=['a.css']),
                         ['index.html: a.css: there is no such file'])
        loads = SOUND['index.html'] + '<script src="//cdn.example/x.js">'
        self.assertEqual(self.faults(files={'index.html': loads}), [
            'index.html: //cdn.example/x.js: is loaded from the network'])

    def test_anchors_that_are_there_twice(self):
        twice = SOUND['sub/one.html'] + '<p id="here">'
        self.assertEqual(self.faults(files={'sub/one.html': twice}),
                         ['sub/one.html: #here: the anchor is there twice'])

    def test_pages_that_nobody_finds(self):
        self.assertEqual(
            self.faults(files={'lost.html': '<a href="lost.html">me</a>'}),
            ['lost.html: no page leads here'])
        self.assertIn('index.html: there is no such file',
                      self.faults(without=['index.html']))


if __name__ == '__main__':
    unittest.main()
