// Compares an iterator over several tables with a sorted list of all their
// entries.

#include "ashlar/table/merging_iterator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

struct Placed {
  Entry entry;
  size_t child;
};

// Tables that together have the entries of a random table. Some entries are in
// several of them.
struct Sample {
  const Comparator* comparator;
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<Placed> all;  // in the order of a walk forward
  Model model;              // to choose targets

  MergingIterator NewIterator() const {
    std::vector<Iterator> children;
    children.reserve(readers.size());
    for (const auto& reader : readers) {
      children.push_back(reader->NewIterator());
    }
    return NewMergingIterator(comparator, std::move(children));
  }
  // Returns the position of the first entry at or after an internal key.
  int64_t LowerBound(const std::string& key) const {
    const auto found = std::find_if(
        all.begin(), all.end(),
        [&](const Placed& at) { return !model.Less(at.entry.key, key); });
    return found - all.begin();
  }
  int64_t Seek(const std::string& user_key, SequenceNumber snapshot) const {
    return LowerBound(
        MakeInternalKey(user_key, snapshot, static_cast<ValueType>(0xff)));
  }
  // Returns the position of the last entry at or before the key.
  int64_t SeekForPrev(const std::string& user_key,
                      SequenceNumber snapshot) const {
    const std::string key =
        MakeInternalKey(user_key, snapshot, ValueType::kTypeDeletion);
    const auto found = std::find_if(
        all.begin(), all.end(),
        [&](const Placed& at) { return model.Less(key, at.entry.key); });
    return found - all.begin() - 1;
  }
};

Sample MakeSample(Random* random) {
  RandomTable table = MakeRandomTable(random);
  Sample sample{table.options.comparator, {}, {}, table.model};
  ReaderOptions reader_options;
  if (sample.comparator == ShorterFirstComparator()) {
    reader_options.comparator = sample.comparator;
  }
  const size_t n = random->Below(10);
  std::vector<std::vector<Entry>> parts(n);
  // Either each child has runs of about 20 entries, or children alternate at
  // random.
  const uint64_t run = random->OneIn(2) ? 1 : 20;
  size_t child = 0;
  for (const Entry& entry : table.model.entries()) {
    if (n == 0) break;
    if (random->OneIn(run)) child = random->Below(n);
    parts[child].push_back(entry);
    if (!random->OneIn(10) || TypeOf(entry.key) != ValueType::kTypeValue) {
      continue;
    }
    const size_t other = random->Below(n);
    if (other == child) continue;
    parts[other].push_back({entry.key, "of " + std::to_string(other)});
  }
  for (size_t i = 0; i < n; ++i) {
    for (const Entry& entry : parts[i]) sample.all.push_back({entry, i});
    sample.readers.push_back(
        OpenTable(BuildTable(table.options, parts[i]), reader_options));
  }
  std::stable_sort(sample.all.begin(), sample.all.end(),
                   [&](const Placed& a, const Placed& b) {
                     return sample.model.Less(a.entry.key, b.entry.key);
                   });
  return sample;
}

void ExpectAt(const MergingIterator& it, const Sample& sample,
              int64_t position) {
  const bool inside =
      position >= 0 && position < static_cast<int64_t>(sample.all.size());
  ASSERT_TRUE(it.status().ok()) << it.status().ToString();
  ASSERT_EQ(it.Valid(), inside);
  if (!inside) return;
  const Placed& expected = sample.all[static_cast<size_t>(position)];
  ASSERT_TRUE(it.key() == Slice(expected.entry.key))
      << "found " << DescribeInternalKey(it.key()) << ", expected "
      << DescribeInternalKey(expected.entry.key);
  ASSERT_EQ(it.child(), expected.child);
  ASSERT_TRUE(it.value() == Slice(expected.entry.value));
}

TEST(MergingIterator, AnyWalkShowsWhatTheSortedListHas) {
  constexpr SequenceNumber kSnapshots[] = {0, 7, 100, 300, kMaxSequenceNumber};
  ForEachSeed(41000, 100, [&](uint64_t seed) {
    Random random(seed);
    const Sample sample = MakeSample(&random);
    MergingIterator it = sample.NewIterator();
    ASSERT_FALSE(it.Valid());
    for (int walk = 0; walk < 30; ++walk) {
      const std::string target = RandomTarget(sample.model, &random);
      const SequenceNumber snapshot = random.Pick(kSnapshots);
      int64_t position = 0;
      switch (random.Below(5)) {
        case 0:
          it.SeekToFirst();
          break;
        case 1:
          it.SeekToLast();
          position = static_cast<int64_t>(sample.all.size()) - 1;
          break;
        case 2:
          it.Seek(target, snapshot);
          position = sample.Seek(target, snapshot);
          break;
        default:
          it.SeekForPrev(target, snapshot);
          position = sample.SeekForPrev(target, snapshot);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectAt(it, sample, position));
      bool forward = random.OneIn(2);
      for (uint64_t n = random.Below(60); n > 0 && it.Valid(); --n) {
        if (random.OneIn(6)) forward = !forward;
        if (forward) {
          it.Next();
        } else {
          it.Prev();
        }
        position += forward ? 1 : -1;
        ASSERT_NO_FATAL_FAILURE(ExpectAt(it, sample, position));
      }
    }
  });
}

