// Tests iterators that show a part of a table. Bounds, prefixes, snapshots and
// range deletions in any combination are compared with a list of the entries
// that remain.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// A table, and the options of a walk over it.
struct Sample {
  RandomTable table;
  std::unique_ptr<TableReader> reader;
  std::string lower_bytes;
  std::string upper_bytes;
  Slice lower;
  Slice upper;
  ReadOptions options;
  const PrefixExtractor* prefixes = nullptr;  // null: walks ignore prefixes

  bool Shows(const Slice& key) const {
    const Comparator* const order = table.options.comparator;
    const Slice user_key = UserKeyOf(key);
    if (SequenceOf(key) > options.snapshot) return false;
    if (options.iterate_lower_bound != nullptr &&
        order->Compare(user_key, lower) < 0) {
      return false;
    }
    if (options.iterate_upper_bound != nullptr &&
        order->Compare(user_key, upper) >= 0) {
      return false;
    }
    return SequenceOf(key) >=
           reader->NewestRangeDeletionOver(user_key, options.snapshot);
  }

  bool IsAbove(const Slice& user_key) const {
    return options.iterate_upper_bound != nullptr &&
           table.options.comparator->Compare(user_key, upper) >= 0;
  }
  // Whether a walk forward that begins inside comes to the upper bound before
  // the end of the table.
  bool EndsAtUpperBound() const {
    const std::vector<Entry>& all = table.model.entries();
    const bool is_empty =
        options.iterate_lower_bound != nullptr && IsAbove(lower);
    return is_empty || (!all.empty() && IsAbove(UserKeyOf(all.back().key)));
  }
};

std::vector<Entry> WithRangeDeletions(const RandomTable& table,
                                      Random* random) {
  std::vector<Entry> all = table.model.entries();
  for (uint64_t n = random->OneIn(2) ? 0 : random->Below(4); n > 0; --n) {
    std::string begin = RandomTarget(table.model, random);
    std::string end = RandomTarget(table.model, random);
    const int order = table.options.comparator->Compare(begin, end);
    if (order == 0) continue;
    if (order > 0) begin.swap(end);
    all.push_back(RangeDeleted(begin, random->Below(500), end));
  }
  return all;
}

void ChooseOptions(Sample* sample, Random* random) {
  const Model& model = sample->table.model;
  ReadOptions& options = sample->options;
  sample->lower_bytes = RandomTarget(model, random);
  sample->upper_bytes = RandomTarget(model, random);
  sample->lower = sample->lower_bytes;
  sample->upper = sample->upper_bytes;
  if (sample->table.options.comparator->Compare(sample->lower, sample->upper) >
          0 &&
      !random->OneIn(8)) {
    std::swap(sample->lower, sample->upper);
  }
  if (!random->OneIn(3)) options.iterate_lower_bound = &sample->lower;
  if (!random->OneIn(3)) options.iterate_upper_bound = &sample->upper;
  if (random->OneIn(4)) options.snapshot = random->Below(500);
  const auto& extractor = sample->table.options.prefix_extractor;
  if (extractor == nullptr ||
      sample->table.options.comparator == ShorterFirstComparator()) {
    return;
  }
  options.prefix_same_as_start = random->OneIn(2);
  options.total_order_seek = random->OneIn(4);
  if (options.prefix_same_as_start && !options.total_order_seek) {
    sample->prefixes = extractor.get();
  }
}

Sample MakeSample(Random* random) {
  Sample sample{MakeRandomTable(random), nullptr, {}, {}, {}, {}, {}};
  ReaderOptions reader_options;
  if (sample.table.options.comparator == ShorterFirstComparator()) {
    reader_options.comparator = ShorterFirstComparator();
  }
  reader_options.block_cache = AnyBlockCache(random->Next());
  sample.reader =
      OpenTable(BuildTable(sample.table.options,
                           WithRangeDeletions(sample.table, random)),
                reader_options);
  return sample;
}

