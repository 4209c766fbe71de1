"""Checks that what comments and pages name exists; see CONTRIBUTING.md.

Run by check_layout.py, with which it shares the tree and the form of its
output. Each rule has a test in test/lint/check_references_test.py.

  reference-file   a file or folder that a comment or page names
  reference-target a target of make, `make like-this`, in pages
  reference-flag   a flag, `--like_this`, in comments, messages and pages
  reference-name   a function, type, constant, option or variable: in comments
                   a word like FooBar, Foo::Bar, kFoo, foo_bar or Foo(); in
                   pages such a word in backticks
  installed        what an installed header names must be installed too

Names of other programs and libraries are in known_names.txt, one per line with
the reason. A name there that nothing uses any more is an error.
"""

import os
import re

import header_examples
from cpp_text import split_text

PAGES = ('README.md', 'CONTRIBUTING.md', 'docs', 'table/FORMAT.md')
KNOWN_NAMES = 'tools/lint/known_names.txt'
# Pages whose indented blocks define names of their own.
NOTATION = ('table/FORMAT.md',)
# Installed beside the headers, in share/doc/ashlar.
INSTALLED_PAGES = ('FORMAT.md', 'key_encodings.md', 'LICENSE', 'NOTICE')
SCRIPTS = ('.mk', '.py', '.cmake', '.txt', '.sh', '.json', '.in')
# Names of files with these suffixes are checked. Others are examples of users'
# files.
SUFFIXES = r'(?:h|cc|md|py|cmake)'
TOP = r'(?:port|util|cache|table|tools|plugin|test|docs|third-party)'

FILE = re.compile(
    rf'(?<![\w/.<*>"-])(?:[\w.-]+/)*\w[\w-]*\.{SUFFIXES}(?![\w/(])')
PLACE = re.compile(rf'(?<![\w./<>-]){TOP}/[\w./-]*')
PROGRAM = re.compile(r'(?<![\w./-])build[\w-]*/bin/([\w-]+)')
FLAG = re.compile(r'(?<![\w-])--([A-Za-z]\w*(?:-\w+)*)')
NAME = re.compile(
    r'(?<![\w.$%#/-])(?:'
    r'[A-Za-z_]\w*(?:::~?[A-Za-z_]\w*)+'          # Foo::Bar
    r'|(?![KMGT]iB\b)[A-Z][a-z0-9]+[A-Z]\w*'      # FooBar
    r'|k[A-Z]\w+'                                 # kFoo
    r'|[a-z][a-z0-9]+_\w*[a-z0-9]\w*'             # foo_bar
    r'|[A-Za-z_]\w*(?=\(\)))')                    # Foo()
QUOTED = re.compile(r'"[^"\n]*"')
URL = re.compile(r'https?://\S+')
MAKE = re.compile(r'(?<![\w-])make ([a-z][a-z0-9-]*)')
TARGET = re.compile(r'^([a-z][\w-]*):', re.M)
INDENTED = re.compile(r'^ {4}.*$', re.M)
BACKTICKS = re.compile(r'`([^`\n]+(?:\n[^`\n]+)?)`')

DEFINED_FLAGS = re.compile(r'\b(?:FLAG\(\s*\w+,|DEFINE_\w+\()\s*(\w+)')
# Flags of programs of tests and of the plugin, which compare arguments with
# such strings.
COMPARED_FLAG = re.compile(r'"--([\w-]+)=?"')
SCRIPT_FLAGS = (
    re.compile(r'''add_argument\(\s*['"]--([\w-]+)'''),
    re.compile(r'''^\s*(?:-\w \| )?--([\w-]+)=?\*?\)''', re.M),
)


