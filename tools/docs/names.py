"""Where names of the library are explained: which page, which anchor."""

import os
import re


def page_of(path):
    """Returns the page of a header: api/table/table_reader.html."""
    return f'api/{os.path.splitext(path)[0]}.html'


class Names:
    """All public names, and the addresses of their texts in the site."""

    def __init__(self):
        self.places = {}  # full name -> address from the root of the site
        self.endings = {}  # Foo::Bar -> full names that end so
        self.classes = set()
        self.headers = {}  # ashlar/util/status.h -> its page

    def add(self, full, address, is_class):
        if full in self.places:
            return
        self.places[full] = address
        if is_class:
            self.classes.add(full)
        parts = full.split('::')
        for n in range(len(parts)):
            self.endings.setdefault('::'.join(parts[n:]), []).append(full)

    def find(self, word, scopes=()):
        """Returns the full name that `word` means within these scopes, from
        the inner one to the outer ones; or None, if it may mean several."""
        word = word.removeprefix('ashlar::').removesuffix('()')
        for scope in scopes:
            if f'{scope}::{word}' in self.places:
                return f'{scope}::{word}'
        if f'ashlar::{word}' in self.places:
            return f'ashlar::{word}'
        # A word like `file` or State may be a parameter, a type of another
        # class, or a word of English.
        if not re.search(r'[_:]|[a-z0-9][A-Z]', word):
            return None
        found = self.endings.get(word, ())
        return found[0] if len(found) == 1 else None


class Resolver:
    """Finds addresses for one page, relative to it."""

    def __init__(self, names, page, scopes=()):
        self.names = names
        self.page = page
        self.scopes = scopes

    def within(self, scope):
        return Resolver(self.names, self.page, (scope, *self.scopes))

    def __call__(self, word):
        if word in self.names.headers:
            return relative(self.names.headers[word], self.page)
        if not re.fullmatch(r'~?[A-Za-z_]\w*(?:::~?\w+)*(?:\(\))?', word):
            return None
        return self.address(self.names.find(word, self.scopes))

    def of_class(self, word):
        """The same for a word that may be one of English."""
        full = self.names.find(word, self.scopes)
        return self.address(full) if full in self.names.classes else None

    def address(self, full):
        if full is None or full in self.scopes:
            return None
        return relative(self.names.places[full], self.page)


def relative(address, page):
    """Returns `address` as a link on `page`; both from the root of the site."""
    path, _, anchor = address.partition('#')
    if path == page and anchor:
        return '#' + anchor
    link = os.path.relpath(path, os.path.dirname(page) or '.')
    return f'{link}#{anchor}' if anchor else link
