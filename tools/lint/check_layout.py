#!/usr/bin/env python3
"""Checks the layout rules of the source tree; see CONTRIBUTING.md.

Run by `make lint` and, in the release tree, by ctest. Prints each fault as
`path:line: [rule] message`, and exits with 1 if there is any. Each rule has a
test in test/lint/check_layout_test.py. It reads text only, so it needs no
build. Lengths of functions come from matching braces, and are exact for code
that clang-format has formatted.
"""

import os
import re
import sys

import check_references
from cpp_text import strip_comments_and_strings

FILE_LINES, FILE_LINES_WARN, TEST_LINES = 600, 500, 800
FUNCTION_LINES, COLUMNS, PUBLIC_HEADER_LINES, INCLUDES = 70, 80, 260, 15
MAKEFILE_LINES = 160

TOP = ('third-party', 'port', 'util', 'cache', 'table', 'tools', 'c_api',
       'plugin', 'python', 'test')
PUBLIC_TOP = ('util', 'cache', 'table')
# Programs and examples include only what a user can include.
USER_SIDE = ('python/src', 'tools/arrow', 'tools/ashlar', 'tools/columns',
             'tools/examples', 'tools/replay')
# The files directly in these.
SHARED_BY_PROGRAMS = ('tools', 'tools/arrow', 'tools/columns', 'tools/replay')
# The program does without Arrow's library until it loads the module.
ARROW_LIBRARY = 'third-party/arrow_lib.h'
ARROW_MODULE = 'tools/arrow/module/'
# It includes RocksDB's headers, which have paths that ours have too. So what it
# includes of ours is ashlar/..., and what lies beside a file.
PLUGIN = 'plugin/'
# Names that RocksDB has given.
ROCKSDB_NAMES = re.compile(r'\w*(CacheItemHelper|PinnedIteratorsManager|'
                           r'WriteBufferManager)\b')
TOOL_LIBRARIES = ('third-party/gflags_lib.h', 'third-party/json_lib.h')
WRAPPED = re.compile(r'^(zstd|zdict|lz4|lz4hc|snappy[\w-]*|zlib|bzlib|'
                     r'xxhash|xxh3|xxh_x86dispatch|gflags/.*|nlohmann/.*|'
                     r'arrow/.*|parquet/.*)'
                     r'(\.h|\.hpp)$')
THREADING = re.compile(
    r'\bstd::(atomic\w*|mutex|recursive_mutex|timed_mutex|shared_mutex|'
    r'shared_timed_mutex|thread|jthread|condition_variable\w*|lock_guard|'
    r'unique_lock|scoped_lock|shared_lock|counting_semaphore|'
    r'binary_semaphore|call_once|async)\b')
# The plugin and the Python package are outside: util/sync is not installed.
THREADING_OK = ('util/sync/', 'test/', 'python/', PLUGIN)
# Sources of randomness that no seed can repeat.
RANDOM = re.compile(r'\b(std::random_device|s?rand|random_shuffle|getrandom|'
                    r'getentropy|arc4random\w*)\b(?:\s*\(|(?<=device))')
RANDOM_OK = 'port/random_word.cc'
BANNED = re.compile(r'\b(rep_|\w*(?:impl|Impl)2\w*|\w*Helper\w*|\w*Manager\w*|'
                    r'DoIt\w*)\b')
BANNED_TYPE = re.compile(r'\b(?:class|struct|union|enum)\s+(?:\w+\s+)*?'
                         r'(\w*(?:Utils?|Impl|Rep))\b')


class SourceFile:
    """One file: its lines as written, and the same with nothing but code."""

    def __init__(self, tree, path):
        self.path = path
        with open(os.path.join(tree.root, path), encoding='utf-8',
                  errors='replace', newline='') as f:
            self.text = f.read()
        self.lines = self.text.split('\n')
        if self.lines[-1] == '':
            self.lines.pop()
        self.code = strip_comments_and_strings(self.text)
        self.is_header = path.endswith('.h')
        self.is_test = path.startswith('test/')
        self.is_public = is_public(path, tree)

    def code_lines(self):
        return enumerate(self.code.split('\n'), 1)

    def includes(self):
        """Yields (line number, '"' or '<', path)."""
        for number, line in enumerate(self.lines, 1):
            match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if match:
                yield number, match[1], match[2]


def is_public(path, tree):
    folder = os.path.dirname(path)
    return path.endswith('.h') and (folder in PUBLIC_TOP or
                                    folder in tree.public_folders)


# --- Functions ---------------------------------------------------------------

