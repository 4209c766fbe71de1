// Tests read-ahead: whatever FileWindow reads, it returns the bytes of the
// file.

#include "table/load/file_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "test/support/faulty_file.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using internal::FileWindow;

TEST(FileWindow, GivesTheBytesOfTheFile) {
  ForEachSeed(1, 60, [](uint64_t seed) {
    constexpr uint64_t kFixed[] = {0, 0, 1, 5000, uint64_t{1} << 63};
    Random random(seed);
    const std::string contents = random.Bytes(random.Below(600000) + 1);
    FaultPlan plan;
    const auto file = NewFaultyFile("f", contents, &plan);
    FileWindow window(file.get(), random.Pick(kFixed), random.OneIn(2));
    uint64_t at = 0;
    for (int i = 0; i < 200; ++i) {
      const uint64_t n = random.Below(random.OneIn(20) ? 300000 : 5000);
      switch (random.Below(4)) {
        case 0:
          at = random.Below(contents.size() + 100);
          break;
        case 1:
          at = at > n ? at - n : 0;
          break;
        default:
          break;
      }
      Slice data;
      ASSERT_TRUE(window.Read(at, n, &data).ok());
      const std::string expected =
          at < contents.size() ? contents.substr(at, n) : "";
      ASSERT_TRUE(data == Slice(expected)) << at << ", " << n;
      if (random.OneIn(2)) at += n;
    }
  });
}

// A walk makes far fewer reads than it has blocks.
TEST(FileWindow, WalksTakeFewReads) {
  constexpr uint64_t kBlock = 4000;
  constexpr uint64_t kBlocks = 1000;
  const std::string contents(kBlock * kBlocks, 'x');
  for (const bool forward : {true, false}) {
    FaultPlan plan;
    const auto file = NewFaultyFile("f", contents, &plan);
    FileWindow window(file.get(), 0);
    for (uint64_t i = 0; i < kBlocks; ++i) {
      Slice data;
      const uint64_t block = forward ? i : kBlocks - 1 - i;
      ASSERT_TRUE(window.Read(block * kBlock, kBlock, &data).ok());
      ASSERT_EQ(data.size(), kBlock);
    }
    EXPECT_LT(plan.operations, 40u);
    EXPECT_GT(plan.operations, 10u);
  }
}

// Counts how often each byte was announced with Expect, and keeps the last step
// in which it was.
class ExpectingFile final : public RandomAccessFile {
 public:
  explicit ExpectingFile(uint64_t size)
      : expected(size), told_in(size), bytes_(size, 'x') {}
  Status Read(uint64_t offset, size_t n, char* /*scratch*/,
              Slice* data) const override {
    *data = Slice(bytes_.data() + offset, n);
    reads.emplace_back(offset, n);
    return {};
  }
  void Expect(uint64_t offset, uint64_t n) const override {
    ASSERT_GT(n, 0u);
    ASSERT_LE(offset + n, bytes_.size());
    ++announcements;
    for (uint64_t i = offset; i < offset + n; ++i) ++expected[i];
    std::fill_n(told_in.begin() + static_cast<ptrdiff_t>(offset), n, step);
  }
  uint64_t Size() const override { return bytes_.size(); }
  std::string name() const override { return "f"; }

  uint16_t step = 1;  // the test increments it
  mutable size_t announcements = 0;
  mutable std::vector<uint8_t> expected;
  mutable std::vector<uint16_t> told_in;  // 0: in no step
  mutable std::vector<std::pair<uint64_t, uint64_t>> reads;

 private:
  const std::string bytes_;
};

constexpr uint64_t kWalkBlock = 1000;
constexpr uint64_t kWalkBlocks = 3000;

void WalkBack(FileWindow* window, uint64_t begin, uint64_t end) {
  for (uint64_t i = end; i-- > begin;) {
    Slice data;
    ASSERT_TRUE(window->Read(i * kWalkBlock, kWalkBlock, &data).ok());
  }
}

