"""Opens tables in the page of tools/web, in a browser without a window.

    test/web/check_page.py <program> <page>

What the page shows of a table is what the program prints about it. Damage is
shown as the text of its Status, bytes of keys and values are never HTML, little
of a large file is read, and nothing is sent. This needs Chromium.
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "tools"))
import forged_table  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
PAGE = pathlib.Path(sys.argv[2]).resolve()
GOLDEN = ROOT / "test" / "golden"
HOSTILE = [b"<script>document.title = 'run'</script>",
           b"<img src=x onerror=\"document.title='run'\">",
           b"\x00\xff\r\n\t\\x41", b"zz\xe2\x80\xaedrow"]
IDLE = "!document.body.classList.contains('busy')"
# The rows of a table, with cells as text.
ROWS = ("Array.from(document.querySelectorAll('%s tr'), row => "
        "Array.from(row.cells, cell => cell.textContent))")
# The first files of each kind that differ in codec or format version.
GOLDEN_KIND = re.compile(r"compression=(\w+)")


def print_of(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True,
                          check=False)
    assert done.returncode == code, (arguments, done.stderr)
    return done.stdout


def json_of(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments), "--json"],
                          capture_output=True, check=False)
    return json.loads(done.stdout)["files"][0]


def entries_of(path):
    return json_of("scan", path)["entries"]


def golden_tables():
    """Returns a table for each codec and format version of each producer."""
    found = {}
    with open(GOLDEN / "golden.tsv", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t",
                                  quoting=csv.QUOTE_NONE):
            codec = GOLDEN_KIND.search(row["options"])
            producer = row["#file"].split("-")[0]
            kind = (producer, codec and codec[1], row["format_version"])
            if "custom" not in row["#file"]:
                found.setdefault(kind, GOLDEN / row["#file"])
    return list(found.values())


class PageTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.browser = browser.Browser(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        requests = cls.browser.requests()
        cls.temporary.cleanup()
        assert requests == [], requests

    def setUp(self):
        self.browser.complaints.clear()

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [])

    # --- What a person does -------------------------------------------------

    def choose(self, path):
        self.browser.open(PAGE)
        self.browser.choose("#file", path)
        name = json.dumps(pathlib.Path(path).name)
        self.browser.wait(
            f"document.getElementById('title').textContent === {name} && "
            f"{IDLE}")

    def do(self, script):
        self.browser.evaluate(script)
        self.browser.wait(IDLE)

    def click(self, selector):
        self.do(f"document.querySelector({json.dumps(selector)}).click()")

    def view(self, name):
        self.click(f"[data-view={name}]")

    def search(self, text, is_hex):
        self.do(f"at('key').value = {json.dumps(text)}; "
                f"at('hex').checked = {json.dumps(is_hex)}; "
                "at('search').requestSubmit()")

    # --- What the page shows ------------------------------------------------

    def rows(self, selector):
        return self.browser.evaluate(ROWS % selector)

    def text(self, name):
        return self.browser.evaluate(f"at('{name}').textContent")

    def error(self):
        return self.browser.evaluate("at('error').hidden ? '' : "
                                     "at('error').textContent")

    def bytes_read(self):
        return int(self.browser.evaluate("at('state').dataset.read"))

    def shown_entries(self):
        """Returns key, sequence number, type and value, bytes in hexadecimal."""
        self.do("if (!at('show-hex').checked) at('show-hex').click()")
        return self.rows("#rows")

    def all_entries(self):
        shown = self.shown_entries()
        while not self.browser.evaluate(
                "document.querySelector('[data-page=after]').disabled"):
            self.click("[data-page=after]")
            shown += self.shown_entries()
        return shown

    # --- Tests --------------------------------------------------------------

    def check_entries(self, path):
        printed = [
            [entry["key"], str(entry["seq"]), str(entry["type"])]
            for entry in entries_of(path) if entry["type"] != "range_delete"]
        self.view("entries")
        self.assertEqual(self.error(), "")
        shown = [row[:3] for row in self.all_entries()]
        self.assertEqual(shown, printed)

    def check_search(self, path):
        entries = [entry for entry in entries_of(path)
                   if entry["type"] != "range_delete"]
        if not entries:
            return
        entry = entries[len(entries) // 2]
        value = entry.get("value")
        self.search(entry["key"], True)
        self.assertEqual(self.error(), "")
        versions = self.rows("#found")
        self.assertIn([str(entry["seq"]), str(entry["type"])],
                      [row[:2] for row in versions])
        if value is not None and len(value) <= 8192:
            self.assertIn(value, [row[2] for row in versions])
        self.assertEqual(self.shown_entries()[0][0], entry["key"])

    def check_properties(self, path):
        shown = dict(self.rows("#properties"))
        for line in print_of("properties", path).decode().splitlines():
            label, _, value = line.strip().partition(": ")
            # The page shows times as dates, and long texts cut.
            if label not in shown or "time" in label or len(value) > 100:
                continue
            with self.subTest(label=label):
                self.assertEqual(shown[label].strip(), value)
        self.assertTrue("# entries" in shown or path.name.startswith("ldb"))

    def check_layout(self, path):
        self.view("layout")
        shown = [[int(row[0]), int(row[1]), row[2]]
                 for row in self.rows("#blocks")]
        printed = [[block["offset"], block["size"], block["kind"]]
                   for block in json_of("layout", path)["blocks"]]
        self.assertEqual(shown, printed[:200])

    def test_golden_tables(self):
        tables = golden_tables()
        self.assertGreater(len(tables), 20)
        for path in tables:
            with self.subTest(path=path.name):
                self.choose(path)
                self.assertEqual(self.error(), "")
                self.check_properties(path)
                self.check_entries(path)
                self.check_search(path)
                self.check_layout(path)

    def test_bytes_are_never_html(self):
        keys = sorted(HOSTILE)
        self.build("hostile", "".join(
            f"{key.hex()} {number} 1 {key.hex()}\n"
            for number, key in enumerate(keys, 1)).encode())
        self.choose(self.folder / "hostile.sst")
        self.view("entries")
        shown = self.rows("#rows")
        escaped = [row.split("\t")[0] for row in print_of(
            "scan", "--output_format=tsv",
            self.folder / "hostile.sst").decode().splitlines()]
        self.assertEqual([row[0] for row in shown], escaped)
        self.assertEqual([row[3] for row in shown], escaped)
        for key in escaped:
            self.search(key, False)
            self.assertEqual(len(self.rows("#found")), 1, key)
        # Only the page's own elements are there, and no script has run.
        self.assertEqual(self.browser.evaluate(
            "document.querySelectorAll('#table script, #table img').length"), 0)
        self.assertEqual(self.browser.evaluate("document.title"),
                         "hostile.sst - ashlar")

    def html_of(self, name, table, text):
        """Opens a table that has the text in each place that becomes HTML.

        Returns the names of the elements that the page made of it.
        """
        path = self.folder / name
        path.write_bytes(forged_table.with_properties(table, {
            b"rocksdb.comparator": text, b"rocksdb.filter.policy": text,
            b"mine" + text: text}))
        self.choose(path)
        return self.browser.evaluate(
            "Array.from(document.querySelectorAll("
            "'#facts *, #properties *'), element => element.tagName)")

    def test_text_of_tables_is_never_html(self):
        self.build("plain", b"61 1 1 62\n", *forged_table.PLAIN)
        plain = (self.folder / "plain.sst").read_bytes()
        wanted = self.html_of("harmless.sst", plain, b"abc")
        self.assertGreater(len(wanted), 100)
        for number, text in enumerate(HOSTILE[:2]):
            found = self.html_of(f"hostile{number}.sst", plain, text)
            self.assertEqual(found, wanted)
            self.assertEqual(self.text("facts").count(text.decode()), 2)
            # The name and the value of the user property among them.
            self.assertGreaterEqual(
                self.text("properties").count(text.decode()), 4)

    def test_page_back_and_forth(self):
        self.build("pages", "".join(
            f"{(b'key%04d' % n).hex()} {n} 1 \n"
            for n in range(1, 251)).encode())
        self.choose(self.folder / "pages.sst")
        self.view("entries")

        def ends():
            rows = self.rows("#rows")
            return rows[0][0], rows[-1][0], len(rows)

        self.assertEqual(ends(), ("key0001", "key0100", 100))
        self.click("[data-page=after]")
        self.assertEqual(ends(), ("key0101", "key0200", 100))
        self.click("[data-page=before]")
        self.assertEqual(ends(), ("key0001", "key0100", 100))
        self.click("[data-page=last]")
        self.assertEqual(ends(), ("key0151", "key0250", 100))
        self.click("[data-page=first]")
        self.assertEqual(ends(), ("key0001", "key0100", 100))
        self.search("key0123x", False)
        self.assertIn("no entry of the key key0123x", self.text("found"))
        self.assertEqual(ends(), ("key0124", "key0223", 100))

    def test_invalid_keys(self):
        self.choose(GOLDEN / "jni-11.1.1-default.sst")
        self.search("abc", True)
        self.assertIn("hexadecimal", self.error())
        self.search("a\\z", False)
        self.assertIn("invalid escape", self.error())
        self.search("key00001", False)
        self.assertEqual(self.error(), "")

    def test_damage_is_shown(self):
        data = bytearray((GOLDEN / "r119-comp-zstd-fv6.sst").read_bytes())
        data[10] ^= 1  # in the first data block
        path = self.folder / "damaged.sst"
        path.write_bytes(data)
        self.choose(path)
        self.assertEqual(self.error(), "")
        self.view("entries")
        self.assertRegex(self.error(), "^Corruption: .*damaged.sst.*checksum")
        self.view("report")
        self.click("#make-report")
        page = self.browser.evaluate("at('report-page').srcdoc")
        self.assertIn("The table is damaged", page)
        for size in (0, 10, len(data) // 2):
            path = self.folder / f"cut-{size}.sst"
            path.write_bytes(data[:size])
            self.choose(path)
            self.assertRegex(self.error(), "^Corruption: ")

    def test_report_is_that_of_the_program(self):
        path = GOLDEN / "jni-11.1.1-newest.sst"
        self.choose(path)
        self.view("report")
        self.click("#make-report")
        shown = self.browser.evaluate("at('report-page').srcdoc")
        done = subprocess.run(
            [PROGRAM, "report", "--out=-", path.name], cwd=GOLDEN,
            capture_output=True, check=True).stdout.decode()
        # What other codecs would do is measured, so it differs.
        end = '<section aria-labelledby="codecs">'
        self.assertIn(end, shown)
        self.assertEqual(shown.split(end)[0], done.split(end)[0])

    def test_little_is_read_of_a_large_table(self):
        path = self.folder / "large.sst"
        build = subprocess.Popen(
            [PROGRAM, "build", "--quiet", "--compression_type=none",
             f"--out={path}", "-"], stdin=subprocess.PIPE)
        for number in range(200_000):
            build.stdin.write(b"key%09d\t%s\n" %
                              (number, os.urandom(500).hex().encode()))
        build.communicate()
        self.assertEqual(build.returncode, 0)
        self.assertGreater(path.stat().st_size, 200_000_000)
        self.choose(path)
        self.assertLess(self.bytes_read(), 1_000_000)
        self.view("entries")
        self.assertEqual(self.error(), "")
        self.assertEqual(self.rows("#rows")[0][0], "key000000000")
        self.assertLess(self.bytes_read(), 5_000_000)
        self.search("key000123456", False)
        self.assertEqual(self.rows("#rows")[0][0], "key000123456")
        self.click("[data-page=last]")
        self.assertEqual(self.rows("#rows")[-1][0], "key000199999")
        self.view("layout")
        first = self.rows("#blocks")[0]
        self.assertEqual((first[0], first[2]), ("0", "data"))
        self.assertLess(self.bytes_read(), 10_000_000)

    def test_a_file_that_changes_is_an_error(self):
        path = self.folder / "changed.sst"
        path.write_bytes((GOLDEN / "r119-comp-zstd-fv6.sst").read_bytes())
        self.choose(path)
        self.assertEqual(self.error(), "")
        path.write_bytes(b"another file")
        self.view("entries")
        self.assertRegex(self.error(), "^IO error: .*changed.sst")

    def test_another_file_while_a_report_is_made(self):
        self.choose(GOLDEN / "r119-comp-zstd-fv6.sst")
        self.view("report")
        # One script: the worker cannot answer before it has been stopped.
        self.do("at('make-report').click(); openFile(at('file').files[0])")
        self.assertFalse(self.browser.evaluate("at('make-report').disabled"))
        self.view("report")
        self.click("#make-report")
        self.assertIn("The table is sound", self.browser.evaluate(
            "at('report-page').srcdoc"))

    def test_scripts_of_workers_are_dropped(self):
        self.choose(GOLDEN / "r119-comp-zstd-fv6.sst")
        self.browser.evaluate("""
            var made = [], dropped = [];
            var make = URL.createObjectURL, drop = URL.revokeObjectURL;
            URL.createObjectURL = function (blob) {
              made.push(make.call(URL, blob));
              return made[made.length - 1];
            };
            URL.revokeObjectURL = function (address) {
              dropped.push(address);
              drop.call(URL, address);
            };""")
        # The first of these workers is stopped before it sends anything.
        self.do("openFile(at('file').files[0]); openFile(at('file').files[0])")
        self.assertEqual(self.browser.evaluate("made.length"), 2)
        self.assertTrue(self.browser.evaluate(
            "made.every(address => dropped.includes(address))"))

    # --- What the policy of the page forbids ----------------------------------

    def refused(self, script):
        """Returns the directive by which the policy refuses what this does."""
        directive = self.browser.evaluate(
            "new Promise(function (resolve) { document.addEventListener("
            "'securitypolicyviolation', "
            "event => resolve(event.effectiveDirective), {once: true}); "
            f"{script} }})")
        self.assertIn("Content Security Policy", self.browser.complaints[0])
        self.browser.complaints.clear()
        return directive

    def test_nothing_can_be_sent(self):
        self.choose(GOLDEN / "r119-comp-zstd-fv6.sst")
        sent = self.browser.evaluate(
            "fetch('http://ashlar.invalid/').then(() => 'sent', () => 'not')")
        self.assertEqual(sent, "not")
        self.assertIn("Content Security Policy", self.browser.complaints[0])
        self.browser.complaints.clear()
        self.assertEqual(self.refused(
            "at('search').action = 'http://ashlar.invalid/'; "
            "at('search').submit();"), "form-action")
        self.assertEqual(self.refused(
            "document.head.append(Object.assign(document.createElement("
            "'base'), {href: 'http://ashlar.invalid/'})); "
            "if (document.baseURI.startsWith('http')) resolve('not');"),
            "base-uri")

    def test_no_other_script_runs(self):
        self.choose(GOLDEN / "r119-comp-zstd-fv6.sst")
        self.assertEqual(self.refused(
            "document.body.append(Object.assign(document.createElement("
            "'script'), {src: URL.createObjectURL(new Blob(["
            "'document.title = \"run\"'])), onload: () => resolve('not')}));"),
            "script-src-elem")
        self.assertNotEqual(self.browser.evaluate("document.title"), "run")

    def test_a_request_would_be_seen(self):
        """That no request is listed means nothing if none would be listed."""
        with tempfile.TemporaryDirectory() as folder:
            other = browser.Browser(folder)
            other.evaluate("location = 'http://ashlar.invalid/'; 0")
            other.wait("location.href !== 'about:blank'")
            other.close()
            self.assertEqual(set(other.requests()), {"http://ashlar.invalid/"})

    def test_page_is_small_and_needs_no_other_file(self):
        page = PAGE.read_bytes()
        self.assertLess(len(page), 3_000_000)
        self.assertNotRegex(page, rb"(src|href)=[\"']?http")

    def test_terms_of_works_inside_the_page(self):
        self.browser.open(PAGE)
        self.assertEqual(self.text("notice"), (ROOT / "NOTICE").read_text())

    def build(self, name, rows, *flags):
        subprocess.run(
            [PROGRAM, "build", "--input_format=hex", "--quiet", *flags,
             f"--out={self.folder / name}.sst"], input=rows, check=True)


if __name__ == "__main__":
    if browser.BROWSER is None:
        sys.exit("check_page: there is no chromium: tools/setup web")
    del sys.argv[1:3]
    unittest.main()
