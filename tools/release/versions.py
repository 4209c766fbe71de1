#!/usr/bin/env python3
"""The version of Ashlar, in all the files that name it.

    versions.py             prints the version, if all files agree
    versions.py --set=0.2.0 writes it into all of them

CMakeLists.txt decides; the library and the program take theirs from it. PLACES
has the others. A place that has gone is an error, so that none is forgotten.
"""

import argparse
import glob
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '../..'))
FULL, MINOR = r'(\d+\.\d+\.\d+)', r'(\d+\.\d+)'
SOURCE = ('CMakeLists.txt', rf'^project\(ashlar VERSION {FULL} ')
# (file, what stands around the version). All matches of a file count. A `*` in
# the name of a file stands for the version that the name has.
PLACES = (
    SOURCE,
    ('README.md', rf'^    find_package\(ashlar {MINOR} REQUIRED\)$'),
    ('c_api/c.h', rf'^/\* "{FULL}"\. Lives forever\. \*/$'),
    ('c_api/rust/Cargo.lock', rf'^name = "ashlar(?:-sys)?"\nversion = "{FULL}"$'),
    ('c_api/rust/ashlar/Cargo.toml', rf'^version = "{FULL}"$'),
    ('c_api/rust/ashlar-sys/Cargo.toml', rf'^version = "{FULL}"$'),
    ('c_api/exports.map', rf'^ASHLAR_C_{MINOR} {{$'),
    ('docs/c-api.md', rf'`libashlar_c\.so\.{MINOR}`'),
    ('docs/for-rocksdb-users.md', rf'with Ashlar {MINOR}\.$'),
    ('docs/packages.md', rf'`libashlar(?:_c|-c)?(?:\.so\.)?{MINOR}`'),
    ('packaging/conan/test_package/CMakeLists.txt',
     rf'^find_package\(ashlar {MINOR} '),
    ('packaging/debian/changelog', rf'\Aashlar \({FULL}-\d+\) '),
    ('packaging/debian/control',
     rf'^(?:Package:|        ) libashlar(?:-c)?{MINOR}\b'),
    ('packaging/debian/libashlar-c*.symbols',
     rf'(?:^libashlar_c\.so\.|\bASHLAR_C_){MINOR}\b'),
    ('packaging/debian/rules', rf' -[Np]libashlar-c{MINOR}\b'),
    ('packaging/debian/tests/cxx-examples', rf' libashlar\.so\.{MINOR}$'),
    ('packaging/vcpkg/ashlar/vcpkg.json', rf'^  "version-semver": "{FULL}",$'),
    ('python/ashlar/__init__.py', rf"^__version__ = '{FULL}'$"),
    ('python/ashlar/_manifest.py', rf"'tool_version': '{FULL}'"),
    ('python/pyproject.toml', rf'^version = "{FULL}"$'),
    ('test/util/version_test.cc', rf'LibraryVersion\(\), "{FULL}"'),
    ('tools/examples/CMakeLists.txt', rf'^find_package\(ashlar {MINOR} '),
)


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as f:
        return f.read()


def path_of(root, path):
    """Returns the file of a place; one whose name has a version, by glob."""
    found = glob.glob(path, root_dir=root)
    return found[0] if len(found) == 1 else path


def expected(version, pattern):
    """Returns the version as a place has it: whole, or without its patch."""
    return version if FULL in pattern else version.rpartition('.')[0]


def version_of(root=ROOT):
    return re.search(SOURCE[1], read(root, SOURCE[0]), re.M)[1]


def faults_of(root=ROOT):
    """Returns what does not agree with CMakeLists.txt."""
    version, faults = version_of(root), []
    for path, pattern in PLACES:
        path = path_of(root, path)
        if not os.path.exists(os.path.join(root, path)):
            faults.append(f'{path}: there is no such file')
            continue
        found = re.findall(pattern, read(root, path), re.M)
        if not found:
            faults.append(f'{path}: names no version')
        faults += [f'{path}: has {each}, not {expected(version, pattern)}'
                   for each in found if each != expected(version, pattern)]
    return faults


def set_version(version, root=ROOT):
    if not re.fullmatch(FULL, version):
        sys.exit(f'versions: {version} is not major.minor.patch')
    for path, pattern in PLACES:
        path = path_of(root, path)
        text = read(root, path)

        def replaced(match):
            begin, end = match.start(1) - match.start(), match.end(1)
            return (match[0][:begin] + expected(version, pattern)
                    + match[0][end - match.start():])
        changed = re.sub(pattern, replaced, text, flags=re.M)
        if changed != text:
            with open(os.path.join(root, path), 'w', encoding='utf-8') as f:
                f.write(changed)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--set', metavar='VERSION')
    version = parser.parse_args().set
    if version:
        set_version(version)
    faults = faults_of()
    print('\n'.join(faults) or version_of())
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
