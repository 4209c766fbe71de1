// The small value types: Slice, Status, Result, Cleanable, PinnableSlice,
// Buffer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/cleanable.h"
#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "util/mem/buffer.h"

namespace ashlar::testing {
namespace {

TEST(Slice, ComparesUnsignedBytes) {
  EXPECT_EQ(Slice(), Slice(""));
  EXPECT_LT(Slice("a"), Slice("\x80"));
  EXPECT_LT(Slice("a"), Slice("ab"));
  EXPECT_GT(Slice("b"), Slice("ab"));
  EXPECT_EQ(Slice("a\0b"), Slice("a"));  // a literal ends at its first zero
  EXPECT_NE(Slice(std::string("a\0b", 3)), Slice("a"));
  EXPECT_EQ(Slice("abc").compare("abc"), 0);
  EXPECT_GT(Slice("abc").compare("abb"), 0);
  EXPECT_TRUE(Slice("abc").starts_with("ab"));
  EXPECT_TRUE(Slice("abc").starts_with(""));
  EXPECT_FALSE(Slice("ab").starts_with("abc"));
  Slice s("abcdef");
  s.remove_prefix(1);
  s.remove_suffix(2);
  EXPECT_EQ(s.ToString(), "bcd");
  EXPECT_EQ(s[1], 'c');
}

TEST(Status, TextAndCodes) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().ToString(), "OK");
  EXPECT_EQ(Status().message(), "");
  const std::pair<Status, std::string> errors[] = {
      {Status::NotFound(), "NotFound"},
      {Status::Corruption("x"), "Corruption: x"},
      {Status::NotSupported("x"), "Not supported: x"},
      {Status::InvalidArgument("x"), "Invalid argument: x"},
      {Status::IOError("x"), "IO error: x"},
      {Status::MergeInProgress("x"), "Merge in progress: x"},
      {Status::Aborted("x"), "Aborted: x"},
      {Status::Incomplete("x"), "Incomplete: x"},
      {Status::TimedOut("x"), "Timed out: x"},
      {Status::MemoryLimit("x"), "Memory limit: x"}};
  for (const auto& [status, text] : errors) {
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.ToString(), text);
    const Status copy = status;
    EXPECT_EQ(copy.ToString(), text);
    EXPECT_EQ(copy.code(), status.code());
  }
  EXPECT_EQ(Status::FromErrno("read", "a.sst", EIO).ToString(),
            "IO error: read a.sst: Input/output error");
  EXPECT_EQ(Status::Corruption("x").WithPrefix("file").ToString(),
            "Corruption: file: x");
  EXPECT_TRUE(Status().WithPrefix("file").ok());
}

// An error made without a subcode has none, whatever its message says.
TEST(Status, SubCodes) {
  using SubCode = Status::SubCode;
  EXPECT_EQ(Status().subcode(), SubCode::kNone);
  EXPECT_EQ(Status().WithPrefix("file").subcode(), SubCode::kNone);
  EXPECT_EQ(Status::NotSupported("file is a plain table").subcode(),
            SubCode::kNone);
  EXPECT_EQ(Status::IOError("read a: No space left on device").subcode(),
            SubCode::kNone);
  EXPECT_EQ(Status::OutOfMemory().subcode(), SubCode::kNone);
  const std::pair<Status, SubCode> errors[] = {
      {Status::Corruption("x", SubCode::kFilterNotVerified),
       SubCode::kFilterNotVerified},
      {Status::NotSupported("x", SubCode::kPlainTable), SubCode::kPlainTable},
      {Status::InvalidArgument("x", SubCode::kDuplicateKey),
       SubCode::kDuplicateKey},
      {Status::IOError("x", SubCode::kNoSpace), SubCode::kNoSpace}};
  for (const auto& [status, subcode] : errors) {
    EXPECT_EQ(status.subcode(), subcode);
    Status copy = status;
    EXPECT_EQ(copy.subcode(), subcode);
    EXPECT_EQ(copy.ToString(), status.ToString());
    EXPECT_EQ(status.WithPrefix("file").subcode(), subcode);
    EXPECT_EQ(status.WithPrefix("file").message(), "file: x");
    const Status moved = std::move(copy);
    EXPECT_EQ(moved.subcode(), subcode);
    Status assigned = Status::Corruption("y");
    assigned = moved;
    EXPECT_EQ(assigned.subcode(), subcode);
    assigned = Status::Corruption("y");
    EXPECT_EQ(assigned.subcode(), SubCode::kNone);
  }
}