def functions(code):
    """Yields (name, first line, line count) of each outermost function."""
    code = re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                  lambda m: re.sub(r'[^\n]', ' ', m[0]), code, flags=re.M)
    head_start, i, parens = 0, 0, 0
    while i < len(code):
        c = code[i]
        if c in '([':
            parens += 1
        elif c in ')]':
            parens -= 1
        elif c in ';}' and parens <= 0:
            head_start, parens = i + 1, 0
        elif c == '{':
            head = code[head_start:i]
            kind = classify(head)
            if kind == 'scope':
                head_start = i + 1
            else:
                end = matching_brace(code, i)
                if kind == 'function':
                    skip = re.match(r'(\s|(public|private|protected)\s*:)*',
                                    head)
                    start = head_start + skip.end()
                    first = code.count('\n', 0, start) + 1
                    last = code.count('\n', 0, end) + 1
                    yield function_name(head), first, last - first + 1
                    head_start = end + 1
                i = end
        i += 1


def matching_brace(code, i):
    depth = 0
    for j in range(i, len(code)):
        depth += {'{': 1, '}': -1}.get(code[j], 0)
        if depth == 0:
            return j
    return len(code) - 1


def classify(head):
    """Returns what a `{` after this text opens: scope, function or braces."""
    flat = outside(head, '()')
    flat = re.sub(r'\btemplate\s*<', '<', flat)
    flat = outside(flat, '<>')
    flat = re.sub(r'\b(public|private|protected)\s*:(?!:)', ' ', flat)
    if re.search(r'\b(class|struct|union|enum|namespace)\b', flat):
        return 'scope'
    if '(' not in head:
        bare = flat.replace('"', ' ').strip()
        return 'scope' if bare in ('', 'extern') else 'braces'
    if re.search(r'(?<![=!<>])=(?!=)', re.sub(r'operator\s*\S+', '', flat)):
        return 'braces'
    # A constructor's `: member_{...}`: not its body yet.
    if (re.search(r'(?<!:):(?!:)', flat) and
            re.search(r'[\w>]\s*$', head)):
        return 'braces'
    return 'function'


def outside(text, pair):
    """Returns the text without what is inside the brackets."""
    kept, depth = [], 0
    for n, c in enumerate(text):
        if c == pair[0]:
            depth += 1
        elif c == pair[1] and not (c == '>' and text[n - 1] in '-='):
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(c)
    return ''.join(kept)


def function_name(head):
    test = re.search(r'\b(?:TYPED_)?TEST(?:_[FP])?\s*\(\s*(\w+)\s*,\s*(\w+)',
                     head)
    if test:
        return f'{test[1]}.{test[2]}'
    name = re.search(r'([\w:~]+(?:\s*operator\s*\S+?)?|operator\s*\S+?)\s*\(',
                     re.sub(r'(?:alignas|decltype|requires|__attribute__)'
                            r'\s*\([^)]*\)+', '', head))
    return name[1] if name else '?'


# --- Rules: each takes (file, tree) and yields (rule, line, message) ---------

def rule_size(f, _):
    limit = TEST_LINES if f.is_test else FILE_LINES
    if len(f.lines) > limit:
        yield 'file-lines', 1, f'{len(f.lines)} lines; at most {limit}'
    if f.is_public and len(f.lines) > PUBLIC_HEADER_LINES:
        yield ('public-header-lines', 1, f'{len(f.lines)} lines in a public '
               f'header; at most {PUBLIC_HEADER_LINES}')
    count = sum(1 for _ in f.includes())
    if count > INCLUDES:
        yield 'includes', 1, f'{count} includes; at most {INCLUDES}'
    for name, first, length in functions(f.code):
        if length > FUNCTION_LINES:
            yield (f'function-lines:{name}', first,
                   f'{name} has {length} lines; at most {FUNCTION_LINES}')


def rule_text(f, tree):
    for number, line in enumerate(f.lines, 1):
        if len(line) > COLUMNS:
            yield 'columns', number, f'{len(line)} columns; at most {COLUMNS}'
        if line != line.rstrip():
            yield 'trailing-space', number, 'white space at the line end'
        if '\t' in line:
            yield 'tab', number, 'a tab; indent with spaces'
    if f.text and not f.text.endswith('\n'):
        yield 'last-newline', len(f.lines), 'no newline at the end'
    # x.cc next to x.h needs none, because the header describes both.
    described = not f.is_header and f.path[:-3] + '.h' in tree.paths
    if not described and not f.text.startswith('//'):
        yield ('top-comment', 1,
               'the file must open with a comment: what it is, who uses it')


