"""The manual page and the shell completions that the program itself prints."""

import os
import re
import shutil
import subprocess

import cli
from cli import CliTest

# Completes the given words and prints one suggestion per line.
COMPLETE = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_ashlar
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""


class PagesTest(CliTest):

    def setUp(self):
        super().setUp()
        self.known = {}
        help_text = self.run_ok("--help").text
        self.flags = re.findall(r"^  --(\w+)", help_text, re.MULTILINE)
        commands = help_text.split("Commands:\n")[1].split("\n\n")[0]
        self.commands = re.findall(r"^  ([\w-]+)", commands, re.MULTILINE)

    def flags_of(self, command):
        if command not in self.known:
            self.known[command] = re.findall(
                r"^  --(\w+)", self.run_ok("help", command).text,
                re.MULTILINE)
        return self.known[command]

    def page(self, name):
        text = self.run_ok(f"--help={name}").text
        (self.folder / name).write_text(text)
        return text

    def check_syntax(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"there is no {shell}")
        checked = subprocess.run([shell, "-n", self.folder / shell],
                                 capture_output=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, b""))

    def complete(self, *words):
        done = subprocess.run(
            ["bash", "--norc", "-c", COMPLETE, "bash", self.folder / "bash",
             "ashlar", *words],
            capture_output=True, check=True, cwd=self.folder)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().splitlines()

    def test_manual_page_has_all(self):
        page = self.page("man")
        for command in self.commands:
            name = command.replace("-", "\\-")
            self.assertIn(f"\n.TP\n\\fB{name}\\fR ", page)
        flags = re.findall(r"^\.TP\n\\fB\\-\\-(\w+)\\fR", page, re.MULTILINE)
        self.assertEqual(sorted(flags), sorted(self.flags))
        for section in ("NAME", "SYNOPSIS", "EXIT STATUS", "EXAMPLES"):
            self.assertIn(f".SH {section}\n", page)

    def test_each_command_has_a_manual_page(self):
        self.assertEqual(self.run_ok("--help=commands").text.split(),
                         list(self.commands))
        for command in self.commands:
            page = self.page(f"man-{command}")
            name = f"ashlar-{command}".replace("-", "\\-")
            self.assertIn(f".TH ASHLAR-{command.upper()} 1 ", page)
            self.assertIn(f"\n{name} \\- ", page)
            flags = re.findall(r"^\.TP\n\\fB\\-\\-(\w+)\\fR", page,
                               re.MULTILINE)
            self.assertEqual(sorted(flags), sorted(self.flags_of(command)))
            self.assertNotRegex(page, r"^\.SS .*\n(?=\.S)")
            self.assertIn(f"\n.BR \\%{name} (1)", self.page("man"))
            self.assertTrue(page.endswith(
                "\n.SH SEE ALSO\n.BR \\%ashlar (1)\n"))
        self.run_code(2, "--help=man-nothing")

    def test_mandoc_finds_no_fault_with_manual_pages(self):
        if shutil.which("mandoc") is None:
            self.skipTest("there is no mandoc")
        for name in ("man", *(f"man-{each}" for each in self.commands)):
            self.page(name)
            checked = subprocess.run(
                ["mandoc", "-Tlint", "-Wwarning", self.folder / name],
                capture_output=True, check=False)
            faults = [line for line in checked.stdout.decode().splitlines()
                      if "missing date" not in line]
            self.assertEqual(faults, [])

    def shown_page(self, columns):
        """Returns what groff makes of the manual page, as plain text."""
        if shutil.which("groff") is None:
            self.skipTest("there is no groff")
        self.page("man")
        shown = subprocess.run(
            ["groff", "-man", "-Tascii", "-ww", f"-rLL={columns}n",
             self.folder / "man"],
            capture_output=True, check=True)
        self.assertEqual(shown.stderr, b"")
        return re.sub(r"\x1b\[\d*m|.\x08", "", shown.stdout.decode())

    def test_manual_page_is_shown(self):
        text = self.shown_page(78)
        for flag in self.flags:
            self.assertRegex(text, rf"(?m)^ +--{flag}(=|$| )")

    def test_names_of_other_pages_are_not_broken(self):
        # At each of these widths other names reach the end of a line.
        for columns in (70, 74, 78, 82, 86):
            see_also = self.shown_page(columns).split("\nSEE ALSO\n")[1]
            with self.subTest(columns):
                self.assertEqual(re.findall(r"ashlar-([\w-]+)\(1\)", see_also),
                                 self.commands)

    def test_bash_has_all(self):
        self.page("bash")
        self.check_syntax("bash")
        self.assertEqual(self.complete(""),
                         [*self.commands, "help", "bash"])
        for command in self.commands:
            offered = {word.rstrip("=").removeprefix("--")
                       for word in self.complete(command, "--")}
            negated = {word for word in offered if word not in self.flags}
            self.assertEqual(offered - negated, set(self.flags_of(command)))
            for word in negated:
                self.assertIn(word.removeprefix("no"), self.flags)
        offered = {word.rstrip("=") for word in self.complete("--")}
        self.assertLessEqual({f"--{flag}" for flag in self.flags}, offered)

    def test_bash_in_use(self):
        self.page("bash")
        (self.folder / "a table.sst").touch()
        (self.folder / "folder").mkdir()
        codecs = "none snappy zlib bzip2 lz4 lz4hc zstd".split()
        cases = [
            (["ver"], ["verify"]),
            (["verify", "--checks"], ["--checksums_only"]),
            (["verify", "--out"], []),
            (["build", "--out"], ["--out="]),
            (["scan", "--norange"], ["--norange_dels"]),
            (["scan", "--escape", "=", ""], ["auto", "always", "never"]),
            (["scan", "--escape", "="], ["auto", "always", "never"]),
            (["scan", "--escape", "a"], ["auto", "always"]),
            (["scan", "-escape", "a"], ["auto", "always"]),
            (["build", "--compression_type", "=", ""], codecs),
            (["recompress", "--compression_types", "=", "lz4,zs"],
             ["lz4,zstd"]),
            (["build", "--format_version", "="], list("234567")),
            (["build", "--tmpdir", "=", "fo"], ["folder"]),
            (["build", "--out", "=", "a"], ["a table.sst"]),
            (["scan", "--from", "=", ""], []),
            (["scan", "a"], ["a table.sst"]),
            (["--command", "=", "sc"], ["scan"]),
            (["--help", "=", "sc"], ["scan"]),
            (["help", "sc"], ["scan"]),
            (["scan", "--json", "a"], ["a table.sst"]),
        ]
        for words, expected in cases:
            with self.subTest(words):
                self.assertEqual(self.complete(*words), expected)

    def test_zsh_has_all(self):
        page = self.page("zsh")
        self.assertTrue(page.startswith("#compdef ashlar\n"))
        for flag in self.flags:
            self.assertRegex(page, rf"(?m)^    {flag} '\*?--{flag}=?\[")
        for command in self.commands:
            self.assertRegex(page, rf"(?m)^  '{command}:")
            taken = re.search(rf"(?m)^    {command} '([\w -]+)'$", page)
            self.assertLessEqual(set(self.flags_of(command)),
                                 set(taken.group(1).split()))
        self.check_syntax("zsh")

    def test_fish_has_all(self):
        page = self.page("fish")
        for command in self.commands:
            self.assertRegex(page, rf"(?m) -a {command} -d ")
        for flag in self.flags:
            taken = re.search(
                rf"(?m)^complete -c ashlar -n '__ashlar_takes ([\w -]+)' "
                rf"-l {flag} ", page)
            self.assertIsNotNone(taken, flag)
            self.assertEqual(
                taken.group(1).split(),
                [command for command in self.commands
                 if flag in self.flags_of(command)])
        self.check_syntax("fish")

    def test_fish_in_use(self):
        if shutil.which("fish") is None:
            self.skipTest("there is no fish")
        self.page("fish")
        for words, expected in (("ver", ["verify"]),
                                ("scan --escape=a", ["--escape=always",
                                                     "--escape=auto"]),
                                ("verify --checks", ["--checksums_only"]),
                                ("scan --checks", [])):
            done = subprocess.run(
                ["fish", "--no-config", "-c",
                 f"source fish; complete -C 'ashlar {words}'"],
                capture_output=True, check=True, cwd=self.folder,
                env={**os.environ, "HOME": str(self.folder)})
            self.assertEqual([line.split("\t")[0] for line in
                              done.stdout.decode().splitlines()], expected)


if __name__ == "__main__":
    cli.main()