// Every byte is announced at most once, and before the read that has it.
TEST(FileWindow, AWalkBackwardIsExpected) {
  for (const uint64_t fixed : {uint64_t{0}, uint64_t{20000}, ~uint64_t{0}}) {
    ExpectingFile file(kWalkBlock * kWalkBlocks);
    FileWindow window(&file, fixed, true);
    for (uint64_t i = kWalkBlocks; i-- > 0; ++file.step) {
      const size_t reads = file.reads.size();
      Slice data;
      ASSERT_TRUE(window.Read(i * kWalkBlock, kWalkBlock, &data).ok());
      // The first read is no walk yet. The second one announces only what
      // follows it.
      if (file.reads.size() == reads || reads < 2) continue;
      for (uint64_t b = file.reads.back().first; b < i * kWalkBlock; ++b) {
        ASSERT_NE(file.told_in[b], 0) << b;
        ASSERT_LT(file.told_in[b], file.step) << b;
      }
    }
    ASSERT_LE(*std::max_element(file.expected.begin(), file.expected.end()), 1);
  }
}

TEST(FileWindow, AWalkForwardIsExpected) {
  for (const uint64_t fixed : {uint64_t{0}, uint64_t{20000}, ~uint64_t{0}}) {
    ExpectingFile file(kWalkBlock * kWalkBlocks);
    FileWindow window(&file, fixed, true);
    for (uint64_t i = 0; i < kWalkBlocks; ++i, ++file.step) {
      const size_t reads = file.reads.size();
      Slice data;
      ASSERT_TRUE(window.Read(i * kWalkBlock, kWalkBlock, &data).ok());
      if (file.reads.size() == reads || reads < 2) continue;
      const auto [begin, n] = file.reads.back();
      for (uint64_t b = begin; b < begin + n; ++b) {
        ASSERT_NE(file.told_in[b], 0) << b;
        ASSERT_LT(file.told_in[b], file.step) << b;
      }
    }
    ASSERT_LE(*std::max_element(file.expected.begin(), file.expected.end()), 1);
  }
}

// A device gets few large requests: each is for half of what a walk may tell
// of, which is four reads, except where the file ends.
TEST(FileWindow, AWalkAnnouncesSeveralReadsAtOnce) {
  constexpr uint64_t kRead = 20 * kWalkBlock;
  constexpr uint64_t kReads = kWalkBlock * kWalkBlocks / kRead;
  for (const bool forward : {true, false}) {
    const ExpectingFile file(kWalkBlock * kWalkBlocks);
    FileWindow window(&file, kRead, true);
    for (uint64_t i = 0; i < kWalkBlocks; ++i) {
      const uint64_t block = forward ? i : kWalkBlocks - 1 - i;
      Slice data;
      ASSERT_TRUE(window.Read(block * kWalkBlock, kWalkBlock, &data).ok());
    }
    EXPECT_LE(file.announcements, kReads / 2 + 1);
    EXPECT_GE(file.announcements, kReads / 4);
  }
}

// Returns the sizes of the reads of a walk over blocks of 1000 bytes.
std::vector<uint64_t> SizesOfReads(const internal::AutoReadahead& sizes,
                                   bool forward) {
  const ExpectingFile file(kWalkBlock * kWalkBlocks);
  FileWindow window(&file, 0, false, {}, sizes);
  for (uint64_t i = 100; i < 500; ++i) {
    const uint64_t block = forward ? i : kWalkBlocks - i;
    Slice data;
    EXPECT_TRUE(window.Read(block * kWalkBlock, kWalkBlock, &data).ok());
  }
  std::vector<uint64_t> read;
  read.reserve(file.reads.size());
  for (const auto& [offset, n] : file.reads) read.push_back(n);
  read.resize(std::min<size_t>(read.size(), 8));
  return read;
}

TEST(FileWindow, GrowsAsTheOptionsSay) {
  using Sizes = std::vector<uint64_t>;
  for (const bool forward : {true, false}) {
    EXPECT_EQ(SizesOfReads({}, forward),
              Sizes({1000, 1000, 8192, 16384, 32768, 65536, 131072, 262144}));
    EXPECT_EQ(SizesOfReads({.initial = 3000, .most = 10000, .after_reads = 4},
                           forward),
              Sizes({1000, 1000, 1000, 1000, 3000, 6000, 10000, 10000}));
    EXPECT_EQ(SizesOfReads({.initial = 9000, .most = 5000, .after_reads = 0},
                           forward),
              Sizes({1000, 5000, 5000, 5000, 5000, 5000, 5000, 5000}));
    EXPECT_EQ(SizesOfReads({.most = 0}, forward), Sizes(8, 1000));
    EXPECT_EQ(SizesOfReads({.initial = 0}, forward), Sizes(8, 1000));
  }
}

