"""Compiles the examples in comments of installed headers and in README.md.

    examples_test.py <compiler>

All are in one translation unit, which is checked for syntax and types only.
CONTEXTS declares the names that an example uses without a declaration. Errors
name the header or page, and its line. `...` on a line of its own and `{ ... }`
stand for any code.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '../..'))
sys.path.insert(0, os.path.join(ROOT, 'tools/lint'))
import check_layout  # noqa: E402
import header_examples  # noqa: E402

# A dropped Status must be an error; an unused variable is none.
FLAGS = ('-std=c++20', '-fsyntax-only', '-O0', '-Wall', '-Wextra', '-Werror',
         '-Wno-unused-variable', '-Wno-unused-but-set-variable',
         '-Wno-unused-parameter', '-Wno-unused-local-typedefs',
         '-Wno-missing-field-initializers', '-x', 'c++', '-')

BLOCK = '''struct Block { void Search(); };
std::unique_ptr<Block> ReadBlock();
std::unique_ptr<Block> MakeBlock();
'''
LEVELS = '''extern const ashlar::TableReader *newest, *newer, *older, *low,
    *high; extern std::span<const ashlar::Slice> keys;
    extern std::span<ashlar::GetResult> results;
    extern std::span<ashlar::Status> statuses;
    '''

CONTEXTS = {
    'cache/concurrent_write_buffer.h':
        'extern uint64_t file; extern uint32_t micros, kind;',
    'cache/fifo_cache.h': 'extern ashlar::CacheKey key; extern uint64_t when;',
    'cache/tiered_cache.h': '''extern std::shared_ptr<ashlar::Cache> first;
        extern ashlar::ReaderOptions options;''',
    'cache/typed_cache.h': BLOCK + '''extern ashlar::CacheKey key;
        extern std::shared_ptr<ashlar::Cache> cache;''',
    'table/built_table.h': '''extern ashlar::BuildOptions build_options;
        extern ashlar::ReaderOptions reader_options;
        extern std::unique_ptr<ashlar::TableBuilder> builder;
        extern std::string path;''',
    'table/cache_dump.h': '''extern std::shared_ptr<ashlar::Cache> cache;
        extern ashlar::Status status;''',
    'table/compaction_iterator.h': '''
        extern ashlar::CompactionIteratorOptions options;
        extern std::vector<ashlar::Iterator> inputs;
        extern ashlar::RangeDeletionAggregator deletions;
        extern std::unique_ptr<ashlar::TableBuilder> builder;
        extern ashlar::Status status;''',
    'table/entry_sorter.h':
        'void use(ashlar::Slice key, ashlar::Slice value);',
    'table/multi_table_get.h': LEVELS,
    'table/numbered_outputs.h': '''extern uint64_t next_file;
        std::string PathOf(uint64_t number);
        extern ashlar::CompactionOptions options;
        extern std::vector<ashlar::CompactionRun> runs;''',
    'table/perf_context.h': '''extern ashlar::TableReader* reader;
        extern ashlar::Slice key; extern ashlar::GetResult result;''',
    'table/table_builder.h': '''extern ashlar::TableOptions table_options;
        extern ashlar::BuildOptions build_options;
        extern ashlar::WritableFile* file;
        extern ashlar::Slice internal_key, value;''',
    'table/table_cache.h': 'extern std::shared_ptr<ashlar::Cache> block_cache;',
    'table/table_set.h': '''extern ashlar::CompactionOptions options;
        extern std::vector<ashlar::CompactionRun> runs;''',
    'table/user_iterator.h': '''
        extern std::unique_ptr<ashlar::TableReader> newer, older;
        extern const ashlar::MergeOperator& add;
        extern const ashlar::ReadOptions& read_options;
        void Use(ashlar::Slice key, ashlar::Slice value);''',
    'util/byte_strings.h': 'extern uint64_t number; extern ashlar::Slice name;',
    'util/custom_codec.h':
        'extern std::shared_ptr<const ashlar::CustomCodec> my_codec;',
    'util/remote_file.h':
        'extern std::unique_ptr<ashlar::RandomAccessFile> object;',
    'README.md': BLOCK + LEVELS + '''
        extern std::shared_ptr<const ashlar::CustomCodec> my_codec;
        extern std::shared_ptr<const ashlar::FilterPolicy> my_policy;
        extern std::unique_ptr<ashlar::RandomAccessFile> object;
        extern ashlar::Result<std::unique_ptr<ashlar::TableReader>> reader;
        extern ashlar::Result<std::shared_ptr<ashlar::Cache>> cache;
        extern std::unique_ptr<ashlar::WritableFile> file;
        extern ashlar::HyperClockCacheOptions cache_options;
        extern ashlar::ReaderOptions options;
        extern ashlar::GetResult result;
        extern ashlar::Status status;
        extern ashlar::CacheKey key;
        extern uint64_t when;
        void use(ashlar::Slice key, ashlar::Slice value);''',
}


def without_elisions(line):
    return re.sub(r'\{ \.\.\. \}', '{}', '' if line.strip() == '...' else line)


def unit(headers, examples):
    """Returns the translation unit of (path, first line, lines) examples."""
    includes, bodies = [f'#include "ashlar/{path}"' for path in headers], []
    for n, (path, first, lines) in enumerate(examples):
        includes += [line for line in lines if line.startswith('#include')]
        code = '\n'.join('' if line.startswith('#include')
                         else without_elisions(line) for line in lines)
        bodies.append(f'namespace example{n} {{\n{CONTEXTS.get(path, "")}\n'
                      'ashlar::Status Example() {\n'
                      f'#line {first} "{path}"\n{code}\n'
                      '#line 1 "after an example"\nreturn {};\n}\n}\n')
    return '\n'.join(['#include <cstdio>', *includes, *bodies])


def compile_unit(text):
    tree = check_layout.Tree(ROOT)
    with tempfile.TemporaryDirectory() as include:
        for path in filter(tree.installed, tree.paths):
            link = os.path.join(include, 'ashlar', path)
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.join(ROOT, path), link)
        done = subprocess.run([COMPILER, *FLAGS, '-I', include], input=text,
                              text=True, capture_output=True, check=False)
    return done.returncode, done.stderr


class ExamplesTest(unittest.TestCase):
    def test_examples_compile(self):
        tree = check_layout.Tree(ROOT)
        headers = sorted(filter(tree.installed, tree.paths))
        examples = [(path, *example) for path in headers
                    for example in header_examples.in_header(tree.read(path))]
        examples += [('README.md', *example) for example in
                     header_examples.in_page(tree.read('README.md'))]
        self.assertEqual(CONTEXTS.keys() - {path for path, *_ in examples},
                         set(), 'contexts without an example')
        public = [path for path in headers
                  if check_layout.is_public(path, tree)]
        code, errors = compile_unit(unit(public, examples))
        self.assertEqual(code, 0, errors)
        self.assertEqual(errors, '')

    def test_an_example_has_installed_headers_alone(self):
        code, errors = compile_unit('#include "ashlar/util/status.h"\n')
        self.assertEqual((code, errors), (0, ''))
        code, _ = compile_unit('#include "ashlar/util/coding/coding.h"\n')
        self.assertNotEqual(code, 0)

    def test_a_broken_example_is_found_by_its_place(self):
        text = ('// A thing.\n//\n'
                '//   ashlar::Status Forgotten();\n//   Forgotten();\n'
                '//\n// Not code:\n//   a list; of words\n')
        examples = [('util/a.h', *example)
                    for example in header_examples.in_header(text)]
        self.assertEqual(examples, [
            ('util/a.h', 3, ['ashlar::Status Forgotten();', 'Forgotten();'])])
        code, errors = compile_unit(unit(['util/status.h'], examples))
        self.assertNotEqual(code, 0)
        self.assertRegex(errors, r'util/a\.h:4:.*error')

    def test_examples_of_pages(self):
        page = ('Text\n\n    ashlar scan a.sst;\n\nText\n\n'
                '    ashlar::Slice a;\n\n    a.size();\n')
        self.assertEqual(list(header_examples.in_page(page)), [
            (7, ['ashlar::Slice a;', '', 'a.size();'])])


if __name__ == '__main__':
    COMPILER = sys.argv.pop(1)
    unittest.main()