TEST(Status, SubCodesOfSystemCalls) {
  using SubCode = Status::SubCode;
  const std::pair<int, SubCode> causes[] = {
      {ENOENT, SubCode::kPathNotFound},
      {ENOTDIR, SubCode::kPathNotFound},
      {EACCES, SubCode::kPermissionDenied},
      {ENOSPC, SubCode::kNoSpace},
      {EFBIG, SubCode::kFileTooLarge},
      {EMFILE, SubCode::kTooManyOpenFiles},
      {ENFILE, SubCode::kTooManyOpenFiles},
      {EIO, SubCode::kNone},
      {ENOMEM, SubCode::kNone}};
  for (const auto& [error, subcode] : causes) {
    EXPECT_EQ(Status::FromErrno("read", "a.sst", error).subcode(), subcode)
        << error;
  }
}

TEST(Result, HoldsAValueOrAnError) {
  Result<std::unique_ptr<int>> good(std::make_unique<int>(7));
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(good.status().ok());
  EXPECT_EQ(**good, 7);
  const std::unique_ptr<int> taken = std::move(good).value();
  EXPECT_EQ(*taken, 7);
  const Result<int> bad(Status::Aborted("no"));
  EXPECT_FALSE(bad.ok());
  EXPECT_TRUE(bad.status().IsAborted());
}

// Records the order in which cleanups run.
struct Log {
  static void Note(void* log, void* number) {
    static_cast<Log*>(log)->notes.push_back(*static_cast<int*>(number));
  }
  void Add(Cleanable* to, int i) {
    to->RegisterCleanup(&Note, this, &numbers[i]);
  }
  int numbers[4] = {0, 1, 2, 3};
  std::vector<int> notes;
};

