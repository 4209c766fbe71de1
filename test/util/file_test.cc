// Files of the operating system, and what remains of them after failures.

#include "ashlar/util/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ashlar/util/whole_file.h"
#include "test/support/file_size_limit.h"
#include "test/support/folder.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using Code = Status::Code;

void ExpectError(const Status& status, Code code, const std::string& message) {
  EXPECT_EQ(status.code(), code) << status.ToString();
  EXPECT_EQ(status.message(), message);
}

TEST(WritableFile, WritesWhatIsAppended) {
  const TestFolder folder;
  const std::string path = folder / "file";
  WriteFile(path, "something that was there before");
  auto file = OpenWritableFile(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->name(), path);
  EXPECT_TRUE((*file)->Append("").ok());
  EXPECT_TRUE((*file)->Append("one ").ok());
  EXPECT_TRUE((*file)->Append(std::string(300000, 'x')).ok());
  EXPECT_TRUE((*file)->Sync().ok());
  EXPECT_TRUE((*file)->Close().ok());
  EXPECT_EQ(ReadFile(path), "one " + std::string(300000, 'x'));
}

TEST(WritableFile, ErrorsNameOperationAndFile) {
  const TestFolder folder;
  const std::string path = folder / "no/such/folder";
  ExpectError(OpenWritableFile(path).status(), Code::kIOError,
              "create " + path + ": No such file or directory");
  ExpectError(OpenWritableFile(folder.path()).status(), Code::kIOError,
              "create " + folder.path() + ": Is a directory");
}

TEST(WritableFile, DeviceThatIsFull) {
  auto file = OpenWritableFile("/dev/full");
  ASSERT_TRUE(file.ok());
  ExpectError((*file)->Append("x"), Code::kIOError,
              "write /dev/full: No space left on device");
}

TEST(RandomAccessFile, ReadsAnywhere) {
  const TestFolder folder;
  const std::string path = folder / "file";
  WriteFile(path, "0123456789");
  auto opened = OpenRandomAccessFile(path);
  ASSERT_TRUE(opened.ok());
  auto mapped = OpenMappedFile(path);
  ASSERT_TRUE(mapped.ok());
  const auto memory = NewMemoryFile(path, "0123456789");
  for (const RandomAccessFile* file :
       {opened->get(), mapped->get(), memory.get()}) {
    EXPECT_EQ(file->Size(), 10u);
    EXPECT_EQ(file->name(), path);
    char scratch[16];
    Slice data;
    EXPECT_TRUE(file->Read(3, 4, scratch, &data).ok());
    EXPECT_EQ(data, Slice("3456"));
    EXPECT_TRUE(file->Read(8, 4, scratch, &data).ok());
    EXPECT_EQ(data, Slice("89"));
    EXPECT_TRUE(file->Read(10, 4, scratch, &data).ok());
    EXPECT_TRUE(data.empty());
    EXPECT_TRUE(file->Read(1000, 4, scratch, &data).ok());
    EXPECT_TRUE(data.empty());
    EXPECT_TRUE(file->Read(0, 0, scratch, &data).ok());
    EXPECT_TRUE(data.empty());
  }
}

TEST(RandomAccessFile, WhatIsNoRegularFile) {
  const TestFolder folder;
  const std::string missing = folder / "missing";
  const std::string empty = folder / "empty";
  WriteFile(empty, "");
  for (const auto open : {OpenRandomAccessFile, OpenMappedFile}) {
    ExpectError(open(missing).status(), Code::kIOError,
                "open " + missing + ": No such file or directory");
    ExpectError(open(folder.path()).status(), Code::kIOError,
                "open " + folder.path() + ": Is a directory");
    ExpectError(open("/dev/null").status(), Code::kIOError,
                "open /dev/null: Illegal seek");
    auto opened = open(empty);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ((*opened)->Size(), 0u);
    char scratch = 'x';
    Slice data("x");
    EXPECT_TRUE((*opened)->Read(0, 1, &scratch, &data).ok());
    EXPECT_TRUE(data.empty());
  }
}

// A sparse file of 4 GiB, while the process may have 1 GiB more than it has.
TEST(RandomAccessFile, MappingWithoutAddressSpace) {
  const TestFolder folder;
  const std::string path = folder / "large";
  WriteFile(path, "");
  std::filesystem::resize_file(path, uint64_t{4} << 30);
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const uint64_t pages = std::stoull(ReadFile("/proc/self/statm"));
  const auto page_bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const rlimit lower{pages * page_bytes + (uint64_t{1} << 30), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &lower), 0);
  const Status status = OpenMappedFile(path).status();
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  ExpectError(status, Code::kMemoryLimit,
              "map " + path + ": Cannot allocate memory");
  EXPECT_TRUE(OpenMappedFile(path).ok());
}