// Nothing outside of the limits is read or announced, except what is asked for.
TEST(FileWindow, StaysInsideItsLimits) {
  constexpr uint64_t kBegin = 1003 * kWalkBlock;
  constexpr uint64_t kEnd = 1997 * kWalkBlock;
  for (const uint64_t fixed : {uint64_t{0}, uint64_t{20000}, ~uint64_t{0}}) {
    ExpectingFile file(kWalkBlock * kWalkBlocks);
    FileWindow window(&file, fixed, true);
    window.LimitTo(kBegin, kEnd);
    Slice data;
    for (uint64_t at = kBegin; at < kEnd; at += kWalkBlock) {
      ASSERT_TRUE(window.Read(at, kWalkBlock, &data).ok());
    }
    for (uint64_t at = kEnd; at > kBegin; at -= kWalkBlock) {
      ASSERT_TRUE(window.Read(at - kWalkBlock, kWalkBlock, &data).ok());
    }
    for (const auto& [offset, n] : file.reads) {
      ASSERT_GE(offset, kBegin);
      ASSERT_LE(offset + n, kEnd);
    }
    for (uint64_t b = 0; b < file.expected.size(); ++b) {
      const bool is_outside = b < kBegin || b >= kEnd;
      ASSERT_TRUE(!is_outside || file.expected[b] == 0) << b;
    }
    ASSERT_TRUE(window.Read(kEnd, kWalkBlock, &data).ok());
    EXPECT_EQ(data.size(), kWalkBlock);
    ASSERT_TRUE(window.Read(kBegin - kWalkBlock, kWalkBlock, &data).ok());
    EXPECT_EQ(data.size(), kWalkBlock);
  }
}

TEST(FileWindow, NothingElseIsExpected) {
  const ExpectingFile file(kWalkBlock * kWalkBlocks);
  FileWindow window(&file, 0, true);
  Slice data;
  for (uint64_t i = 50; i < kWalkBlocks; i += 50) {
    ASSERT_TRUE(window.Read(i * kWalkBlock, kWalkBlock, &data).ok());
  }
  FileWindow silent(&file, 0, false);
  WalkBack(&silent, 0, kWalkBlocks);
  EXPECT_EQ(file.expected, std::vector<uint8_t>(file.expected.size()));
}

// A walk that begins elsewhere announces its bytes, whatever the last walk
// announced.
TEST(FileWindow, AWalkElsewhereIsExpectedAnew) {
  const ExpectingFile file(kWalkBlock * kWalkBlocks);
  FileWindow window(&file, 20000, true);
  WalkBack(&window, 500, 600);
  WalkBack(&window, 1500, 1600);
  EXPECT_EQ(file.expected[1400 * kWalkBlock], 0);
  EXPECT_EQ(file.expected[1490 * kWalkBlock], 1);
  EXPECT_EQ(file.expected[1550 * kWalkBlock], 1);
  WalkBack(&window, 500, 600);
  EXPECT_EQ(file.expected[550 * kWalkBlock], 2);
}

TEST(FileWindow, ErrorsAndShortReadsAreNotKept) {
  const std::string contents(100000, 'x');
  FaultPlan plan{.fail_at = 1};
  const auto file = NewFaultyFile("f", contents, &plan);
  FileWindow window(file.get(), 0);
  Slice data;
  EXPECT_TRUE(window.Read(0, 100, &data).IsIOError());
  EXPECT_TRUE(window.Read(0, 100, &data).ok());
  EXPECT_EQ(data.size(), 100u);

  plan = {.fail_at = 1, .kind = FaultPlan::Kind::kOneByte};
  FileWindow other(file.get(), 0);
  EXPECT_TRUE(other.Read(10, 100, &data).ok());
  EXPECT_EQ(data.size(), 1u);
  EXPECT_TRUE(other.Read(10, 100, &data).ok());
  EXPECT_EQ(data.size(), 100u);
}

TEST(FileWindow, FilesWithoutBytes) {
  FaultPlan plan;
  const auto file = NewFaultyFile("f", "", &plan);
  FileWindow window(file.get(), 0);
  Slice data;
  EXPECT_TRUE(window.Fill(0, 0).ok());
  EXPECT_TRUE(window.Read(0, 10, &data).ok());
  EXPECT_TRUE(data.empty());
}

}  // namespace
}  // namespace ashlar::testing
