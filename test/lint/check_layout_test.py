"""Tests each rule of tools/lint/check_layout.py.

A rule must fire on a small tree that breaks it, and be silent on a tree that
does not.
"""

import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '../..'))
sys.path.insert(0, os.path.join(ROOT, 'tools/lint'))
import check_layout  # noqa: E402

TOP = '// What it is.\n\n'


def header(path, body='', includes=''):
    guard = 'ASHLAR_' + path.upper().replace('/', '_').replace('.', '_') + '_'
    guard = guard.replace('-', '_')
    return (f'{TOP}#ifndef {guard}\n#define {guard}\n\n{includes}\n{body}\n'
            f'#endif  // {guard}\n')


def lint(files, exemptions=''):
    """Lints a tree of these files. CMake lists all but 'unlisted' paths."""
    with tempfile.TemporaryDirectory() as root:
        floors = os.path.join(ROOT, 'tools/lint/floors.txt')
        with open(floors, encoding='utf-8') as f:
            files = {'tools/lint/floors.txt': f.read(),
                     'tools/lint/exemptions.txt': exemptions, **files}
        listed = {}
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, 'w', encoding='utf-8') as f:
                f.write(text)
            top, _, rest = path.partition('/')
            if rest == 'CMakeLists.txt':
                listed.setdefault(top, []).append(text)
            elif 'unlisted' not in path and rest:
                listed.setdefault(top, []).append(rest)
        for top, names in listed.items():
            with open(os.path.join(root, top, 'CMakeLists.txt'), 'w',
                      encoding='utf-8') as f:
                f.write('\n'.join(names))
        return check_layout.check(root)


def rules(files, exemptions=''):
    return sorted({f[2] for f in lint(files, exemptions)[0]})