// Computes where an iterator should be.
class Expected {
 public:
  Expected(const Sample& sample, std::vector<Entry> shown)
      : list_(sample.table.options.comparator, std::move(shown)),
        prefixes_(sample.prefixes) {}

  void SeekToFirst() { StartAt(0); }
  void SeekToLast() { StartAt(size() - 1); }
  void Seek(const Slice& target, SequenceNumber snapshot) {
    TakePrefix(target);
    at_ = static_cast<int64_t>(list_.Seek(target, snapshot));
  }
  void SeekForPrev(const Slice& target, SequenceNumber snapshot) {
    TakePrefix(target);
    at_ = list_.SeekForPrev(target, snapshot);
  }
  void Step(bool forward) { at_ += forward ? 1 : -1; }

  void Check(const Iterator& it) const {
    ASSERT_TRUE(it.status().ok()) << it.status().ToString();
    const Entry* const entry = Here();
    ASSERT_EQ(it.Valid(), entry != nullptr);
    if (entry == nullptr) return;
    ASSERT_TRUE(it.key() == Slice(entry->key))
        << "found " << DescribeInternalKey(it.key()) << ", expected "
        << DescribeInternalKey(entry->key);
    ASSERT_TRUE(it.value() == Slice(entry->value));
  }

 private:
  int64_t size() const { return static_cast<int64_t>(list_.entries().size()); }
  const Entry* Here() const {
    if (at_ < 0 || at_ >= size()) return nullptr;
    const Entry* const entry = &list_.entries()[static_cast<size_t>(at_)];
    return !prefix_ || PrefixOf(UserKeyOf(entry->key)) == prefix_ ? entry
                                                                  : nullptr;
  }
  std::optional<std::string> PrefixOf(const Slice& user_key) const {
    if (prefixes_ == nullptr || !prefixes_->InDomain(user_key)) return {};
    return prefixes_->Transform(user_key).ToString();
  }
  void TakePrefix(const Slice& user_key) { prefix_ = PrefixOf(user_key); }
  void StartAt(int64_t position) {
    at_ = position;
    prefix_.reset();
    if (Here() != nullptr) TakePrefix(UserKeyOf(Here()->key));
  }

  const Model list_;
  const PrefixExtractor* const prefixes_;
  int64_t at_ = 0;
  std::optional<std::string> prefix_;
};

// Returns an iterator with the options of the sample. It may have had other
// bounds before, and walked.
Iterator AnyIterator(const Sample& sample, Random* random) {
  ReadOptions options = sample.options;
  if (random->OneIn(2)) return sample.reader->NewIterator(options);
  const std::string lower_bytes = RandomTarget(sample.table.model, random);
  const std::string upper_bytes = RandomTarget(sample.table.model, random);
  const Slice lower(lower_bytes);
  const Slice upper(upper_bytes);
  options.iterate_lower_bound = random->OneIn(2) ? nullptr : &lower;
  options.iterate_upper_bound = random->OneIn(2) ? nullptr : &upper;
  Iterator it = sample.reader->NewIterator(options);
  if (random->OneIn(2)) {
    it.Seek(RandomTarget(sample.table.model, random));
  } else {
    it.SeekForPrev(RandomTarget(sample.table.model, random));
  }
  for (int n = 0; n < 3 && it.Valid(); ++n) it.Next();
  Require(it.SetBounds(sample.options.iterate_lower_bound,
                       sample.options.iterate_upper_bound));
  EXPECT_FALSE(it.Valid());
  EXPECT_FALSE(it.AtUpperBound());
  return it;
}

// With a prefix, a walk may end before it comes to the bound.
void CheckAtUpperBound(const Sample& sample, const Iterator& it, bool forward,
                       const Slice* target) {
  const bool ends = sample.EndsAtUpperBound() ||
                    (target != nullptr && sample.IsAbove(*target));
  const bool expected = !it.Valid() && forward && ends;
  if (sample.prefixes == nullptr || !expected) {
    ASSERT_EQ(it.AtUpperBound(), expected);
  }
}

