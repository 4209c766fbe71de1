"""Reads a public header as its readers do: declarations, and what says what.

The house's rule for comments: the comment right above a declaration is about
it and about the declarations that follow without a blank line. A comment at the
end of a line is about what the line declares. The comment at the top of a
header is also about the class that has the header's name. The comment of an
enum is about its values, and that of a struct about the members right below the
brace. Copies, moves, destructors, friends and overrides need no comment.
"""

import dataclasses
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../lint'))
from cpp_text import TOKEN  # noqa: E402

SPECIAL = re.compile(
    r'~\w+\(|\boperator=\s*\(\s*(?:const\s+)?\w+\s*&'
    r'|^(?:\w+\s+)*(?P<class>\w+)\((?:const )?(?P=class)\s*&|^friend\b'
    r'|\b(?:override|final)$|^\w+\(\) = default'
    r'|^(?:class|struct|enum class) \w+(?: : \w+)?$|^static_assert\b'
    r'|\boperator(?:==|<=>)|^template\b[^(]*>::\w+\(', re.S)
SCOPE = re.compile(r'\b(namespace|class|struct|union|enum|extern)\b')
NAME = re.compile(r'(?:namespace|class|struct|union|enum)\b'
                  r'(?:\s+(?:class|struct)\b)?(?:\s*\[\[\w+\]\])?'
                  r'(?:\s+ASHLAR_EXPORT)?\s*([\w:]*)')


@dataclasses.dataclass
class Declaration:
    """One declaration, or a comment that stands alone (kind 'text')."""
    kind: str  # namespace, class, enum, value, member, text
    head: str  # its code without comments, up to the body
    first: int  # lines count from 1
    last: int
    access: str = 'public'
    comment: list = dataclasses.field(default_factory=list)
    trailing: list = dataclasses.field(default_factory=list)
    follows: bool = False  # right below another, without a comment of its own
    documented: bool = False
    children: list = dataclasses.field(default_factory=list)
    names: list = dataclasses.field(default_factory=list)
    source: str = ''  # as written, for readers

    def is_special(self):
        return self.kind == 'member' and bool(SPECIAL.search(self.head))


def blanked(text):
    """Returns the code and the comments of `text`, each of its length."""
    code, comments = list(text), [c if c == '\n' else ' ' for c in text]
    for match in TOKEN.finditer(text):
        for i in range(match.start(), match.end()):
            if text[i] == '\n':
                continue
            if match[0].startswith('/'):
                comments[i] = text[i]
                code[i] = ' '
            elif match.start() < i < match.end() - 1:
                code[i] = '_'
    code = re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                  lambda m: re.sub(r'[^\n]', ' ', m[0]), ''.join(code),
                  flags=re.M)
    return code, ''.join(comments)


def comment_words(line):
    """Returns the text of a line of a comment, without its markers."""
    line = re.sub(r'\s*\*/\s*$', '', line.rstrip())
    return re.sub(r'^\s*(?://|/\*|\*)(?: |$)', '', line)