def rule_guard(f, _):
    if not f.is_header:
        return
    guard = 'ASHLAR_' + re.sub(r'[^A-Z0-9]', '_', f.path.upper()) + '_'
    first = [line for line in f.lines if line.startswith('#')][:2]
    if (first != [f'#ifndef {guard}', f'#define {guard}'] or
            f.lines[-1] != f'#endif  // {guard}'):
        yield 'guard', 1, f'the header guard must be {guard}'


def rule_names(f, _):
    for number, line in f.code_lines():
        if re.search(r'\busing\s+namespace\s+std\b', line):
            yield 'using-std', number, 'using namespace std'
        if f.path.startswith((PLUGIN, 'test/plugin/')):
            line = ROCKSDB_NAMES.sub('', line)
        for match in (*BANNED.finditer(line), *BANNED_TYPE.finditer(line)):
            yield 'name', number, f'{match[1]} says nothing: name the job'
        drawn = RANDOM.search(line)
        if drawn and f.path != RANDOM_OK:
            yield ('random', number, f'{drawn[1]}: no seed repeats it; use '
                   'port/random_word.h, or a generator whose seed is printed')
        threading = THREADING.search(line)
        if threading and not f.path.startswith(THREADING_OK):
            yield ('threading', number, f'std::{threading[1]}: use util/sync, '
                   'where ordering and annotations are')


def rule_includes(f, tree):
    for number, kind, target in f.includes():
        if kind == '<':
            installed = tree.installed(f.path)
            yield from system_include(f, number, target, installed)
            continue
        path = target.removeprefix('ashlar/')
        if f.path.startswith(PLUGIN) and not target.startswith('ashlar/'):
            continue
        if path not in tree.paths:
            yield ('include-path', number,
                   f'"{target}": write it from the root of the tree')
        elif tree.installed(path) != target.startswith('ashlar/'):
            right = f'ashlar/{path}' if tree.installed(path) else path
            yield ('include-path', number, f'"{target}": write "{right}"; '
                   'what is installed is ashlar/..., and nothing else')
        else:
            yield from own_include(f, number, path, tree)


def system_include(f, number, target, installed):
    if (WRAPPED.match(target) and not f.is_test and
            not f.path.startswith('third-party/')):
        yield ('wrapper', number,
               f'<{target}>: include its wrapper in third-party/')
    if target.startswith(('gtest/', 'gmock/')) and not f.is_test:
        yield 'floor', number, f'<{target}> outside test/'
    if installed and not re.fullmatch(r'[a-z_]+', target):
        yield 'public', number, f'<{target}>: a public header needs std only'


def own_include(f, number, target, tree):
    if tree.installed(f.path):
        if not tree.installed(target):
            yield ('public', number, f'"{target}" is internal: what is '
                   'installed includes only std and installed headers')
            return
        if f.is_public and target in tree.template_headers:
            return  # its own parts, in a folder below
    if f.is_test:
        return
    if target in TOOL_LIBRARIES and not f.path.startswith('tools/'):
        yield 'floor', number, f'"{target}" is for tools/ only'
    if target == ARROW_LIBRARY and not f.path.startswith(ARROW_MODULE):
        yield 'floor', number, f'"{target}" is for {ARROW_MODULE} only'
    shared = os.path.dirname(f.path) in SHARED_BY_PROGRAMS
    if shared or f.path.startswith(USER_SIDE):
        own = f.path.startswith(('python/src/', 'tools/ashlar/',
                                 ARROW_MODULE)) or shared
        if not (target.startswith('/'.join(f.path.split('/')[:2]) + '/') or
                own and os.path.dirname(target) in SHARED_BY_PROGRAMS or
                is_public(target, tree) or target.startswith('third-party/')):
            yield ('floor', number, f'"{target}" is internal: programs and '
                   'examples use public headers')
            return
    mine, theirs = tree.floor(f.path), tree.floor(target)
    if mine is None or theirs is None:
        return  # rule_place speaks
    if (is_public(target, tree) and
            target.split('/')[0] == f.path.split('/')[0]):
        return
    if theirs[0] > mine[0] or (theirs[0] == mine[0] and theirs != mine):
        yield ('floor', number,
               f'"{target}" is not below {mine[1]} (tools/lint/floors.txt)')


def rule_place(f, tree):
    if tree.floor(f.path) is None:
        yield 'folder', 1, 'this folder is not in tools/lint/floors.txt'
    if f.path.endswith('.cc') and not tree.listed(f.path):
        yield ('unlisted', 1, 'not named in the CMakeLists.txt of its top '
               'folder, so nothing builds it')


