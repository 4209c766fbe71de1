// How files are written: direct writes, write-behind, fsync and rate limits,
// with each file call that fails. The bytes are always those that were
// appended.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ashlar/util/file.h"
#include "test/support/faulty_calls.h"
#include "test/support/folder.h"
#include "test/support/manual_clock.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using Code = Status::Code;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMiB = uint64_t{1} << 20;

bool HasDirectWrites(const std::string& folder) {
  auto file = OpenWritableFile(folder + "/probe", {.use_direct_writes = true});
  EXPECT_TRUE(file.ok() || file.status().IsNotSupported())
      << file.status().ToString();
  return file.ok();
}

// A test of direct writes has nothing to test on a file system that refuses
// them. WithoutDirectIoNothingIsChanged runs everywhere.
constexpr char kNoDirectIo[] =
    "the file system of temporary folders has no direct I/O";

// Counts what it is asked for, and never waits.
class CountingLimiter final : public RateLimiter {
 public:
  explicit CountingLimiter(uint64_t burst) : burst_(burst) {}
  void Request(uint64_t bytes, IoPriority priority, OpType type) override {
    EXPECT_EQ(type, OpType::kWrite);
    EXPECT_NE(bytes, 0U);
    pieces.push_back(bytes);
    priorities.insert(priority);
  }
  uint64_t GetSingleBurstBytes() const override { return burst_; }
  void SetBytesPerSecond(uint64_t /*rate*/) override {}
  uint64_t GetBytesPerSecond() const override { return 1; }
  uint64_t GetTotalBytesThrough(IoPriority /*priority*/) const override {
    uint64_t total = 0;
    for (const uint64_t bytes : pieces) total += bytes;
    return total;
  }
  uint64_t GetTotalRequests(IoPriority /*priority*/) const override {
    return pieces.size();
  }

  std::vector<uint64_t> pieces;
  std::set<IoPriority> priorities;

 private:
  const uint64_t burst_;
};

std::vector<CountedCall> CallsNamed(const std::vector<CountedCall>& calls,
                                    const std::string& name) {
  std::vector<CountedCall> found;
  for (const CountedCall& call : calls) {
    if (call.name == name) found.push_back(call);
  }
  return found;
}

std::vector<std::string> Details(const std::vector<CountedCall>& calls,
                                 const std::string& name) {
  std::vector<std::string> details;
  for (const CountedCall& call : CallsNamed(calls, name)) {
    details.push_back(call.detail);
  }
  return details;
}

// Appends `bytes` in `pieces` equal parts, and syncs after each if `syncs`.
Status Write(WritableFile* file, const std::string& bytes, size_t pieces,
             bool syncs = false) {
  Status status;
  const size_t size = bytes.size() / pieces;
  for (size_t i = 0; i < pieces && status.ok(); ++i) {
    const size_t n = i + 1 < pieces ? size : bytes.size() - i * size;
    status = file->Append(Slice(bytes.data() + i * size, n));
    if (status.ok() && syncs) status = file->Sync();
  }
  return status;
}