TEST(RandomAccessFile, DirectReads) {
  const TestFolder folder;
  for (const uint64_t size : {0, 1, 4095, 4096, 4097, 300000}) {
    Random random(size + 1);
    const std::string contents = random.Bytes(size);
    const std::string path = folder / "file";
    WriteFile(path, contents);
    auto opened = OpenDirectFile(path);
    if (!opened.ok()) {
      ExpectError(opened.status(), Code::kNotSupported,
                  "open " + path + ": the file system has no direct I/O");
      return;
    }
    EXPECT_EQ((*opened)->Size(), size);
    EXPECT_EQ((*opened)->FileDescriptor(), -1);
    const auto memory = NewMemoryFile("memory", contents);
    for (int round = 0; round < 10; ++round) {
      std::vector<ReadRequest> requests(random.Below(round == 0 ? 200 : 5) + 1);
      std::vector<std::string> room(requests.size());
      for (size_t i = 0; i < requests.size(); ++i) {
        const uint64_t n = random.Below(random.OneIn(5) ? 70000 : 5000);
        room[i].resize(n + 1);
        requests[i] = {.offset = random.Below(size + 5000),
                       .size = n,
                       .scratch = room[i].data()};
      }
      (*opened)->MultiRead(requests);
      for (const ReadRequest& r : requests) {
        Slice expected;
        ASSERT_TRUE(memory->Read(r.offset, r.size, nullptr, &expected).ok());
        ASSERT_TRUE(r.status.ok()) << r.status.ToString();
        ASSERT_TRUE(r.data == expected) << r.offset << ", " << r.size;
      }
    }
  }
  const std::string missing = folder / "missing";
  ExpectError(OpenDirectFile(missing).status(), Code::kIOError,
              "open " + missing + ": No such file or directory");
  ExpectError(OpenDirectFile(folder.path()).status(), Code::kIOError,
              "open " + folder.path() + ": Is a directory");
  ExpectError(OpenDirectFile("/dev/null").status(), Code::kIOError,
              "open /dev/null: Illegal seek");
}

TEST(RandomAccessFile, MappedReadsCopyNothing) {
  const TestFolder folder;
  const std::string path = folder / "file";
  WriteFile(path, "0123456789");
  auto mapped = OpenMappedFile(path);
  ASSERT_TRUE(mapped.ok());
  Slice whole;
  Slice part;
  EXPECT_TRUE((*mapped)->Read(0, 10, nullptr, &whole).ok());
  EXPECT_TRUE((*mapped)->Read(4, 2, nullptr, &part).ok());
  EXPECT_EQ(part.data(), whole.data() + 4);
  // The mapping belongs to the file, not to its name.
  std::filesystem::remove(path);
  EXPECT_EQ(part, Slice("45"));
}

TEST(AtomicFile, AppearsOnlyWhenItIsCommitted) {
  for (const bool sync : {true, false}) {
    const TestFolder folder;
    const std::string path = folder / "file";
    auto file = AtomicFile::Create(path, {.sync = sync});
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->file()->Append("contents").ok());
    const std::vector<std::string> before = folder.Names();
    ASSERT_EQ(before.size(), 1u);
    EXPECT_TRUE(
        before[0].starts_with("file.tmp." + std::to_string(::getpid()) + "."))
        << before[0];
    ASSERT_TRUE((*file)->Commit().ok());
    EXPECT_EQ(folder.Names(), std::vector<std::string>{"file"});
    EXPECT_EQ(ReadFile(path), "contents");
    ExpectError((*file)->Commit(), Code::kInvalidArgument,
                path + ": Commit was called twice");
    file->reset();
    EXPECT_EQ(ReadFile(path), "contents");
  }
}

TEST(AtomicFile, IsGoneWithoutACommit) {
  const TestFolder folder;
  {
    auto file = AtomicFile::Create(folder / "file", {});
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->file()->Append("contents").ok());
  }
  EXPECT_TRUE(folder.Names().empty());
}

TEST(AtomicFile, ReplacesOnlyIfItMay) {
  const TestFolder folder;
  const std::string path = folder / "file";
  WriteFile(path, "old");
  ExpectError(AtomicFile::Create(path, {.overwrite = false}).status(),
              Code::kInvalidArgument, path + ": file exists");
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"file"});
  EXPECT_EQ(ReadFile(path), "old");
  {
    auto file = AtomicFile::Create(path, {});
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->file()->Append("new").ok());
    EXPECT_EQ(ReadFile(path), "old");
    ASSERT_TRUE((*file)->Commit().ok());
  }
  EXPECT_EQ(ReadFile(path), "new");
}

// Another process creates the file first.
TEST(AtomicFile, NameThatIsTakenMeanwhile) {
  const TestFolder folder;
  const std::string path = folder / "file";
  {
    auto file = AtomicFile::Create(path, {.overwrite = false});
    ASSERT_TRUE(file.ok());
    WriteFile(path, "theirs");
    ExpectError((*file)->Commit(), Code::kInvalidArgument,
                path + ": file exists");
    EXPECT_FALSE((*file)->IsInPlace());
  }
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"file"});
  EXPECT_EQ(ReadFile(path), "theirs");
}