class Header:
    """A scanned header: `comment` is its top, `declarations` the rest."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.split('\n')
        code, comments = blanked(text)
        self.code = code
        self.code_lines = code.split('\n')
        self.comment_lines = comments.split('\n')
        self.used = set()  # lines of comments that belong to something
        self.comment = self.top()
        self.declarations = self.scan()
        self.attach(self.declarations)
        self.name_class()
        self.mark_documented(self.declarations)
        self.add_texts()

    def top(self):
        lines = []
        for number, line in enumerate(self.comment_lines):
            if not line.strip():
                break
            self.used.add(number + 1)
            lines.append(comment_words(line))
        return lines

    def line_of(self, at):
        return self.text.count('\n', 0, at) + 1

    def scan(self):
        """Finds the declarations in namespaces, classes and enums."""
        root = Declaration('namespace', '', 1, len(self.lines))
        self.at = 0
        self.scan_scope(root)
        return root.children

    def scan_scope(self, scope):
        code = self.code
        access = ('private' if scope.kind == 'class' and
                  re.search(r'\bclass\b', scope.head) else 'public')
        start = self.at
        parens = 0
        while self.at < len(code):
            c = code[self.at]
            if c in '([':
                parens += 1
            elif c in ')]':
                parens -= 1
            elif c == ':' and parens == 0 and scope.kind == 'class':
                label = code[start:self.at].strip()
                if label in ('public', 'protected', 'private'):
                    access, start = label, self.at + 1
            elif c == '}' and parens == 0:
                self.close(scope, start, self.at, access)
                return
            elif c == '{' and parens == 0:
                start = self.open(scope, start, access)
                continue
            elif c == (',' if scope.kind == 'enum' else ';') and parens == 0:
                self.close(scope, start, self.at + 1, access)
                start = self.at + 1
            self.at += 1
        self.close(scope, start, len(code), access)

    def open(self, scope, start, access):
        """Handles a `{`; returns where the next declaration starts."""
        code = self.code
        head = code[start:self.at].strip()
        kind = kind_of(head)
        if kind is None:
            self.at = matching(code, self.at) + 1
            # After the body of a function nothing follows; after the braces of
            # a value, the rest of the declaration.
            if re.search(r'\)[^()=]*$|\)\s*:.*$', head, re.S) and not (
                    re.match(r'\s*[;,{]', code[self.at:])):
                self.add(scope, 'member', head, start, self.at, access)
                return self.at
            return start
        self.at += 1
        inner = Declaration(kind, head, 0, 0)
        self.scan_scope(inner)
        self.at += 1
        end = self.at
        if kind != 'namespace':
            end = code.index(';', end) + 1
            self.at = end
        self.add(scope, kind, head, start, end, access, inner.children)
        return self.at

    def close(self, scope, start, end, access):
        head = self.code[start:end].strip().rstrip(',;').strip()
        if head:
            kind = 'value' if scope.kind == 'enum' else 'member'
            self.add(scope, kind, head, start, end, access)

    def add(self, scope, kind, head, start, end, access, children=()):
        begin = start + len(self.code[start:end]) - len(
            self.code[start:end].lstrip())
        item = Declaration(kind, head, self.line_of(begin),
                           self.line_of(end - 1), access,
                           children=list(children))
        item.source = self.written(item)
        scope.children.append(item)

    def written(self, item):
        """Returns the declaration for readers: no body, no comments."""
        lines = self.code_lines[item.first - 1:item.last]
        text = '\n'.join(
            line[:len(self.lines[item.first - 1 + n])].rstrip()
            for n, line in enumerate(lines))
        # Strings are blank in the code; take them from the file.
        whole = self.lines[item.first - 1:item.last]
        text = '\n'.join(
            ''.join(o if c != ' ' else ' ' for c, o in zip(line, original))
            .rstrip() for line, original in zip(text.split('\n'), whole))
        if item.kind in ('class', 'enum', 'namespace'):
            text = text[:text.index('{')].rstrip()
        elif item.kind == 'member':
            text = without_body(text)
        text = re.sub(r'\bASHLAR_EXPORT\s+', '', text)
        text = re.sub(r'^\s*(?:public|protected|private):\s*', '', text)
        return text.strip('\n').rstrip(', \n')

    def attach(self, items, inside=None):
        """Gives each declaration its comments, and finds those that stand
        alone."""
        before = None
        for item in items:
            item.comment = self.comment_above(item.first)
            if not item.comment and not self.blank_above(item.first):
                if before is not None and before.kind != 'class':
                    item.follows = before.last >= item.first - 1 or (
                        self.only_comments(before.last + 1, item.first - 1))
                elif before is None and inside is not None:
                    item.follows = bool(self.code_lines[item.first - 2].strip()
                                        .endswith('{'))
            if not item.comment and inside and inside.kind == 'enum':
                item.follows = True
            if item.kind in ('member', 'value'):
                item.trailing = self.trailing(item)
            self.attach(item.children, item)
            before = item

    def only_comments(self, first, last):
        return all(number in self.used for number in range(first, last + 1))

    def blank_above(self, line):
        return line < 2 or not self.lines[line - 2].strip()

    def is_comment(self, line):
        return (0 < line <= len(self.lines) and
                bool(self.comment_lines[line - 1].strip()) and
                not self.code_lines[line - 1].strip() and
                not self.lines[line - 1].startswith('#'))

    def comment_above(self, line):
        first = line
        while self.is_comment(first - 1) and first - 1 not in self.used:
            first -= 1
        self.used.update(range(first, line))
        return [comment_words(self.comment_lines[number - 1])
                for number in range(first, line)]

    def trailing(self, item):
        words, column = [], None
        for number in range(item.first, item.last + 1):
            comment = self.comment_lines[number - 1]
            code = self.code_lines[number - 1]
            at = len(comment) - len(comment.lstrip())
            if comment.strip() and not code[at:].strip():
                column = at
                words.append(comment_words(comment).strip())
                self.used.add(number)
        number = item.last + 1
        while words and self.is_comment(number):
            comment = self.comment_lines[number - 1]
            if len(comment) - len(comment.lstrip()) != column:
                break
            if column == len(self.lines[item.first - 1]) - len(
                    self.lines[item.first - 1].lstrip()):
                break
            self.used.add(number)
            words.append(comment_words(comment).strip())
            number += 1
        return words

    def name_class(self):
        """The top comment is about the class with the header's name."""
        stem = os.path.basename(self.path)[:-2].replace('_', '')
        for item in walk(self.declarations):
            name = type_name(item)
            if item.kind != 'class' or item.comment or not name:
                continue
            top = self.comment[0] if self.comment else ''
            if name.lower() == stem or re.match(rf'{name}\b', top):
                item.comment = ['']  # said above
                item.names.append('top')

    def mark_documented(self, items, inside=None):
        before = None
        for item in items:
            by_type = (inside is not None and inside.documented and
                       inside.kind != 'namespace')
            covered = before.documented if before else by_type
            if by_type and inside.kind == 'enum':
                covered = True
            item.documented = bool(
                item.comment or item.trailing or item.is_special() or
                item.kind == 'namespace' or item.follows and covered)
            self.mark_documented(item.children, item)
            before = item

    def add_texts(self):
        """Adds the comments that are about no declaration, at their place."""
        number = 1
        while number <= len(self.lines):
            first = number
            while self.is_comment(number) and number not in self.used:
                number += 1
            if number == first:
                number += 1
                continue
            words = [comment_words(self.comment_lines[line - 1])
                     for line in range(first, number)]
            items = self.scope_at(first, self.declarations)
            if items is not None:
                items.append(Declaration('text', '', first, number - 1,
                                         comment=words))
                items.sort(key=lambda item: item.first)

    def scope_at(self, line, items):
        """Returns the declarations of the scope around a line. None: the line
        is in a body, or where only the class itself can see."""
        access = 'public'
        for item in items:
            if item.first <= line <= item.last:
                if item.kind not in ('namespace', 'class', 'enum'):
                    return None
                return self.scope_at(line, item.children)
            if item.first < line:
                access = item.access
        return items if access != 'private' else None


