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
#include "test/support/compared_walk.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Walks at random over tables that together have the entries of a random table.
TEST(MergingIterator, AnyWalkShowsWhatTheSortedListHas) {
  ForEachSeed(41000, 100, [&](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    const Comparator* const comparator = table.options.comparator;
    ReaderOptions reader_options;
    if (comparator == ShorterFirstComparator()) {
      reader_options.comparator = comparator;
    }
    const auto parts =
        DealEntries(table.model.entries(), random.Below(10), &random);
    std::vector<std::unique_ptr<TableReader>> readers;
    std::vector<Iterator> children;
    for (const std::vector<Entry>& part : parts) {
      readers.push_back(
          OpenTable(BuildTable(table.options, part), reader_options));
      children.push_back(readers.back()->NewIterator());
    }
    ComparedWalk walk(table.model, SortEntries(parts, table.model),
                      NewMergingIterator(comparator, std::move(children)));
    ASSERT_FALSE(walk.it().Valid());
    for (int i = 0; i < 30; ++i) {
      walk.Begin(&random);
      ASSERT_NO_FATAL_FAILURE(walk.ExpectRight());
      bool forward = random.OneIn(2);
      for (uint64_t n = random.Below(60); n > 0 && walk.it().Valid(); --n) {
        if (random.OneIn(6)) forward = !forward;
        walk.Step(forward);
        ASSERT_NO_FATAL_FAILURE(walk.ExpectRight());
      }
    }
  });
}

// A seek may be given bytes of the current entry, which goes while the tables
// seek one after the other.
TEST(MergingIterator, ASeekMayAimAtWhatIsShown) {
  constexpr uint64_t kKeys = 600;
  const auto key_of = [](uint64_t i) {
    return "key" + std::to_string(100000 + i);
  };
  TableOptions options;
  options.block_size = 200;
  Random random(5);
  for (const size_t tables : {1, 2, 3, 5}) {
    std::vector<std::vector<Entry>> parts(tables);
    for (uint64_t i = 0; i < kKeys; ++i) {
      parts[random.Below(tables)].push_back(
          Value(key_of(i), 7, key_of(random.Below(kKeys))));
    }
    std::vector<std::unique_ptr<TableReader>> readers;
    std::vector<Iterator> children;
    for (const std::vector<Entry>& part : parts) {
      readers.push_back(OpenTable(BuildTable(options, part)));
      children.push_back(readers.back()->NewIterator());
    }
    MergingIterator it =
        NewMergingIterator(BytewiseComparator(), std::move(children));
    it.SeekToFirst();
    for (int hop = 0; hop < 500; ++hop) {
      ASSERT_TRUE(it.Valid()) << it.status().ToString();
      const std::string target = it.value().ToString();
      const bool forward = hop % 2 == 0;
      forward ? it.Seek(it.value()) : it.SeekForPrev(it.value(), 0);
      ASSERT_TRUE(it.Valid()) << it.status().ToString();
      ASSERT_EQ(it.user_key(), target);
    }
  }
}

// Keys as a walk meets them: they share many bytes, then fewer, then more; some
// are the beginning of others.
std::vector<std::string> KeysWithSharedBytes(Random* random) {
  std::vector<std::string> keys;
  std::string shared(random->Below(100), 'p');
  for (int i = 0; i < 400; ++i) {
    if (random->OneIn(40)) shared.resize(random->Below(shared.size() + 1));
    if (random->OneIn(40)) shared.append(random->Below(30), 'q');
    std::string key = shared;
    for (uint64_t n = random->Below(12); n > 0; --n) {
      key += static_cast<char>(random->OneIn(3) ? random->Below(256) : '0');
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

TEST(MergingIterator, BytesThatKeysShareDoNotChangeTheOrder) {
  ForEachSeed(43000, 200, [&](uint64_t seed) {
    Random random(seed);
    const Comparator* const comparator =
        random.OneIn(2) ? BytewiseComparator() : ReverseBytewiseComparator();
    std::vector<std::string> keys = KeysWithSharedBytes(&random);
    std::sort(keys.begin(), keys.end(),
              [&](const std::string& a, const std::string& b) {
                return comparator->Compare(a, b) < 0;
              });
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<std::vector<Entry>> parts(1 + random.Below(9));
    for (const std::string& key : keys) {
      parts[random.Below(parts.size())].push_back(Value(key, 1, "value"));
    }
    TableOptions options;
    options.comparator = comparator;
    std::vector<std::unique_ptr<TableReader>> readers;
    std::vector<Iterator> children;
    for (const std::vector<Entry>& part : parts) {
      readers.push_back(OpenTable(BuildTable(options, part)));
      children.push_back(readers.back()->NewIterator());
    }
    MergingIterator it(comparator, std::move(children));
    std::vector<std::string> shown;
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      shown.push_back(it.user_key().ToString());
    }
    ASSERT_EQ(shown, keys);
    shown.clear();
    for (it.SeekToLast(); it.Valid(); it.Prev()) {
      shown.push_back(it.user_key().ToString());
    }
    std::reverse(shown.begin(), shown.end());
    ASSERT_EQ(shown, keys);
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

// A walk that began without a prefix has none when it turns around, though its
// children come to their ends at different prefixes.
TEST(MergingIterator, TurnsAroundWithoutAPrefix) {
  TableOptions options;
  options.prefix_extractor = NewFixedPrefixExtractor(3);
  const auto one = OpenTable(
      BuildTable(options, {Value("aaa1", 1, ""), Value("bbb1", 1, "")}));
  const auto two = OpenTable(
      BuildTable(options, {Value("aaa0", 1, ""), Value("ccc1", 1, "")}));
  ReadOptions same_prefix;
  same_prefix.prefix_same_as_start = true;
  std::vector<Iterator> children;
  children.push_back(one->NewIterator(same_prefix));
  children.push_back(two->NewIterator(same_prefix));
  MergingIterator it(BytewiseComparator(), std::move(children));
  it.Seek("a");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(it.Valid());
    it.Next();
  }
  std::string seen;
  for (; it.Valid(); it.Prev()) seen += it.user_key().ToString() + " ";
  EXPECT_EQ(seen, "ccc1 bbb1 aaa1 aaa0 ");
  it.SeekForPrev("cd");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(it.Valid());
    it.Prev();
  }
  seen.clear();
  for (; it.Valid(); it.Next()) seen += it.user_key().ToString() + " ";
  EXPECT_EQ(seen, "aaa0 aaa1 bbb1 ccc1 ");
  // The next walk has its own.
  it.Seek("bbb");
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.user_key(), Slice("bbb1"));
  it.Next();
  EXPECT_FALSE(it.Valid());
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
