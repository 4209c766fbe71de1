#!/usr/bin/env python3
"""Compares the C interface with that of the last release, by libabigail.

    abi.py <libashlar_c.so>           compares with the newest of c_api/abi/
    abi.py <libashlar_c.so> <x.abi>   writes the interface to the new file x.abi

A change that breaks programs is an error while the SONAME stays: it has the
minor version as long as the major version is 0. With a new SONAME it is only
reported. New functions are no error. The C++ library has no such file: its
SONAME changes with each minor version, and each program is compiled again.
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '../..'))
BASELINES = os.path.join(ROOT, 'c_api/abi')
HEADER = os.path.join(ROOT, 'c_api/c.h')
# Bits of the exit status of abidiff.
FAILED, WRONG_USAGE = 1, 2


def write(library, out, header=HEADER):
    """Writes what the header declares of a library, without paths."""
    done = subprocess.run(
        ['abidw', '--no-corpus-path', '--no-comp-dir-path', '--no-show-locs',
         '--no-elf-needed', '--exported-interfaces-only', '--drop-private-types',
         '--drop-undefined-syms', '--header-file', header, library],
        text=True, capture_output=True, check=True)
    folder = os.path.dirname(os.path.dirname(header))
    with open(out, 'w', encoding='utf-8') as f:
        f.write(done.stdout.replace(folder + '/', ''))


def soname_of(path):
    if path.endswith('.abi'):
        with open(path, encoding='utf-8') as f:
            return re.search(r"soname='([^']*)'", f.read())[1]
    done = subprocess.run(['readelf', '-d', path], text=True, check=True,
                          capture_output=True)
    return re.search(r'soname: \[([^]]*)\]', done.stdout)[1]


def numbers(version):
    return [int(n) for n in version.split('.')]


def newest_baseline(folder=BASELINES, below=None):
    """Returns the file of the newest release, or of the newest one that is
    older than the version `below`, or None."""
    known = [name[:-len('.abi')] for name in os.listdir(folder)
             if name.endswith('.abi')]
    older = [each for each in known
             if below is None or numbers(each) < numbers(below)]
    if not older:
        return None
    return os.path.join(folder, max(older, key=numbers) + '.abi')


def kept_faults(version, library, folder=BASELINES, header=HEADER):
    """Returns what is wrong with the file of a release that is being made."""
    kept = os.path.join(folder, version + '.abi')
    if not os.path.exists(kept):
        return [f'c_api/abi has no {version}.abi: make release-files']
    done, report = difference(kept, library, header)
    return [f'{version}.abi is not the interface of the library:\n'
            + report.strip()] if done else []


def breaks_programs(report):
    """Returns whether a function or a type has gone or has changed. A new
    enumerator breaks nothing: programs must expect codes that they do not
    know."""
    if re.search(r'[1-9]\d* Removed', report):
        return True
    changed = re.search(r'[1-9]\d* Changed', report)
    details = re.findall(r'^ *(\d+ [a-z ]+ (?:insertion|deletion|change)s?:|'
                         r'type size changed|parameter \d+ .* changed:|'
                         r'return type changed:|parameter \d+ of .* was '
                         r'(?:added|removed))', report, re.M)
    return bool(changed) and not (details and all(
        re.match(r'\d+ enumerator insertions?:', each) for each in details))


def difference(baseline, library, header=HEADER):
    """Returns the exit status and the report of abidiff. It compares two files
    of abidw: of a library it would also see what the opaque types are
    inside."""
    with tempfile.TemporaryDirectory() as folder:
        now_written = os.path.join(folder, 'now.abi')
        write(library, now_written, header)
        done = subprocess.run(['abidiff', baseline, now_written], text=True,
                              capture_output=True, check=False)
    return done.returncode, done.stdout + done.stderr


def compare(baseline, library, header=HEADER):
    """Returns the faults, and the report of abidiff."""
    status, report = difference(baseline, library, header)
    if status & (FAILED | WRONG_USAGE) or status < 0:
        return [f'abidiff failed: {report.strip()}'], report
    before, now = soname_of(baseline), soname_of(library)
    if breaks_programs(report) and before == now:
        return [f'the change breaks programs, and {now} is still the SONAME'], (
            report)
    return [], report


def main(arguments):
    if len(arguments) == 2:
        if os.path.exists(arguments[1]):
            sys.exit(f'abi: {arguments[1]} is there already, and never changes')
        write(*arguments)
        return 0
    baseline = newest_baseline()
    faults, report = compare(baseline, arguments[0])
    print(report.strip())
    for fault in faults:
        print(f'abi: {os.path.basename(baseline)}: {fault}')
    return 1 if faults else 0


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