def walk(items):
    for item in items:
        yield item
        yield from walk(item.children)


def type_name(item):
    if item.kind not in ('class', 'enum', 'namespace'):
        return ''
    found = NAME.search(item.head)
    return found[1] if found else ''


def kind_of(head):
    """Returns which scope a `{` after `head` opens; None: no scope."""
    flat = re.sub(r'template\s*<[^{}]*?>\s*(?=class|struct|union|\w)', '', head)
    word = SCOPE.search(flat)
    if not word or '(' in flat.replace('[[', '').partition(word[0])[2]:
        return None
    if '=' in flat:
        return None
    return {'extern': 'namespace', 'struct': 'class', 'union': 'class'}.get(
        word[0], word[0])


def matching(code, at):
    depth = 0
    for i in range(at, len(code)):
        depth += {'{': 1, '}': -1}.get(code[i], 0)
        if depth == 0:
            return i
    return len(code) - 1


def without_body(text):
    """Cuts the body of a function, and the initialisers of a constructor."""
    depth, closed = 0, False
    for i, c in enumerate(text):
        if c in '([':
            depth += 1
        elif c in ')]':
            depth -= 1
            closed = closed or depth == 0
        elif depth == 0 and c == '=' and not text[:i].rstrip('<>=!+-').endswith(
                'operator'):
            return text  # a value, not a body
        elif depth == 0 and closed and (
                c == '{' or c == ':' and '::' not in text[i - 1:i + 2]):
            return text[:i].rstrip() + ';'
    return text
