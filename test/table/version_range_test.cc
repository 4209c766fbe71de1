// Tests the options that bound the versions of an iterator (iter_start_seqnum,
// iter_start_ts), and max_skippable_internal_keys, against models of sorted
// entries.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/entry_source.h"
#include "ashlar/table/table_reader.h"
#include "test/support/map_source.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// What one call of the iterator may come to: an entry, an end, or Incomplete.
struct Expected {
  enum class Kind : uint8_t { kEntry, kEnd, kIncomplete };
  Kind kind = Kind::kEnd;
  size_t entry = 0;
};

// The entries of a table or a source, and which of them are hidden.
class SkippingModel {
 public:
  SkippingModel(std::vector<Entry> entries, std::vector<bool> hidden,
                uint64_t most)
      : entries_(std::move(entries)),
        hidden_(std::move(hidden)),
        most_(most == 0 ? ~uint64_t{0} : most) {}

  const std::vector<Entry>& entries() const { return entries_; }
  size_t size() const { return entries_.size(); }
  // From entry `i` on; past either end is an end.
  Expected From(int64_t i, bool forward) const {
    uint64_t skipped = 0;
    for (; i >= 0 && i < static_cast<int64_t>(size()); i += forward ? 1 : -1) {
      if (skipped > most_) return {Expected::Kind::kIncomplete};
      if (!hidden_[static_cast<size_t>(i)]) {
        return {Expected::Kind::kEntry, static_cast<size_t>(i)};
      }
      ++skipped;
    }
    return {};
  }

 private:
  const std::vector<Entry> entries_;
  const std::vector<bool> hidden_;
  const uint64_t most_;
};

void Expect(const SkippingModel& model, const Expected& expected,
            const Iterator& it) {
  ASSERT_EQ(it.Valid(), expected.kind == Expected::Kind::kEntry)
      << it.status().ToString();
  if (it.Valid()) {
    ASSERT_EQ(it.key(), Slice(model.entries()[expected.entry].key));
    ASSERT_EQ(it.value(), Slice(model.entries()[expected.entry].value));
    return;
  }
  ASSERT_EQ(it.status().IsIncomplete(),
            expected.kind == Expected::Kind::kIncomplete)
      << it.status().ToString();
  if (!it.status().IsIncomplete()) Require(it.status());
}

// Walks at random, and compares every position.
void WalkAtRandom(const SkippingModel& model, SequenceNumber snapshot,
                  Random* random, Iterator it, uint64_t* incomplete) {
  for (int i = 0; i < 12; ++i) {
    const auto last = static_cast<int64_t>(model.size()) - 1;
    Expected at;
    if (random->OneIn(3)) {
      it.SeekToLast();
      at = model.From(last, false);
    } else if (random->OneIn(2)) {
      it.SeekToFirst();
      at = model.From(0, true);
    } else {
      auto target = static_cast<size_t>(random->Below(model.size()));
      const Slice key(model.entries()[target].key);
      it.Seek(UserKeyOf(key), SequenceOf(key));
      // A seek passes over what the snapshot hides of its key, without a count.
      while (target < model.size() &&
             UserKeyOf(model.entries()[target].key) == UserKeyOf(key) &&
             SequenceOf(model.entries()[target].key) > snapshot) {
        ++target;
      }
      at = model.From(static_cast<int64_t>(target), true);
    }
    Expect(model, at, it);
    for (uint64_t n = random->Below(10);
         n > 0 && at.kind == Expected::Kind::kEntry; --n) {
      const bool forward = !random->OneIn(3);
      forward ? it.Next() : it.Prev();
      at = model.From(static_cast<int64_t>(at.entry) + (forward ? 1 : -1),
                      forward);
      Expect(model, at, it);
      if (::testing::Test::HasFatalFailure()) return;
    }
    if (at.kind == Expected::Kind::kIncomplete) ++*incomplete;
  }
}

