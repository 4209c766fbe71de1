// Reading ahead: whatever the window does, the bytes are those of the file.

#include "table/read/file_window.h"

#include <gtest/gtest.h>

#include <string>

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
    FileWindow window(file.get(), random.Pick(kFixed));
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

// Walking costs far fewer reads than blocks, and no byte is read much twice.
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
