"""Tests that each check of a release fails when it should."""

import importlib.util
import importlib.machinery
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), '../..'))
sys.path.insert(0, os.path.join(ROOT, 'tools/release'))
import abi  # noqa: E402
import sbom  # noqa: E402
import versions  # noqa: E402


def load(name):
    """Returns a script without a suffix as a module."""
    path = os.path.join(ROOT, 'tools/release', name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class VersionsTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        for path, _ in versions.PLACES:
            path = versions.path_of(ROOT, path)
            target = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), target)

    def test_the_tree_agrees(self):
        self.assertEqual(versions.faults_of(), [])

    def test_a_version_is_set_everywhere(self):
        versions.set_version('7.8.9', self.root)
        self.assertEqual(versions.version_of(self.root), '7.8.9')
        self.assertEqual(versions.faults_of(self.root), [])
        self.assertIn('find_package(ashlar 7.8 REQUIRED)',
                      versions.read(self.root, 'README.md'))
        self.assertEqual(
            versions.read(self.root, 'c_api/rust/Cargo.lock').count('7.8.9'),
            2)

    def test_each_place_counts(self):
        for place, pattern in versions.PLACES[1:]:
            path = versions.path_of(ROOT, place)
            text = versions.read(self.root, path)
            version = versions.expected(versions.version_of(), pattern)
            target = os.path.join(self.root, path)
            with self.subTest(path):
                with open(target, 'w', encoding='utf-8') as f:
                    f.write(text.replace(version, '9.9.9'))
                self.assertNotEqual(versions.faults_of(self.root), [])
                os.remove(target)
                self.assertEqual(versions.faults_of(self.root),
                                 [f'{place}: there is no such file'])
                with open(target, 'w', encoding='utf-8') as f:
                    f.write(text)
        self.assertEqual(versions.faults_of(self.root), [])

    def test_what_is_no_version_is_refused(self):
        with self.assertRaises(SystemExit):
            versions.set_version('1.2', self.root)


class ChangelogTest(unittest.TestCase):
    def test_headings(self):
        faults = load('release_check').changelog_faults
        released = '# Changelog\n\n## 0.2.0 (2026-12-01)\n\n## 0.1.0\n'
        unreleased = '# Changelog\n\n## Unreleased\n'
        self.assertEqual(faults(unreleased, None), [])
        self.assertEqual(faults(released, None), [])
        self.assertEqual(faults(released, '0.2.0'), [])
        for text in (unreleased, '', released.replace('0.2.0', '0.20'),
                     '## Unreleased\n' + released):
            self.assertEqual(len(faults(text, '0.2.0')), 1, text)


class AddressTest(unittest.TestCase):
    def test_an_address_that_nobody_reads_is_noted(self):
        note = load('release_check').address_note
        self.assertIn('team@a.invalid', note('Write to `team@a.invalid`.'))
        self.assertIsNone(note('Write to `team@a.org`, not to a.invalid.'))


class SbomTest(unittest.TestCase):
    def setUp(self):
        self.spdx = sbom.document('0.2.0', [
            ('zstd', '1.5.4', 'BSD-3-Clause OR GPL-2.0-only', 'https://a.b/')],
            '2026-01-01T00:00:00Z')

    def test_a_document(self):
        self.assertEqual(sbom.faults_of(self.spdx), [])
        self.assertEqual([each['name'] for each in self.spdx['packages']],
                         ['ashlar', 'zstd'])

    def test_faults(self):
        zstd = self.spdx['packages'][1]
        for field, value, fault in (
                ('versionInfo', '', 'zstd: has no versionInfo'),
                ('SPDXID', 'SPDXRef-z_', 'zstd: SPDXRef-z_ is no identifier'),
                ('SPDXID', 'SPDXRef-ashlar',
                 'zstd: SPDXRef-ashlar is there twice'),
                ('licenseDeclared', 'BSD or so',
                 'zstd: its licence is no expression of SPDX')):
            kept = zstd[field]
            zstd[field] = value
            self.assertIn(fault, sbom.faults_of(self.spdx))
            zstd[field] = kept
        self.spdx['relationships'][1]['relatedSpdxElement'] = 'SPDXRef-x'
        self.assertEqual(sbom.faults_of(self.spdx),
                         ['SPDXRef-x: no element has this identifier'])
        del self.spdx['creationInfo']
        self.assertEqual(sbom.faults_of(self.spdx),
                         ['the document has no creationInfo'])

    def test_the_table_has_what_the_build_finds(self):
        names = {library for library, *_ in sbom.read_table()}
        found = versions.read(ROOT, 'third-party/libraries.cmake')
        for library in ('ZSTD', 'LZ4', 'ZLIB', 'BZIP2', 'SNAPPY'):
            self.assertIn(f'ashlar_optional({library} ', found)
            self.assertIn(library.lower(), names)
        self.assertEqual(found.count('\nashlar_optional('), 6)  # and URING
        self.assertEqual(found.count('\nashlar_pkg('), 1)  # xxHash


