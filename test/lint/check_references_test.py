"""Tests each rule of tools/lint/check_references.py.

A rule must fire on a small tree that breaks it, and be silent on a tree that
does not.
"""

import unittest

from check_layout_test import TOP, header, lint, rules

CODE = TOP + '''struct FooBar {
  enum class Kind { kFooKind };
  void Run();
  int some_value;
};
'''
FLAGS = ('// Flags.\n\n#define LIST FLAG(bool, verbose, false, "") \\\n'
         '  FLAG(string, out_file, "", "")\nDEFINE_uint32(rounds, 1, "");\n')
KNOWN = 'tools/lint/known_names.txt'


class ReferencesTest(unittest.TestCase):
    def fires(self, rule, files):
        self.assertEqual(rules(files), [rule])

    def silent(self, files):
        self.assertEqual(lint(files)[0], [])

    def comment(self, rule, text, **files):
        """Checks a comment in a source file, in a tree with CODE and FLAGS."""
        tree = {'util/foo.cc': CODE, 'tools/ashlar/flags/flags.cc': FLAGS,
                'util/a.cc': TOP + '// ' + text + '\n', **files}
        if rule:
            self.fires(rule, tree)
        else:
            self.silent(tree)

    def page(self, rule, text, path='README.md'):
        tree = {'util/foo.cc': CODE, 'tools/ashlar/flags/flags.cc': FLAGS,
                'Makefile': 'check:\n\ttrue\n', path: text + '\n'}
        if rule:
            self.fires(rule, tree)
        else:
            self.silent(tree)

    # --- Files ---

    def test_files_of_comments(self):
        for name in ('gone.h', 'util/gone.cc', 'cli.md', 'gone_test.py',
                     'util/gone', 'util/gone/', 'test/gone.*'):
            self.comment('reference-file', f'See {name}, which says why.')
        for name in ('foo.cc', 'util/foo.cc', 'util/foo', 'util/', 'util/foo.*',
                     'tools/ashlar/flags/flags.cc', 'flags/flags.cc',
                     '<zstd.h>', 'https://example.com/util/gone.h'):
            self.comment(None, f'See {name}.')

    def test_files_of_pages(self):
        for path in ('README.md', 'CONTRIBUTING.md', 'docs/a.md',
                     'table/FORMAT.md'):
            self.page('reference-file', 'See `util/gone.h`.', path)
            self.page('reference-file', 'See util/gone.', path)
            self.page(None, 'See `util/foo.cc`, `util/`, fruit.sst.', path)
        self.page(None, 'Was util/gone.h.', 'CHANGELOG.md')

    def test_headers_by_the_name_that_includes_them(self):
        files = {'util/b.h': header('util/b.h'),
                 'util/in/c.h': header('util/in/c.h')}
        self.silent({**files, 'README.md': 'See `ashlar/util/b.h`.\n'})
        for name in ('ashlar/util/gone.h', 'ashlar/util/in/c.h'):
            self.fires('reference-file',
                       {**files, 'README.md': f'See `{name}`.\n'})

    def test_programs_of_pages(self):
        self.page('reference-file', '    build/bin/gone --rounds=2')
        self.page(None, '    build/bin/ashlar')

    # --- Flags ---

    def test_flags(self):
        for check in (self.comment, self.page):
            check(None, 'Say --verbose, --noverbose, --out_file=x or --rounds.')
            check('reference-flag', 'Say --silent.')
            check('reference-flag', 'Say --nosilent.')
            check('reference-flag', 'Say --out-file=x.')

    def test_flags_of_the_plugin(self):
        page = {'README.md': 'Say --mine.\n'}
        code = TOP + 'const char* flag = "--mine";\n'
        self.silent({**page, 'plugin/rocksdb/a.cc': code})
        self.fires('reference-flag', {**page, 'util/a.cc': code})

    def test_flags_of_messages(self):
        for flag, rule in (('--verbose', []), ('--silent', ['reference-flag'])):
            files = {'tools/ashlar/flags/flags.cc': FLAGS, 'tools/ashlar/a.cc':
                     f'{TOP}auto hint = "say {flag}";\n'}
            self.assertEqual(rules(files), rule)
        self.silent({'tools/ashlar/a.cc': TOP + 'int b = --a;\n'})

    # --- Names ---

    def test_names_of_comments(self):
        for name in ('FooBaz', 'FooBar::Stop', 'Gone::Run', 'kFooType', 'Go()',
                     'other_value', 'FooBar::Kind::kGone'):
            self.comment('reference-name', f'By {name}, as ever.')
        for name in ('FooBar', 'FooBar::Run', 'kFooKind', 'Run()', 'some_value',
                     'Word', 'std::string_view', '4 KiB', 'x_i'):
            self.comment(None, f'By {name}, as ever.')

    def test_names_of_pages(self):
        self.page('reference-name', 'By `FooBaz`.')
        self.page('reference-name', 'By `FooBar::Stop()` of them.')
        self.page('reference-name', 'With `other_value = 3`.')
        self.page(None, 'By `FooBar::Run`, `some_value`. FooBaz is no code.')

    def test_format_defines_its_notation(self):
        text = '    foot_at = 3\n\nThen `foot_at`.'
        self.page(None, text, 'table/FORMAT.md')
        self.page('reference-name', text)

    def test_targets_of_pages(self):
        self.page('reference-target', 'Run `make gone`.')
        self.page('reference-target', '    make gone   # says nothing')
        self.page(None, 'Run `make check`, make do, `make SETUP=true check`.')
        self.silent({'util/foo.cc': CODE, 'tools/ashlar/flags/flags.cc': FLAGS,
                     'Makefile': 'include tools/more.mk\n',
                     'tools/more.mk': 'more:\n\ttrue\n',
                     'README.md': 'Run `make more`.\n'})

    # --- Installed headers ---

    def test_installed_headers_name_what_is_installed(self):
        files = {'util/foo.cc': CODE, 'util/b.h': header('util/b.h'),
                 'util/in/c.h': header('util/in/c.h'),
                 'docs/d.md': 'A page.\n', 'table/FORMAT.md': 'A page.\n'}

        def says(text):
            return rules({**files, 'util/a.h': header(
                'util/a.h', f'// {text}\nstruct Shown {{}};')})
        for text in ('See util/foo.cc.', 'See foo.cc.', 'See c.h.',
                     'See docs/d.md.', 'See util/in.', 'See FooBar.',
                     'By Run().', 'By kFooKind.'):
            self.assertEqual(says(text), ['installed'], text)
        for text in ('See b.h.', 'See util/b.h.', 'FORMAT.md has it.',
                     'A Shown.', '"FooBar" is its name.'):
            self.assertEqual(says(text), [], text)

    def test_examples_of_headers_are_left_to_the_compiler(self):
        text = '//   GoneType a;\n//   a.Stop();\nstruct Shown {};'
        self.silent({'util/a.h': header('util/a.h', text)})
        text = text.replace(';', '')
        self.fires('installed', {'util/a.h': header('util/a.h', text + ';')})

    # --- Known names ---

    def test_known_names(self):
        known = {KNOWN: '# Names.\nTheirName a peer\'s\n'}
        self.comment(None, 'As TheirName does.', **known)
        self.fires('known-name', known)
        self.comment('known-name', 'As TheirName does.',
                     **{KNOWN: 'TheirName\n'})
        for known in ('--their_flag', '--their_*'):
            self.comment(None, 'As --their_flag does.',
                         **{KNOWN: known + ' a peer\'s\n'})

    def test_lines(self):
        text = '// First.\n// Second, by FooBaz.\n'
        fault = lint({'util/a.cc': TOP + 'auto a = R"(\n\n)";\n' + text})[0]
        self.assertEqual([f[:2] for f in fault], [('util/a.cc', 7)])


if __name__ == '__main__':
    unittest.main()