void Walk(const Sample& sample, Expected expected, Random* random) {
  constexpr SequenceNumber kSnapshots[] = {0, 7, 100, 300, kMaxSequenceNumber};
  Iterator it = AnyIterator(sample, random);
  for (int walk = 0; walk < 30; ++walk) {
    const std::string target = RandomTarget(sample.table.model, random);
    const Slice target_slice(target);
    const Slice* sought = nullptr;
    bool forward = true;
    const SequenceNumber snapshot = random->Pick(kSnapshots);
    switch (random->Below(6)) {
      case 0:
        it.SeekToFirst();
        expected.SeekToFirst();
        break;
      case 1:
        it.SeekToLast();
        expected.SeekToLast();
        forward = false;
        break;
      case 2:
      case 3:
        it.Seek(target, snapshot);
        expected.Seek(target, snapshot);
        sought = &target_slice;
        break;
      default:
        it.SeekForPrev(target, snapshot);
        expected.SeekForPrev(target, snapshot);
        forward = false;
    }
    ASSERT_NO_FATAL_FAILURE(expected.Check(it));
    ASSERT_NO_FATAL_FAILURE(CheckAtUpperBound(sample, it, forward, sought));
    forward = random->OneIn(2);
    for (uint64_t n = random->Below(30); n > 0 && it.Valid(); --n) {
      if (random->OneIn(5)) forward = !forward;
      if (forward) {
        it.Next();
      } else {
        it.Prev();
      }
      expected.Step(forward);
      ASSERT_NO_FATAL_FAILURE(expected.Check(it));
      ASSERT_NO_FATAL_FAILURE(CheckAtUpperBound(sample, it, forward, nullptr));
    }
  }
}

TEST(IteratorBounds, AnyMixtureShowsWhatIsLeft) {
  ForEachSeed(31000, 150, [](uint64_t seed) {
    Random random(seed);
    Sample sample = MakeSample(&random);
    SCOPED_TRACE(sample.table.description);
    for (int i = 0; i < 5; ++i) {
      sample.options = {};
      sample.prefixes = nullptr;
      ChooseOptions(&sample, &random);
      std::vector<Entry> shown;
      for (const Entry& entry : sample.table.model.entries()) {
        if (sample.Shows(entry.key)) shown.push_back(entry);
      }
      ASSERT_NO_FATAL_FAILURE(
          Walk(sample, Expected(sample, std::move(shown)), &random));
    }
  });
}

// The table has the newest and the oldest version of each bound's own key.
TEST(IteratorBounds, TheLowerIsInsideTheUpperIsNot) {
  const std::vector<Entry> entries = {Value("a", 9, "a9"), Value("a", 0, "a0"),
                                      Value("b", 9, "b9"), Value("b", 0, "b0"),
                                      Value("c", 9, "c9"), Value("c", 0, "c0")};
  const auto reader = OpenTable(BuildTable({}, entries));
  const Slice b("b");
  const Slice c("c");
  ReadOptions options;
  options.iterate_lower_bound = &b;
  options.iterate_upper_bound = &c;
  const std::vector<Entry> expected = {entries[2], entries[3]};
  std::vector<Entry> found;
  Require(ReadForward(*reader, options, &found));
  EXPECT_EQ(found, expected);
  found.clear();
  Require(ReadBackward(*reader, options, &found));
  EXPECT_EQ(found.size(), 2u);
  options.iterate_upper_bound = &b;
  found.clear();
  Require(ReadForward(*reader, options, &found));
  EXPECT_TRUE(found.empty());
}

