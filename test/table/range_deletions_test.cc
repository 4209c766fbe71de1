// Compares range deletions with the simplest model: a list of them that is
// searched for every key.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ashlar/table/range_deletion_pieces.h"
#include "ashlar/util/comparator.h"
#include "table/meta/range_del_block.h"
#include "table/meta/range_del_fragments.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::BlockPlace;
using internal::KeyOrder;
using internal::RangeDeletionBlockBuilder;
using internal::RangeDeletionFragments;
using internal::RangeDeletionList;

struct Deletion {
  std::string begin;
  std::string end;
  SequenceNumber sequence;
};

// The block of range deletions, and the list decoded from it.
struct Decoded {
  explicit Decoded(const std::vector<Deletion>& deletions) {
    for (const Deletion& d : deletions) {
      builder.Add(d.begin, PackTail(d.sequence, ValueType::kTypeRangeDeletion),
                  d.end);
    }
    Require(DecodeRangeDeletions(builder.Finish(), BlockPlace(), {}, &list));
  }
  RangeDeletionBlockBuilder builder;
  RangeDeletionList list;
};

class NaiveDeletions {
 public:
  NaiveDeletions(const Comparator* comparator, std::vector<Deletion> deletions)
      : comparator_(comparator), deletions_(std::move(deletions)) {}

  std::set<SequenceNumber, std::greater<>> Over(const Slice& key) const {
    std::set<SequenceNumber, std::greater<>> sequences;
    for (const Deletion& d : deletions_) {
      if (comparator_->Compare(d.begin, key) <= 0 &&
          comparator_->Compare(key, d.end) < 0) {
        sequences.insert(d.sequence);
      }
    }
    return sequences;
  }
  SequenceNumber NewestOver(const Slice& key, SequenceNumber snapshot) const {
    for (const SequenceNumber sequence : Over(key)) {
      if (sequence <= snapshot) return sequence;
    }
    return 0;
  }

 private:
  const Comparator* comparator_;
  std::vector<Deletion> deletions_;
};

// There are few different keys, so that ranges meet, nest, repeat and are
// empty.
std::string RandomKey(Random* random) { return random->Text(random->Below(4)); }

std::vector<Deletion> RandomDeletions(Random* random) {
  std::vector<Deletion> deletions(random->Below(40));
  const uint64_t most = random->OneIn(3) ? 0 : random->Between(1, 60);
  for (Deletion& d : deletions) {
    d = {RandomKey(random), RandomKey(random), random->Below(most + 1)};
    if (random->OneIn(8)) d = deletions[random->Below(deletions.size())];
  }
  return deletions;
}

const Comparator* RandomOrder(Random* random) {
  const Comparator* const orders[] = {BytewiseComparator(),
                                      ReverseBytewiseComparator(),
                                      ShorterFirstComparator()};
  return random->Pick(orders);
}

// Expects that fragments ascend, do not overlap, and say of each key what the
// model says.
void CheckFragments(const RangeDeletionFragments& fragments,
                    const NaiveDeletions& naive, const Comparator* order,
                    Random* random) {
  for (size_t i = 0; i < fragments.size(); ++i) {
    ASSERT_LT(order->Compare(fragments.begin(i), fragments.end(i)), 0);
    RangeDeletionFragment listed;
    fragments.ListAt(i, &listed);
    const auto expected = naive.Over(fragments.begin(i));
    EXPECT_EQ(listed.sequences,
              std::vector<SequenceNumber>(expected.begin(), expected.end()));
  }
  for (int i = 0; i < 200; ++i) {
    const std::string key = RandomKey(random);
    const SequenceNumber snapshot =
        random->OneIn(4) ? kMaxSequenceNumber : random->Below(64);
    EXPECT_EQ(fragments.NewestOver(key, snapshot, Slice()).sequence,
              naive.NewestOver(key, snapshot))
        << "key " << key << " snapshot " << snapshot;
  }
}

TEST(RangeDeletions, KeysShorterThanTheirTimestampAreDamage) {
  constexpr size_t kTimestamp = 8;
  const std::string with(kTimestamp, 't');
  const std::string without(kTimestamp - 1, 't');
  const auto decode = [](const std::string& begin, const std::string& end) {
    RangeDeletionBlockBuilder builder;
    builder.Add("a" + std::string(kTimestamp, 't'),
                PackTail(1, ValueType::kTypeRangeDeletion),
                "b" + std::string(kTimestamp, 't'));
    builder.Add(begin, PackTail(1, ValueType::kTypeRangeDeletion), end);
    RangeDeletionList list;
    return DecodeRangeDeletions(builder.Finish(), BlockPlace(),
                                {.timestamp_size = kTimestamp}, &list);
  };
  EXPECT_TRUE(decode(with, with).ok());
  for (const Status& status : {decode(without, with), decode(with, without)}) {
    EXPECT_TRUE(status.IsCorruption());
    EXPECT_NE(
        status.message().find("number 1 has a key shorter than its timestamp"),
        std::string::npos)
        << status.ToString();
  }
}