WritableFileOptions RandomOptions(Random* random, bool may_be_direct) {
  constexpr uint64_t kBuffers[] = {0, 1, kPage, kPage + 1, 3 * kPage, kMiB};
  constexpr uint64_t kSteps[] = {0, 1, kPage, 100'000, kMiB};
  constexpr uint64_t kBursts[] = {1000, kPage, 10'000, ~uint64_t{0}};
  WritableFileOptions options;
  options.use_direct_writes = may_be_direct && !random->OneIn(3);
  options.writable_file_max_buffer_size = random->Pick(kBuffers);
  options.bytes_per_sync = random->Pick(kSteps);
  options.strict_bytes_per_sync = random->OneIn(2);
  options.use_fsync = random->OneIn(2);
  if (random->OneIn(2)) {
    options.rate_limiter =
        std::make_shared<CountingLimiter>(random->Pick(kBursts));
    options.rate_limiter_priority = IoPriority::kMid;
  }
  return options;
}

TEST(WritableFileOptions, AnyOptionsGiveTheSameBytes) {
  const TestFolder folder;
  const bool may_be_direct = HasDirectWrites(folder.path());
  ForEachSeed(1, 60, [&](uint64_t seed) {
    Random random(seed);
    const WritableFileOptions options = RandomOptions(&random, may_be_direct);
    const std::string path = folder / "file";
    if (random.OneIn(2)) WriteFile(path, random.Bytes(random.Below(9000)));
    auto file = OpenWritableFile(path, options);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_EQ(ReadFile(path), "");
    EXPECT_EQ((*file)->name(), path);
    std::string expected;
    const uint64_t steps = random.Below(12);
    for (uint64_t i = 0; i < steps; ++i) {
      const uint64_t most = random.OneIn(4) ? 2 * kMiB : 3 * kPage;
      const std::string piece = random.Bytes(random.Below(most));
      ASSERT_TRUE((*file)->Append(piece).ok());
      expected += piece;
      if (!random.OneIn(3)) continue;
      ASSERT_TRUE((*file)->Sync().ok());
      // Everything is there, and nothing behind it.
      ASSERT_TRUE(ReadFile(path) == expected) << "after Sync";
    }
    // Closing may be left to the destructor.
    if (!random.OneIn(4)) {
      EXPECT_TRUE((*file)->Close().ok());
    }
    file->reset();
    EXPECT_TRUE(ReadFile(path) == expected);
    if (options.rate_limiter == nullptr) return;
    const auto& limiter =
        static_cast<const CountingLimiter&>(*options.rate_limiter);
    const uint64_t burst = limiter.GetSingleBurstBytes();
    for (const uint64_t bytes : limiter.pieces) EXPECT_LE(bytes, burst);
    const uint64_t total = limiter.GetTotalBytesThrough(IoPriority::kTotal);
    if (options.use_direct_writes) {
      EXPECT_EQ(total % kPage, 0U);
    } else {
      EXPECT_EQ(total, expected.size());
    }
    if (!limiter.pieces.empty()) {
      EXPECT_EQ(limiter.priorities, std::set<IoPriority>{IoPriority::kMid});
    }
  });
}

TEST(WritableFileOptions, DirectWritesOfAPageAreAskedForInBursts) {
  const TestFolder folder;
  if (!HasDirectWrites(folder.path())) GTEST_SKIP() << kNoDirectIo;
  const auto limiter = std::make_shared<CountingLimiter>(1000);
  auto file = OpenWritableFile(
      folder / "file", {.use_direct_writes = true, .rate_limiter = limiter});
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  const std::string bytes(kPage, 'a');
  ASSERT_TRUE((*file)->Append(bytes).ok());
  ASSERT_TRUE((*file)->Close().ok());
  EXPECT_EQ(limiter->pieces,
            std::vector<uint64_t>({1000, 1000, 1000, 1000, kPage - 4000}));
  EXPECT_TRUE(ReadFile(folder / "file") == bytes);
}

TEST(WritableFileOptions, DirectWritesAreWholeBuffersAndOneCut) {
  const TestFolder folder;
  if (!HasDirectWrites(folder.path())) GTEST_SKIP() << kNoDirectIo;
  Random random(1);
  const std::string bytes = random.Bytes(5 * kPage + 77);
  BeginFaults(folder.path(), "");
  auto file = OpenWritableFile(
      folder / "file",
      {.use_direct_writes = true, .writable_file_max_buffer_size = 2 * kPage});
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(Write(file->get(), bytes, 50).ok());
  ASSERT_TRUE((*file)->Close().ok());
  const auto calls = EndFaults();
  // Buffers at 0 and 2 pages; Close writes two pages and cuts.
  EXPECT_EQ(CallsNamed(calls, "write").size(), 3U);
  EXPECT_EQ(CallsNamed(calls, "ftruncate").size(), 1U);
  EXPECT_EQ(CallsNamed(calls, "setfl").size(), 1U);
  EXPECT_TRUE(CallsNamed(calls, "fdatasync").empty());
  EXPECT_TRUE(ReadFile(folder / "file") == bytes);
}

TEST(WritableFileOptions, WithoutDirectIoNothingIsChanged) {
  const TestFolder folder;
  WriteFile(folder / "old", "contents");
  const WritableFileOptions options{.use_direct_writes = true};
  for (const std::string name : {"old", "new"}) {
    BeginFaults(folder.path(), "setfl:EINVAL");
    const Status status = OpenWritableFile(folder / name, options).status();
    EndFaults();
    EXPECT_EQ(status.code(), Code::kNotSupported);
    EXPECT_EQ(status.message(), "create " + (folder / name) +
                                    ": the file system has no direct I/O");
  }
  BeginFaults(folder.path(), "setfl:EINVAL");
  const Status status =
      AtomicFile::Create(folder / "atomic", {.file = options}).status();
  EndFaults();
  EXPECT_EQ(status.code(), Code::kNotSupported) << status.ToString();
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"old"});
  EXPECT_EQ(ReadFile(folder / "old"), "contents");
}

