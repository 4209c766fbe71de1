"""Joins test sources into one file, which compiles in half of their time.

    join_sources.py <joined file> <source> ...

Used by test/CMakeLists.txt. A test source keeps its own names in unnamed
namespaces, and one joined file would merge those. So this script names each
unnamed namespace after the path of its source. It changes nothing else, and
#line directives keep the file names and line numbers in messages. The names
are those from the root of the tree, so that a compiler cache finds the joined
files of another clone.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


def joined(path, text):
    """Returns the text of one source, with its namespaces named."""
    words = os.path.splitext(path)[0].split(os.sep)[-2:]
    name = re.sub(r'\W', '_', '_'.join(words))
    text = re.sub(r'^namespace \{$', f'namespace {name} {{', text,
                  flags=re.MULTILINE)
    if path.startswith(ROOT + os.sep):
        path = os.path.relpath(path, ROOT)
    return f'#line 1 "{path}"\n{text}\n'


def main():
    target, *sources = sys.argv[1:]
    parts = []
    for source in sources:
        with open(source, encoding='utf-8') as file:
            parts.append(joined(source, file.read()))
    with open(target, 'w', encoding='utf-8') as file:
        file.write(''.join(parts))


if __name__ == '__main__':
    main()