TEST(AtomicFile, TwoOfTheSameName) {
  const TestFolder folder;
  const std::string path = folder / "file";
  auto a = AtomicFile::Create(path, {});
  auto b = AtomicFile::Create(path, {});
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_TRUE((*a)->file()->Append("a").ok());
  ASSERT_TRUE((*b)->file()->Append("b").ok());
  EXPECT_EQ(folder.Names().size(), 2u);
  ASSERT_TRUE((*a)->Commit().ok());
  EXPECT_EQ(ReadFile(path), "a");
  ASSERT_TRUE((*b)->Commit().ok());
  EXPECT_EQ(ReadFile(path), "b");
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"file"});
}

TEST(AtomicFile, NameThatCannotBeTaken) {
  const TestFolder folder;
  const Status missing = AtomicFile::Create(folder / "no/file", {}).status();
  EXPECT_TRUE(missing.IsIOError()) << missing.ToString();
  EXPECT_TRUE(missing.message().starts_with("create " + (folder / "no/file")))
      << missing.ToString();
  const std::string taken = folder / "taken";
  std::filesystem::create_directory(taken);
  ExpectError(AtomicFile::Create(taken, {}).status(), Code::kInvalidArgument,
              taken + ": is a folder, device or pipe, which is never replaced");
  // A folder that is created meanwhile makes the rename fail.
  const std::string late = folder / "late";
  {
    auto file = AtomicFile::Create(late, {});
    ASSERT_TRUE(file.ok());
    std::filesystem::create_directory(late);
    ExpectError((*file)->Commit(), Code::kIOError,
                "rename to " + late + ": Is a directory");
  }
  std::filesystem::remove(late);
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"taken"});
}

TEST(AtomicFile, FolderThatIsGone) {
  const TestFolder folder;
  const std::string gone = folder / "gone";
  std::filesystem::create_directory(gone);
  auto file = AtomicFile::Create(gone + "/file", {});
  ASSERT_TRUE(file.ok());
  std::filesystem::remove_all(gone);
  ExpectError((*file)->Commit(), Code::kIOError,
              "rename to " + gone + "/file: No such file or directory");
}

// Root may write everywhere, so root becomes another user for a moment.
TEST(AtomicFile, FolderThatMayNotBeWritten) {
  constexpr uid_t kNobody = 65534;
  const TestFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0500), 0);
  const uid_t self = ::geteuid();
  if (self == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const Status status = AtomicFile::Create(folder / "file", {}).status();
  ASSERT_EQ(::seteuid(self), 0);
  EXPECT_TRUE(status.IsIOError());
  EXPECT_TRUE(status.message().starts_with("create " + (folder / "file")))
      << status.ToString();
  EXPECT_TRUE(status.message().ends_with(": Permission denied"))
      << status.ToString();
}

TEST(AtomicFile, RealWritesThatFail) {
  const std::string piece(1000, 'x');
  for (const rlim_t limit : {0, 1, 999, 1000, 1500, 2999}) {
    const TestFolder folder;
    const std::string path = folder / "file";
    Status status;
    {
      auto file = AtomicFile::Create(path, {});
      ASSERT_TRUE(file.ok());
      const FileSizeLimit lower(limit);
      for (int i = 0; i < 3 && status.ok(); ++i) {
        status = (*file)->file()->Append(piece);
      }
    }
    EXPECT_TRUE(status.IsIOError()) << limit << ": " << status.ToString();
    EXPECT_TRUE(status.message().starts_with("write " + path + ".tmp."));
    EXPECT_TRUE(status.message().ends_with(": File too large"));
    EXPECT_TRUE(folder.Names().empty());
  }
}

TEST(WholeFile, IsWrittenAndReadAtOnce) {
  const TestFolder folder;
  const std::string path = folder / "file";
  const std::string bytes(300000, 'x');
  ASSERT_TRUE(WriteStringToFile("before", path, {}).ok());
  ASSERT_TRUE(WriteStringToFile(bytes, path, {}).ok());
  std::string read = "something else";
  ASSERT_TRUE(ReadFileToString(path, &read).ok());
  EXPECT_EQ(read, bytes);
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"file"});
  EXPECT_TRUE(
      WriteStringToFile("", path, {.overwrite = false}).IsInvalidArgument());
  ASSERT_TRUE(WriteStringToFile("", path, {}).ok());
  ASSERT_TRUE(ReadFileToString(path, &read).ok());
  EXPECT_EQ(read, "");
}

// The system gives such a file the size of a page, whatever is in it.
TEST(WholeFile, ThatEndsBeforeItsSizeIsAnError) {
  const std::string path = "/sys/devices/system/cpu/online";
  std::error_code error;
  if (std::filesystem::file_size(path, error) < 1000 || error) {
    GTEST_SKIP() << "there is no such file";
  }
  std::string read;
  ExpectError(ReadFileToString(path, &read), Code::kCorruption,
              path + ": the file became shorter");
}

TEST(WholeFile, SaysThatThereIsNone) {
  const TestFolder folder;
  std::string read;
  const Status status = ReadFileToString(folder / "file", &read);
  EXPECT_TRUE(status.IsIOError());
  EXPECT_EQ(status.subcode(), Status::SubCode::kPathNotFound);
}

}  // namespace
}  // namespace ashlar::testing
