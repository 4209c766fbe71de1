"""Opens pages of `ashlar report` in a browser without a window.

    test/report/check_pages.py <program> <folder for the pictures>

Each page must load without a message on the console, run its script, load
nothing from the network, fit a window of 400 pixels, react to the arrow keys,
look different in dark mode, and print. This needs Chromium. The tests that
`make check` runs need no browser.
"""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
PICTURES = pathlib.Path(sys.argv[2]).resolve()
DATABASE = (pathlib.Path(__file__).resolve().parent.parent / "golden" / "db" /
            "multi-cf")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
# Added to a copy of a page, after its own script.
PROBE = """
var root = document.documentElement;
var cell = document.getElementById('cells').children;
function press(key) {
  document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', {key: key, bubbles: true}));
}
cell[0].focus();
press('ArrowRight'); press('ArrowRight'); press('ArrowLeft');
root.setAttribute('data-at', Array.prototype.indexOf.call(
  cell, document.activeElement));
press('End');
root.setAttribute('data-end', document.activeElement === cell[cell.length - 1]);
root.setAttribute('data-detail', document.getElementById('detail').textContent
  === document.activeElement.title);
press('ArrowUp');
root.setAttribute('data-up', cell[cell.length - 1].offsetTop
  > document.activeElement.offsetTop);
"""
# Says how wide the page is, to the page that it is in.
WIDTH = """
parent.postMessage(document.documentElement.scrollWidth + ' of ' + innerWidth,
                   '*');
"""
NARROW = """<!DOCTYPE html><iframe src="%s" width="400" height="900"></iframe>
<script>addEventListener('message', function (event) {
  document.documentElement.setAttribute('data-width', event.data);
});</script>"""


class PageTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        PICTURES.mkdir(parents=True, exist_ok=True)
        source = random.Random(1)
        words = [source.randbytes(6).hex() for _ in range(300)]
        keys = sorted(b"user%07d" % key
                      for key in source.sample(range(10 ** 7), 20000))
        keys.append("zz<img src=x onerror=alert(1)>\u202e".encode())
        rows = "".join(
            f"{key.hex()} {number} 1 "
            f"{' '.join(source.choices(words, k=8)).encode().hex()}\n"
            for number, key in enumerate(keys, 1))
        cls.build("sound", rows.encode())
        data = bytearray((cls.folder / "sound.sst").read_bytes())
        for place in range(len(data) // 3, len(data) // 2, 7000):
            data[place] ^= 1
        (cls.folder / "damaged.sst").write_bytes(data)
        for name, code in (("sound", 0), ("damaged", 1)):
            done = subprocess.run(
                [PROGRAM, "report", f"--out={name}.html", f"{name}.sst"],
                cwd=cls.folder, capture_output=True, check=False)
            assert done.returncode == code, done.stderr
        subprocess.run([PROGRAM, "report", "--out=database.html", DATABASE],
                       cwd=cls.folder, capture_output=True, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def build(cls, name, rows):
        subprocess.run(
            [PROGRAM, "build", "--input_format=hex", f"--out={name}.sst",
             "--quiet"], input=rows, cwd=cls.folder, check=True)

    def browse(self, page, *flags):
        """Returns the output. Fails if the console had a message."""
        log = self.folder / "net.json"
        command = [
            BROWSER, "--headless=new", "--disable-gpu", "--hide-scrollbars",
            "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--no-first-run", "--enable-logging=stderr",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--log-net-log={log}", f"--user-data-dir={self.folder / 'profile'}",
            *flags, (self.folder / page).as_uri()]
        if os.geteuid() == 0:
            command.insert(1, "--no-sandbox")
        done = subprocess.run(command, capture_output=True, timeout=60,
                              check=True)
        words = done.stderr.decode("utf-8", "replace").splitlines()
        self.assertEqual([word for word in words if "CONSOLE" in word], [])
        self.check_network(log)
        return done.stdout.decode()

    def check_network(self, log):
        text = log.read_text()
        # The browser is killed before it closes the list.
        try:
            events = json.loads(text)["events"]
        except ValueError:
            events = json.loads(text.rstrip().rstrip(",") + "]}")["events"]
        # The browser also loads things for itself, which no page has started.
        urls = [event["params"]["url"] for event in events
                if event.get("params", {}).get("initiator", "not an origin")
                != "not an origin"]
        self.assertEqual([url for url in urls if url.startswith("http")], [])

    def picture(self, page, name, *flags):
        path = PICTURES / f"{name}.png"
        path.unlink(missing_ok=True)
        self.browse(page, f"--screenshot={path}", "--window-size=1100,4200",
                    *flags)
        self.assertGreater(path.stat().st_size, 50_000, path)
        return path.read_bytes()

    def test_loads_and_moves(self):
        for name in ("sound", "damaged"):
            page = (self.folder / f"{name}.html").read_text()
            self.assertIn('data-ready="yes"',
                          self.browse(f"{name}.html", "--dump-dom"))
            (self.folder / "probed.html").write_text(
                page.replace("</script>", PROBE + WIDTH + "</script>"))
            document = self.browse("probed.html", "--dump-dom",
                                   "--window-size=1100,900")
            for found in ('data-ready="yes"', 'data-at="1"', 'data-end="true"',
                          'data-detail="true"', 'data-up="true"'):
                self.assertIn(found, document)
            (self.folder / "narrow.html").write_text(NARROW % "probed.html")
            self.assertIn('data-width="400 of 400"',
                          self.browse("narrow.html", "--dump-dom",
                                      "--virtual-time-budget=2000"))

    def test_page_of_a_database(self):
        page = (self.folder / "database.html").read_text()
        self.assertIn('data-ready="yes"',
                      self.browse("database.html", "--dump-dom"))
        (self.folder / "probed.html").write_text(
            page.replace("</script>", WIDTH + "</script>"))
        (self.folder / "narrow.html").write_text(NARROW % "probed.html")
        self.assertIn('data-width="400 of 400"',
                      self.browse("narrow.html", "--dump-dom",
                                  "--virtual-time-budget=2000"))
        self.assertNotEqual(
            self.picture("database.html", "database-light"),
            self.picture("database.html", "database-dark",
                         "--blink-settings=preferredColorScheme=0"))

    def test_faults_are_noticed(self):
        for name, text in (
                ("loud", "<script>console.error('loud')</script>"),
                ("curious", "<img src='http://ashlar.invalid/x.png'/>")):
            (self.folder / f"{name}.html").write_text(text)
            with self.assertRaises(AssertionError, msg=name):
                self.browse(f"{name}.html", "--dump-dom")

    def test_light_and_dark(self):
        for name in ("sound", "damaged"):
            light = self.picture(f"{name}.html", f"{name}-light")
            dark = self.picture(f"{name}.html", f"{name}-dark",
                                "--blink-settings=preferredColorScheme=0")
            self.assertNotEqual(light, dark)

    def test_prints(self):
        for name in ("damaged", "database"):
            path = PICTURES / f"{name}.pdf"
            path.unlink(missing_ok=True)
            self.browse(f"{name}.html", f"--print-to-pdf={path}",
                        "--no-pdf-header-footer")
            self.assertGreater(path.stat().st_size, 20_000)
            sheets = re.findall(rb"/Type\s*/Page\b(?!s)", path.read_bytes())
            self.assertIn(len(sheets), range(1, 5))


if __name__ == "__main__":
    if BROWSER is None:
        sys.exit("check_pages: there is no chromium: tools/setup report")
    del sys.argv[1:3]
    unittest.main()
