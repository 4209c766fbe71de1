"""Makes the pages of the reference: one for each public header.

A page has what the header has, in the same order, since headers are written to
be read from the top. A page leaves out bodies, private parts and namespaces
called internal.
"""

import html
import os
import re

import comment_text
from header_scan import Header, type_name
from names import Names, Resolver, page_of

TYPE_WORD = re.compile(r'\b[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*')
HEADING = re.compile(r'^-+ (.*?) -+$')
# Declared, but explained elsewhere or of no interest to readers.
SKIPPED = re.compile(r'^(?:class|struct|enum class) \w+(?: : \w+)?$'
                     r'|^static_assert\b|^friend (?:class|struct)\b'
                     r'|^template\b[^(]*>::\w+\(|^#', re.S)


def include_of(path):
    return 'ashlar/c.h' if path == 'c_api/c.h' else f'ashlar/{path}'


def matches(item, name):
    last = re.escape(name.full.rpartition('::')[2])
    return (item.first <= name.line <= item.last and
            re.search(rf'(?<!\w){last}(?!\w)', item.head) is not None)


def place(items, name):
    """Returns the declaration of a name among these and their children."""
    for item in items:
        if not item.first <= name.line <= item.last:
            continue
        inner = place(item.children, name)
        if inner is not None:
            return inner
        if item.kind == 'enum' and matches_value(item, name):
            return matches_value(item, name)
        if item.kind not in ('namespace', 'text') and matches(item, name):
            return item
    return None


def matches_value(enum, name):
    last = name.full.rpartition('::')[2]
    for value in enum.children:
        if re.match(rf'{re.escape(last)}\b', value.head):
            return value
    return None


def is_type(item):
    return item.kind in ('class', 'enum') or item.head.startswith(
        ('using ', 'typedef '))


class Undocumented(Exception):
    """Public names that have no text."""


class Reference:
    """All public headers, with the names that Doxygen found in them."""

    def __init__(self, root, paths, public_names):
        self.headers = {}
        for path in paths:
            with open(os.path.join(root, path), encoding='utf-8') as f:
                self.headers[path] = Header(path, f.read())
        self.names = Names()
        self.names.headers = {name: page_of(path) for path in paths
                              for name in (path, include_of(path))}
        self.anchors = {}  # id of a declaration -> its anchor
        self.place_names(public_names)

    def place_names(self, public_names):
        faults, used = [], set()
        for name in public_names:
            item = place(self.headers[name.path].declarations, name)
            if item is None or not item.documented:
                faults.append(f'{name.path}:{name.line}: {name.full} has no '
                              'comment')
                continue
            item.names.append(name.full)
            page = page_of(name.path)
            anchor = name.full.removeprefix('ashlar::').replace('::', '.')
            if id(item) not in self.anchors:
                unique, n = anchor, 1
                while (page, unique) in used:
                    n += 1
                    unique = f'{anchor}-{n}'
                used.add((page, unique))
                self.anchors[id(item)] = unique
            self.names.add(name.full, f'{page}#{self.anchors[id(item)]}',
                           is_type(item))
        for path, header in self.headers.items():
            faults += [f'{path}:{item.first}: Doxygen has not found this'
                       for item in shown(header.declarations)
                       if item.kind != 'text' and not item.names and
                       not item.is_special()]
        if faults:
            raise Undocumented('\n'.join(faults))

    def page(self, path):
        """Returns the title and the HTML of a header's page."""
        header = self.headers[path]
        resolve = Resolver(self.names, page_of(path))
        out = [f'<h1><code>{include_of(path)}</code></h1>',
               comment_text.to_html(header.comment, resolve)]
        self.add_items(header.declarations, resolve, 2, out)
        return include_of(path), '\n'.join(out)

    def add_items(self, items, resolve, level, out):
        for group in groups(items):
            if group[0].kind == 'namespace':
                if 'internal' not in group[0].head:
                    self.add_items(group[0].children, resolve, level, out)
            elif group[0].kind == 'text':
                out.append(text_html(group[0], resolve, level))
            elif group[0].kind in ('class', 'enum'):
                self.add_type(group[0], resolve, level, out)
            else:
                self.add_group(group, resolve, out)

    def add_type(self, item, resolve, level, out):
        name = type_name(item) or item.names[0].rpartition('::')[2]
        tag = f'h{min(level, 6)}'
        anchor = self.anchors.get(id(item), '')
        out.append('<section class="type">')
        out.append(f'<{tag} id="{anchor}">{html.escape(name)}'
                   f'<a class="here" href="#{anchor}">#</a></{tag}>')
        full = next((n for n in item.names if n != 'top'), None)
        within = resolve.within(full) if full else resolve
        out.append(self.signature([item], within))
        out.append(comment_text.to_html(item.comment, within))
        self.add_items(item.children, within, level + 1, out)
        out.append('</section>')

    def add_group(self, group, resolve, out):
        text = comment_text.to_html(group[0].comment, resolve)
        rows = any(item.trailing for item in group)
        out.append('<div class="group">')
        if rows or group[0].kind == 'value':
            out.append(text)
            out.append('<dl>')
            for item in group:
                trailing = comment_text.inline(' '.join(item.trailing), resolve)
                out.append(f'<dt>{self.code(item, resolve)}</dt>'
                           f'<dd>{trailing}</dd>')
            out.append('</dl>')
        else:
            out.append(self.signature(group, resolve))
            out.append(f'<div class="text">{text}</div>')
        out.append('</div>')

    def signature(self, items, resolve):
        lines = '\n'.join(self.code(item, resolve) for item in items)
        return f'<pre class="sig">{lines}</pre>'

    def code(self, item, resolve):
        """Returns a declaration as code, with its anchor and links to types."""
        source = without_margin(item.source)
        source = re.sub(r'^typedef ', '', source) if item.children else source

        def linked(match):
            word = match[0]
            target = resolve.of_class(word)
            return comment_text.link(lambda _: target, word, word)
        parts, at = [], 0
        for match in TYPE_WORD.finditer(source):
            parts.append(html.escape(source[at:match.start()], quote=False))
            parts.append(linked(match))
            at = match.end()
        parts.append(html.escape(source[at:], quote=False))
        shown = ''.join(parts)
        anchor = self.anchors.get(id(item))
        if item.kind in ('class', 'enum') or anchor is None:
            return f'<code>{shown}</code>'
        return f'<code id="{html.escape(anchor)}">{shown}</code>'


def is_shown(item):
    return item.access != 'private' and not (
        item.kind == 'member' and SKIPPED.search(item.head))


def shown(items):
    """Yields the declarations that pages show, without namespaces."""
    for item in items:
        if not is_shown(item):
            continue
        if item.kind != 'namespace':
            yield item
        if item.kind != 'namespace' or 'internal' not in item.head:
            yield from shown(item.children)


def groups(items):
    """Yields lists of declarations that one comment is about."""
    group = []
    for item in filter(is_shown, items):
        joins = group and item.kind == group[-1].kind and not item.comment and (
            item.follows or item.is_special() and group[-1].is_special())
        if joins and item.kind in ('member', 'value'):
            group.append(item)
            continue
        if group:
            yield group
        group = [item]
    if group:
        yield group


def text_html(item, resolve, level):
    heading = HEADING.match(' '.join(item.comment).strip())
    if heading:
        return f'<h{level}>{html.escape(heading[1])}</h{level}>'
    return comment_text.to_html(item.comment, resolve)


def without_margin(source):
    lines = source.split('\n')
    margin = min(len(line) - len(line.lstrip())
                 for line in lines if line.strip())
    return '\n'.join(line[margin:] for line in lines)
