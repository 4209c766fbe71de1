// Tests tables whose user keys end in a timestamp, stored or not. Every read
// gives what a simple search through all entries gives.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// A comparator of an application: shorter keys first, and big-endian timestamps
// of two bytes.
class ShorterFirstWithTs final : public Comparator {
 public:
  std::string_view Name() const override { return "test.ShorterFirst.u16ts"; }
  int Compare(const Slice& a, const Slice& b) const override {
    const int order =
        CompareWithoutTimestamp(WithoutTimestamp(a, 2), WithoutTimestamp(b, 2));
    if (order != 0) return order;
    return CompareTimestamp(TimestampOf(b, 2), TimestampOf(a, 2));
  }
  size_t timestamp_size() const override { return 2; }
  int CompareTimestamp(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  int CompareWithoutTimestamp(const Slice& a, const Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
};

const Comparator* ShorterFirst() {
  static const ShorterFirstWithTs comparator;
  return &comparator;
}

std::string Ts(const Comparator& comparator, uint64_t timestamp) {
  std::string bytes = EncodeU64Ts(timestamp);
  if (comparator.timestamp_size() == bytes.size()) return bytes;
  return {static_cast<char>(timestamp >> 8), static_cast<char>(timestamp)};
}

// A table, with its entries as a reader shows them.
struct Sample {
  TableOptions options;
  std::vector<Entry> entries;
  std::vector<Entry> ranges;  // range deletions, in any order
  std::string bytes;

  size_t size() const { return options.comparator->timestamp_size(); }
  Slice KeyOf(const Entry& entry) const {
    return WithoutTimestamp(UserKeyOf(entry.key), size());
  }
  bool Passes(const Entry& entry, const Slice& timestamp) const {
    return timestamp.empty() ||
           options.comparator->CompareTimestamp(
               TimestampOf(UserKeyOf(entry.key), size()), timestamp) <= 0;
  }
  // Returns the range deletion over the key with the largest sequence number
  // that such a read sees, or null if there is none. Among equal sequence
  // numbers it returns the one with the newest timestamp.
  const Entry* DeletionOver(const Slice& key, const Slice& timestamp,
                            SequenceNumber snapshot) const {
    const Comparator& c = *options.comparator;
    const Entry* newest = nullptr;
    for (const Entry& range : ranges) {
      if (!Passes(range, timestamp) || SequenceOf(range.key) > snapshot ||
          SequenceOf(range.key) == 0 ||
          c.CompareWithoutTimestamp(KeyOf(range), key) > 0 ||
          c.CompareWithoutTimestamp(
              key, WithoutTimestamp(range.value, size())) >= 0) {
        continue;
      }
      if (newest == nullptr ||
          SequenceOf(range.key) > SequenceOf(newest->key) ||
          (SequenceOf(range.key) == SequenceOf(newest->key) &&
           c.CompareTimestamp(TimestampOf(UserKeyOf(range.key), size()),
                              TimestampOf(UserKeyOf(newest->key), size())) >
               0)) {
        newest = &range;
      }
    }
    return newest;
  }
  bool Less(const Entry& a, const Entry& b) const {
    const int order =
        options.comparator->Compare(UserKeyOf(a.key), UserKeyOf(b.key));
    return order != 0 ? order < 0 : TailOf(a.key) > TailOf(b.key);
  }
};

TableOptions RandomOptions(Random* random) {
  constexpr uint64_t kBlockSizes[] = {1, 100, 400, 4096};
  constexpr int kIntervals[] = {1, 3, 16};
  const Comparator* const comparators[] = {BytewiseComparatorWithU64Ts(),
                                           ReverseBytewiseComparatorWithU64Ts(),
                                           ShorterFirst()};
  TableOptions options;
  options.comparator = random->Pick(comparators);
  options.persist_user_defined_timestamps = random->OneIn(2);
  options.format_version = static_cast<uint32_t>(random->Between(2, 7));
  options.block_size = random->Pick(kBlockSizes);
  options.block_restart_interval = random->Pick(kIntervals);
  options.use_delta_encoding = !random->OneIn(4);
  // The hash index is requested, but tables with timestamps get none.
  options.data_block_index_type =
      random->OneIn(2) ? DataBlockIndexType::kDataBlockBinarySearch
                       : DataBlockIndexType::kDataBlockBinaryAndHash;
  if (random->OneIn(3)) {
    options.index_type = IndexType::kHashSearch;
    options.prefix_extractor = NewFixedPrefixExtractor(1);
  } else {
    options.index_block_restart_interval = random->Pick(kIntervals);
  }
  if (options.index_type != IndexType::kHashSearch && random->OneIn(2)) {
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.metadata_block_size = random->Between(1, 200);
    options.partition_filters = !random->OneIn(4);
    options.decouple_partitioned_filters = random->OneIn(2);
    if (random->OneIn(2)) options.prefix_extractor = NewFixedPrefixExtractor(1);
  }
  options.filter = random->OneIn(3) ? FilterType::kNone : FilterType::kBloom;
  return options;
}

std::string RandomKey(Random* random) {
  constexpr char kLetters[] = {'\0', 'a', 'b', '\xff'};
  std::string key(random->Below(4), ' ');
  for (char& c : key) c = random->Pick(kLetters);
  return key;
}

// In half of the tables timestamps ascend with sequence numbers, as RocksDB
// requires of its users. Nothing here depends on that.
void AddRanges(Sample* sample, uint64_t timestamps, Random* random) {
  const Comparator& comparator = *sample->options.comparator;
  const bool stripped = !sample->options.persist_user_defined_timestamps;
  const bool rising = random->OneIn(2);
  for (uint64_t i = random->OneIn(3) ? 0 : random->Below(20); i > 0; --i) {
    std::string begin = RandomKey(random);
    std::string end = RandomKey(random);
    const int order = comparator.CompareWithoutTimestamp(begin, end);
    if (order == 0) continue;
    if (order > 0) std::swap(begin, end);
    const SequenceNumber sequence = random->Below(50);
    const uint64_t timestamp = stripped ? 0
                               : rising ? sequence * timestamps / 50
                                        : random->Below(timestamps);
    const std::string ts = Ts(comparator, timestamp);
    sample->ranges.push_back(RangeDeleted(begin + ts, sequence, end + ts));
  }
}

Sample MakeSample(Random* random) {
  constexpr ValueType kTypes[] = {
      ValueType::kTypeValue,          ValueType::kTypeValue,
      ValueType::kTypeMerge,          ValueType::kTypeDeletion,
      ValueType::kTypeSingleDeletion, ValueType::kTypeDeletionWithTimestamp};
  Sample sample;
  sample.options = RandomOptions(random);
  const Comparator& comparator = *sample.options.comparator;
  const bool stripped = !sample.options.persist_user_defined_timestamps;
  const uint64_t timestamps = random->Between(1, 20);
  for (uint64_t i = random->Below(400); i > 0; --i) {
    // If timestamps are not stored, a reader shows 0.
    const uint64_t timestamp = stripped ? 0 : random->Below(timestamps);
    const ValueType type = random->Pick(kTypes);
    const bool has_value =
        type == ValueType::kTypeValue || type == ValueType::kTypeMerge;
    sample.entries.push_back(
        {MakeInternalKey(RandomKey(random) + Ts(comparator, timestamp),
                         random->Below(50), type),
         has_value ? random->Text(random->Below(30)) : ""});
  }
  std::vector<Entry>& entries = sample.entries;
  std::stable_sort(
      entries.begin(), entries.end(),
      [&](const Entry& a, const Entry& b) { return sample.Less(a, b); });
  entries.erase(std::unique(entries.begin(), entries.end(),
                            [](const Entry& a, const Entry& b) {
                              return a.key == b.key;
                            }),
                entries.end());
  AddRanges(&sample, timestamps, random);
  std::vector<Entry> given = entries;
  given.insert(given.end(), sample.ranges.begin(), sample.ranges.end());
  for (Entry& entry : given) {
    // If timestamps are not stored, the caller may pass any timestamp.
    if (!stripped || random->OneIn(2)) continue;
    entry.key.replace(entry.key.size() - 8 - sample.size(), sample.size(),
                      random->Bytes(sample.size()));
  }
  sample.bytes = BuildTable(sample.options, given);
  return sample;
}

struct Answer {
  GetResult::State state = GetResult::State::kNotFound;
  std::string value;
  std::string timestamp;
  SequenceNumber sequence = 0;
  std::vector<std::string> operands;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer Expected(const Sample& sample, const Slice& key, const Slice& timestamp,
                SequenceNumber snapshot) {
  Answer answer;
  const Entry* const deletion = sample.DeletionOver(key, timestamp, snapshot);
  for (const Entry& entry : sample.entries) {
    if (sample.KeyOf(entry) != key || !sample.Passes(entry, timestamp) ||
        SequenceOf(entry.key) > snapshot) {
      continue;
    }
    if (deletion != nullptr &&
        SequenceOf(entry.key) < SequenceOf(deletion->key)) {
      break;
    }
    answer.sequence = SequenceOf(entry.key);
    answer.timestamp =
        TimestampOf(UserKeyOf(entry.key), sample.size()).ToString();
    if (TypeOf(entry.key) == ValueType::kTypeMerge) {
      answer.state = GetResult::State::kMerged;
      answer.operands.push_back(entry.value);
      continue;
    }
    const bool found = TypeOf(entry.key) == ValueType::kTypeValue;
    answer.state =
        found ? GetResult::State::kFound : GetResult::State::kDeleted;
    if (found) answer.value = entry.value;
    return answer;
  }
  if (deletion == nullptr) return answer;
  answer.state = GetResult::State::kDeleted;
  answer.sequence = SequenceOf(deletion->key);
  answer.timestamp =
      TimestampOf(UserKeyOf(deletion->key), sample.size()).ToString();
  return answer;
}

void CheckGet(const Sample& sample, const TableReader& reader,
              const std::string& key, const ReadOptions& options,
              SequenceNumber snapshot) {
  GetResult result;
  Answer found;
  const Status status =
      reader.Get(options, key, snapshot, &result,
                 [&](const Slice& operand, SequenceNumber) {
                   found.operands.push_back(operand.ToString());
                   return true;
                 });
  ASSERT_TRUE(status.ok()) << status.ToString();
  found.state = result.state;
  found.value = result.value.ToString();
  found.timestamp = result.timestamp;
  found.sequence = result.sequence;
  EXPECT_TRUE(found == Expected(sample, key, options.timestamp, snapshot))
      << Hex(key) << " at " << Hex(options.timestamp.ToStringView()) << " and "
      << snapshot;
}

void CheckIterators(const Sample& sample, const TableReader& reader,
                    const ReadOptions& options, Random* random) {
  std::vector<Entry> expected;
  for (const Entry& entry : sample.entries) {
    const Entry* const deletion = sample.DeletionOver(
        sample.KeyOf(entry), options.timestamp, options.snapshot);
    const bool hidden =
        SequenceOf(entry.key) > options.snapshot ||
        (!options.ignore_range_deletions && deletion != nullptr &&
         SequenceOf(entry.key) < SequenceOf(deletion->key));
    if (!hidden && sample.Passes(entry, options.timestamp)) {
      expected.push_back(entry);
    }
  }
  std::vector<Entry> entries;
  const Status forward = ReadForward(reader, options, &entries);
  EXPECT_TRUE(forward.ok()) << forward.ToString();
  EXPECT_TRUE(entries == expected);
  entries.clear();
  EXPECT_TRUE(ReadBackward(reader, options, &entries).ok());
  std::reverse(entries.begin(), entries.end());
  EXPECT_TRUE(entries == expected);

  Iterator it = reader.NewIterator(options);
  for (int i = 0; i < 20; ++i) {
    const std::string key = RandomKey(random);
    const auto before = [&](const Entry& entry) {
      return sample.options.comparator->CompareWithoutTimestamp(
                 sample.KeyOf(entry), key) < 0;
    };
    const auto first =
        std::find_if_not(expected.begin(), expected.end(), before);
    it.Seek(key);
    ASSERT_EQ(it.Valid(), first != expected.end());
    if (it.Valid()) {
      EXPECT_EQ(it.key(), Slice(first->key));
    }
    auto last = first;
    while (last != expected.end() && sample.KeyOf(*last) == Slice(key)) ++last;
    it.SeekForPrev(key);
    ASSERT_EQ(it.Valid(), last != expected.begin());
    if (it.Valid()) {
      EXPECT_EQ(it.key(), Slice(std::prev(last)->key));
    }
  }
}

void CheckProperties(const Sample& sample, const TableReader& reader) {
  const auto& stored = reader.properties().stored;
  const bool persisted = sample.options.persist_user_defined_timestamps;
  EXPECT_EQ(stored.contains("rocksdb.timestamp_min"), persisted);
  EXPECT_EQ(stored.contains("rocksdb.user.defined.timestamps.persisted"),
            !persisted);
  const auto file = NewMemoryFile("t.sst", sample.bytes);
  TableInspection inspection;
  InspectOptions inspect;
  inspect.comparator = sample.options.comparator;
  ASSERT_TRUE(InspectTable(*file, inspect, &inspection).ok());
  EXPECT_TRUE(inspection.knows_order);
  EXPECT_TRUE(inspection.faults.empty())
      << inspection.faults[0].status.ToString();
  if (!persisted) return;
  std::string oldest;
  std::string newest;
  std::vector<Entry> all = sample.entries;
  all.insert(all.end(), sample.ranges.begin(), sample.ranges.end());
  for (const Entry& entry : all) {
    const std::string ts =
        TimestampOf(UserKeyOf(entry.key), sample.size()).ToString();
    const Comparator& c = *sample.options.comparator;
    if (oldest.empty() || c.CompareTimestamp(ts, oldest) < 0) oldest = ts;
    if (newest.empty() || c.CompareTimestamp(ts, newest) > 0) newest = ts;
  }
  EXPECT_EQ(stored.Find("rocksdb.timestamp_min"), oldest);
  EXPECT_EQ(stored.Find("rocksdb.timestamp_max"), newest);
}

// Expects that range deletions are listed as they were added, and that the
// sequence numbers of each fragment belong to range deletions over its first
// key.
void CheckRanges(const Sample& sample, const TableReader& reader) {
  const std::vector<Entry> listed = RangeDeletionsOf(reader);
  EXPECT_TRUE(listed == sample.ranges);
  reader.VisitRangeDeletionFragments([&](const RangeDeletionFragment& f) {
    EXPECT_EQ(f.sequences.size(), f.timestamps.size());
    for (size_t i = 0; i < f.sequences.size(); ++i) {
      if (f.sequences[i] == 0) continue;
      const Entry* const found =
          sample.DeletionOver(f.begin, f.timestamps[i], f.sequences[i]);
      EXPECT_EQ(SequenceOf(found->key), f.sequences[i]);
      EXPECT_EQ(reader.NewestRangeDeletionOver(f.begin, f.sequences[i],
                                               f.timestamps[i]),
                f.sequences[i]);
    }
    return true;
  });
}

TEST(Timestamps, ReadsAreThoseOfAPlainSearch) {
  ForEachSeed(1, 150, [](uint64_t seed) {
    Random random(seed);
    const Sample sample = MakeSample(&random);
    SCOPED_TRACE(std::string(sample.options.comparator->Name()));
    ReaderOptions open;
    open.comparator = sample.options.comparator;
    const auto reader = OpenTable(sample.bytes, open);
    CheckProperties(sample, *reader);
    CheckRanges(sample, *reader);
    for (int i = 0; i < 4; ++i) {
      const std::string timestamp =
          Ts(*sample.options.comparator, random.Below(22));
      ReadOptions options;
      if (i != 0) options.timestamp = timestamp;
      if (i == 3) options.snapshot = random.Below(52);
      options.ignore_range_deletions = random.OneIn(4);
      CheckIterators(sample, *reader, options, &random);
      for (int j = 0; j < 30; ++j) {
        ReadOptions read = options;
        read.ignore_range_deletions = false;
        CheckGet(sample, *reader, RandomKey(&random), read,
                 random.OneIn(3) ? kMaxSequenceNumber : random.Below(52));
      }
    }
  });
}

// If the versions of one key fill many blocks, Get must find the right block
// and not stop too early.
TEST(Timestamps, OneKeyInManyBlocks) {
  for (const uint32_t version : {2U, 6U}) {
    TableOptions options;
    options.comparator = BytewiseComparatorWithU64Ts();
    options.block_size = 64;
    options.format_version = version;
    std::vector<Entry> entries;
    for (uint64_t ts = 500; ts > 0; --ts) {
      entries.push_back(Value("key" + EncodeU64Ts(2 * ts), ts,
                              "value " + std::to_string(ts)));
    }
    const auto reader = OpenTable(BuildTable(options, entries));
    EXPECT_GT(reader->properties().num_data_blocks, 50U);
    for (uint64_t ts = 0; ts < 1010; ts += 7) {
      const std::string timestamp = EncodeU64Ts(ts);
      ReadOptions read;
      read.timestamp = timestamp;
      GetResult result;
      ASSERT_TRUE(reader->Get(read, "key", 400, &result).ok());
      const uint64_t wanted = std::min<uint64_t>(ts / 2, 400);
      ASSERT_EQ(result.state, wanted == 0 ? GetResult::State::kNotFound
                                          : GetResult::State::kFound)
          << ts;
      if (wanted == 0) continue;
      EXPECT_EQ(result.value.ToString(), "value " + std::to_string(wanted));
      EXPECT_EQ(DecodeU64Ts(result.timestamp), 2 * wanted);
    }
  }
}

// The filter has keys without timestamps.
TEST(Timestamps, FilterRulesOutKeysNotVersions) {
  TableOptions options;
  options.comparator = BytewiseComparatorWithU64Ts();
  std::vector<Entry> entries;
  for (uint64_t ts = 100; ts > 0; --ts) {
    entries.push_back(Value("here" + EncodeU64Ts(ts), 1, "x"));
  }
  const auto reader = OpenTable(BuildTable(options, entries));
  EXPECT_EQ(reader->properties().num_filter_entries, 1U);
  GetResult result;
  ASSERT_TRUE(reader->Get("here", &result).ok());
  EXPECT_EQ(result.filter, GetResult::Filter::kMaybe);
  ASSERT_TRUE(reader->Get("elsewhere", &result).ok());
  EXPECT_EQ(result.filter, GetResult::Filter::kAbsent);
}

TEST(Timestamps, ExternalFiles) {
  for (const bool persisted : {true, false}) {
    TableOptions options;
    options.comparator = BytewiseComparatorWithU64Ts();
    options.persist_user_defined_timestamps = persisted;
    std::string bytes;
    const auto file = NewMemoryWritableFile("external.sst", &bytes);
    auto writer = ExternalFileWriter::Create(file.get(), options, FixedBuild());
    Require(writer.status());
    const std::string zero = EncodeU64Ts(0);
    const std::string seven = EncodeU64Ts(7);
    EXPECT_EQ((*writer)->PutAt("a", seven, "1").ok(), persisted);
    EXPECT_TRUE((*writer)->PutAt("a", zero, "2").ok());
    EXPECT_TRUE((*writer)->PutAt("a", zero, "3").IsInvalidArgument());
    EXPECT_TRUE((*writer)->PutAt("b", "short", "4").IsInvalidArgument());
    EXPECT_TRUE((*writer)->Put("short", "5").IsInvalidArgument());
    EXPECT_TRUE((*writer)->DeleteAt("b", zero).ok());
    EXPECT_TRUE((*writer)->Put("c" + zero, "6").ok());
    EXPECT_EQ((*writer)->DeleteRangeAt("d", "e", seven).ok(), persisted);
    EXPECT_TRUE((*writer)->DeleteRangeAt("e", "f", zero).ok());
    EXPECT_TRUE((*writer)->DeleteRangeAt("f", "e", zero).IsInvalidArgument());
    EXPECT_TRUE((*writer)->DeleteRangeAt("e", "f", "?").IsInvalidArgument());
    EXPECT_TRUE((*writer)->DeleteRange("e" + zero, "f").IsInvalidArgument());
    ASSERT_TRUE((*writer)->Finish().ok());
    const auto reader = OpenTable(bytes);
    EXPECT_EQ(reader->properties().num_entries, persisted ? 6U : 4U);
    EXPECT_EQ(reader->properties().num_deletions, persisted ? 3U : 2U);
    EXPECT_EQ(reader->properties().num_range_deletions, persisted ? 2U : 1U);
    GetResult result;
    ASSERT_TRUE(reader->Get("a", &result).ok());
    EXPECT_EQ(result.value.ToString(), persisted ? "1" : "2");
    ASSERT_TRUE(reader->Get("b", &result).ok());
    EXPECT_EQ(result.state, GetResult::State::kDeleted);
  }
}

// A database may give up timestamps that it has never stored.
TEST(Timestamps, TableThatDoesNotStoreThemIsReadWithoutThem) {
  for (const bool persisted : {false, true}) {
    TableOptions options;
    options.comparator = BytewiseComparatorWithU64Ts();
    options.persist_user_defined_timestamps = persisted;
    std::string bytes;
    const auto file = NewMemoryWritableFile("f.sst", &bytes);
    auto builder = TableBuilder::Create(options, FixedBuild(), file.get());
    Require(builder.status());
    Require((*builder)->Add(
        MakeInternalKey("key" + EncodeU64Ts(0), 1, ValueType::kTypeValue),
        "value"));
    Require((*builder)->Finish());
    auto reader = TableReader::Open(NewMemoryFile("f.sst", bytes),
                                    {.comparator = BytewiseComparator()});
    if (persisted) {
      EXPECT_TRUE(reader.status().IsInvalidArgument())
          << reader.status().ToString();
      continue;
    }
    Require(reader.status());
    GetResult result;
    Require((*reader)->Get("key", &result));
    EXPECT_EQ(result.value.slice(), "value");
    auto reversed =
        TableReader::Open(NewMemoryFile("f.sst", bytes),
                          {.comparator = ReverseBytewiseComparator()});
    EXPECT_TRUE(reversed.status().IsInvalidArgument())
        << reversed.status().ToString();
  }
}

TEST(Timestamps, WrongOptionsAreRefused) {
  TableOptions options;
  options.persist_user_defined_timestamps = false;
  const Status status = options.Validate();
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_EQ(status.message(),
            "persist_user_defined_timestamps is false, but comparator is "
            "leveldb.BytewiseComparator, which has no timestamps");

  const auto plain = OpenTable(BuildTable({}, SomeEntries(3)));
  const std::string timestamp = EncodeU64Ts(1);
  ReadOptions read;
  read.timestamp = timestamp;
  GetResult result;
  EXPECT_TRUE(plain->Get(read, "key00000", kMaxSequenceNumber, &result)
                  .IsInvalidArgument());
  Iterator it = plain->NewIterator(read);
  for (int i = 0; i < 2; ++i) {
    it.SeekToFirst();
    EXPECT_FALSE(it.Valid());
    it.SeekToLast();
    EXPECT_FALSE(it.Valid());
    it.Seek("key00000");
    EXPECT_FALSE(it.Valid());
    it.SeekForPrev("key00000");
    EXPECT_FALSE(it.Valid());
    EXPECT_TRUE(it.status().IsInvalidArgument()) << it.status().ToString();
  }
}

}  // namespace
}  // namespace ashlar::testing
