"""What a user at a terminal sees of the progress bar.

The program runs under a pseudo-terminal. Its output goes to a simulated screen,
which handles carriage returns and line ends, and the test examines that screen.
Nothing here depends on time.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios

import cli
from cli import CliTest, PROGRAM, numbered_rows


class Screen:
    """Rows of text. Fails on a row that a terminal would break."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = [[]]
        self.widest = 0
        self.seen = []  # the last row each time before it was left
        self.column = 0

    def write(self, text):
        for c in text:
            if c in "\r\n":
                self.seen.append(self.row(-1))
                self.column = 0
                if c == "\n":
                    self.rows.append([])
                continue
            row = self.rows[-1]
            row.extend(" " * (self.column + 1 - len(row)))
            row[self.column] = c
            self.column += 1
            self.widest = max(self.widest, self.column)

    def row(self, index):
        return "".join(self.rows[index]).rstrip()

    def text(self):
        return [self.row(index) for index in range(len(self.rows))]


class TerminalTest(CliTest):

    def run_on_terminal(self, columns, *arguments, meanwhile=None,
                        also_output=False, env=()):
        """Runs the program with standard error on a terminal of `columns`.

        Standard output goes there too if also_output is set.
        """
        master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, columns, 0, 0))
        with open(os.devnull, "wb") as null:
            child = os.posix_spawn(
                PROGRAM, [PROGRAM, *arguments],
                {**os.environ, "TERM": "xterm", "NO_COLOR": "", **dict(env)},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2,
                     terminal if also_output else null.fileno(), 1),
                    (os.POSIX_SPAWN_DUP2, terminal, 2),
                    (os.POSIX_SPAWN_CLOSE, master)],
                # A background job ignores SIGINT, and its child would too.
                setsigdef=[signal.SIGINT])
        os.close(terminal)
        screen = Screen(columns)
        while True:
            # Nothing takes this long, but a failing test must not hang.
            ready, _, _ = select.select([master], [], [], 120)
            if not ready:
                os.kill(child, signal.SIGKILL)
                self.fail("the program neither writes nor ends")
            try:
                piece = os.read(master, 1000)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            screen.write(piece.decode())
            if meanwhile is not None:
                meanwhile(child)
                meanwhile = None
        os.close(master)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), screen

    def setUp(self):
        super().setUp()
        name = "a-folder-of-some-length/000123.sst"
        (self.folder / name).parent.mkdir()
        self.build_once(name, numbered_rows(20000), "--block_size=1024",
                        "--compression_type=none")
        self.table = str(self.folder / name)

    def test_the_bar_fits_and_is_erased(self):
        for columns in (200, 80, 40, 25, 6, 3):
            for command in (["verify"], ["check"],
                            ["recompress", "--compression_types=none"]):
                with self.subTest(columns=columns, command=command):
                    code, screen = self.run_on_terminal(
                        columns, *command, "--progress=always", self.table,
                        self.table)
                    self.assertEqual(code, 0)
                    self.assertLess(screen.widest, columns)
                    self.assertEqual(screen.text(), [""])
                    self.assertEqual(screen.column, 0)
                    shown = [row for row in screen.seen if "%" in row]
                    self.assertEqual(bool(shown), columns >= 6)

    def test_what_is_shown(self):
        _, screen = self.run_on_terminal(200, "verify", "--progress=always",
                                         self.table)
        pattern = (r"/.*/000123\.sst: \d+ % \[[#.]{20}\] "
                   r"\d+\.\d of \d+\.\d MB, \d+ MB/s, \d+:\d\d left$")
        shown = [row for row in screen.seen if row]
        self.assertGreater(len(shown), 1)
        for row in shown[1:]:
            self.assertRegex(row, pattern)
        for columns, pattern in (
                (80, r"^\.\.\..*000123\.sst: \d+ % \[[#.]{10}\].* left$"),
                (40, r"^\.\.\..*000123\.sst: \d+ %.* left$"),
                (25, r"^\.\.\..*0123\.sst: \d+ %$|^\d+ %$")):
            _, screen = self.run_on_terminal(
                columns, "verify", "--progress=always", self.table)
            shown = [row for row in screen.seen if row]
            for row in shown[1:]:
                self.assertRegex(row, pattern)

    def test_colors(self):
        # The name contains the words of error messages.
        bad = self.folder / "a Corruption: is corrupted: IO error: .sst"
        data = bytearray((self.folder / self.table).read_bytes())
        data[100] ^= 1
        bad.write_bytes(data)
        fault = "\x1b[1;31mCorruption\x1b[0m: block checksum mismatch"
        hint = "ashlar: \x1b[36mhint:\x1b[0m "
        def seen(*flags, env=()):
            code, screen = self.run_on_terminal(
                999, "layout", *flags, str(bad), also_output=True, env=env)
            self.assertEqual(code, 1)
            return "\n".join(screen.text())
        for text in (seen(), seen("--color=always", env={"NO_COLOR": "1"})):
            self.assertIn(f"{bad}: {fault}", text)
            self.assertIn("\n" + hint, text)
            self.assertRegex(text, "\n\x1b\\[1m *offset .* first_key\x1b\\[0m\n")
            self.assertIn("  \x1b[1;31mBAD\x1b[0m\n", text)
            self.assertEqual(text.count("\x1b[0m"), 4)
        for flags, env in ((["--color=never"], {}), ([], {"NO_COLOR": "1"}),
                           ([], {"TERM": "dumb"}), ([], {"TERM": ""})):
            text = seen(*flags, env=env)
            self.assertNotIn("\x1b", text)
            self.assertIn("  BAD\n", text)
        # Output for programs has no colours, unless the user asks for them.
        for command in ("layout", "verify", "check"):
            outcome = self.run_program(command, str(bad))
            self.assertNotIn("\x1b", outcome.text + outcome.err)
        outcome = self.run_program("layout", "--color=always", str(bad))
        self.assertIn("\x1b[1;31mBAD", outcome.text)
        self.assertIn(fault, outcome.err)
        outcome = self.run_program("--command=verify", "--color=always",
                                   str(bad))
        self.assertTrue(outcome.err.startswith(
            f"{bad} \x1b[1;31mis corrupted\x1b[0m: Corruption: "))
        self.assertIn(f"\n{bad}: {fault}", outcome.err)
        self.assertEqual(outcome.err.count("\x1b[0m"), 3)
        name = "ashlar: warning: NotFound: .sst"
        (self.folder / name).write_bytes(b"")
        self.assertIn(f"\n{name} is not a valid SST file\n", self.run_program(
            "identify", "--color=always", name).err)
        outcome = self.run_program(
            "get", "--color=always", "--key= NotFound:", self.table)
        self.assertEqual(outcome.err, f"{self.table}: \x1b[1;31mNotFound"
                                      "\x1b[0m: ' NotFound:'\n")
        self.assertIn("\x1b[32mThe file is ok\x1b[0m\n", self.run_ok(
            "verify", "--color=always", self.table).text)
        for form in ("--json", "--jsonl"):
            outcome = self.run_program("layout", "--color=always", form,
                                       str(bad))
            self.assertNotIn("\x1b", outcome.text)
        warning = self.run_ok("identify", "--color=always", "--sample=3",
                              self.table).err
        self.assertIn("ashlar: \x1b[33mwarning:\x1b[0m ", warning)

    def test_names_that_would_move_the_cursor(self):
        name = str(self.folder / "\x1b[2J\t\u4e2d\xe9.sst")
        os.rename(self.table, name)
        _, screen = self.run_on_terminal(300, "verify", "--progress=always",
                                         name)
        shown = [row for row in screen.seen if row]
        for row in shown:
            self.assertIn("/?[2J???.sst: ", row)

    def test_faults_take_the_place_of_the_bar(self):
        path = self.folder / self.table
        table = bytearray(path.read_bytes())
        for place in range(100, len(table) // 2, 2000):
            table[place] ^= 1
        path.write_bytes(table)
        code, screen = self.run_on_terminal(
            400, "verify", "--progress=always", "--color=never", self.table,
            "none.sst")
        self.assertEqual(code, 2)
        rows = screen.text()
        self.assertEqual(rows[-1], "")
        self.assertGreater(len(rows), 10)
        hints = [row for row in rows[:-1] if row.startswith("ashlar: hint: ")]
        self.assertEqual(len(hints), 2)
        self.assertEqual(rows[-3:-1], hints)
        for row in rows[:-3]:
            self.assertRegex(row, r"^(/.*000123|none)\.sst(: | is "
                                  r"corrupted: )(Corruption|IO error|\d+ "
                                  r"more faults)")

    def test_rows_take_the_place_of_the_bar(self):
        code, screen = self.run_on_terminal(
            100, "scan", "--progress=always", "--quiet", self.table,
            also_output=True)
        self.assertEqual(code, 0)
        rows = screen.text()
        self.assertEqual(len(rows), 20001)
        for row in rows[:-1]:
            self.assertRegex(row, r"^'key\d{6}' seq:0, type:1 => \d{20}$")

    def test_get_of_a_range(self):
        code, screen = self.run_on_terminal(
            80, "get", "--from=key001", "--to=key019", "--progress=always",
            self.table)
        self.assertEqual(code, 0)
        self.assertEqual(screen.text(), [""])
        shown = [int(percent) for row in screen.seen
                 for percent in re.findall(r": (\d+) % \[", row)]
        self.assertEqual(shown, sorted(shown))
        self.assertEqual((shown[0], shown[-2:]), (0, [89, 100]))

    def test_an_interrupt_leaves_one_sentence(self):
        # So much output that the program waits for its reader.
        code, screen = self.run_on_terminal(
            80, "scan", "--progress=always", self.table, also_output=True,
            meanwhile=lambda child: os.kill(child, signal.SIGINT))
        self.assertEqual(code, 130)
        rows = [row for row in screen.text() if row.startswith("ashlar: ")]
        self.assertEqual(len(rows), 1)
        self.assertRegex(rows[0], r"^ashlar: interrupted in file 1 of 1, "
                                  r"/.*, after about \d+ % of it$")
        self.assertEqual([row for row in screen.text() if " % [" in row], [])

    def test_what_a_file_came_to_is_shown_before_the_next(self):
        # The error of the second file bypasses the buffer of standard output,
        # which must be written before it.
        code, screen = self.run_on_terminal(
            200, "verify", "--quiet", self.table, "missing.sst",
            also_output=True)
        self.assertEqual(code, 2)
        self.assertIn("missing.sst", screen.row(-2), screen.text())
        self.assertNotIn("missing.sst", screen.row(0), screen.text())

    def test_automatic_is_silent_for_small_files(self):
        _, screen = self.run_on_terminal(80, "verify", self.table)
        self.assertEqual(screen.seen, [])

    def test_a_log_gets_lines(self):
        outcome = self.run_program("verify", "--progress=always", self.table)
        lines = outcome.err.splitlines()
        self.assertGreater(len(lines), 1)
        self.assertNotIn("\r", outcome.err)
        for line in lines:
            self.assertTrue(re.match(r"/.*/000123\.sst: \d+ % \[", line), line)


if __name__ == "__main__":
    cli.main()