TEST(MergingIterator, OfOneVersionTheEarlierChildComesFirst) {
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<Iterator> children;
  for (const char* const value : {"first", "second", "third"}) {
    readers.push_back(OpenTable(BuildTable({}, {Value("a", 7, value)})));
    children.push_back(readers.back()->NewIterator());
  }
  MergingIterator it(BytewiseComparator(), std::move(children));
  std::string seen;
  for (it.SeekToFirst(); it.Valid(); it.Next()) seen += it.value()[0];
  for (it.SeekToLast(); it.Valid(); it.Prev()) seen += it.value()[0];
  EXPECT_EQ(seen, "fsttsf");
}

// A walk over one prefix turns around at the end of the prefix, not at the ends
// of the tables.
TEST(MergingIterator, TurnsAroundWithinAPrefix) {
  TableOptions options;
  options.prefix_extractor = NewFixedPrefixExtractor(1);
  const auto one =
      OpenTable(BuildTable(options, {Value("a1", 1, ""), Value("b2", 1, "")}));
  const auto two = OpenTable(BuildTable(
      options, {Value("a2", 1, ""), Value("a3", 1, ""), Value("c", 1, "")}));
  ReadOptions same_prefix;
  same_prefix.prefix_same_as_start = true;
  std::vector<Iterator> children;
  children.push_back(one->NewIterator(same_prefix));
  children.push_back(two->NewIterator(same_prefix));
  MergingIterator it(BytewiseComparator(), std::move(children));
  it.Seek("a");
  ASSERT_TRUE(it.Valid());
  it.Next();
  it.Next();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.user_key(), Slice("a3"));
  std::string seen;
  for (; it.Valid(); it.Prev()) seen += it.user_key().ToString();
  EXPECT_EQ(seen, "a3a2a1");
  Require(it.status());
}

// Whichever read fails, the entries shown before are right, and the status has
// the error. A seek then finds all entries again.
TEST(MergingIterator, AChildsErrorEndsTheWalk) {
  TableOptions options;
  options.block_size = 256;
  FaultPlan plan;
  std::vector<std::unique_ptr<TableReader>> readers;
  const std::vector<Entry> entries = SomeEntries(300);
  for (size_t i = 0; i < 3; ++i) {
    std::vector<Entry> part;
    for (size_t j = i; j < entries.size(); j += 3) part.push_back(entries[j]);
    auto opened = TableReader::Open(
        NewFaultyFile("part.sst", BuildTable(options, part), &plan),
        {.load_index_and_filter = LoadTime::kAtOpen});
    Require(opened.status());
    readers.push_back(std::move(opened).value());
  }
  const auto walk = [&](bool forward) {
    std::vector<Iterator> children;
    children.reserve(readers.size());
    for (const auto& reader : readers) {
      children.push_back(reader->NewIterator({.readahead_size = 1}));
    }
    MergingIterator it(BytewiseComparator(), std::move(children));
    std::vector<Entry> shown;
    plan.operations = 0;
    for (forward ? it.SeekToFirst() : it.SeekToLast(); it.Valid();
         forward ? it.Next() : it.Prev()) {
      shown.push_back({it.key().ToString(), it.value().ToString()});
    }
    if (!forward) std::reverse(shown.begin(), shown.end());
    if (plan.fail_at == 0) {
      Require(it.status());
      EXPECT_EQ(shown, entries);
      return;
    }
    EXPECT_TRUE(it.status().IsIOError()) << plan.fail_at;
    EXPECT_LT(shown.size(), entries.size());
    EXPECT_TRUE(
        forward ? std::equal(shown.begin(), shown.end(), entries.begin())
                : std::equal(shown.rbegin(), shown.rend(), entries.rbegin()));
    it.SeekToFirst();
    size_t found = 0;
    for (; it.Valid(); it.Next()) ++found;
    Require(it.status());
    EXPECT_EQ(found, entries.size());
  };
  for (const bool forward : {true, false}) {
    plan.fail_at = 0;
    walk(forward);
    const uint64_t operations = plan.operations;
    ASSERT_GT(operations, 6u);
    for (uint64_t at = 1; at <= operations; ++at) {
      plan.fail_at = at;
      walk(forward);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