// One use of an AtomicFile: appends, a Sync, an append, and Commit.
Status WriteAtomically(const std::string& path, const std::string& bytes,
                       const WritableFileOptions& options) {
  auto file = AtomicFile::Create(path, {.file = options});
  if (!file.ok()) return file.status();
  Status status = Write((*file)->file(), bytes, 3, true);
  return status.ok() ? (*file)->Commit() : status;
}

// Under each fault at each call, the file is the new one or does not exist.
void FailEachCall(const WritableFileOptions& options, uint64_t size) {
  Random random(7);
  const std::string bytes = random.Bytes(size);
  size_t num_calls;
  {
    const TestFolder folder;
    BeginFaults(folder.path(), "");
    ASSERT_TRUE(WriteAtomically(folder / "file", bytes, options).ok());
    num_calls = EndFaults().size();
  }
  for (const std::string kind : {"EIO", "ENOSPC", "EINTR", "short"}) {
    size_t failed = 0;
    for (size_t n = 1; n <= num_calls; ++n) {
      SCOPED_TRACE(kind + " at call " + std::to_string(n));
      const TestFolder folder;
      BeginFaults(folder.path(), std::to_string(n) + ":" + kind);
      const Status status = WriteAtomically(folder / "file", bytes, options);
      const auto calls = EndFaults();
      ASSERT_GE(calls.size(), n);
      const std::string& name = calls[n - 1].name;
      const bool is_there =
          !folder.Names().empty() && folder.Names().front() == "file";
      if (is_there) {
        EXPECT_TRUE(ReadFile(folder / "file") == bytes) << name;
      }
      if (status.ok()) {
        EXPECT_TRUE(is_there) << name;
        continue;
      }
      ++failed;
      EXPECT_EQ(status.code(), Code::kIOError) << status.ToString();
      // No call that transfers bytes or syncs them gives up for a signal, or
      // for having done half of its work.
      const bool is_retried = name == "write" || name == "fdatasync" ||
                              name == "fsync" || name == "ftruncate" ||
                              name == "sync_file_range" || name == "open";
      EXPECT_FALSE(is_retried && (kind == "EINTR" || kind == "short"))
          << name << ": " << status.ToString();
    }
    EXPECT_EQ(failed == 0, kind == "short") << kind;
  }
}

TEST(WritableFileOptions, FaultsOfDirectWritesLeaveNoHalfFile) {
  const TestFolder folder;
  if (!HasDirectWrites(folder.path())) GTEST_SKIP() << kNoDirectIo;
  FailEachCall({.use_direct_writes = true,
                .writable_file_max_buffer_size = 2 * kPage,
                .use_fsync = true},
               7 * kPage + 5);
}