TEST(RangeDeletions, FragmentsSayWhatTheDeletionsSay) {
  ForEachSeed(1, 300, [](uint64_t seed) {
    Random random(seed);
    const Comparator* const order = RandomOrder(&random);
    const std::vector<Deletion> deletions = RandomDeletions(&random);
    const Decoded decoded(deletions);
    ASSERT_EQ(decoded.list.entries.size(), deletions.size());
    for (size_t i = 0; i < deletions.size(); ++i) {
      EXPECT_EQ(decoded.list.entries[i].begin, Slice(deletions[i].begin));
      EXPECT_EQ(decoded.list.entries[i].end, Slice(deletions[i].end));
      EXPECT_EQ(decoded.list.entries[i].sequence, deletions[i].sequence);
    }
    RangeDeletionFragments fragments{KeyOrder(order)};
    Require(fragments.Build(decoded.list.entries, BlockPlace()));
    CheckFragments(fragments, {order, deletions}, order, &random);
  });
}

TEST(RangeDeletions, NoneAtAll) {
  const Decoded decoded({});
  RangeDeletionFragments fragments{KeyOrder(BytewiseComparator())};
  Require(fragments.Build(decoded.list.entries, BlockPlace()));
  EXPECT_EQ(fragments.size(), 0u);
  EXPECT_EQ(fragments.NewestOver("k", kMaxSequenceNumber, {}).sequence, 0u);
  EXPECT_EQ(fragments.NewestOver("", kMaxSequenceNumber, {}).sequence, 0u);
}

// Each range is inside another one, and all sequence numbers differ. If each
// fragment had a list, there would be n * n sequence numbers.
TEST(RangeDeletions, NestedOnesStaySmall) {
  constexpr uint32_t kCount = 20'000;
  const auto key = [](uint32_t number) {
    std::string bytes(4, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(number >> 24);
      number <<= 8;
    }
    return bytes;
  };
  std::vector<Deletion> deletions;
  for (uint32_t i = 0; i < kCount; ++i) {
    deletions.push_back({key(i), key(3 * kCount - i), (i * 7919) % kCount + 1});
  }
  const Decoded decoded(deletions);
  RangeDeletionFragments fragments{KeyOrder(BytewiseComparator())};
  Require(fragments.Build(decoded.list.entries, BlockPlace()));
  EXPECT_EQ(fragments.size(), 2 * kCount - 1);
  EXPECT_LT(fragments.MemoryUsage(), kCount * 400);
  const NaiveDeletions naive(BytewiseComparator(), deletions);
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const std::string at = key(static_cast<uint32_t>(random.Below(4 * kCount)));
    const SequenceNumber snapshot = random.Below(kCount + 2);
    EXPECT_EQ(fragments.NewestOver(at, snapshot, {}).sequence,
              naive.NewestOver(at, snapshot));
  }
}

// Flush and compaction write ranges side by side. Memory is then linear in
// their number.
TEST(RangeDeletions, DisjointOnesTakeOneNumberEach) {
  std::vector<Deletion> deletions;
  for (char c = 'a'; c < 'y'; ++c) {
    deletions.push_back({std::string(1, c), std::string(1, c) + "5", 1});
  }
  const Decoded decoded(deletions);
  RangeDeletionFragments fragments{KeyOrder(BytewiseComparator())};
  Require(fragments.Build(decoded.list.entries, BlockPlace()));
  EXPECT_EQ(fragments.size(), 2 * deletions.size() - 1);
  EXPECT_LT(fragments.MemoryUsage(), deletions.size() * 100);
}

TEST(RangeDeletionPieces, RefuseWhatIsNoRange) {
  RangeDeletionPieces plain(BytewiseComparator());
  EXPECT_TRUE(plain.Add({"b", "b", 1}).IsInvalidArgument());
  EXPECT_TRUE(plain.Add({"c", "b", 1}).IsInvalidArgument());
  Require(plain.Add({"", "b", 1}));
  RangeDeletionPieces timed(BytewiseComparatorWithU64Ts());
  const std::string timestamp = EncodeU64Ts(5);
  const std::string a = "a" + timestamp;
  const std::string b = "b" + timestamp;
  for (const auto& [begin, end] :
       {std::pair(Slice("short"), Slice(b)), {Slice(a), Slice("short")}}) {
    const Status refused = timed.Add({begin, end, 1});
    EXPECT_TRUE(refused.IsInvalidArgument());
    EXPECT_EQ(refused.message(),
              "a range deletion whose keys are shorter than the comparator's "
              "timestamp");
  }
  Require(timed.Add({a, b, 1}));
  std::vector<std::string> taken;
  Require(timed.Take(nullptr, [&](const RangeDeletion& piece) {
    taken.push_back(piece.begin.ToString() + piece.end.ToString());
    return Status();
  }));
  EXPECT_EQ(taken, std::vector<std::string>{a + b});
}

}  // namespace
}  // namespace ashlar::testing
