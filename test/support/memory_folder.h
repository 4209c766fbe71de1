// FoldersInMemory: lets a test program put its temporary folders into
// memory.
//
// A set of tables syncs each file and folder. On a disk a test that makes
// thousands of sets waits for that nearly all of its time; a file system in
// memory does the same calls at once.
#ifndef ASHLAR_TEST_SUPPORT_MEMORY_FOLDER_H_
#define ASHLAR_TEST_SUPPORT_MEMORY_FOLDER_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace ashlar::testing {

// Works until the end of the program. TMPDIR overrides it. Where there is no
// such file system, folders are where they are otherwise.
class FoldersInMemory final : public ::testing::Environment {
 public:
  void SetUp() override {
    if (access("/dev/shm", W_OK | X_OK) == 0) {
      setenv("TMPDIR", "/dev/shm", /*overwrite=*/0);
    }
  }
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_MEMORY_FOLDER_H_
