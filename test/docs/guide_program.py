"""Makes one program of the C++ examples of the guide.

    guide_program.py <output.cc> <page.md>...

The ```cpp blocks of a page are, joined, the body of one function; includes go
to the top. The program is called with the name of a page, and runs that one.
guide_test.py compares what it prints with the ```output blocks of the page.
"""

import os
import re
import sys

BLOCK = re.compile(r'^```(\w+)\n(.*?)^```$', re.M | re.S)


def blocks(text, language):
    """Yields (line, text) of each block of a language; lines count from 1."""
    for match in BLOCK.finditer(text):
        if match[1] == language:
            yield text.count('\n', 0, match.start(2)) + 1, match[2]


def function_of(path, text):
    """Returns the includes of a page, and the function of its blocks."""
    includes, body = [], []
    for line, code in blocks(text, 'cpp'):
        body.append(f'#line {line} "{path}"')
        for row in code.splitlines():
            is_include = row.startswith('#include')
            includes += [row] if is_include else []
            body.append('' if is_include else row)
    name = name_of(path)
    return includes, (f'namespace {name} {{\nashlar::Status Example() {{\n'
                      + '\n'.join(body)
                      + '\nreturn {};\n}\n}  // namespace\n')


def name_of(path):
    return 'page_' + re.sub(r'\W', '_', os.path.basename(path)[:-3])


def program(pages):
    """Returns the program of (path, text) of pages."""
    includes, functions, rows = set(), [], []
    for path, text in pages:
        if not any(blocks(text, 'cpp')):
            continue
        found, function = function_of(path, text)
        includes.update(found)
        functions.append(function)
        rows.append(f'  if (page == "{name_of(path)}") '
                    f'status = {name_of(path)}::Example();')
    return '\n'.join([
        '#include <cstdio>', '#include <memory>', '#include <string>',
        '#include <string_view>', '#include <utility>', '#include <vector>', '',
        *sorted(includes), '', '#include "ashlar/util/status.h"', '',
        *functions, '#line 1 "after the examples"',
        'int main(int, char** argv) {', '  const std::string_view page(argv[1]);',
        '  ashlar::Status status = ashlar::Status::NotFound("no such page");',
        *rows, '  if (status.ok()) return 0;',
        '  std::fprintf(stderr, "%s\\n", status.ToString().c_str());',
        '  return 1;', '}', ''])


def main(out, paths):
    pages = []
    for path in paths:
        with open(path, encoding='utf-8') as f:
            pages.append((path, f.read()))
    with open(out, 'w', encoding='utf-8') as f:
        f.write(program(pages))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