HEADER = '''struct opaque;
enum code { kNone, kSome };
struct pair { int a; long b; };
int sum(struct pair* pair, struct opaque* opaque, enum code code);
'''
SOURCE = '''#include "c.h"
struct opaque { int inside; };
int sum(struct pair* pair, struct opaque* opaque, enum code code) {
  return pair->a + opaque->inside + (int)code;
}
'''


@unittest.skipIf(shutil.which('abidiff') is None, 'there is no abidiff')
class AbiTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.baseline = os.path.join(self.folder, 'x.abi')
        library, header = self.library(HEADER, SOURCE)
        abi.write(library, self.baseline, header)

    def library(self, header, source, soname='libx.so.0.1'):
        folder = tempfile.mkdtemp(dir=self.folder)
        for name, text in (('c.h', header), ('c.c', source)):
            with open(os.path.join(folder, name), 'w',
                      encoding='utf-8') as f:
                f.write(text)
        library = os.path.join(folder, 'libx.so')
        subprocess.run(['cc', '-g', '-shared', '-fPIC', f'-Wl,-soname,{soname}',
                        os.path.join(folder, 'c.c'), '-o', library], check=True)
        return library, os.path.join(folder, 'c.h')

    def faults(self, *library):
        made, header = self.library(*library)
        return abi.compare(self.baseline, made, header)[0]

    def test_changes_that_break_nothing(self):
        self.assertEqual(self.faults(HEADER, SOURCE), [])
        self.assertEqual(self.faults(HEADER, SOURCE.replace(
            'int inside', 'char more[9]; int inside')), [])
        self.assertEqual(self.faults(HEADER.replace('kSome', 'kSome, kMore'),
                                     SOURCE), [])
        self.assertEqual(self.faults(HEADER + 'int more(void);\n', SOURCE +
                                     'int more(void) { return 1; }\n'), [])

    def test_changes_that_break_programs(self):
        for header, source in (
                (HEADER, SOURCE.replace('sum', 'total')),
                (HEADER.replace('int a; ', 'int a; long c; '), SOURCE),
                (HEADER.replace('(struct', '(int n, struct'),
                 SOURCE.replace('(struct', '(int n, struct'))):
            with self.subTest(header + source):
                self.assertEqual(self.faults(header, source), [
                    'the change breaks programs, and libx.so.0.1 is still the '
                    'SONAME'])

    def test_a_new_soname_may_break_programs(self):
        self.assertEqual(self.faults(HEADER, SOURCE.replace('sum', 'total'),
                                     'libx.so.0.2'), [])

    def test_no_paths_are_kept(self):
        with open(self.baseline, encoding='utf-8') as f:
            self.assertNotIn(self.folder, f.read().replace(
                os.path.dirname(self.baseline) + '/x.abi', ''))

    def test_the_newest_baseline_is_by_number(self):
        for name in ('0.9.0.abi', '0.10.0.abi'):
            open(os.path.join(self.folder, name), 'w').close()
        os.remove(self.baseline)
        self.assertEqual(os.path.basename(abi.newest_baseline(self.folder)),
                         '0.10.0.abi')
        for below, expected in (('0.10.0', '0.9.0.abi'), ('1.0.0',
                                                          '0.10.0.abi')):
            self.assertEqual(os.path.basename(
                abi.newest_baseline(self.folder, below)), expected)
        self.assertIsNone(abi.newest_baseline(self.folder, '0.9.0'))

    def test_a_release_keeps_what_it_was_built_with(self):
        def faults(header, source):
            library, path = self.library(header, source)
            return abi.kept_faults('1.2.3', library, self.folder, path)
        self.assertEqual(faults(HEADER, SOURCE), [
            'c_api/abi has no 1.2.3.abi: make release-files'])
        os.rename(self.baseline, os.path.join(self.folder, '1.2.3.abi'))
        self.assertEqual(faults(HEADER, SOURCE), [])
        more = faults(HEADER + 'int more(void);\n',
                      SOURCE + 'int more(void) { return 1; }\n')
        self.assertEqual(len(more), 1, more)
        self.assertIn('1.2.3.abi is not the interface', more[0])

    def test_a_kept_interface_is_not_written_again(self):
        library, _ = self.library(HEADER, SOURCE)
        with self.assertRaises(SystemExit):
            abi.main([library, self.baseline])


if __name__ == '__main__':
    unittest.main()
