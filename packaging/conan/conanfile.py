"""The recipe of Ashlar for Conan 2; docs/packages.md.

    conan create packaging/conan

By default the codecs come from Conan too. With -o ashlar/*:system_codecs=True
they are those of the system, found by pkg-config.
"""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps

SOURCES = ('CMakeLists.txt', 'LICENSE', 'NOTICE', 'c_api/*', 'cache/*',
           'docs/key_encodings.md', 'packaging/*.cmake', 'port/*', 'table/*',
           'third-party/*', 'util/*')


class AshlarConan(ConanFile):
    name = 'ashlar'
    description = 'Writes and reads RocksDB-format block-based SST tables'
    license = 'Apache-2.0'
    topics = ('rocksdb', 'sstable', 'storage')
    package_type = 'library'
    settings = 'os', 'arch', 'compiler', 'build_type'
    options = {'shared': [True, False], 'system_codecs': [True, False]}
    default_options = {'shared': False, 'system_codecs': False}

    @property
    def _root(self):
        return os.path.normpath(os.path.join(self.recipe_folder, '../..'))

    def set_version(self):
        text = load(self, os.path.join(self._root, 'CMakeLists.txt'))
        self.version = re.search(r'project\(ashlar VERSION ([\d.]+)', text)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, self._root, self.export_sources_folder)

    def requirements(self):
        if self.options.system_codecs:
            return
        for library in ('bzip2/1.0.8', 'lz4/1.9.4', 'snappy/[>=1.1.9 <2]',
                        'xxhash/[>=0.8.1 <1]', 'zlib/[>=1.2.11 <2]',
                        'zstd/[>=1.5.4 <2]'):
            self.requires(library)
        if self.settings.os == 'Linux':
            self.requires('liburing/[>=2.2 <3]')

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        # A program that links the library does not need the command-line
        # program.
        toolchain.cache_variables['ASHLAR_BUILD_TOOLS'] = False
        toolchain.cache_variables['ASHLAR_HARDEN'] = True
        toolchain.generate()
        if not self.options.system_codecs:
            CMakeDeps(self).generate()
            PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target='product')

    def package(self):
        CMake(self).install()
        for page in ('LICENSE', 'NOTICE'):
            copy(self, page, self.source_folder,
                 os.path.join(self.package_folder, 'licenses'))

    def package_info(self):
        # The package's own files for CMake say what the libraries need.
        self.cpp_info.set_property('cmake_find_mode', 'none')
        self.cpp_info.builddirs.append('lib/cmake/ashlar')
        self.cpp_info.set_property('pkg_config_name', 'none')