class RuleTest(unittest.TestCase):
    def fires(self, rule, files):
        self.assertEqual(rules(files), [rule])

    def silent(self, files, exemptions=''):
        self.assertEqual(lint(files, exemptions)[0], [])

    def body(self, rule, text, path='util/a.cc'):
        self.fires(rule, {path: TOP + text})

    def include(self, rule, path, target, target_body='', spelled=None):
        public = re.fullmatch(r'(util|cache|table(/entry)?)/\w+\.h', target)
        line = spelled or ('ashlar/' if public else '') + target
        line = f'#include "{line}"\n'
        files = {target: header(target, target_body)}
        files[path] = (header(path, includes=line) if path.endswith('.h')
                       else TOP + line)
        if rule:
            self.fires(rule, files)
        else:
            self.silent(files)

    # --- Sizes ---

    def test_file_lines(self):
        self.silent({'util/a.cc': TOP + 'int a;\n' * 598})
        self.body('file-lines', 'int a;\n' * 599)
        self.silent({'test/a.cc': TOP + 'int a;\n' * 798})
        self.body('file-lines', 'int a;\n' * 799, 'test/a.cc')

    def test_file_lines_warning(self):
        faults, warnings, _ = lint({'util/a.cc': TOP + 'int a;\n' * 499})
        self.assertEqual((faults, len(warnings)), ([], 1))

    def test_public_header_lines(self):
        long = 'int a;\n' * 260
        self.fires('public-header-lines', {'util/a.h': header('util/a.h',
                                                              long)})
        self.silent({'util/b/a.h': header('util/b/a.h', long)})

    def test_includes(self):
        self.silent({'util/a.cc': TOP + '#include <vector>\n' * 15})
        self.body('includes', '#include <vector>\n' * 16)

    def test_makefile(self):
        self.fires('file-lines', {'Makefile': 'a:\n' * 161})

    def test_function_lines(self):
        lines = '  a();\n'
        for head in ('void F() {\n', 'int A::F(int a = 3) const {\n',
                     'A::A(int b)\n    : b_{b}, c_(3) {\n',
                     'template <class T>\nvoid F() {\n',
                     'bool A::operator==(const A& b) {\n',
                     'auto F() -> std::vector<int> {\n',
                     'std::array<int, 3> F() noexcept {\n',
                     'TEST(A, B) {\n'):
            body = 70 - head.count('\n') - 1
            wrap = 'namespace x {{\nclass A {{\n public:\n{}}}\n}};\n}}\n'
            for text in (head + lines * body + '}\n',
                         wrap.format(head + lines * body)):
                self.silent({'util/a.cc': TOP + text})
            self.body('function-lines', head + lines * (body + 1) + '}\n')
            self.body('function-lines',
                      wrap.format(head + lines * (body + 1)))

    def test_function_lines_not_tables(self):
        self.silent({'util/a.cc': TOP + 'constexpr Row kRows[] = {\n' +
                     '    Row{1, F(2)},\n' * 90 + '};\n'})
        self.silent({'util/a.cc': TOP + 'class A : public B<int> {\n' +
                     '  int a();\n' * 90 + '};\n'})
        self.silent({'util/a.cc': TOP + 'enum class A : char {\n' +
                     '  k,\n' * 90 + '};\n'})

    def test_function_lines_counts_after_strings_and_comments(self):
        text = ('void F() {\n  char a = \'{\';  // {\n  auto b = "{";\n'
                '  auto c = R"(}})";\n  int d = 1\'000;\n' + '  a();\n' * 66 +
                '}\n')
        self.body('function-lines', text)

    # --- Text ---

    def test_columns(self):
        self.silent({'util/a.cc': '// ' + 'x' * 77 + '\n'})
        self.fires('columns', {'util/a.cc': '// ' + 'x' * 78 + '\n'})

    def test_trailing_space(self):
        self.body('trailing-space', 'int a; \n')

    def test_tab(self):
        self.body('tab', 'int\ta;\n')

    def test_last_newline(self):
        self.body('last-newline', 'int a;')

    def test_top_comment(self):
        self.fires('top-comment', {'util/a.cc': 'int a;\n'})
        self.silent({'util/a.cc': 'int a;\n', 'util/a.h': header('util/a.h')})
        self.fires('top-comment', {'util/a.h': header('util/a.h')[len(TOP):]})

    def test_guard(self):
        self.fires('guard', {'util/a.h': TOP + '#pragma once\n'})
        wrong = header('util/b.h')
        self.fires('guard', {'util/a.h': wrong})

    # --- Names ---

    def test_using_std(self):
        self.body('using-std', 'using namespace std;\n')

    def test_names(self):
        for text in ('int rep_;\n', 'int impl2;\n', 'void ReadImpl2();\n',
                     'class FileHelper;\n', 'class FileManager;\n',
                     'class FileUtil;\n', 'void DoIt();\n',
                     'struct TableImpl {};\n', 'struct Rep;\n'):
            self.body('name', text)
        self.silent({'util/a.cc': TOP + '// A Helper.\nint utility;\n'
                     'auto a = "DoIt";\nbool compression_manager;\n'})

    def test_threading(self):
        for text in ('std::atomic<int> a;\n', 'std::mutex a;\n',
                     'std::jthread a;\n', 'std::lock_guard b(a);\n'):
            self.body('threading', text)
            self.silent({'test/a.cc': TOP + text})
            self.silent({'util/sync/a.cc': TOP + text})

    def test_random(self):
        for text in ('std::random_device a;\n', 'int a = rand();\n',
                     'int a = getrandom(b, 8, 0);\n', 'auto a = srand (1);\n'):
            self.body('random', text)
            self.fires('random', {'test/a.cc': TOP + text})
            self.silent({'port/random_word.cc': TOP + text})
        self.silent({'util/a.cc': TOP + 'int operand(int brand);\n'
                     'int rand;\nRandom random(1);\n'})

    # --- Includes ---

    def test_floors(self):
        up, down = 'table/format/b.h', 'util/coding/b.h'
        self.include('floor', 'util/a.cc', up)
        self.include('floor', 'port/a.cc', down)
        self.include('floor', 'cache/a/a.cc', up)
        self.include('floor', 'util/a.cc', 'cache/b.h')
        self.include('floor', 'util/a.cc', 'tools/b.h')
        self.include('floor', 'tools/bench/a.cc', 'test/support/b.h')
        self.include(None, 'table/format/a.cc', down)
        self.include(None, 'test/a.cc', up)
        self.include(None, 'tools/bench/a.cc', up)

    def test_floors_of_table(self):
        order = ('format', 'block', 'index', 'counters', 'load', 'write',
                 'inspect')
        for n, low in enumerate(order):
            for high in order[n + 1:]:
                self.include('floor', f'table/{low}/a.cc',
                             f'table/{high}/b.h')
                self.include(None, f'table/{high}/a.cc', f'table/{low}/b.h')
        for one, other in (('index', 'filter'), ('filter', 'meta'),
                           ('meta', 'index'), ('write', 'read')):
            self.include('floor', f'table/{one}/a.cc', f'table/{other}/b.h')
            self.include('floor', f'table/{other}/a.cc', f'table/{one}/b.h')
        self.include(None, 'table/format/a.cc', 'table/options.h')
        self.include('floor', 'table/options.cc', 'table/read/b.h')
        self.include(None, 'table/format/a.cc', 'table/entry/b.h')

    def test_rooms_of_the_program(self):
        order = ('flags', 'print', 'inputs', 'rows', 'outputs', 'measure',
                 'page', 'cli', 'commands')
        for n, low in enumerate(order):
            for high in order[n + 1:]:
                self.include('floor', f'tools/ashlar/{low}/a.cc',
                             f'tools/ashlar/{high}/b.h')
                self.include(None, f'tools/ashlar/{high}/a.cc',
                             f'tools/ashlar/{low}/b.h')
        self.include(None, 'tools/ashlar/flags/a.cc', 'tools/b.h')
        self.include('floor', 'tools/a.cc', 'tools/ashlar/flags/b.h')
        self.fires('folder', {'tools/ashlar/new/a.cc': TOP})

    def test_public(self):
        self.include('public', 'util/a.h', 'util/coding/b.h')
        self.include('public', 'table/a.h', 'port/b.h')
        self.include('floor', 'util/a.h', 'table/b.h')
        self.include(None, 'table/a.h', 'util/b.h')
        self.include(None, 'table/a.h', 'table/entry/b.h')
        self.fires('public', {'util/a.h': header(
            'util/a.h', includes='#include <sys/stat.h>\n')})

    def test_template_headers(self):
        def tree(included, listed='fifo/b.h'):
            return {'cache/a.h': header('cache/a.h',
                                        includes='#include '
                                        '"ashlar/cache/fifo/b.h"\n'),
                    'cache/fifo/b.h': header('cache/fifo/b.h',
                                             includes=included),
                    'util/c.h': header('util/c.h'),
                    'util/sync/d.h': header('util/sync/d.h'),
                    'cache/CMakeLists.txt': f'TEMPLATE_HEADERS\n {listed}\n)'}
        self.silent(tree('#include <atomic>\n#include "ashlar/util/c.h"\n'))
        self.fires('include-path', tree('', listed='x.cc'))
        self.fires('public', tree('#include "util/sync/d.h"\n'))
        self.fires('public', tree('#include <pthread.h>\n'))

    def test_user_side(self):
        for path in ('tools/ashlar/a.cc', 'tools/examples/a.cc',
                     'tools/replay/a.cc', 'tools/arrow/a.cc'):
            self.include('floor', path, 'table/format/b.h')
            self.include('floor', path, 'port/b.h')
            self.include(None, path, 'table/b.h')
            self.include(None, path, 'third-party/json_lib.h')
        self.include(None, 'tools/ashlar/a.cc', 'tools/ashlar/flags/b.h')
        # Files shared by programs obey the rule too, and examples, which users
        # copy, may not include them.
        self.include('floor', 'tools/a.cc', 'table/format/b.h')
        self.include(None, 'tools/a.cc', 'table/b.h')
        self.include('floor', 'tools/examples/a.cc', 'tools/b.h')
        self.include(None, 'tools/ashlar/a.cc', 'tools/replay/b.h')
        self.include(None, 'tools/ashlar/a.cc', 'tools/arrow/b.h')
        self.include('floor', 'tools/arrow/a.cc', 'tools/ashlar/b.h')
        self.include('floor', 'tools/examples/a.cc', 'tools/arrow/b.h')
        self.include(None, 'tools/cache_sim/a.cc', 'tools/replay/b.h')
        self.include('floor', 'tools/replay/a.cc', 'tools/cache_sim/b.h')
        self.include('floor', 'tools/examples/a.cc', 'tools/replay/b.h')

    def test_third_party(self):
        self.include(None, 'util/a.cc', 'third-party/zstd_lib.h')
        self.include('floor', 'util/a.cc', 'third-party/gflags_lib.h')
        self.include(None, 'tools/arrow/module/a.cc', 'third-party/arrow_lib.h')
        for path in ('tools/arrow/a.cc', 'tools/ashlar/a.cc', 'table/a.cc'):
            self.include('floor', path, 'third-party/arrow_lib.h')
        for name in ('zstd.h', 'lz4hc.h', 'snappy.h', 'zlib.h', 'bzlib.h',
                     'xxh_x86dispatch.h', 'gflags/gflags.h',
                     'nlohmann/json.hpp', 'arrow/type.h', 'parquet/types.h'):
            self.body('wrapper', f'#include <{name}>\n')
        self.silent({'test/a.cc': TOP + '#include <zstd.h>\n'})
        self.body('floor', '#include <gtest/gtest.h>\n')

    def test_include_path(self):
        self.body('include-path', '#include "a.h"\n')
        # Installed headers are included as ashlar/..., and no other header is.
        for path, wrong in (('util/b.h', 'util/b.h'),
                            ('table/entry/b.h', 'table/entry/b.h'),
                            ('table/read/b.h', 'ashlar/table/read/b.h')):
            self.include('include-path', 'table/read/a.cc', path,
                         spelled=wrong)

    # --- Places ---

    def test_folder(self):
        self.fires('folder', {'table/new/a.cc': TOP})

    def test_unlisted(self):
        self.fires('unlisted', {'util/unlisted.cc': TOP})

    # --- Exemptions ---

    def test_exemption(self):
        files = {'util/a.cc': TOP + 'int\ta;\n'}
        self.silent(files, 'tab util/a.cc because\n')
        self.assertEqual(rules(files, 'tab util/a.cc\n'), ['exemption', 'tab'])
        self.assertEqual(rules({}, 'tab util/a.cc because\n'), ['exemption'])

    def test_exemption_of_one_function(self):
        body = '() {\n' + '  a();\n' * 70 + '}\n'
        files = {'util/a.cc': TOP + 'void F' + body + 'void G' + body}
        faults = lint(files, 'function-lines util/a.cc:F one reason\n')[0]
        self.assertEqual([f[2] for f in faults], ['function-lines'])
        self.assertIn('G has', faults[0][3])


if __name__ == '__main__':
    unittest.main()