class References:
    """The names that exist in the tree."""

    def __init__(self, tree):
        self.root = tree.root
        self.tree = tree
        self.paths = set()
        for folder, folders, names in os.walk(tree.root):
            base = os.path.relpath(folder, tree.root).replace(os.sep, '/')
            # At the top, trees of builds.
            left_out = ('.', '__pycache__') + (('build',) * (base == '.'))
            folders[:] = [name for name in folders
                          if not name.startswith(left_out)]
            self.paths |= {name if base == '.' else f'{base}/{name}'
                           for name in names}
        self.folders = {os.path.dirname(path) for path in self.paths}
        for folder in list(self.folders):
            while '/' in folder:
                folder = os.path.dirname(folder)
                self.folders.add(folder)
        self.ends = {}  # last part of a path -> whole paths
        for path in self.paths:
            self.ends.setdefault(path.rpartition('/')[2], []).append(path)
        self.sources = {path: split_text(tree.read(path))
                        for path in sorted(tree.paths)}
        self.find_names()
        self.find_flags()
        # The Makefile, and what it includes.
        self.targets = {target for path, text in self.scripts.items()
                        if path == 'Makefile' or path.endswith('.mk')
                        for target in TARGET.findall(text)}
        self.known, self.faults = read_known_names(tree)
        self.used = set()

    def find_names(self):
        words = re.compile(r'[A-Za-z_]\w*')
        names, self.installed_names = set(), set()
        for path, (code, strings, _) in self.sources.items():
            found = set(words.findall(code)) | set(words.findall(strings))
            names |= found
            if self.tree.installed(path):
                self.installed_names |= found
        self.scripts = {path: self.text_of(path) for path in self.paths
                        if self.is_script(path)}
        for text in self.scripts.values():
            names |= set(words.findall(text))
        for path in self.paths:
            stem = path.rpartition('/')[2].partition('.')[0]
            names.add(stem)
            if self.tree.installed(path):
                self.installed_names.add(stem)
        self.names = names

    def find_flags(self):
        self.flags = set()
        for path in self.tree.paths:
            code, strings, _ = self.sources[path]
            if path.startswith('tools/'):
                self.flags |= set(DEFINED_FLAGS.findall(code))
            elif path.startswith(('test/', 'plugin/')):
                self.flags |= set(COMPARED_FLAG.findall(strings))
        for text in self.scripts.values():
            for definition in SCRIPT_FLAGS:
                self.flags |= set(definition.findall(text))

    def is_script(self, path):
        name = path.rpartition('/')[2]
        if path.startswith(('test/golden/', 'test/fuzz/corpus/', 'docs/')):
            return False
        return (name.endswith(SCRIPTS) or '.' not in name) and (
            path not in (KNOWN_NAMES, 'LICENSE', 'NOTICE'))

    def text_of(self, path):
        with open(os.path.join(self.root, path), encoding='utf-8',
                  errors='replace') as f:
            return f.read()

    def is_known(self, name):
        for known in (name, name.partition('_')[0] + '_*'):
            if known in self.known:
                self.used.add(known)
                return True
        return False

    def has_file(self, name, beside):
        """Returns whether the tree has a file whose name or end of path is
        `name`, or a file name.in from which it is made. Installed headers are
        also known by the name under which they are included, ashlar/..."""
        if name.startswith('ashlar/') and self.tree.installed(name[7:]):
            return name[7:] in self.paths
        if name + '.in' in self.ends:
            return True
        if f'{os.path.dirname(beside)}/{name}' in self.paths:
            return True
        return any(path == name or path.endswith('/' + name)
                   for path in self.ends.get(name.rpartition('/')[2], ()))

    def has_place(self, place):
        place = place.rstrip('./')
        if place in self.paths or place in self.folders:
            return True
        # The name may omit a suffix: test/support/reference_reader.
        folder = os.path.dirname(place)
        return any(path.startswith(place + '.') for path in self.paths
                   if os.path.dirname(path) == folder)

    def has_program(self, name):
        return name == 'ashlar' or any(
            re.search(rf'\b{re.escape(name)}\b', text)
            for path, text in self.scripts.items()
            if path.endswith('CMakeLists.txt'))


def read_known_names(tree):
    known, faults = {}, []
    if not os.path.exists(os.path.join(tree.root, KNOWN_NAMES)):
        return known, faults
    for number, line in enumerate(tree.read(KNOWN_NAMES).splitlines(), 1):
        if not line.strip() or line.startswith('#'):
            continue
        words = line.split(None, 1)
        if len(words) < 2:
            faults.append((KNOWN_NAMES, number, 'known-name',
                           f'{words[0]}: gives no reason'))
        known[words[0]] = number
    return known, faults


def file_faults(refs, path, text):
    for match in FILE.finditer(text):
        name = match[0]
        if not refs.has_file(name, path) and not refs.is_known(name):
            yield match.start(), 'reference-file', f'there is no {name}'
    for match in PLACE.finditer(text):
        place = match[0]
        follows = text[match.end():match.end() + 1]
        if follows in ('*', '<', '{') or place.count('/') == 1 and (
                place.endswith('/')):
            place = place.rpartition('/')[0]
        if re.search(rf'\.{SUFFIXES}$', place.rstrip('.')):
            continue  # the loop above has checked it
        if not refs.has_place(place) and not refs.is_known(place):
            yield match.start(), 'reference-file', f'there is no {place}'
    for match in PROGRAM.finditer(text):
        if not refs.has_program(match[1]) and not refs.is_known(match[1]):
            yield (match.start(), 'reference-file',
                   f'no program is called {match[1]}')