TEST(VersionRange, ShowsTheVersionsBetweenTwoSnapshots) {
  uint64_t incomplete = 0;
  ForEachSeed(1, 2000, [&](uint64_t seed) {
    Random random(seed);
    std::vector<Entry> entries;
    for (int key = 0; key < 40; ++key) {
      SequenceNumber sequence = random.Between(50, 120);
      for (uint64_t n = random.Between(1, 4); n > 0; --n) {
        const std::string name = "key" + std::to_string(100 + key);
        entries.push_back(random.OneIn(4) ? Deletion(name, sequence)
                                          : Value(name, sequence, name));
        sequence -= random.Between(1, 10);
      }
    }
    ReadOptions options;
    options.iter_start_seqnum = random.Below(130);
    if (random.OneIn(2)) options.snapshot = random.Below(130);
    options.max_skippable_internal_keys = random.Below(6);
    std::vector<bool> hidden;
    for (const Entry& entry : entries) {
      const SequenceNumber sequence = SequenceOf(entry.key);
      hidden.push_back(sequence < options.iter_start_seqnum ||
                       sequence > options.snapshot);
    }
    const SkippingModel model(entries, hidden,
                              options.max_skippable_internal_keys);
    TableOptions table_options;
    table_options.block_size = random.Between(1, 300);
    if (random.OneIn(2)) {
      table_options.index_type = IndexType::kBinarySearchWithFirstKey;
    }
    const auto reader = OpenTable(BuildTable(table_options, entries));
    WalkAtRandom(model, options.snapshot, &random, reader->NewIterator(options),
                 &incomplete);
    const EntryMap map = MapOf(entries);
    WalkAtRandom(model, options.snapshot, &random,
                 NewSourceIterator(BytewiseComparator(),
                                   std::make_unique<MapSource>(&map), options),
                 &incomplete);
  });
  EXPECT_GT(incomplete, 1000u);
}

TEST(VersionRange, ShowsTheVersionsBetweenTwoTimestamps) {
  const Comparator* const comparator = BytewiseComparatorWithU64Ts();
  ForEachSeed(1, 1000, [&](uint64_t seed) {
    Random random(seed);
    std::vector<Entry> entries;
    for (int key = 0; key < 40; ++key) {
      uint64_t time = random.Between(50, 120);
      for (uint64_t n = random.Between(1, 4); n > 0; --n) {
        const std::string name =
            "key" + std::to_string(100 + key) + EncodeU64Ts(time);
        entries.push_back(Value(name, time, name));
        time -= random.Between(1, 10);
      }
    }
    const std::string oldest = EncodeU64Ts(random.Below(130));
    const std::string newest = EncodeU64Ts(random.Below(130));
    ReadOptions options;
    options.iter_start_ts = oldest;
    if (random.OneIn(2)) options.timestamp = newest;
    std::vector<Entry> expected;
    for (const Entry& entry : entries) {
      const uint64_t time =
          DecodeU64Ts(TimestampOf(UserKeyOf(entry.key), sizeof(uint64_t)));
      if (time < DecodeU64Ts(oldest)) continue;
      if (!options.timestamp.empty() && time > DecodeU64Ts(newest)) continue;
      expected.push_back(entry);
    }
    TableOptions table_options;
    table_options.block_size = random.Between(1, 300);
    table_options.comparator = comparator;
    const auto reader = OpenTable(BuildTable(table_options, entries));
    std::vector<Entry> found;
    Require(ReadForward(*reader, options, &found));
    EXPECT_EQ(found, expected);
    found.clear();
    Require(ReadBackward(*reader, options, &found));
    std::reverse(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  });
}

TEST(VersionRange, ATimestampOfTheWrongSizeIsRefused) {
  const auto reader = OpenTable(BuildTable({}, SomeEntries(10)));
  ReadOptions options;
  options.iter_start_ts = "four";
  Iterator it = reader->NewIterator(options);
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsInvalidArgument());
  EXPECT_NE(it.status().message().find("iter_start_ts has 4 bytes"),
            std::string::npos)
      << it.status().ToString();
}

// Range deletions hide entries too. A seek may go on where the count ended.
TEST(VersionRange, DeletedEntriesCountAsSkipped) {
  std::vector<Entry> entries = SomeEntries(100);
  entries.push_back(RangeDeleted("key00010", 9, "key00050"));
  const auto reader = OpenTable(BuildTable({}, entries));
  ReadOptions options;
  for (const uint64_t most : {0, 39, 40, 41}) {
    options.max_skippable_internal_keys = most;
    Iterator it = reader->NewIterator(options);
    it.Seek("key00009");
    ASSERT_TRUE(it.Valid());
    it.Next();
    EXPECT_EQ(it.Valid(), most == 0 || most >= 40) << most;
    if (it.Valid()) {
      EXPECT_EQ(it.user_key(), Slice("key00050"));
      continue;
    }
    EXPECT_TRUE(it.status().IsIncomplete());
    EXPECT_TRUE(it.status().message().starts_with("test.sst: more entries"))
        << it.status().ToString();
    it.Seek("key00030");
    ASSERT_TRUE(it.Valid());
    EXPECT_EQ(it.user_key(), Slice("key00050"));
  }
}

}  // namespace
}  // namespace ashlar::testing
