// Compares two readers on every kind of table that the builder writes, and on
// the golden files: the library, and the reference reader, which follows
// FORMAT.md and shares no code with the library. Both must find the same
// entries. For any key they must agree on what the filter says, and on what the
// table has at any snapshot and timestamp.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ashlar/table/entry/timed_value.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/folder.h"
#include "test/support/random_table.h"
#include "test/support/reference_reader.h"
#include "test/support/scoped_perf_level.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr SequenceNumber kSnapshots = 520;
constexpr uint64_t kTimestamps = 12;

// Counts how often a test met each case that it is for.
using Sightings = std::map<std::string, int>;

std::string RandomEntity(Random* random) {
  const std::string names[] = {"", "a", "b"};
  const std::string blob = "\x01\x07\x08\x09" + std::string(1, '\0');
  std::vector<std::string> values;
  std::vector<WideColumn> columns;
  for (const std::string& name : names) {
    if (random->OneIn(3)) continue;
    const bool is_blob_index = random->OneIn(4);
    values.push_back(is_blob_index ? blob : random->Text(random->Below(20)));
    columns.push_back({name, Slice(), is_blob_index});
  }
  for (size_t i = 0; i < columns.size(); ++i) columns[i].value = values[i];
  std::string entity;
  Require(EncodeWideColumns(columns, &entity));
  return entity;
}

std::string RandomValue(ValueType type, Random* random) {
  switch (type) {
    case ValueType::kTypeWideColumnEntity:
      return RandomEntity(random);
    case ValueType::kTypeBlobIndex:
      return "\x01\x07" + std::string(1, static_cast<char>(random->Below(99))) +
             "\x09" + std::string(1, '\0');
    case ValueType::kTypeValuePreferredSeqno: {
      std::string value;
      AppendTimedValue({"timed", random->Below(99)}, &value);
      return value;
    }
    case ValueType::kTypeDeletion:
    case ValueType::kTypeSingleDeletion:
    case ValueType::kTypeDeletionWithTimestamp:
    case ValueType::kTypeRangeDeletion:
      return {};
    default:
      return random->Text(random->Below(40));
  }
}

ValueType RandomType(Random* random) {
  constexpr ValueType kTypes[] = {ValueType::kTypeValue,
                                  ValueType::kTypeMerge,
                                  ValueType::kTypeDeletion,
                                  ValueType::kTypeSingleDeletion,
                                  ValueType::kTypeBlobIndex,
                                  ValueType::kTypeSetWithDelete,
                                  ValueType::kTypeDeletionWithTimestamp,
                                  ValueType::kTypeWideColumnEntity,
                                  ValueType::kTypeValuePreferredSeqno};
  return random->OneIn(2) ? ValueType::kTypeValue : random->Pick(kTypes);
}

// Adds timestamps to the keys of the table. If the table does not store
// timestamps, all of them are 0.
void AddTimestamps(Random* random, TableOptions* options,
                   std::vector<Entry>* entries) {
  options->comparator = options->comparator == ReverseBytewiseComparator()
                            ? ReverseBytewiseComparatorWithU64Ts()
                            : BytewiseComparatorWithU64Ts();
  options->persist_user_defined_timestamps = random->OneIn(2);
  for (Entry& entry : *entries) {
    const uint64_t time = options->persist_user_defined_timestamps
                              ? random->Below(kTimestamps)
                              : 0;
    entry.key.insert(entry.key.size() - kInternalKeyTailBytes,
                     EncodeU64Ts(time));
  }
}

struct Sample {
  TableOptions options;
  std::vector<Entry> entries;  // in order, without range deletions
  std::vector<Entry> range_deletions;
  std::string bytes;
};