TEST(WritableFileOptions, FaultsOfWriteBehindLeaveNoHalfFile) {
  FailEachCall({.bytes_per_sync = 300'000, .strict_bytes_per_sync = true},
               3 * kMiB + 5);
}

TEST(WritableFileOptions, ADirectWriteThatNeverEndsAPageFails) {
  const TestFolder folder;
  if (!HasDirectWrites(folder.path())) GTEST_SKIP() << kNoDirectIo;
  BeginFaults(folder.path(), "write:short");
  auto file = OpenWritableFile(folder / "file", {.use_direct_writes = true});
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->Append(std::string(kPage, 'x')).ok());
  const Status status = (*file)->Sync();
  const size_t tried = CallsNamed(EndFaults(), "write").size();
  EXPECT_EQ(status.code(), Code::kIOError) << status.ToString();
  EXPECT_EQ(tried, 3U);
}

TEST(WritableFileOptions, AFailedDirectFileWritesNothingMore) {
  const TestFolder folder;
  if (!HasDirectWrites(folder.path())) GTEST_SKIP() << kNoDirectIo;
  for (const bool closes : {true, false}) {
    BeginFaults(folder.path(), "write:ENOSPC");
    auto file = OpenWritableFile(folder / "file", {.use_direct_writes = true});
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->Append("x").ok());
    EXPECT_EQ((*file)->Sync().message(),
              "write " + (folder / "file") + ": No space left on device");
    if (closes) {
      EXPECT_TRUE((*file)->Close().ok());
    }
    file->reset();
    const auto calls = EndFaults();
    EXPECT_EQ(CallsNamed(calls, "write").size(), 1U);
    EXPECT_EQ(CallsNamed(calls, "close").size(), 1U);
  }
}

std::vector<CountedCall> CallsOfWrites(const WritableFileOptions& options,
                                       uint64_t size, size_t pieces,
                                       const std::string& plan) {
  const TestFolder folder;
  BeginFaults(folder.path(), plan);
  auto file = OpenWritableFile(folder / "file", options);
  EXPECT_TRUE(file.ok());
  EXPECT_TRUE(Write(file->get(), std::string(size, 'x'), pieces).ok());
  EXPECT_TRUE((*file)->Close().ok());
  return EndFaults();
}

TEST(WritableFileOptions, WriteBehindLeavesOutTheNewestMiB) {
  // Half a MiB at a time. Steps of 1 MiB are due at 2, 3 and 4 MiB.
  const WritableFileOptions options{.bytes_per_sync = kMiB};
  EXPECT_EQ(Details(CallsOfWrites(options, 4 * kMiB, 8, ""), "sync_file_range"),
            (std::vector<std::string>{"0+1048576", "1048576+1048576",
                                      "2097152+1048576"}));
  WritableFileOptions strict = options;
  strict.strict_bytes_per_sync = true;
  EXPECT_EQ(Details(CallsOfWrites(strict, 4 * kMiB, 8, ""), "sync_file_range"),
            (std::vector<std::string>{"0+1048576 after", "0+2097152 after",
                                      "0+3145728 after"}));
  // Ends are whole pages.
  EXPECT_EQ(
      Details(CallsOfWrites(options, 3 * kMiB - 10, 1, ""), "sync_file_range"),
      std::vector<std::string>{"0+2093056"});
  EXPECT_TRUE(
      Details(CallsOfWrites({}, 4 * kMiB, 8, ""), "sync_file_range").empty());
}

TEST(WritableFileOptions, WriteBehindWhereItIsNotPossible) {
  WritableFileOptions options{.bytes_per_sync = kMiB};
  for (const std::string error : {"ENOSYS", "EINVAL", "ENOTSUP"}) {
    const std::string plan = "sync_file_range:" + error;
    options.strict_bytes_per_sync = false;
    auto calls = CallsOfWrites(options, 4 * kMiB, 8, plan);
    EXPECT_EQ(CallsNamed(calls, "sync_file_range").size(), 1U);
    EXPECT_TRUE(CallsNamed(calls, "fdatasync").empty());
    options.strict_bytes_per_sync = true;
    calls = CallsOfWrites(options, 4 * kMiB, 8, plan);
    EXPECT_EQ(CallsNamed(calls, "fdatasync").size(), 3U);
  }
  const TestFolder folder;
  BeginFaults(folder.path(), "sync_file_range:EIO");
  auto file = OpenWritableFile(folder / "file", {.bytes_per_sync = kMiB});
  ASSERT_TRUE(file.ok());
  const Status status = (*file)->Append(std::string(2 * kMiB, 'x'));
  EndFaults();
  EXPECT_EQ(status.message(),
            "sync a range of " + (folder / "file") + ": Input/output error");
}

