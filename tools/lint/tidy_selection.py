"""Chooses what clang-tidy checks after a change.

    tools/lint/tidy_selection.py <build tree> [<base>] < <changed files>

Reads the changed files, one a line, and prints .cc files of the build tree.
These are the files that changed, and for each header that changed some files
that include it, perhaps through other headers: clang-tidy checks a header only
where a file includes it. It finds nearly the same in each, so that INCLUDERS of
them are enough for each change; `make tidy` checks all files. A change of
.clang-tidy chooses all. A file of which only comments differ from the commit
<base> counts as unchanged.
"""

import collections
import json
import os
import re
import subprocess
import sys

from cpp_text import TOKEN

INCLUDERS = 2
INCLUDE = re.compile(r'^#include "(?:ashlar/)?([^"]+)"', re.MULTILINE)


def includes_of(path):
    try:
        with open(path, encoding='utf-8') as file:
            return INCLUDE.findall(file.read())
    except FileNotFoundError:  # A header that the build makes.
        return []


def includers_of(sources):
    """Returns {file: files that include it}, for what the sources reach."""
    includers = collections.defaultdict(set)
    known, waiting = set(sources), list(sources)
    while waiting:
        path = waiting.pop()
        for header in includes_of(path):
            includers[header].add(path)
            if header not in known:
                known.add(header)
                waiting.append(header)
    return includers


def sources_by_distance(header, includers):
    """Yields lists of the sources that include the header directly, then of
    those that do so through one other header, and so on."""
    seen, ring = {header}, [header]
    while ring:
        ring = sorted({by for path in ring for by in includers[path]} - seen)
        seen.update(ring)
        yield [path for path in ring if path.endswith('.cc')]


def choose(sources, changed, count=INCLUDERS):
    """Returns the sources to check, in order of their names. Sources and
    changed files are paths from the root."""
    if '.clang-tidy' in changed:
        return sorted(sources)
    chosen = {path for path in sources if path in changed}
    includers = includers_of(sources)
    for header in sorted(path for path in changed if path.endswith('.h')):
        missing = count
        for near in sources_by_distance(header, includers):
            # Sources that are checked anyway come first, then small ones.
            near.sort(key=lambda path: (path not in chosen,
                                        os.path.getsize(path), path))
            chosen.update(near[:missing])
            missing -= len(near[:missing])
            if missing == 0:
                break
    return sorted(chosen)


def what_clang_tidy_sees(text):
    """Returns the lines of a C++ text without comments that begin with //, but
    for those that speak to clang-tidy. It also reads names of arguments in
    comments of the other kind, and looks at how lines are indented."""
    def keep(match):
        is_plain = match[0].startswith('//') and 'NOLINT' not in match[0]
        return '' if is_plain else match[0]
    lines = TOKEN.sub(keep, text).splitlines()
    return [line.rstrip() for line in lines if line.strip()]


def same_but_for_comments(path, base):
    """Whether a file has the code that it has in the commit `base`."""
    before = subprocess.run(['git', 'show', f'{base}:./{path}'], text=True,
                            capture_output=True, check=False)
    if before.returncode != 0 or not os.path.exists(path):
        return False
    with open(path, encoding='utf-8') as file:
        return (what_clang_tidy_sees(before.stdout) ==
                what_clang_tidy_sees(file.read()))


def sources_of(tree):
    """Returns the .cc files that the tree compiles, but for those it made."""
    with open(os.path.join(tree, 'compile_commands.json'),
              encoding='utf-8') as file:
        paths = {os.path.relpath(each['file']) for each in json.load(file)}
    return [path for path in paths if not path.startswith(('build', '..'))]


def main():
    sources = sources_of(sys.argv[1])
    changed = set(sys.stdin.read().split())
    if len(sys.argv) > 2:
        changed = {path for path in changed if not path.endswith(('.h', '.cc'))
                   or not same_but_for_comments(path, sys.argv[2])}
    chosen = choose(sources, changed)
    print(f'tidy: {len(chosen)} of {len(sources)} files', file=sys.stderr)
    # Large files first: at the end, no core waits for the last of them.
    chosen.sort(key=os.path.getsize, reverse=True)
    print('\n'.join(chosen))


if __name__ == '__main__':
    main()
