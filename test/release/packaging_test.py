#!/usr/bin/env python3
"""Tests that each check of packaging/check fails when it should.

    packaging_test.py <c++ compiler>
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

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
# The part of the version that names libraries and their packages.
MINOR = re.search(r'^project\(ashlar VERSION (\d+\.\d+)\.',
                  check.read(ROOT, 'CMakeLists.txt'), re.M)[1]


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
        for name in ('script', 'json', 'option', 'preset', 'vcpkg', 'harden',
                     'notice', 'target', 'image', 'debian_file'):
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
        self.replace('packaging/arm64/arm64.mk', 'ASHLAR_ARM64_SYSROOT=',
                     'ASHLAR_ARM64_ROOT=')
        faults = check.option_faults(self.root)
        self.assertEqual(len(faults), 4, faults)

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

    def test_the_image_keeps_the_mode_of_tmp(self):
        self.replace('packaging/Dockerfile', '--from=build /image/ /',
                     '--from=build /image/tmp /tmp')
        self.assertEqual(check.image_faults(self.root),
                         ['packaging/Dockerfile: COPY /image/tmp loses its mode'])

    def test_a_target_installs_what_its_scripts_need(self):
        self.assertIn('python3', check.group_packages(self.root, 'static'))
        self.replace('tools/setup', 'static=("${demo[@]}" python3)',
                     'static=("${demo[@]}")')
        self.assertEqual(
            check.target_faults(self.root),
            ['make static: packaging/check_hardening needs python3, which '
             'tools/setup static does not install'])

    def test_the_image_installs_what_its_target_does(self):
        self.replace('packaging/Dockerfile', 'setup static', 'setup demo')
        self.assertEqual(check.target_faults(self.root),
                         ['packaging/Dockerfile: make static needs tools/setup '
                          'static, not demo'])

    def test_a_package_that_is_not_hardened(self):
        for path, text in check.HARDENED.items():
            with self.subTest(path):
                self.replace(path, text, '')
                self.assertEqual(check.harden_faults(self.root),
                                 [f'{path}: lacks {text}'])
                self.replace(path, check.read(self.root, path),
                             check.read(ROOT, path))

    def test_notice_of_what_compilers_add(self):
        for name in check.RUNTIMES:
            self.replace('NOTICE', f'\n{name}: http', f'\n{name}, http')
        self.assertEqual(len(check.notice_faults(self.root)),
                         len(check.RUNTIMES))

    def test_tools_that_find_faults(self):
        tools = os.path.join(self.root, 'tools')
        os.makedirs(tools, exist_ok=True)
        for tool, faults_of in (('ruby', check.formula_faults),
                                ('hadolint', check.hadolint_faults),
                                ('conan', check.conan_faults)):
            path = os.path.join(tools, tool)
            for status, faults in ((0, []), (1, [f'{tool} is not content'])):
                with open(path, 'w', encoding='utf-8') as f:
                    f.write(f'#!/bin/sh\necho {tool} is not content\n'
                            f'exit {status}\n')
                os.chmod(path, 0o755)
                with unittest.mock.patch.dict(os.environ, PATH=os.pathsep.join(
                        (tools, os.environ['PATH']))):
                    self.assertEqual(faults_of(self.root), faults)

    def test_files_of_debian(self):
        folder = os.path.join(self.root, 'packaging/debian')
        os.rename(os.path.join(folder, f'libashlar{MINOR}.install'),
                  os.path.join(folder, 'libashlar0.0.install'))
        self.replace('packaging/debian/control', '               liblz4-dev,\n',
                     '')
        self.replace('packaging/debian/control', 'Architecture: amd64 arm64',
                     'Architecture: any')
        faults = check.debian_file_faults(self.root)
        self.assertEqual(len(faults), 3, faults)

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


class Steps(unittest.TestCase):
    def outcome(self, *step):
        """Returns whether the step failed, and what was printed."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            failed = check.run_step(*step)
        return failed, printed.getvalue()

    def test_what_did_not_run_is_not_ok(self):
        self.assertEqual(
            self.outcome('image', self.fail, 'ashlar-no-such-tool'),
            (False, 'packages: image: left out: no ashlar-no-such-tool\n'))

    def test_what_ran(self):
        self.assertEqual(self.outcome('image', lambda: [], 'sh'),
                         (False, 'packages: image: ok\n'))
        self.assertEqual(self.outcome('image', lambda: ['a fault']),
                         (True, 'packages: image: FAILED\n  a fault\n'))


