"""Finds the examples in comments of installed headers and in README.md.

In a header, an example is an indented block of a comment that has a statement:

  //   auto cache = ashlar::NewLruCache({});
  //   if (!cache.ok()) return cache.status();

In README.md, it is an indented block of C++. test/lint/examples_test.py
compiles them, so check_references.py does not check their names.
"""

import re

COMMENT_LINE = re.compile(r'^\s*//(?P<indent> {3,})(?P<code>\S.*)$')
EMPTY_COMMENT = re.compile(r'^\s*//$')
STATEMENT = re.compile(r';(\s*//.*)?$')
PAGE_LINE = re.compile(r'^ {4}(?P<code>.*\S.*)$')
# Of README's indented blocks, these are C++.
CPP = re.compile(r'\bashlar::|^#include ', re.M)


def in_header(text):
    """Yields (first line, lines of code) of each example. Lines count from
    1."""
    lines = text.split('\n')
    start = None
    for number in range(len(lines) + 1):
        line = lines[number] if number < len(lines) else ''
        inside = COMMENT_LINE.match(line) or (
            start is not None and EMPTY_COMMENT.match(line))
        if inside and start is None:
            start = number
        elif not inside and start is not None:
            block = [re.sub(r'^\s*// {0,3}', '', each)
                     for each in lines[start:number]]
            while not block[-1]:
                block.pop()
            if any(STATEMENT.search(each) for each in block):
                yield start + 1, block
            start = None


def in_page(text):
    """Does the same for a page."""
    lines = text.split('\n') + ['']
    start = None
    for number, line in enumerate(lines):
        inside = PAGE_LINE.match(line) or (
            start is not None and not line.strip() and
            number + 1 < len(lines) and PAGE_LINE.match(lines[number + 1]))
        if inside and start is None:
            start = number
        elif not inside and start is not None:
            block = [each[4:] for each in lines[start:number]]
            if (CPP.search('\n'.join(block)) and
                    any(STATEMENT.search(each) for each in block)):
                yield start + 1, block
            start = None
