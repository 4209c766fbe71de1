"""Tests how pages of Markdown and of the manual become pages of the site."""

import os
import shutil
import sys
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '../..'))
sys.path.insert(0, os.path.join(ROOT, 'tools/docs'))
import manuals  # noqa: E402
import pages  # noqa: E402
from names import Names, Resolver  # noqa: E402

ADDRESSES = {'docs/a.md': 'pages/a.html', 'docs/guide/b.md': 'guide/b.html'}


def render(text, source='docs/a.md'):
    names = Names()
    names.add('ashlar::Thing', 'api/thing.html#Thing', True)
    made = pages.Pages(ADDRESSES, ['scan'], {'scan': 'man/scan.html'})
    return made.render(source, text, Resolver(names, ADDRESSES[source]))


@unittest.skipIf(shutil.which('cmark-gfm') is None, 'there is no cmark-gfm')
class PagesTest(unittest.TestCase):
    def test_words_in_backticks_are_links(self):
        for word, target in (('Thing', '../api/thing.html#Thing'),
                             ('docs/guide/b.md', '../guide/b.html'),
                             ('ashlar scan --hex', '../man/scan.html')):
            self.assertEqual(
                render(f'`{word}`'),
                f'<p><a href="{target}"><code>{word}</code></a></p>\n')
        for word in ('other', 'docs/a.md', 'ashlar nothing', 'docs/c.md'):
            self.assertEqual(render(f'`{word}`'),
                             f'<p><code>{word}</code></p>\n')

    def test_links_between_sources(self):
        self.assertIn('href="../guide/b.html#x"', render('[b](guide/b.md#x)'))
        self.assertIn('href="../pages/a.html"',
                      render('[a](../a.md)', 'docs/guide/b.md'))
        for link in ('#here', 'https://example.org/a.md', 'gone.md'):
            self.assertIn(f'href="{link}"', render(f'[x]({link})'))

    def test_headings_have_the_anchors_of_github(self):
        page = render('# A `b` & c!\n\n## Same\n\n## Same\n')
        self.assertIn('<h1 id="a-b--c">', page)
        self.assertIn('<h2 id="same">', page)
        self.assertIn('<h2 id="same-1">', page)

    def test_code_is_left_alone(self):
        page = render('```cpp\n`Thing` <b>\n```\n')
        self.assertIn('`Thing` &lt;b&gt;', page)
        self.assertNotIn('href', page)


@unittest.skipIf(shutil.which('mandoc') is None, 'there is no mandoc')
class ManualsTest(unittest.TestCase):
    PAGE = ('.TH X 1 "" "x 1" "User Commands"\n.SH NAME\nx \\- does it\n'
            '.SH SEE ALSO\n.BR \\%ashlar (1),\n.BR \\%ashlar\\-scan (1)\n')

    def test_a_page(self):
        manuals.lint('x.1', self.PAGE)
        page = manuals.to_html('x.1', self.PAGE, {'ashlar-scan.1'})
        self.assertIn('<a href="ashlar-scan.1.html">', page)
        self.assertNotIn('href="ashlar.1.html"', page)
        self.assertNotIn('<h1', page)

    def test_a_fault_is_an_error(self):
        with self.assertRaisesRegex(manuals.ManualFailed, 'x.1: .*WARNING'):
            manuals.lint('x.1', self.PAGE.replace('.SH SEE', '.PP\n.SH SEE'))


if __name__ == '__main__':
    unittest.main()
