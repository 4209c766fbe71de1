#!/usr/bin/env python3
"""Packs what was built for one Python into a wheel; python/wheels/build.

The package's metadata come from its build backend, by the hook of PEP 517. The
backend cannot make the wheel itself, since it would be for the machine and the
Python that run here.
"""

import argparse
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[1]


def write_metadata(folder):
    """Returns the folder .dist-info that the build backend makes."""
    from scikit_build_core.build import prepare_metadata_for_build_wheel
    before = os.getcwd()
    os.chdir(PACKAGE)
    try:
        return folder / prepare_metadata_for_build_wheel(str(folder))
    finally:
        os.chdir(before)


def licenses(sources):
    """Yields each library with the text of its license. A license demands that
    it is repeated wherever the library goes."""
    for library in sorted(p for p in sources.iterdir() if p.is_dir()):
        files = [p for kind in ('LICENSE', 'COPYING')
                 for p in sorted(library.glob(f'{kind}*')) +
                 sorted(library.glob(f'lib/{kind}*'))
                 if p.is_file() and 'GPL' not in p.name]
        if not files:
            sys.exit(f'pack.py: {library} has no LICENSE or COPYING')
        # lz4's file at the top only says which part has which license.
        inner = [p for p in files if p.parent.name == 'lib']
        yield library.name, (inner or files)[0].read_text()
    nanobind = importlib.metadata.distribution('nanobind')
    yield 'nanobind', next(path.read_text() for path in nanobind.files
                           if path.name == 'LICENSE')
    # nanobind's hash table has its license in the comment at its top.
    yield 'robin_map', next(path.read_text().split('*/')[0] for path in
                            nanobind.files if path.name == 'robin_map.h')


def add_licenses(info, sources):
    to = info / 'licenses'
    to.mkdir(exist_ok=True)
    for name in ('LICENSE', 'NOTICE'):
        shutil.copy(PACKAGE.parent / name, to / name)
    for library, text in licenses(sources):
        (to / f'{library}.txt').write_text(text)
    shutil.copy(sources / 'versions.txt', to / 'versions.txt')


def set_tag(info, tag):
    """Says in the file WHEEL what the wheel is for."""
    path = info / 'WHEEL'
    lines = [line for line in path.read_text().splitlines()
             if line and not line.startswith('Tag:')]
    path.write_text('\n'.join([*lines, f'Tag: {tag}']) + '\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--tag', required=True)
    for folder in ('--sources', '--staged', '--to'):
        parser.add_argument(folder, required=True,
                            type=lambda path: pathlib.Path(path).resolve())
    args = parser.parse_args()

    info = write_metadata(args.staged)
    add_licenses(info, args.sources)
    set_tag(info, args.tag)
    shutil.copytree(PACKAGE / 'ashlar', args.staged / 'ashlar',
                    dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns('__pycache__'))
    args.to.mkdir(parents=True, exist_ok=True)
    for old in args.to.glob(f'*-{args.tag}.whl'):
        old.unlink()
    subprocess.run([sys.executable, '-m', 'wheel', 'pack', args.staged,
                    '--dest-dir', args.to], check=True)


if __name__ == '__main__':
    main()