// Bounds have no timestamp. A bound is before all versions of its key, also
// where the file does not store timestamps.
TEST(IteratorBounds, OfKeysWithTimestamps) {
  for (const bool persisted : {true, false}) {
    TableOptions options;
    options.comparator = BytewiseComparatorWithU64Ts();
    options.persist_user_defined_timestamps = persisted;
    options.block_size = 64;
    std::vector<Entry> entries;
    for (const char letter : std::string("abcdefgh")) {
      for (uint64_t time = persisted ? 5 : 1; time > 0; --time) {
        entries.push_back(
            Value(std::string(1, letter) + EncodeU64Ts(persisted ? time : 0), 7,
                  "v"));
      }
    }
    const auto reader = OpenTable(BuildTable(options, entries));
    const Slice lower("c");
    const Slice upper("f");
    ReadOptions read_options;
    read_options.iterate_lower_bound = &lower;
    read_options.iterate_upper_bound = &upper;
    std::string seen;
    Iterator it = reader->NewIterator(read_options);
    for (it.SeekToFirst(); it.Valid(); it.Next()) seen += it.user_key()[0];
    EXPECT_EQ(seen, persisted ? "cccccdddddeeeee" : "cde");
    seen.clear();
    for (it.SeekForPrev("z"); it.Valid(); it.Prev()) seen += it.user_key()[0];
    EXPECT_EQ(seen, persisted ? "eeeeedddddccccc" : "edc");
    Require(it.status());
  }
}

// The iterator copies the bounds, so the caller may destroy them.
TEST(IteratorBounds, TheIteratorKeepsThem) {
  const auto reader = OpenTable(BuildTable({}, SomeEntries(100)));
  Iterator it = [&] {
    const std::string bytes = "key00010";
    const Slice upper(bytes);
    ReadOptions options;
    options.iterate_upper_bound = &upper;
    return reader->NewIterator(options);
  }();
  int found = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) ++found;
  Require(it.status());
  EXPECT_EQ(found, 10);
}

// A walk does not meet damage and read errors beyond its bounds.
TEST(IteratorBounds, NoBlockBeyondThemIsRead) {
  TableOptions options;
  options.block_size = 256;
  FaultPlan plan;
  auto opened = TableReader::Open(
      NewFaultyFile("t.sst", BuildTable(options, SomeEntries(1000)), &plan),
      {.load_index_and_filter = LoadTime::kAtOpen});
  Require(opened.status());
  const Slice lower("key00500");
  const Slice upper("key00501");
  ReadOptions read_options;
  read_options.iterate_lower_bound = &lower;
  read_options.iterate_upper_bound = &upper;
  for (int way = 0; way < 5; ++way) {
    Iterator it = opened.value()->NewIterator(read_options);
    plan.operations = 0;
    int found = 0;
    if (way < 2) {
      way == 0 ? it.SeekToFirst() : it.Seek("a");
      for (; it.Valid(); it.Next()) ++found;
    } else if (way < 4) {
      way == 2 ? it.SeekToLast() : it.SeekForPrev("z");
      for (; it.Valid(); it.Prev()) ++found;
    } else {
      it.Seek("z");
      it.SeekForPrev("a");
      it.Seek("key00501");
      it.SeekForPrev("key004999");
      EXPECT_EQ(plan.operations, 0u);
      found = it.Valid() ? 0 : 1;
    }
    Require(it.status());
    EXPECT_EQ(found, 1) << way;
    EXPECT_LE(plan.operations, 1u) << way;
  }
}

TEST(IteratorBounds, NeedAnOrder) {
  TableOptions options;
  options.comparator = ShorterFirstComparator();
  ReaderOptions reader_options;
  reader_options.allow_unknown_comparator = true;
  const auto reader =
      OpenTable(BuildTable(options, SomeEntries(3)), reader_options);
  const Slice bound("key00001");
  ReadOptions read_options;
  read_options.iterate_upper_bound = &bound;
  Iterator it = reader->NewIterator(read_options);
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsNotSupported()) << it.status().ToString();
}

}  // namespace
}  // namespace ashlar::testing