Sample MakeSample(Random* random) {
  RandomTable table = MakeRandomTable(random);
  while (table.options.comparator == ShorterFirstComparator()) {
    table = MakeRandomTable(random);
  }
  Sample sample;
  sample.options = table.options;
  std::vector<Entry> entries = table.model.entries();
  for (Entry& entry : entries) {
    const ValueType type = RandomType(random);
    entry.key =
        MakeInternalKey(UserKeyOf(entry.key), SequenceOf(entry.key), type);
    entry.value = RandomValue(type, random);
  }
  const bool timestamps = random->OneIn(3);
  if (timestamps) AddTimestamps(random, &sample.options, &entries);
  sample.entries = Model(sample.options.comparator, entries).entries();
  std::vector<Entry> all = sample.entries;
  for (uint64_t n = random->Below(4); n > 0; --n) {
    std::string begin = RandomTarget(table.model, random);
    std::string end = RandomTarget(table.model, random);
    if (table.options.comparator->Compare(begin, end) > 0) begin.swap(end);
    if (table.options.comparator->Compare(begin, end) == 0) continue;
    if (timestamps) {
      const bool persisted = sample.options.persist_user_defined_timestamps;
      begin += EncodeU64Ts(persisted ? random->Below(kTimestamps) : 0);
      end += EncodeU64Ts(persisted ? random->Below(kTimestamps) : 0);
    }
    sample.range_deletions.push_back(
        RangeDeleted(begin, random->Below(kSnapshots), end));
    all.push_back(sample.range_deletions.back());
  }
  sample.bytes = BuildTable(sample.options, all);
  return sample;
}

ReferenceAnswer::State StateOf(GetResult::State state) {
  switch (state) {
    case GetResult::State::kNotFound:
      return ReferenceAnswer::State::kNotFound;
    case GetResult::State::kFound:
      return ReferenceAnswer::State::kFound;
    case GetResult::State::kDeleted:
      return ReferenceAnswer::State::kDeleted;
    case GetResult::State::kMerged:
      return ReferenceAnswer::State::kMerged;
  }
  return {};
}

// A filter that matches every key counts as none.
void CheckFilter(GetResult::Filter found, ReferenceFilterAnswer expected) {
  EXPECT_EQ(found == GetResult::Filter::kAbsent,
            expected == ReferenceFilterAnswer::kAbsent);
  if (expected == ReferenceFilterAnswer::kNone) {
    EXPECT_EQ(found, GetResult::Filter::kNone);
  }
}

void CheckQuestion(const TableReader& reader, const ReferenceTable& reference,
                   const ReferenceQuestion& question, Sightings* seen) {
  SCOPED_TRACE("key " + Hex(question.key) + " at " +
               std::to_string(question.snapshot) + ", timestamp '" +
               Hex(question.timestamp) + "'");
  const ReferenceAnswer expected = AskReference(reference, question);
  GetResult result;
  std::vector<std::string> operands;
  const ReadOptions options{.timestamp = question.timestamp};
  const Status status =
      reader.Get(options, question.key, question.snapshot, &result,
                 [&](const Slice& operand, SequenceNumber) {
                   operands.push_back(operand.ToString());
                   return true;
                 });
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(StateOf(result.state), expected.state);
  EXPECT_EQ(result.sequence, expected.sequence);
  EXPECT_EQ(result.value.ToString(), expected.value);
  EXPECT_EQ(operands, expected.operands);
  CheckFilter(result.filter, AskReferenceFilter(reference, question));
  ++(*seen)[result.filter == GetResult::Filter::kAbsent ? "ruled out"
                                                        : "let pass"];
}