def flag_faults(refs, _, text):
    for match in FLAG.finditer(text):
        name = match[1]
        if name in refs.flags or refs.is_known('--' + name):
            continue
        if name.startswith('no') and name[2:] in refs.flags:
            continue
        # --cache_* and the like: several flags.
        if text[match.end():match.end() + 1] == '*' and any(
                flag.startswith(name) for flag in refs.flags):
            continue
        yield (match.start(), 'reference-flag', f'no program of this tree has '
               f'--{name}; one of another is a line of known_names.txt')


def name_faults(refs, text, names, rule, what):
    for match in NAME.finditer(text):
        name = match[0]
        parts = name.split('::')
        missing = [part for part in parts if part.lstrip('~') not in names]
        # name_<what it is the name of>
        if name.endswith('_') and text[match.end():match.end() + 1] == '<':
            continue
        if parts[0] == 'std' or not missing or refs.is_known(name):
            continue
        if any(refs.is_known(part) for part in parts):
            continue
        yield match.start(), rule, f'{name}: {what}'


def installed_faults(refs, path, text):
    """Yields names in an installed header that are not installed."""
    for match in FILE.finditer(text):
        found = [p for p in refs.ends.get(match[0].rpartition('/')[2], ())
                 if p == match[0] or p.endswith('/' + match[0])]
        if found and match[0] not in INSTALLED_PAGES and not any(
                refs.tree.installed(p) for p in found):
            yield (match.start(), 'installed',
                   f'{match[0]} is not installed, this header is')
    for match in PLACE.finditer(text):
        if not re.search(rf'\.{SUFFIXES}$', match[0].rstrip('.')):
            yield (match.start(), 'installed',
                   f'{match[0]} is not installed, this header is')


def without_examples(comments):
    """Leaves out the examples in headers. test/lint/examples_test.py compiles
    them."""
    lines = comments.split('\n')
    for first, block in header_examples.in_header(comments):
        for number in range(first - 1, first - 1 + len(block)):
            lines[number] = ''
    return '\n'.join(lines)


def blanked(pattern, text):
    return pattern.sub(lambda match: ' ' * len(match[0]), text)


def comment_faults(refs, path, comments):
    text = blanked(URL, comments)
    yield from file_faults(refs, path, text)
    if not refs.tree.installed(path):
        yield from name_faults(refs, blanked(FILE, text), refs.names,
                               'reference-name',
                               'nothing in the tree has this name')
        return
    yield from installed_faults(refs, path, text)
    text = without_examples(text)
    # A word in quotes is a value, not a name that a user can write.
    yield from name_faults(
        refs, blanked(QUOTED, blanked(FILE, text)), refs.installed_names, 'installed',
        'no installed header has this name')


def page_faults(refs, path, page):
    text = blanked(URL, page)
    yield from file_faults(refs, path, text)
    yield from flag_faults(refs, path, text)
    for code in [*INDENTED.finditer(text), *BACKTICKS.finditer(text)]:
        for match in MAKE.finditer(code[0]):
            if match[1] not in refs.targets:
                yield (code.start() + match.start(), 'reference-target',
                       f'the Makefile has no {match[1]}')
    names = refs.names
    if path in NOTATION:
        names = names | {word for block in INDENTED.findall(text)
                         for word in re.findall(r'\w+', block)}
    for quoted in BACKTICKS.finditer(text):
        for at, *fault in name_faults(
                refs, blanked(FILE, quoted[1]), names, 'reference-name',
                'nothing in the tree has this name'):
            yield (quoted.start(1) + at, *fault)


def pages(refs):
    for name in PAGES:
        yield from sorted(path for path in refs.paths if path == name or
                          path.startswith(name + '/') and
                          path.endswith('.md'))


def check(tree):
    """Returns faults as check_layout.py prints them."""
    refs = References(tree)
    faults = list(refs.faults)

    def report(path, text, found):
        for at, rule, message in found:
            faults.append((path, text.count('\n', 0, at) + 1, rule, message))
    for path, (_, strings, comments) in refs.sources.items():
        report(path, comments, comment_faults(refs, path, comments))
        report(path, comments, flag_faults(refs, path, comments))
        if path.startswith('tools/'):
            report(path, strings, flag_faults(refs, path, strings))
    for path in pages(refs):
        page = refs.text_of(path)
        report(path, page, page_faults(refs, path, page))
    for name in sorted(refs.known.keys() - refs.used):
        faults.append((KNOWN_NAMES, refs.known[name], 'known-name',
                       f'{name}: nothing needs it'))
    return faults