RULES = (rule_size, rule_text, rule_guard, rule_names, rule_includes,
         rule_place)


class Tree:
    def __init__(self, root):
        self.root = root
        self.paths = set()
        self.cmake = {}
        for top in TOP:
            for folder, _, names in os.walk(os.path.join(root, top)):
                base = os.path.relpath(folder, root).replace(os.sep, '/')
                self.paths |= {f'{base}/{n}' for n in names
                               if n.endswith(('.h', '.cc'))}
                if 'CMakeLists.txt' in names:
                    self.cmake[base] = set(re.findall(
                        r'[\w./+-]+', self.read(f'{base}/CMakeLists.txt')))
        self.template_headers = {
            f'{top}/{name}' for top in PUBLIC_TOP if top in self.cmake
            for block in re.findall(r'TEMPLATE_HEADERS((?:\s+[\w./-]+\.h)+)',
                                    self.read(f'{top}/CMakeLists.txt'))
            for name in block.split()}
        self.floors, self.public_folders = {}, set()
        lines = self.read('tools/lint/floors.txt').splitlines()
        for rank, line in enumerate(lines):
            folders = line.split('#')[0].split()
            if folders[:1] == ['public:']:
                self.public_folders = set(folders[1:])
                continue
            for folder in folders:
                self.floors[folder] = (rank, folder)

    def read(self, path):
        with open(os.path.join(self.root, path), encoding='utf-8') as f:
            return f.read()

    def floor(self, path):
        """Returns (rank, folder) of the longest listed folder that holds
        path."""
        folder = os.path.dirname(path)
        depth = folder.count('/')
        while folder and folder not in self.floors:
            folder = os.path.dirname(folder)
        # An unlisted folder of table/ or of the program has no rank yet.
        if not folder or (folder == 'table' and depth > 0) or (
                folder == 'tools/ashlar' and depth > 1):
            return None
        return self.floors[folder]

    def installed(self, path):
        return is_public(path, self) or path in self.template_headers

    def listed(self, path):
        folder = os.path.dirname(path)
        while folder:
            name = os.path.relpath(path, folder)
            names = self.cmake.get(folder, ())
            # tools/examples are named without their suffix.
            if name in names or (folder == 'tools/examples' and
                                 name[:-3] in names):
                return True
            folder = os.path.dirname(folder)
        return False


def read_exemptions(tree):
    exemptions, faults = {}, []
    path = 'tools/lint/exemptions.txt'
    for number, line in enumerate(tree.read(path).splitlines(), 1):
        if not line.strip() or line.startswith('#'):
            continue
        words = line.split(None, 2)
        if len(words) < 3:
            faults.append((path, number, 'exemption', 'gives no reason'))
        else:
            exemptions[words[0], words[1]] = number
    return exemptions, faults


def check(root):
    """Returns (faults, warnings), each a list of tuples ready to print."""
    tree = Tree(root)
    exemptions, faults = read_exemptions(tree)
    warnings, used = [], set()
    for path in sorted(tree.paths):
        f = SourceFile(tree, path)
        for rule in RULES:
            for name, line, message in rule(f, tree):
                name, _, function = name.partition(':')
                key = (name, f'{path}:{function}' if function else path)
                if key in exemptions:
                    used.add(key)
                else:
                    faults.append((path, line, name, message))
        if not f.is_test and FILE_LINES_WARN < len(f.lines) <= FILE_LINES:
            warnings.append((path, 1, 'file-lines', f'{len(f.lines)} lines: '
                             'does it still have one job?'))
    for key in sorted(exemptions.keys() - used):
        faults.append(('tools/lint/exemptions.txt', exemptions[key],
                       'exemption', f'{" ".join(key)}: nothing needs it'))
    faults += check_references.check(tree)
    if os.path.exists(os.path.join(root, 'Makefile')):
        lines = tree.read('Makefile').count('\n')
        if lines > MAKEFILE_LINES:
            faults.append(('Makefile', 1, 'file-lines',
                           f'{lines} lines; at most {MAKEFILE_LINES}'))
    return faults, warnings, len(tree.paths)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, '../..')
    faults, warnings, count = check(os.path.normpath(root))
    for path, line, rule, message in warnings:
        print(f'{path}:{line}: warning: [{rule}] {message}')
    for path, line, rule, message in faults:
        print(f'{path}:{line}: [{rule}] {message}')
    print(f'layout: {count} files, {len(faults)} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
