// Files whose bytes are freed on another thread: which ones, and that they are.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "port/posix_io.h"
#include "port/threads.h"
#include "test/support/folder.h"

namespace ashlar::port {
namespace {

using testing::TestFolder;

constexpr uint64_t kBytes = 10000;

void MakeFile(const std::string& path) {
  int fd;
  ASSERT_EQ(CreateNew(path, &fd), 0);
  ASSERT_EQ(Truncate(fd, kBytes), 0);
  ASSERT_EQ(Close(fd), 0);
}

TEST(HeldFiles, OnlyLargeFilesWithoutOtherNames) {
  const TestFolder folder;
  const std::string path = folder / "file";
  const std::string other = folder / "other";
  EXPECT_EQ(HoldLargeFile(path, 0), -1);
  MakeFile(path);
  EXPECT_EQ(HoldLargeFile(path, kBytes + 1), -1);
  EXPECT_EQ(HoldLargeFile(folder.path(), 0), -1);
  ASSERT_EQ(::link(path.c_str(), other.c_str()), 0);
  EXPECT_EQ(HoldLargeFile(path, kBytes), -1);
  ASSERT_EQ(::unlink(other.c_str()), 0);
  ASSERT_EQ(::symlink(path.c_str(), other.c_str()), 0);
  EXPECT_EQ(HoldLargeFile(other, 0), -1);
  const int fd = HoldLargeFile(path, kBytes);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(Close(fd), 0);
}

TEST(HeldFiles, OutliveTheirNamesUntilTheyAreClosed) {
  const TestFolder folder;
  const std::string path = folder / "file";
  MakeFile(path);
  const int fd = HoldLargeFile(path, kBytes);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(Remove(path), 0);
  struct stat info;
  ASSERT_EQ(::fstat(fd, &info), 0);
  EXPECT_EQ(static_cast<uint64_t>(info.st_size), kBytes);
  EXPECT_EQ(info.st_nlink, 0u);
  CloseElsewhere(fd);
  // Ends when the other thread has closed it.
  while (::fcntl(fd, F_GETFD) >= 0) YieldThread();
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace ashlar::port
