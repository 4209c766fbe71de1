#!/usr/bin/env python3
"""Checks the links of a site that is a folder of HTML files.

    check_links.py <folder>

Prints each link that leads to no file, or to an anchor that its page does not
have; each file outside the site that a page would load; each anchor that a page
has twice; and each page to which no other page leads. Links of the web are only
addresses to follow by hand, so they are not asked for. Exits with 1 if there is
a fault.
"""

import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

LOADED = {('link', 'href'), ('script', 'src'), ('img', 'src'),
          ('iframe', 'src'), ('source', 'src')}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == 'id' or name == 'name' and tag == 'a':
                self.anchors.append(value)
            elif (tag, name) in LOADED:
                self.loads.append(value)
            elif tag == 'a' and name == 'href':
                self.links.append(value or '')


def is_of_web(link):
    scheme = link.partition(':')[0]
    return ':' in link and scheme.isalpha() or link.startswith('//')


def read_pages(folder):
    pages = {}
    for top, _, names in os.walk(folder):
        for name in names:
            if name.endswith('.html'):
                path = os.path.join(top, name)
                with open(path, encoding='utf-8') as f:
                    pages[os.path.relpath(path, folder)] = Page(f.read())
    return pages


def target_of(link, page):
    """Returns the file and the anchor of a link, from the folder's root."""
    path, _, anchor = link.partition('#')
    path = unquote(path)
    if not path:
        return page, unquote(anchor)
    return (os.path.normpath(os.path.join(os.path.dirname(page), path)),
            unquote(anchor))


def link_faults(page, links, pages, folder, reached):
    for link in links:
        if is_of_web(link):
            continue
        path, anchor = target_of(link, page)
        if path != page:
            reached.add(path)
        if path.startswith('..') or not os.path.isfile(
                os.path.join(folder, path)):
            yield f'{page}: {link}: there is no such file'
        elif anchor and path in pages and anchor not in pages[path].anchors:
            yield f'{page}: {link}: the page has no such anchor'


def faults_of(folder):
    """Returns the faults of a site, sorted."""
    pages = read_pages(folder)
    faults, reached = [], {'index.html'}
    for page, content in pages.items():
        faults += link_faults(page, content.links + content.loads, pages,
                              folder, reached)
        faults += [f'{page}: {link}: is loaded from the network'
                   for link in content.loads if is_of_web(link)]
        faults += [f'{page}: #{anchor}: the anchor is there twice'
                   for anchor in {a for a in content.anchors
                                  if content.anchors.count(a) > 1}]
    faults += [f'{page}: no page leads here' for page in pages.keys() - reached]
    if 'index.html' not in pages:
        faults.append('index.html: there is no such file')
    return sorted(faults)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    FOUND = faults_of(sys.argv[1])
    print('\n'.join(FOUND) or f'{sys.argv[1]}: no dead links')
    sys.exit(1 if FOUND else 0)