TEST(WritableFileOptions, SyncIsFdatasyncOrFsync) {
  const TestFolder folder;
  std::vector<bool> directs = {false};
  if (HasDirectWrites(folder.path())) directs.push_back(true);
  for (const bool direct : directs) {
    for (const bool use_fsync : {false, true}) {
      BeginFaults(folder.path(), "");
      auto file = OpenWritableFile(
          folder / "file",
          {.use_direct_writes = direct, .use_fsync = use_fsync});
      ASSERT_TRUE(file.ok());
      EXPECT_TRUE((*file)->Append("x").ok());
      EXPECT_TRUE((*file)->Sync().ok());
      const auto calls = EndFaults();
      EXPECT_EQ(CallsNamed(calls, "fsync").size(), use_fsync ? 1U : 0U);
      EXPECT_EQ(CallsNamed(calls, "fdatasync").size(), use_fsync ? 0U : 1U);
    }
  }
}

TEST(RateLimitedFile, TakesTheTimeOfItsBytesInBursts) {
  ManualClock clock;
  const auto limiter =
      NewGenericRateLimiter({.rate_bytes_per_sec = 10'000, .clock = &clock});
  EXPECT_EQ(limiter->GetSingleBurstBytes(), 1000U);
  limiter->SetBytesPerSecond(20'000);
  EXPECT_EQ(limiter->GetSingleBurstBytes(), 2000U);
  std::string contents;
  auto file = NewRateLimitedFile(NewMemoryWritableFile("f", &contents), limiter,
                                 IoPriority::kHigh);
  const uint64_t begin = clock.MonotonicMicros();
  ASSERT_TRUE(file->Append(std::string(19'000, 'a')).ok());
  // The first period's bytes are there at once.
  EXPECT_EQ(clock.MonotonicMicros() - begin, 900'000U);
  ASSERT_TRUE(file->Append(std::string(1000, 'b')).ok());
  EXPECT_EQ(clock.MonotonicMicros() - begin, 900'000U);
  EXPECT_EQ(limiter->GetTotalRequests(IoPriority::kHigh), 11U);
  EXPECT_EQ(limiter->GetTotalBytesThrough(IoPriority::kHigh), 20'000U);
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_EQ(file->name(), "f");
  EXPECT_EQ(contents, std::string(19'000, 'a') + std::string(1000, 'b'));
}

TEST(RateLimitedFile, ASetBurstIsKept) {
  const auto limiter = NewGenericRateLimiter(
      {.rate_bytes_per_sec = 1'000'000, .single_burst_bytes = 300});
  EXPECT_EQ(limiter->GetSingleBurstBytes(), 300U);
  std::string contents;
  const auto file = NewRateLimitedFile(NewMemoryWritableFile("f", &contents),
                                       limiter, IoPriority::kLow);
  ASSERT_TRUE(file->Append(std::string(1000, 'a')).ok());
  EXPECT_EQ(limiter->GetTotalRequests(), 4U);
}

TEST(RateLimitedFile, NobodyIsAskedWithoutAPriority) {
  const TestFolder folder;
  const auto limiter = std::make_shared<CountingLimiter>(10);
  auto file = OpenWritableFile(
      folder / "file",
      {.rate_limiter = limiter, .rate_limiter_priority = IoPriority::kTotal});
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->Append(std::string(100, 'a')).ok());
  EXPECT_TRUE(limiter->pieces.empty());
}

}  // namespace
}  // namespace ashlar::testing