class Flags(unittest.TestCase):
    """packaging/hardening.cmake with functions that print what they are passed."""

    def added_with(self, *definitions):
        script = '''
function(add_compile_options)
  message(STATUS "compile: ${ARGV}")
endfunction()
function(add_link_options)
endfunction()
function(check_pie_supported)
endfunction()
function(check_cxx_compiler_flag flag name)
endfunction()
'''
        with tempfile.TemporaryDirectory() as folder:
            for name in ('CheckCXXCompilerFlag', 'CheckPIESupported'):
                with open(f'{folder}/{name}.cmake', 'w', encoding='utf-8'):
                    pass
            with open(f'{folder}/run.cmake', 'w', encoding='utf-8') as f:
                f.write(f'{script}set(CMAKE_MODULE_PATH "{folder}")\n'
                        f'include("{ROOT}/packaging/hardening.cmake")\n')
            return subprocess.run(
                ['cmake', '-DASHLAR_HARDEN=ON', *definitions, '-P',
                 f'{folder}/run.cmake'], check=True, text=True,
                capture_output=True).stdout

    def test_a_level_of_fortification_stays(self):
        self.assertIn('-D_FORTIFY_SOURCE=2', self.added_with())
        self.assertEqual(
            self.added_with('-DCMAKE_CXX_FLAGS=-O2 -D_FORTIFY_SOURCE=3'), '')

    def test_a_build_without_optimisation(self):
        self.assertEqual(self.added_with('-DCMAKE_BUILD_TYPE=Debug'), '')


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
        symbols = f'packaging/debian/libashlar-c{MINOR}.symbols'
        self.assertIn(f'{symbols}: ashlar_other is exported, and not listed',
                      faults)
        self.assertIn(f'{symbols}: ashlar_version is listed, and not exported',
                      faults)

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

    def check_installed(self):
        """Runs the step of check_deb on what is installed in the folder."""
        text = check.read(ROOT, 'packaging/check_deb')
        step = re.search(r'^check_hardened\(\) {\n.*?^}\n', text, re.M | re.S)[0]
        return subprocess.run(
            ['bash', '-euc', f'work=$1\n{step}check_hardened', 'bash',
             self.folder], check=False, capture_output=True, text=True, cwd=ROOT)

    def test_installed_files_are_read_back(self):
        for name in ('bin', 'lib/machine'):
            os.makedirs(os.path.join(self.folder, 'user/usr', name))
        text = '''#include <cstring>
extern "C" void Copy(const char* from) {
  char copy[8];
  std::strcpy(copy, from);
  asm volatile("" : : "r"(copy) : "memory");
}
'''
        sound = ('-O1', '-fPIC', '-shared', '-fstack-protector-strong',
                 '-D_FORTIFY_SOURCE=2', '-Wl,-z,now', '-Wl,-z,relro')
        self.compiled('sound.so', text, *sound)
        at = os.path.join(self.folder, 'user/usr')
        for name in ('bin/ashlar', 'lib/machine/libashlar.so.0.1.0',
                     'lib/machine/libashlar_c.so.0.1.0'):
            shutil.copy(os.path.join(self.folder, 'sound.so'),
                        os.path.join(at, name))
        self.assertIn('not a program, two libraries and an archive',
                      self.check_installed().stdout)
        self.compiled('one.o', text, '-c', '-fcf-protection=full')
        subprocess.run(['ar', 'qc',
                        os.path.join(at, 'lib/machine/libashlar.a'),
                        os.path.join(self.folder, 'one.o')], check=True)
        done = self.check_installed()
        self.assertEqual((done.returncode, done.stdout.count(': ok: ')), (0, 4),
                         done.stdout + done.stderr)
        worse = self.compiled('worse.so', text, *sound, '-Wl,-z,norelro')
        shutil.copy(worse, os.path.join(at, 'lib/machine/libashlar.so.0.1.0'))
        done = self.check_installed()
        self.assertEqual(done.returncode, 1)
        self.assertIn('lacks: RELRO', done.stdout)

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
