// Sorting under an error at every file call, short writes, a full disk, and an
// allocation that fails at each place: the result is right, or a clear error,
// and nothing is left.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/sorted_table_writer.h"
#include "ashlar/util/scratch_file.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/faulty_calls.h"
#include "test/support/folder.h"
#include "test/support/memory_folder.h"
#include "test/support/scarcity.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

[[maybe_unused]] const auto* const kInMemory =
    ::testing::AddGlobalTestEnvironment(new FoldersInMemory);

SortedTableWriterOptions SomeOptions(const std::string& temp_folder,
                                     uint32_t threads) {
  SortedTableWriterOptions options;
  options.build = FixedBuild();
  options.memory = 1;
  options.temp_folder = temp_folder;
  options.threads = threads;
  return options;
}

// Writes 1500 entries, which make several runs, two of which are merged at
// once.
Status Write(const std::string& path, const SortedTableWriterOptions& options) {
  auto writer = SortedTableWriter::Open(path, options);
  if (!writer.ok()) return writer.status();
  char key[] = "key0000";
  for (int i = 0; i < 1500; ++i) {
    const int number = i * 7919 % 1501;
    for (int at = 6, rest = number; at > 2; --at, rest /= 10) {
      key[at] = static_cast<char>('0' + rest % 10);
    }
    Status status = (*writer)->Put(key, "a value of some bytes");
    if (!status.ok()) return status;
  }
  return (*writer)->Finish();
}

std::string ExpectedBytes() {
  const TestFolder folder;
  Require(Write(folder / "t", SomeOptions(folder.path(), 1)));
  return ReadFile(folder / "t");
}

// Runs under the plan. Only calls on the scratch files are counted.
Status WriteWith(const std::string& plan, uint32_t threads,
                 const std::string& bytes,
                 std::vector<CountedCall>* calls = nullptr) {
  const TestFolder scratch;
  const TestFolder out;
  BeginFaults(scratch.path(), plan);
  Status status = Write(out / "t", SomeOptions(scratch.path(), threads));
  const std::vector<CountedCall> counted = EndFaults();
  if (calls != nullptr) *calls = counted;
  EXPECT_TRUE(scratch.Names().empty()) << plan;
  if (status.ok()) {
    EXPECT_TRUE(ReadFile(out / "t") == bytes) << plan;
  } else {
    EXPECT_TRUE(out.Names().empty()) << plan;
  }
  return status;
}

TEST(SortFaults, AnErrorAtEachFileCall) {
  const std::string bytes = ExpectedBytes();
  for (const uint32_t threads : {1, 2}) {
    std::vector<CountedCall> calls;
    Require(WriteWith("", threads, bytes, &calls));
    ASSERT_GT(calls.size(), 20u);
    size_t failures = 0;
    for (size_t n = 1; n <= calls.size(); n += threads == 1 ? 1 : 5) {
      const Status status =
          WriteWith(std::to_string(n) + ":EIO", threads, bytes);
      if (status.ok()) continue;
      ++failures;
      EXPECT_TRUE(status.IsIOError()) << status.ToString();
      EXPECT_NE(status.message().find("scratch file in"),
                std::string_view::npos)
          << status.ToString();
      if (HasFailure()) return;
    }
    // Errors of close alone are ignored.
    EXPECT_GT(failures, calls.size() / (threads == 1 ? 4 : 20));
  }
}

TEST(SortFaults, ADiskThatFillsUp) {
  const std::string bytes = ExpectedBytes();
  for (const uint32_t threads : {1, 2}) {
    for (const char* const plan :
         {"write:ENOSPC", "write@2+:ENOSPC", "write@9+:ENOSPC"}) {
      const Status status = WriteWith(plan, threads, bytes);
      EXPECT_EQ(status.subcode(), Status::SubCode::kNoSpace)
          << status.ToString();
    }
  }
}

TEST(SortFaults, ShortWritesAndReads) {
  const std::string bytes = ExpectedBytes();
  Require(WriteWith("write:short", 2, bytes));
  Require(WriteWith("read:short", 2, bytes));
}

// A file system without unnamed files: the name is there for a moment only.
TEST(SortFaults, NoUnnamedFiles) {
  const TestFolder folder;
  std::vector<CountedCall> calls;
  BeginFaults(folder.path(), "open:EIO");
  auto file = ScratchFile::Create(folder.path());
  calls = EndFaults();
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_TRUE(folder.Names().empty());
  Require((*file)->Append("some bytes"));
  auto reader = (*file)->NewReader();
  ASSERT_TRUE(reader.ok());
  file->reset();
  char room[20];
  Slice data;
  Require((*reader)->Read(5, sizeof room, room, &data));
  EXPECT_EQ(data, "bytes");
  EXPECT_EQ((*reader)->Size(), 10u);
  // Neither is possible, or the name cannot be removed.
  for (const char* const plan :
       {"open:EIO,mkostemp:EACCES", "open:EIO,unlink:EACCES"}) {
    BeginFaults(folder.path(), plan);
    const Status status = ScratchFile::Create(folder.path()).status();
    EndFaults();
    EXPECT_EQ(status.subcode(), Status::SubCode::kPermissionDenied);
  }
}

TEST(SortFaults, AnAllocationThatFails) {
  const std::string bytes = ExpectedBytes();
  const TestFolder folder;
  const std::string path = folder / "t";
  SortedTableWriterOptions options = SomeOptions(folder.path(), 1);
  const auto check = [&] {
    EXPECT_TRUE(ReadFile(path) == bytes);
    EXPECT_EQ(folder.Names(), std::vector<std::string>{"t"});
  };
  EXPECT_GT(
      ForEachFailure([&] { return Write(path, options); }, check, 7).failures,
      20u);
  // Workers allocate too. Their pool is made before.
  WorkerPool pool(2);
  options.worker_pool = &pool;
  EXPECT_GT(
      ForEachFailure([&] { return Write(path, options); }, check, 31).failures,
      10u);
}

// Without memory the work ends, whatever the caller does then: no later entry
// may take the place of the one that was lost.
TEST(SortFaults, AnAllocationThatFailsEndsTheWorkOfASortedWriter) {
  for (const DuplicatePolicy policy :
       {DuplicatePolicy::kError, DuplicatePolicy::kFirst,
        DuplicatePolicy::kLast}) {
    const TestFolder folder;
    SortedTableWriterOptions options = SomeOptions(folder.path(), 1);
    options.is_sorted = true;
    options.on_duplicate = policy;
    const std::string key(5000, 'b');
    const std::string value(100000, '2');
    uint64_t failures = 0;
    bool any = true;
    for (uint64_t n = 1; any; ++n) {
      auto writer = SortedTableWriter::Open(folder / "t", options);
      Require(writer.status());
      Require((*writer)->Put("a", "1"));
      FailingMemory::Arm(n, FailureMode::kOnce);
      const Status put = (*writer)->Put(key, value);
      any = FailingMemory::Disarm();
      if (put.ok()) continue;
      ++failures;
      EXPECT_TRUE(put.IsMemoryLimit()) << put.ToString();
      EXPECT_TRUE((*writer)->Put("c", "3").IsMemoryLimit());
      EXPECT_TRUE((*writer)->Finish().IsMemoryLimit());
    }
    EXPECT_GT(failures, 0U);
  }
}

}  // namespace
}  // namespace ashlar::testing
