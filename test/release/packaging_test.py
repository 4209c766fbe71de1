#!/usr/bin/env python3
"""Tests that each check of packaging/check fails when it should.

    packaging_test.py <c++ compiler>
"""

import importlib.machinery
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '../..'))
COMPILER = 'c++'


def load(name):
    """Returns a script without a suffix as a module."""
    path = os.path.join(ROOT, 'packaging', name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


check = load('check')
hardening = load('check_hardening')


class Tree(unittest.TestCase):
    """A copy of what packaging/check reads, in which a test changes a file."""

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        for name in ('packaging', 'third-party'):
            shutil.copytree(os.path.join(ROOT, name),
                            os.path.join(self.root, name))
        for name in ('CMakeLists.txt', 'CMakePresets.json', 'LICENSE', 'NOTICE',
                     'tools/setup'):
            os.makedirs(os.path.dirname(os.path.join(self.root, name)),
                        exist_ok=True)
            shutil.copy(os.path.join(ROOT, name),
                        os.path.join(self.root, name))

    def replace(self, path, old, new):
        text = check.read(self.root, path)
        self.assertIn(old, text)
        with open(os.path.join(self.root, path), 'w', encoding='utf-8') as f:
            f.write(text.replace(old, new, 1))

    def test_the_tree_is_sound(self):
        for name in ('script', 'json', 'option', 'preset', 'vcpkg', 'image',
                     'debian_file'):
            with self.subTest(name):
                self.assertEqual(
                    getattr(check, name + '_faults')(self.root), [])

    def test_scripts(self):
        self.replace('packaging/make_deb', 'set -euo', 'if set -euo')
        self.replace('packaging/debian/tests/manual', 'set -eu', 'if set -eu')
        self.replace('packaging/conan/conanfile.py', 'import os', 'import')
        faults = check.script_faults(self.root)
        self.assertEqual(len(faults), 3, faults)

    def test_json(self):
        self.replace('CMakePresets.json', '"version": 6,', '"version": 6')
        self.replace('packaging/vcpkg/ashlar/vcpkg.json', '"bzip2",', '"bzip2"')
        self.assertEqual(len(check.json_faults(self.root)), 2)

    def test_options_that_do_not_exist(self):
        self.replace('CMakePresets.json', 'ASHLAR_STATIC_PROGRAM',
                     'ASHLAR_STATIC')
        self.replace('packaging/debian/rules', 'ASHLAR_HARDEN=', 'ASHLAR_HARD=')
        self.replace('packaging/conan/conanfile.py', "['ASHLAR_BUILD_TOOLS']",
                     "['ASHLAR_TOOLS']")
        faults = check.option_faults(self.root)
        self.assertEqual(len(faults), 3, faults)

    def test_presets(self):
        self.replace('CMakePresets.json', '"inherits": "release"',
                     '"inherits": "nothing"')
        self.assertEqual(len(check.preset_faults(self.root)), 1)

    def test_port_of_vcpkg(self):
        port = 'packaging/vcpkg/ashlar/portfile.cmake'
        self.replace(port, 'vcpkg_cmake_install()', 'vcpkg_cmake_instal()')
        self.assertEqual(len(check.vcpkg_faults(self.root)), 1)
        self.replace(port, 'vcpkg_cmake_instal()', 'vcpkg_cmake_install()')
        self.replace(port, '/../../..', '/..')
        self.assertEqual(len(check.vcpkg_faults(self.root)), 1)

    def test_image(self):
        self.replace('packaging/Dockerfile', 'tools/setup tools', 'tols tools')
        self.replace('packaging/Dockerfile', 'make static', 'make still')
        self.assertEqual(len(check.image_faults(self.root)), 2)

    def test_files_of_debian(self):
        folder = os.path.join(self.root, 'packaging/debian')
        os.rename(os.path.join(folder, 'libashlar0.1.install'),
                  os.path.join(folder, 'libashlar0.2.install'))
        self.replace('packaging/debian/control', '               liblz4-dev,\n',
                     '')
        faults = check.debian_file_faults(self.root)
        self.assertEqual(len(faults), 2, faults)

    def test_installed_files(self):
        installed = {pattern.replace('*', 'x')
                     for patterns in check.install_patterns(self.root).values()
                     for pattern in patterns}
        self.assertEqual(check.install_faults(self.root, installed), [])
        self.assertEqual(
            check.install_faults(self.root, installed | {'usr/bin/new'}),
            ['no package has usr/bin/new'])
        self.assertEqual(
            check.install_faults(self.root, installed - {'usr/bin/ashlar'}),
            ['packaging/debian/ashlar.install: nothing is installed at '
             'usr/bin/ashlar'])


class Compiled(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def compiled(self, name, text, *flags):
        source = os.path.join(self.folder, name + '.cc')
        with open(source, 'w', encoding='utf-8') as f:
            f.write(text)
        target = os.path.join(self.folder, name)
        subprocess.run([COMPILER, source, '-o', target, *flags], check=True)
        return target

    def test_symbols(self):
        library = self.compiled(
            'libone.so', 'extern "C" void ashlar_other() {}', '-shared', '-fPIC')
        faults = check.symbol_faults(ROOT, library)
        self.assertIn('packaging/debian/libashlar-c0.1.symbols: ashlar_other is '
                      'exported, and not listed', faults)
        self.assertIn('packaging/debian/libashlar-c0.1.symbols: ashlar_version '
                      'is listed, and not exported', faults)

    def test_each_part_of_hardening(self):
        text = '''#include <cstring>
int main(int count, char** words) {
  char copy[8];
  std::strcpy(copy, words[count - 1]);
  return copy[0];
}
'''
        all_of = {'stack protector': '-fstack-protector-strong',
                  '_FORTIFY_SOURCE': '-D_FORTIFY_SOURCE=2',
                  'BIND_NOW': '-Wl,-z,now', 'RELRO': '-Wl,-z,relro',
                  'PIE': '-pie', 'no executable stack': '-Wl,-z,noexecstack',
                  'no RPATH': '-O1'}
        worse = {'stack protector': '-fno-stack-protector',
                 '_FORTIFY_SOURCE': '-U_FORTIFY_SOURCE',
                 'BIND_NOW': '-Wl,-z,lazy', 'RELRO': '-Wl,-z,norelro',
                 'PIE': '-no-pie', 'no executable stack': '-Wl,-z,execstack',
                 'no RPATH': '-Wl,-rpath,/somewhere'}
        sound = self.compiled('sound', text, '-fPIE', *all_of.values())
        self.assertEqual(hardening.linked_faults(sound)[0], [])
        for name, flag in worse.items():
            flags = {**all_of, name: flag}
            with self.subTest(name):
                program = self.compiled('worse', text, '-O1', '-fPIE',
                                        *flags.values())
                self.assertIn(f'lacks: {name}',
                              hardening.linked_faults(program)[0])

    @unittest.skipUnless(platform.machine() == 'x86_64', "CET is of x86-64")
    def test_an_archive_with_one_object_that_lacks_it(self):
        for flag in ('full', 'none'):
            self.compiled(f'{flag}.o', 'int Answer() { return 1; }', '-c',
                          f'-fcf-protection={flag}')
        archive = os.path.join(self.folder, 'both.a')
        subprocess.run(['ar', 'qc', archive,
                        os.path.join(self.folder, 'full.o')], check=True)
        self.assertEqual(hardening.archive_faults(archive)[0], [])
        subprocess.run(['ar', 'q', archive,
                        os.path.join(self.folder, 'none.o')], check=True)
        self.assertEqual(len(hardening.archive_faults(archive)[0]), 1)


if __name__ == '__main__':
    if len(sys.argv) > 1 and not sys.argv[1].startswith('-'):
        COMPILER = sys.argv.pop(1)
    unittest.main()
