"""Opens pages of the site in a browser without a window.

    test/docs/check_looks.py <folder of the site> <folder for the pictures>

A page of each kind must load without a message on the console, fit a window of
400 pixels, and look different in dark mode. The list of names must filter. This
needs Chromium.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SITE = pathlib.Path(sys.argv[1]).resolve()
PICTURES = pathlib.Path(sys.argv[2]).resolve()
BROWSER = shutil.which('chromium') or shutil.which('chromium-browser')
PAGES = ('index.html', 'guide/tune.html', 'api/table/table_reader.html',
         'api/index.html', 'man/ashlar-build.1.html', 'pages/architecture.html')
DARK = '--blink-settings=preferredColorScheme=0'
# Says how wide the page is, to the page that it is in.
WIDTH = """<script>parent.postMessage(
document.documentElement.scrollWidth + ' of ' + innerWidth, '*');</script>"""
NARROW = """<!DOCTYPE html><iframe src="%s" width="400" height="900"></iframe>
<script>addEventListener('message', (event) => {
  document.documentElement.setAttribute('data-width', event.data);
});</script>"""
FILTER = """<script>
const field = document.getElementById('filter');
field.value = 'tablereader::mul';
field.dispatchEvent(new Event('input'));
document.documentElement.setAttribute('data-left', Array.from(
  document.querySelectorAll('.names li')).filter((item) => !item.hidden).map(
    (item) => item.textContent).join(' '));
</script>"""


class LooksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        PICTURES.mkdir(parents=True, exist_ok=True)

    def browse(self, page, *flags):
        """Returns the output. Fails if the console had a message."""
        command = [
            BROWSER, '--headless=new', '--disable-gpu', '--hide-scrollbars',
            '--disable-background-networking', '--disable-component-update',
            '--disable-sync', '--no-first-run', '--enable-logging=stderr',
            '--host-resolver-rules=MAP * ~NOTFOUND',
            f'--user-data-dir={self.folder / "profile"}', *flags,
            page.as_uri()]
        if os.geteuid() == 0:
            command.insert(1, '--no-sandbox')
        done = subprocess.run(command, capture_output=True, timeout=120,
                              check=True)
        lines = done.stderr.decode('utf-8', 'replace').splitlines()
        self.assertEqual([line for line in lines if 'CONSOLE' in line], [])
        return done.stdout.decode()

    def picture(self, page, name, *flags):
        path = PICTURES / f'{name}.png'
        path.unlink(missing_ok=True)
        self.browse(SITE / page, f'--screenshot={path}',
                    '--window-size=1200,1500', *flags)
        return path.read_bytes()

    def test_light_and_dark(self):
        for page in PAGES:
            with self.subTest(page):
                name = re.sub(r'\W', '-', page.removesuffix('.html'))
                light = self.picture(page, f'{name}-light')
                self.assertGreater(len(light), 30_000)
                self.assertNotEqual(light, self.picture(page, f'{name}-dark',
                                                        DARK))

    def copy(self, page, script):
        """Returns a page with a script, in a copy of the site's top."""
        site = self.folder / 'site'
        shutil.copytree(SITE, site, dirs_exist_ok=True)
        (site / page).write_text((SITE / page).read_text() + script)
        return site / page

    def test_fits_a_narrow_window(self):
        for page in PAGES:
            with self.subTest(page):
                copy = self.copy(page, WIDTH)
                frame = self.folder / 'narrow.html'
                frame.write_text(NARROW % copy.as_uri())
                shown = self.browse(frame, '--dump-dom',
                                    '--virtual-time-budget=2000')
                self.assertIn('data-width="400 of 400"', shown)

    def test_names_are_filtered(self):
        shown = self.browse(self.copy('api/names.html', FILTER), '--dump-dom')
        self.assertIn('data-left="TableReader::MultiGet"', shown)


if __name__ == '__main__':
    if BROWSER is None:
        sys.exit('check_looks: there is no chromium: tools/setup report')
    del sys.argv[1:3]
    unittest.main()