// MultiGet gives for each key what Get gives, whatever the cache contains.
void CheckBatch(const TableReader& reader, const ReferenceTable& reference,
                Random* random) {
  std::vector<std::string> keys;
  for (uint64_t n = random->Below(70); n > 0; --n) {
    std::string key = random->Text(random->Below(6));
    if (!reference.entries.empty() && !random->OneIn(8)) {
      key = reference.entries[random->Below(reference.entries.size())].user_key;
      key.resize(key.size() - reference.order.timestamp_size);
      if (random->OneIn(3)) key += random->Bytes(1);
    }
    keys.push_back(key);
  }
  const SequenceNumber snapshot =
      random->OneIn(2) ? random->Below(kSnapshots) : kMaxSequenceNumber;
  const std::string timestamp =
      reader.comparator()->timestamp_size() != 0 && random->OneIn(2)
          ? EncodeU64Ts(random->Below(kTimestamps))
          : "";
  const ReadOptions options{.fill_cache = random->OneIn(2),
                            .timestamp = timestamp};
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  std::vector<std::vector<std::string>> operands(keys.size());
  reader.MultiGet(options, slices, snapshot, results, statuses,
                  [&](size_t key, const Slice& operand, SequenceNumber) {
                    operands[key].push_back(operand.ToString());
                    return true;
                  });
  for (size_t i = 0; i < keys.size(); ++i) {
    SCOPED_TRACE("key " + Hex(keys[i]) + " at " + std::to_string(snapshot) +
                 ", timestamp '" + Hex(timestamp) + "'");
    GetResult expected;
    std::vector<std::string> expected_operands;
    const Status status =
        reader.Get(options, keys[i], snapshot, &expected,
                   [&](const Slice& operand, SequenceNumber) {
                     expected_operands.push_back(operand.ToString());
                     return true;
                   });
    const GetResult& found = results[i];
    ASSERT_EQ(statuses[i].ToString(), status.ToString());
    EXPECT_EQ(found.state, expected.state);
    EXPECT_EQ(found.filter, expected.filter);
    EXPECT_EQ(found.type, expected.type);
    EXPECT_EQ(found.sequence, expected.sequence);
    EXPECT_EQ(found.timestamp, expected.timestamp);
    EXPECT_EQ(found.value.ToString(), expected.value.ToString());
    EXPECT_EQ(found.is_blob_index, expected.is_blob_index);
    EXPECT_EQ(found.entity.ToString(), expected.entity.ToString());
    EXPECT_EQ(found.data_blocks_read, expected.data_blocks_read);
    EXPECT_EQ(operands[i], expected_operands);
  }
}

// Asks for keys of the table and for absent keys near them, at several
// snapshots.
void CheckQuestions(const TableReader& reader, const ReferenceTable& reference,
                    Random* random, Sightings* seen) {
  constexpr int kQuestions = 60;
  const size_t timestamp_size = reader.comparator()->timestamp_size();
  for (int i = 0; i < kQuestions; ++i) {
    ReferenceQuestion question;
    question.key = random->Text(random->Below(6));
    if (!reference.entries.empty() && !random->OneIn(8)) {
      question.key =
          reference.entries[random->Below(reference.entries.size())].user_key;
      question.key.resize(question.key.size() - reference.order.timestamp_size);
      if (random->OneIn(2)) question.key += random->Bytes(1);
    }
    if (random->OneIn(2)) question.snapshot = random->Below(kSnapshots);
    if (timestamp_size != 0 && random->OneIn(2)) {
      question.timestamp = EncodeU64Ts(random->Below(kTimestamps));
    }
    ASSERT_NO_FATAL_FAILURE(CheckQuestion(reader, reference, question, seen));
  }
}

// Returns the dump with keys as a reader shows them: with timestamps, also
// where the file does not store them.
std::string Dump(const ReferenceTable& table) {
  ReferenceTable whole = table;
  for (auto* list : {&whole.entries, &whole.range_deletions}) {
    for (ReferenceEntry& entry : *list) {
      entry.user_key.append(table.stripped_timestamp, '\0');
    }
  }
  for (ReferenceEntry& entry : whole.range_deletions) {
    entry.value.append(table.stripped_timestamp, '\0');
  }
  return CanonicalDump(whole);
}

