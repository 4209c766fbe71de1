// The file calls of the operating system: which are made again, and what their
// errors become.

#include "port/posix_io.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "port/reserved_memory.h"
#include "test/support/faulty_calls.h"
#include "test/support/folder.h"

namespace ashlar::testing {
namespace {

constexpr int kNoFile = -1;

// An open file, closed with this object.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  int fd = kNoFile;
};

// Returns what `call` does while the calls on the folder fail as planned. Only
// files that `call` itself has opened are in the folder.
template <typename Call>
int Under(const TestFolder& folder, const std::string& plan, const Call& call) {
  BeginFaults(folder.path(), plan);
  const int error = call();
  EndFaults();
  return error;
}

TEST(UnnamedFile, HasNoNameAndKeepsItsBytes) {
  // The second plan is a file system that has no files without names.
  for (const std::string plan : {"open@1:EINTR", "open:ENOTSUP"}) {
    SCOPED_TRACE(plan);
    const TestFolder folder;
    Descriptor file;
    ASSERT_EQ(Under(folder, plan,
                    [&] { return port::OpenUnnamed(folder.path(), &file.fd); }),
              0);
    EXPECT_TRUE(folder.Names().empty());
    ASSERT_EQ(port::WriteAll(file.fd, "bytes", 5), 0);
    char read[6] = {};
    size_t got = 0;
    EXPECT_EQ(port::ReadAt(file.fd, 0, read, sizeof read, &got), 0);
    EXPECT_EQ(std::string(read, got), "bytes");
  }
}

TEST(UnnamedFile, ErrorsLeaveNoDescriptor) {
  const TestFolder folder;
  int fd = 7;
  const auto open = [&] { return port::OpenUnnamed(folder.path(), &fd); };
  EXPECT_EQ(Under(folder, "open:ENOTSUP,mkostemp:ENOSPC", open), ENOSPC);
  EXPECT_EQ(fd, kNoFile);
  fd = 7;
  BeginFaults(folder.path(), "open:ENOTSUP,unlink:EIO");
  EXPECT_EQ(open(), EIO);
  EXPECT_EQ(EndFaults().back().name, "close");
  EXPECT_EQ(fd, kNoFile);
}

TEST(ReadAt, IsRepeatedUntilAllBytesOrAnError) {
  const TestFolder folder;
  WriteFile(folder / "file", "0123456789");
  char to[4];
  size_t got = 0;
  const auto read = [&] {
    Descriptor file;
    const int error = port::OpenForRead(folder / "file", &file.fd);
    return error != 0 ? error : port::ReadAt(file.fd, 3, to, 4, &got);
  };
  EXPECT_EQ(Under(folder, "read@1:EINTR,read@2:short,read@3:EINTR", read), 0);
  EXPECT_EQ(std::string(to, got), "3456");
  EXPECT_EQ(Under(folder, "read@1:short,read@2:EIO", read), EIO);
  EXPECT_EQ(got, 2u);
}

// Each call transfers half: 4, 2, 1 and 1 bytes. If every third is whole: 4, 2
// and 2.
TEST(ReadAt, FromAFileSystemThatTransfersLittle) {
  const TestFolder folder;
  WriteFile(folder / "file", "0123456789");
  for (const auto& [plan, calls] :
       {std::pair("read:short", 4), std::pair("read:short-3", 3)}) {
    SCOPED_TRACE(plan);
    BeginFaults(folder.path(), plan);
    Descriptor file;
    ASSERT_EQ(port::OpenForRead(folder / "file", &file.fd), 0);
    char to[8];
    size_t got = 0;
    EXPECT_EQ(port::ReadAt(file.fd, 1, to, sizeof to, &got), 0);
    EXPECT_EQ(std::string(to, got), "12345678");
    const auto made = EndFaults();
    EXPECT_EQ(
        std::count_if(made.begin(), made.end(),
                      [](const auto& call) { return call.name == "read"; }),
        calls);
  }
}

// More than one call transfers. The memory is never touched: the file is short,
// and the device takes bytes without looking at them.
TEST(PosixIo, MoreThanOneCallTransfers) {
  constexpr size_t kBytes = (size_t{1} << 30) + port::kDirectPage;
  port::ReservedMemory memory;
  if (!memory.Reserve(kBytes)) GTEST_SKIP() << "no addresses for 1 GiB";
  const TestFolder folder;
  WriteFile(folder / "file", "0123456789");
  Descriptor file;
  ASSERT_EQ(port::OpenForRead(folder / "file", &file.fd), 0);
  size_t got = 0;
  EXPECT_EQ(port::ReadAt(file.fd, 0, memory.data(), kBytes, &got), 0);
  EXPECT_EQ(std::string(memory.data(), got), "0123456789");
  Descriptor device;
  ASSERT_EQ(port::OpenForWrite("/dev/null", &device.fd), 0);
  EXPECT_EQ(port::WriteAll(device.fd, memory.data(), kBytes), 0);
  EXPECT_EQ(port::WritePagesAt(device.fd, 0, memory.data(), kBytes), 0);
}

TEST(DirectRead, FileSystemThatRefusesIt) {
  const TestFolder folder;
  WriteFile(folder / "file", "x");
  int fd = 7;
  const auto refused = [&](const std::string& path) {
    return Under(folder, "open@1:EINVAL",
                 [&] { return port::OpenForDirectRead(path, &fd); });
  };
  EXPECT_EQ(refused(folder / "file"), EINVAL);
  EXPECT_EQ(fd, kNoFile);
  // What is no regular file has its own error.
  EXPECT_EQ(refused(folder.path()), EISDIR);
  EXPECT_EQ(refused(folder / "missing"), ENOENT);
}

TEST(PosixIo, ClosedDescriptorIsAnError) {
  uint64_t n;
  EXPECT_EQ(port::RegularFileSize(kNoFile, &n), EBADF);
  EXPECT_EQ(port::CountNames(kNoFile, &n), EBADF);
  const char* bytes = "old";
  EXPECT_EQ(port::MapFile(kNoFile, 1, &bytes), EBADF);
  EXPECT_EQ(bytes, nullptr);
  EXPECT_EQ(port::MakeDirect(kNoFile), EBADF);
  int copy = 7;
  EXPECT_EQ(port::Duplicate(kNoFile, &copy), EBADF);
  EXPECT_EQ(copy, kNoFile);
}

TEST(PosixIo, DescriptorLimitIsThatOfTheProcess) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit lower = before;
  lower.rlim_cur = 77;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  EXPECT_EQ(port::DescriptorLimit(), 77u);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(FileLock, FileSystemWithoutLocks) {
  const TestFolder folder;
  const auto lock = [&] {
    Descriptor file;
    const int error = port::OpenForWrite(folder / "file", &file.fd);
    return error != 0 ? error : port::TryLock(file.fd);
  };
  for (const std::string none :
       {"ENOLCK", "ENOSYS", "ENOTSUP", "EINVAL", "EBADF", "EINTR"}) {
    EXPECT_EQ(Under(folder, "flock@1:" + none, lock), 0) << none;
  }
  EXPECT_EQ(Under(folder, "flock:EIO", lock), EIO);
}

TEST(FileNames, AreComparedByFile) {
  const TestFolder folder;
  WriteFile(folder / "file", "x");
  WriteFile(folder / "other", "x");
  Descriptor file;
  ASSERT_EQ(port::OpenForRead(folder / "file", &file.fd), 0);
  EXPECT_TRUE(port::IsNameOf(file.fd, folder / "file"));
  EXPECT_FALSE(port::IsNameOf(file.fd, folder / "other"));
  EXPECT_FALSE(port::IsNameOf(file.fd, folder / "missing"));
  // Of another device.
  EXPECT_FALSE(port::IsNameOf(file.fd, "/dev/null"));
  EXPECT_FALSE(port::IsNameOf(kNoFile, folder / "file"));
}

TEST(FileNames, SpecialIsWhatARenameWouldReplace) {
  const TestFolder folder;
  WriteFile(folder / "file", "x");
  ASSERT_EQ(::symlink(folder.path().c_str(), (folder / "link").c_str()), 0);
  EXPECT_FALSE(port::IsSpecial(folder / "file"));
  EXPECT_FALSE(port::IsSpecial(folder / "link"));
  EXPECT_FALSE(port::IsSpecial(folder / "missing"));
  EXPECT_TRUE(port::IsSpecial(folder.path()));
  EXPECT_TRUE(port::IsSpecial("/dev/null"));
}

// Neither by the rename that refuses, nor by a link, nor without links.
TEST(RenameNoReplace, NeverReplaces) {
  for (const std::string without :
       {"renameat2@9:EIO", "renameat2:EINVAL", "renameat2:ENOSYS",
        "renameat2:ENOTSUP", "renameat2:ENOSYS,link:EPERM"}) {
    SCOPED_TRACE(without);
    const TestFolder folder;
    WriteFile(folder / "from", "new");
    WriteFile(folder / "to", "old");
    bool stays = true;
    const auto rename_to = [&](const char* to) {
      return Under(folder, without, [&] {
        return port::RenameNoReplace(folder / "from", folder / to, &stays);
      });
    };
    EXPECT_EQ(rename_to("to"), EEXIST);
    EXPECT_EQ(ReadFile(folder / "to"), "old");
    EXPECT_EQ(rename_to("free"), 0);
    EXPECT_FALSE(stays);
    EXPECT_EQ(folder.Names(), (std::vector<std::string>{"free", "to"}));
    EXPECT_EQ(ReadFile(folder / "free"), "new");
  }
}

TEST(SyncFolder, FileSystemsMayRefuseIt) {
  const TestFolder folder;
  const auto sync = [&] { return port::SyncFolderOf(folder / "file"); };
  for (const std::string plan :
       {"fsync:EINVAL", "fsync:ENOTSUP", "fsync@1:EINTR", "close:EINTR"}) {
    EXPECT_EQ(Under(folder, plan, sync), 0) << plan;
  }
  EXPECT_EQ(Under(folder, "fsync:EIO", sync), EIO);
  EXPECT_EQ(Under(folder, "close:EIO", sync), EIO);
  EXPECT_EQ(Under(folder, "fsync:EIO,close:ENOSPC", sync), EIO);
  EXPECT_EQ(Under(folder, "open:EACCES", sync), EACCES);
}

// A path without a folder is in the current one, and /file is in the root.
TEST(SyncFolder, OfPathsWithoutAFolder) {
  const TestFolder folder;
  std::string before(4096, '\0');
  ASSERT_NE(::getcwd(before.data(), before.size()), nullptr);
  ASSERT_EQ(::chdir(folder.path().c_str()), 0);
  EXPECT_EQ(
      Under(folder, "fsync:EIO", [] { return port::SyncFolderOf("file"); }),
      EIO);
  EXPECT_EQ(
      Under(folder, "fsync:EIO", [] { return port::SyncFolderOf("/file"); }),
      0);
  ASSERT_EQ(::chdir(before.c_str()), 0);
}

}  // namespace
}  // namespace ashlar::testing
