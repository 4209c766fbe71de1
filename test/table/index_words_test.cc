// Tests the walk that takes an index block as words: it must take the blocks
// that writers usually make, and must never take a block that the walk by
// entries would refuse or read in another way.
//
// Blocks are in heap buffers of the exact size, so that AddressSanitizer sees
// each load beyond their ends.

#include "table/index/index_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "table/index/index_encoder.h"
#include "table/index/parsed_index.h"
#include "table/index/varint_groups.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "test/support/thorough.h"

namespace ashlar::testing {
namespace {

using namespace internal;

constexpr uint64_t kFileLimit = uint64_t{1} << 50;
constexpr IndexForm kForm{.user_keys = true, .delta_handles = true};

struct Sample {
  KeyOrder order{BytewiseComparator()};
  std::vector<std::string> separators;
  std::vector<BlockHandle> handles;
  int interval = 1;

  IndexChecks Checks(uint64_t file_limit) const {
    return {.order = order, .form = kForm, .file_limit = file_limit};
  }
  std::string Encode() const {
    IndexEncoder encoder(kForm, interval);
    for (size_t i = 0; i < separators.size(); ++i) {
      encoder.Add(separators[i], handles[i], Slice());
    }
    bool uniform;
    return encoder.Finish(-1, &uniform).ToString();
  }
};

// Separators of a table whose keys differ in up to eight bytes after a prefix.
// Requires: count is at least 2.
Sample UsualSample(size_t count, Random* random) {
  Sample sample;
  if (random->OneIn(3)) sample.order = KeyOrder(ReverseBytewiseComparator());
  sample.interval = static_cast<int>(random->Pick({1, 1, 1, 2, 16, 1000}));
  const std::string prefix = random->Text(random->Pick({0, 3, 8, 9, 16, 40}));
  const uint64_t longest = 3 + random->Below(6);
  while (sample.separators.size() < count) {
    std::string key = random->Bytes(1 + random->Below(longest));
    if (key.back() == '\0') key.back() = 'z';
    sample.separators.push_back(prefix + key);
    if (sample.separators.size() < count) continue;
    auto& all = sample.separators;
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return sample.order.CompareUserKeys(a, b) < 0;
    });
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  // Offsets whose number of bytes changes within the block, and sizes of one to
  // three bytes.
  uint64_t offset = random->OneIn(3)
                        ? 0
                        : (uint64_t{1} << random->Pick({7, 14, 21, 28, 35})) -
                              random->Below(100);
  const uint64_t most = random->Pick({100, 200, 9000, 200000});
  for (size_t i = 0; i < count; ++i) {
    sample.handles.push_back({offset, random->Below(most)});
    offset = sample.handles.back().End();
  }
  return sample;
}

std::unique_ptr<char[]> Exact(const std::string& bytes) {
  std::unique_ptr<char[]> exact(new char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  return exact;
}

// Walks over the block as IndexWords does. If it takes the block, then the
// other walk must find no fault, and the parsed index must have its entries.
// Returns whether it takes the block.
bool CheckWalk(const std::string& bytes, const IndexChecks& checks) {
  const std::unique_ptr<char[]> block = Exact(bytes);
  const Slice contents(block.get(), bytes.size());
  BlockView view;
  if (!ParseBlock(contents, {}, &view).ok()) return false;
  IndexWords words;
  if (!words.Walk(view, checks)) return false;
  EXPECT_EQ(FindFault(view, {}, checks).ToString(), "OK");
  ParsedIndex parsed(checks.order, kForm);
  EXPECT_EQ(parsed.Parse(contents, {}, checks.file_limit).ToString(), "OK");
  EXPECT_EQ(parsed.size(), words.size());
  size_t i = 0;
  std::string memory;
  const Status walked = ForEachIndexEntry(
      view, {}, kForm, [&](const Slice& key, const IndexEntry& entry) {
        EXPECT_EQ(Hex(parsed.separator(i, &memory).ToStringView()),
                  Hex(key.ToStringView()))
            << i;
        EXPECT_EQ(parsed.handle(i), entry.handle) << i;
        ++i;
        return Status();
      });
  EXPECT_EQ(walked.ToString(), "OK");
  EXPECT_EQ(i, words.size());
  return true;
}

TEST(IndexWords, TakesUsualBlocks) {
  ForEachSeed(1, IsThorough() ? 5000 : 300, [](uint64_t seed) {
    Random random(seed);
    const Sample sample =
        UsualSample(random.Pick({2, 8, 9, 16, 17, 63, 64, 200, 1000}), &random);
    // Entries at the end of a small block have too few bytes behind them. The
    // first separator must not be the prefix.
    const bool taken = CheckWalk(sample.Encode(), sample.Checks(kFileLimit));
    if (sample.separators.size() >= 63 && sample.interval == 1) {
      EXPECT_TRUE(taken);
    }
  });
}

TEST(IndexWords, TakesOtherIntervals) {
  for (const int interval : {2, 16}) {
    Random random(5);
    Sample sample = UsualSample(1000, &random);
    sample.interval = interval;
    EXPECT_TRUE(CheckWalk(sample.Encode(), sample.Checks(kFileLimit)))
        << interval;
  }
}

TEST(IndexWords, LeavesOtherFormsAlone) {
  Random random(3);
  Sample usual = UsualSample(100, &random);
  usual.interval = 1;
  const std::string block = usual.Encode();
  IndexChecks checks = usual.Checks(kFileLimit);
  ASSERT_TRUE(CheckWalk(block, checks));
  const auto takes = [&](const Sample& sample) {
    return CheckWalk(sample.Encode(), checks);
  };
  Sample gap = usual;
  for (size_t i = 50; i < 100; ++i) ++gap.handles[i].offset;
  EXPECT_FALSE(takes(gap));
  Sample suffix = usual;
  suffix.separators[20].append(9, 'x');
  EXPECT_FALSE(takes(suffix));
  Sample zero = usual;
  zero.separators[20].push_back('\0');
  EXPECT_FALSE(takes(zero));
  // Blocks that are too large for a record of handles: one that is taken with
  // seven others, and the last one.
  for (const size_t large : {size_t{10}, size_t{99}}) {
    Sample far = usual;
    far.handles[large].size += uint64_t{1} << 24;
    for (size_t i = large + 1; i < 100; ++i) {
      far.handles[i].offset = far.handles[i - 1].End();
    }
    EXPECT_FALSE(takes(far)) << large;
  }
  checks.file_limit = usual.handles.back().End() - 1;
  EXPECT_FALSE(takes(usual));
  checks.file_limit = usual.handles.back().End();
  EXPECT_TRUE(takes(usual));
}

// Every bit of a block, in both forms of entries.
TEST(IndexWords, NeverTakesWhatTheWalkByEntriesRefuses) {
  for (const int interval : {1, 16}) {
    Random random(11);
    Sample sample = UsualSample(48, &random);
    sample.interval = interval;
    const std::string block = sample.Encode();
    const IndexChecks checks = sample.Checks(sample.handles.back().End() + 99);
    size_t taken = 0;
    for (size_t bit = 0; bit < 8 * block.size(); ++bit) {
      std::string bytes = block;
      bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
      taken += CheckWalk(bytes, checks) ? 1 : 0;
    }
    EXPECT_LT(taken, 4 * block.size());
  }
}

TEST(IndexWords, NeverTakesWhatTheWalkByEntriesRefusesAnywhere) {
  ForEachSeed(1, IsThorough() ? 3000 : 60, [](uint64_t seed) {
    Random random(seed);
    const Sample sample = UsualSample(60 + random.Below(60), &random);
    const std::string block = sample.Encode();
    for (int i = 0; i < 100; ++i) {
      std::string bytes = block;
      const uint64_t changes = 1 + random.Below(3);
      for (uint64_t c = 0; c < changes; ++c) {
        bytes[random.Below(bytes.size())] = static_cast<char>(
            random.OneIn(2) ? random.Below(4) : random.Next());
      }
      if (random.OneIn(5)) bytes.erase(random.Below(bytes.size()), 1);
      const uint64_t end = sample.handles.back().End();
      CheckWalk(bytes, sample.Checks(random.OneIn(4) ? random.Below(end)
                                                     : kFileLimit));
    }
  });
}

TEST(VarintGroups, AreThoseOfTheStoredNumber) {
  ForEachSeed(1, 20000, [](uint64_t seed) {
    Random random(seed);
    const uint64_t a = random.Next() >> (8 + random.Below(56));
    const uint64_t b = random.Next() >> (8 + random.Below(56));
    char bytes[2 * kMaxVarint64Bytes] = {};
    const char* const end = EncodeVarint64(bytes, a);
    uint64_t groups;
    ASSERT_EQ(DecodeGroups(bytes, &groups), end);
    ASSERT_EQ(groups, SpreadGroups(a));
    ASSERT_EQ(JoinGroups(groups), a);
    constexpr uint64_t kLimit = uint64_t{1} << 56;
    ASSERT_EQ(JoinGroups(AddGroups(groups, SpreadGroups(b))), (a + b) % kLimit);
  });
  char long_number[kMaxVarint64Bytes];
  EncodeVarint64(long_number, uint64_t{1} << 56);
  uint64_t groups;
  EXPECT_EQ(DecodeGroups(long_number, &groups), nullptr);
}

}  // namespace
}  // namespace ashlar::testing
