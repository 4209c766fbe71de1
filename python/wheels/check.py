#!/usr/bin/env python3
"""Checks the wheels that python/wheels/build made, for one machine:

    build-wheels/venv/bin/python python/wheels/check.py [<machine>]

Of each wheel: its size, the glibc that it needs (auditwheel), that it keeps to
the stable ABI (abi3audit), which libraries it loads and which symbols it
exports. Then it runs: with the Pythons of Debian that python/wheels/fetch
unpacked, emulated if the machine is another one; and, installed by pip without
a compiler in reach, with each Python of PYTHONS (default: python3.11).
"""

import argparse
import io
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from elftools.elf.elffile import ELFFile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1] / 'build-wheels'
MOST_BYTES = 6 << 20
GLIBC = (2, 28)
# Parts of glibc, which each Python has loaded already.
SYSTEM_LIBRARIES = re.compile(
    r'(libc|libm|libpthread|libdl|librt|ld-linux-[a-z0-9-]+)\.so\.\d')
# The Pythons that were unpacked, by the wheel for them.
UNPACKED = {'cp311-cp311': '3.11', 'cp312-abi3': '3.13'}


class Fault(Exception):
    pass


def demand(holds, message):
    if not holds:
        raise Fault(message)


def output_of(command, **more):
    done = subprocess.run([str(part) for part in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **more)
    demand(done.returncode == 0, f'{" ".join(map(str, command))}: exit '
           f'{done.returncode}\n{done.stdout}')
    return done.stdout


def check_size(wheel):
    size = wheel.stat().st_size
    demand(size <= MOST_BYTES, f'{size} bytes, of {MOST_BYTES} at most')
    return f'{size} bytes'


def check_glibc(wheel):
    text = ' '.join(output_of(
        [sys.executable, '-m', 'auditwheel', 'show', wheel]).split())
    tag = re.search(r'following platform tag: "manylinux_(\d+)_(\d+)_', text)
    demand(tag, f'auditwheel knows no manylinux for it: {text}')
    needed = tuple(map(int, tag.groups()))
    demand(needed <= GLIBC, f'needs glibc {needed}')
    return f'glibc {needed[0]}.{needed[1]}'


def check_stable_abi(wheel):
    if '-abi3-' not in wheel.name:
        return 'for one version'
    output_of([sys.executable, '-m', 'abi3audit', '--strict', wheel])
    return 'stable ABI'


def exported(elf):
    """The symbols that other libraries of the process can find."""
    return {symbol.name for symbol in
            elf.get_section_by_name('.dynsym').iter_symbols()
            if symbol['st_shndx'] != 'SHN_UNDEF' and
            symbol['st_info']['bind'] != 'STB_LOCAL'}


def check_files(wheel):
    """Each file of machine code: what it loads, and what it exports."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist()
                 if archive.read(name)[:4] == b'\x7fELF']
        files = {name: ELFFile(io.BytesIO(archive.read(name)))
                 for name in names}
    kinds = sorted(pathlib.PurePath(name).name.split('.')[0] for name in names)
    demand(kinds == ['_core', 'ashlar'], f'other machine code: {names}')
    for name, elf in files.items():
        loaded = [tag.needed for tag in
                  elf.get_section_by_name('.dynamic').iter_tags()
                  if tag.entry.d_tag == 'DT_NEEDED']
        foreign = [n for n in loaded if not SYSTEM_LIBRARIES.fullmatch(n)]
        demand(not foreign, f'{name} loads {foreign}')
        if name.endswith('.so'):
            demand(exported(elf) == {'PyInit__core'},
                   f'{name} exports {sorted(exported(elf))[:9]}')
    return 'exports PyInit__core alone'


def unpacked_python(machine, version):
    """The command by which a Python that was only unpacked runs."""
    root = ROOT / machine / f'python{version}'
    loader = next(root.glob('lib*/ld-linux-*.so.*'))
    command = [loader, '--library-path', ':'.join(
        str(root / part / f'{machine}-linux-gnu') for part in ('lib', 'usr/lib')
    ), root / 'usr/bin' / f'python{version}']
    if machine != platform.machine():
        command.insert(0, f'qemu-{machine}-static')
    return command, {'PYTHONHOME': str(root / 'usr'), 'HOME': '/nonexistent'}


def run_unpacked(wheel, machine):
    tag = '-'.join(wheel.name.split('-')[2:4])
    command, environment = unpacked_python(machine, UNPACKED[tag])
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        return output_of(
            [*command, HERE / 'smoke.py', '--no-program'],
            env={**environment, 'PYTHONPATH': folder, 'PATH': '/nonexistent'},
            cwd=folder).strip()


def run_installed(python, wheels):
    """pip chooses the wheel. It cannot compile: nothing is in PATH."""
    with tempfile.TemporaryDirectory() as folder:
        output_of([python, '-m', 'venv', folder])
        own = f'{folder}/bin/python'
        environment = {'PATH': '/nonexistent', 'HOME': folder}
        output_of([own, '-m', 'pip', 'install', '--no-index',
                   '--disable-pip-version-check', '--find-links', wheels,
                   'ashlar-sst'], env=environment)
        return output_of([own, '-I', HERE / 'smoke.py'],
                         env=environment, cwd=folder).strip()


def check(wheel, machine):
    for one in (check_size, check_glibc, check_stable_abi, check_files):
        print(f'  {one(wheel)}')
    print(f'  unpacked: {run_unpacked(wheel, machine)}')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('machine', nargs='?', default='x86_64',
                        choices=('x86_64', 'aarch64'))
    machine = parser.parse_args().machine
    wheels = sorted((ROOT / 'wheels').glob(f'*_{machine}.whl'))
    try:
        demand(len(wheels) == len(UNPACKED), f'{len(wheels)} wheels')
        if machine != platform.machine():
            demand(shutil.which(f'qemu-{machine}-static'),
                   f'no qemu-{machine}-static (Debian: qemu-user-static)')
        for wheel in wheels:
            print(wheel.name)
            check(wheel, machine)
        if machine == platform.machine():
            for python in os.environ.get('PYTHONS', 'python3.11').split():
                installed = run_installed(python, ROOT / 'wheels')
                print(f'installed: {installed}')
    except Fault as fault:
        sys.exit(f'check.py: {fault}')


if __name__ == '__main__':
    main()
