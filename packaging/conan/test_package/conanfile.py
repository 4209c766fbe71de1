"""Compiles an example of the tree with the package, and runs it."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.gnu import PkgConfigDeps


class AshlarTest(ConanFile):
    settings = 'os', 'arch', 'compiler', 'build_type'

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        # No CMakeUserPresets.json in the tree.
        toolchain.user_presets_path = False
        shared = self.dependencies['ashlar'].options.shared
        toolchain.cache_variables['ASHLAR_LIBRARY'] = (
            'ashlar::ashlar_shared' if shared else 'ashlar::ashlar')
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            table = os.path.join(self.build_folder, 'fruit.sst')
            for program in ('build', 'read'):
                path = os.path.join(self.cpp.build.bindir, program)
                self.run(f'{path} {table}', env='conanrun')