void CheckBothReaders(const std::string& bytes, Random* random,
                      Sightings* seen) {
  const ReferenceTable reference = ReadReferenceTable(bytes);
  ReaderOptions options;
  options.block_cache = AnyBlockCache(random->Next());
  options.cache_index_and_filter_blocks =
      options.block_cache != nullptr && random->OneIn(2);
  const auto tier = [random] {
    return random->OneIn(3) ? PinningTier::kAll : PinningTier::kNone;
  };
  options.load_index_and_filter = static_cast<LoadTime>(random->Below(3));
  options.partition_pinning = tier();
  options.unpartitioned_pinning = tier();
  options.cache_entry_words = !random->OneIn(3);
  options.cache_index_and_filter_blocks_with_high_priority = random->OneIn(2);
  if (random->OneIn(2)) options.statistics = std::make_shared<Statistics>();
  const ScopedPerfLevel level(random->OneIn(2) ? PerfLevel::kEnableTime
                                               : PerfLevel::kDisable);
  const auto reader = OpenTable(bytes, options);
  std::vector<Entry> entries;
  Require(ReadForward(*reader, {.ignore_range_deletions = true}, &entries));
  EXPECT_EQ(CanonicalDump(entries) + CanonicalDump(RangeDeletionsOf(*reader)),
            Dump(reference));
  ASSERT_NO_FATAL_FAILURE(CheckBatch(*reader, reference, random));
  CheckQuestions(*reader, reference, random, seen);
  ASSERT_NO_FATAL_FAILURE(CheckBatch(*reader, reference, random));
  (*seen)["prefix runs"] = static_cast<int>(reference.prefixes.size());
}

TEST(Differential, TablesOfOurs) {
  Sightings seen;
  ForEachSeed(1, 250, [&](uint64_t seed) {
    Random random(seed);
    const Sample sample = MakeSample(&random);
    const TableOptions& options = sample.options;
    const std::string filter = options.filter == FilterType::kNone ? "no filter"
                               : options.filter == FilterType::kRibbon
                                   ? "Ribbon"
                                   : "Bloom";
    Sightings here;
    CheckBothReaders(sample.bytes, &random, &here);
    EXPECT_TRUE(filter != "no filter" || here["ruled out"] == 0);
    seen[filter + (options.partition_filters ? " in parts" : "")] +=
        here["ruled out"];
    if (options.comparator->timestamp_size() != 0) {
      seen["timestamps"] += here["ruled out"];
      if (options.partition_filters) {
        seen["timestamps in parts"] += here["ruled out"];
      }
    }
    if (options.prefix_extractor != nullptr && !options.whole_key_filtering) {
      seen["prefixes alone"] += here["ruled out"];
    }
    if (!sample.range_deletions.empty()) {
      const bool timed = options.comparator->timestamp_size() != 0;
      ++seen[timed ? "timed range deletions" : "range deletions"];
    }
    if (here["prefix runs"] > 1) ++seen["hash search"];
    if (options.compression_opts.max_dict_bytes != 0) ++seen["dictionaries"];
  });
  for (const char* kind :
       {"Bloom", "Ribbon", "Bloom in parts", "Ribbon in parts", "timestamps",
        "timestamps in parts", "prefixes alone", "range deletions",
        "timed range deletions", "hash search", "dictionaries"}) {
    EXPECT_GT(seen[kind], 20) << kind;
  }
}

TEST(Differential, GoldenFiles) {
  const std::string folder = GoldenPath("");
  std::istringstream lines(ReadFile(folder + "golden.tsv"));
  Sightings seen;
  int files = 0;
  Random random(1);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    if (line[0] == '#' || name == "r119-custom-codec.sst") continue;
    SCOPED_TRACE(name);
    Sightings here;
    CheckBothReaders(ReadFile(folder + name), &random, &here);
    for (const char* kind : {"bloom-fv4", "ribbon", "ldb-bloom", "peb-bloom",
                             "partfilter", "prefixbloom"}) {
      if (name.find(kind) == std::string::npos) continue;
      seen[kind] += here["ruled out"];
    }
    ++files;
  }
  EXPECT_EQ(files, 423);
  EXPECT_EQ(seen.size(), 6u);
  for (const auto& [kind, ruled_out] : seen) EXPECT_GT(ruled_out, 5) << kind;
}

}  // namespace
}  // namespace ashlar::testing