TEST(Cleanable, RunsEachOnceInOrder) {
  Log log;
  {
    Cleanable cleanable;
    EXPECT_FALSE(cleanable.HasCleanups());
    for (int i = 0; i < 3; ++i) log.Add(&cleanable, i);
    EXPECT_TRUE(cleanable.HasCleanups());
    cleanable.Reset();
    EXPECT_FALSE(cleanable.HasCleanups());
    EXPECT_EQ(log.notes, (std::vector<int>{0, 1, 2}));
    log.Add(&cleanable, 3);
  }
  EXPECT_EQ(log.notes, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Cleanable, MovesAndDelegates) {
  Log log;
  Cleanable target;
  log.Add(&target, 0);
  {
    Cleanable source;
    log.Add(&source, 1);
    log.Add(&source, 2);
    Cleanable moved = std::move(source);
    moved.DelegateCleanupsTo(&target);
    EXPECT_FALSE(moved.HasCleanups());
  }
  EXPECT_TRUE(log.notes.empty());
  Cleanable replaced;
  log.Add(&replaced, 3);
  replaced = std::move(target);
  EXPECT_EQ(log.notes, std::vector<int>{3});
  replaced.Reset();
  EXPECT_EQ(log.notes, (std::vector<int>{3, 0, 1, 2}));
}

TEST(SharedCleanable, RunsWhenTheLastReferenceGoes) {
  Log log;
  Cleanable cleanable;
  log.Add(&cleanable, 0);
  log.Add(&cleanable, 1);
  SharedCleanable first(std::move(cleanable));
  Cleanable shares[2];
  first.ShareWith(&shares[0]);
  SharedCleanable second = first;
  first.MoveTo(&shares[1]);
  EXPECT_FALSE(first);
  EXPECT_TRUE(second);
  first = second;
  first = std::move(second);
  shares[0].Reset();
  first.Reset();
  EXPECT_TRUE(log.notes.empty());
  shares[1].Reset();
  EXPECT_EQ(log.notes, (std::vector<int>{0, 1}));
}

TEST(SharedCleanable, AReferenceIsOneCleanupAmongOthers) {
  Log log;
  Cleanable cleanable;
  log.Add(&cleanable, 0);
  SharedCleanable shared(std::move(cleanable));
  Cleanable keeper;
  log.Add(&keeper, 1);
  shared.MoveTo(&keeper);
  log.Add(&keeper, 2);
  keeper.Reset();
  EXPECT_EQ(log.notes, (std::vector<int>{1, 0, 2}));
}

TEST(PinnableSlice, KeepsUntilItIsReset) {
  Log log;
  const std::string bytes = "bytes";
  const auto pin = [&](int i) {
    Cleanable cleanable;
    log.Add(&cleanable, i);
    return cleanable;
  };
  PinnableSlice a;
  a.Pin(bytes, pin(0));
  PinnableSlice b = std::move(a);
  EXPECT_EQ(b.ToString(), "bytes");
  EXPECT_TRUE(log.notes.empty());
  b.Pin(Slice("other"), pin(1));
  EXPECT_EQ(log.notes, std::vector<int>{0});
  PinnableSlice c;
  c.Pin(bytes, pin(2));
  c = std::move(b);
  EXPECT_EQ(log.notes, (std::vector<int>{0, 2}));
  EXPECT_EQ(c.ToStringView(), "other");
  c.Reset();
  EXPECT_EQ(log.notes, (std::vector<int>{0, 2, 1}));
  EXPECT_TRUE(c.empty());
}

TEST(PinnableSlice, HandsOverItsPin) {
  Log log;
  Cleanable pin;
  log.Add(&pin, 0);
  PinnableSlice slice;
  slice.Pin(Slice("bytes"), std::move(pin));
  Cleanable keeper;
  log.Add(&keeper, 1);
  EXPECT_EQ(slice.DelegatePinTo(&keeper).ToString(), "bytes");
  EXPECT_TRUE(slice.empty());
  slice.Reset();
  EXPECT_TRUE(log.notes.empty());
  keeper.Reset();
  EXPECT_EQ(log.notes, (std::vector<int>{1, 0}));
}

// Takes cleanups as a class of another library does, and throws when it is
// full.
struct ForeignKeeper {
  using CleanupFunction = void (*)(void* arg1, void* arg2);
  void RegisterCleanup(CleanupFunction function, void* arg1, void* arg2) {
    if (taken.size() == most) throw std::bad_alloc();
    taken.push_back([=] { function(arg1, arg2); });
  }
  size_t most = 100;
  std::vector<std::function<void()>> taken;
};

TEST(Cleanable, IsHandedToOtherLibraries) {
  Log log;
  PinnableSlice slice;
  Cleanable pin;
  for (int i = 0; i < 4; ++i) log.Add(&pin, i);
  slice.Pin(Slice("bytes"), std::move(pin));
  ForeignKeeper full;
  full.most = 2;
  EXPECT_THROW(slice.HandPinTo(&full), std::bad_alloc);
  EXPECT_EQ(slice.ToStringView(), "bytes");
  EXPECT_EQ(full.taken.size(), 2u);
  ForeignKeeper keeper;
  EXPECT_EQ(slice.HandPinTo(&keeper).ToString(), "bytes");
  EXPECT_TRUE(slice.empty());
  slice.Reset();
  EXPECT_TRUE(log.notes.empty());
  for (const auto& run : full.taken) run();
  for (const auto& run : keeper.taken) run();
  std::sort(log.notes.begin(), log.notes.end());
  EXPECT_EQ(log.notes, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Buffer, GrowsAndKeepsItsBytes) {
  internal::Buffer buffer;
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string piece(static_cast<size_t>(i % 70), static_cast<char>(i));
    buffer.Append(piece);
    buffer.PushBack('|');
    expected += piece + '|';
  }
  EXPECT_EQ(buffer.slice(), Slice(expected));
  buffer.Truncate(10);
  EXPECT_EQ(buffer.slice(), Slice(expected.substr(0, 10)));
  internal::Buffer moved = std::move(buffer);
  EXPECT_EQ(moved.size(), 10u);
  const size_t capacity = moved.capacity();
  moved.clear();
  EXPECT_TRUE(moved.empty());
  EXPECT_EQ(moved.capacity(), capacity);
}

TEST(Buffer, SlackMayBeWrittenOver) {
  internal::Buffer buffer;
  for (const size_t n : {size_t{1}, size_t{100}, size_t{4096}}) {
    buffer.clear();
    ASSERT_TRUE(buffer.TryReserve(n));
    std::fill(buffer.data(), buffer.data() + n + internal::Buffer::kSlack, 'x');
    buffer.Advance(n);
    EXPECT_EQ(buffer.slice(), Slice(std::string(n, 'x')));
  }
}

TEST(Buffer, ImpossibleSizesAreRefused) {
  internal::Buffer buffer;
  buffer.Append("abc");
  EXPECT_FALSE(buffer.TryReserve(~size_t{0}));
  EXPECT_FALSE(buffer.TryReserve(~size_t{0} / 2));
  EXPECT_EQ(buffer.slice(), Slice("abc"));
}

}  // namespace
}  // namespace ashlar::testing
