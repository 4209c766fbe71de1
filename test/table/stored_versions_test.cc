// Tests VisitVersions and VisitVersionsBatch: they visit what an iterator shows
// of a key, in any table, and end where the callback says.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/perf_context.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random_table.h"
#include "test/support/small_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

std::string Describe(SequenceNumber sequence, ValueType type,
                     const Slice& timestamp, const Slice& value) {
  return std::to_string(sequence) + " " + std::string(ValueTypeName(type)) +
         " " + Hex(timestamp.ToStringView()) + " " + Hex(value.ToStringView());
}

// What a read is asked for, and what it visited of one key.
struct Visited {
  size_t most = 0;  // it ends after this many
  std::vector<std::string> versions;
  std::vector<PinnableSlice> pinned;
  std::vector<std::string> values;

  bool Take(const StoredVersion& version) {
    versions.push_back(Describe(version.sequence, version.type,
                                version.timestamp, version.value));
    values.push_back(version.value.ToString());
    version.value.Pin(&pinned.emplace_back());
    return versions.size() < most;
  }
};

struct Question {
  ReadOptions options;
  SequenceNumber snapshot = kMaxSequenceNumber;
  std::string timestamp;
};

Question RandomQuestion(const TableReader& reader, Random* random) {
  Question q;
  q.snapshot = random->OneIn(2) ? kMaxSequenceNumber : random->Below(250);
  q.options.ignore_range_deletions = random->OneIn(2);
  if (reader.comparator()->timestamp_size() != 0 && random->OneIn(2)) {
    q.timestamp = EncodeU64Ts(random->Below(5));
  }
  return q;
}

// Returns what is to be visited of a key: what an iterator shows, and then the
// range deletion.
std::vector<std::string> Expected(const TableReader& reader, const Question& q,
                                  const std::string& user_key) {
  const size_t size = reader.comparator()->timestamp_size();
  ReadOptions options = q.options;
  options.snapshot = q.snapshot;
  options.timestamp = q.timestamp;
  std::vector<std::string> versions;
  Iterator it = reader.NewIterator(options);
  for (it.Seek(user_key);
       it.Valid() && WithoutTimestamp(it.user_key(), size) == Slice(user_key);
       it.Next()) {
    versions.push_back(Describe(it.sequence(), it.type(),
                                TimestampOf(it.user_key(), size), it.value()));
  }
  Require(it.status());
  if (q.options.ignore_range_deletions) return versions;
  const SequenceNumber deleted =
      reader.NewestRangeDeletionOver(user_key, q.snapshot, q.timestamp);
  if (deleted == 0) return versions;
  // All range deletions of these tables have timestamps of zeros.
  versions.push_back(Describe(deleted, ValueType::kTypeRangeDeletion,
                              std::string(size, '\0'), Slice()));
  return versions;
}

void CheckPins(std::vector<Visited>* all) {
  for (Visited& visited : *all) {
    for (size_t i = 0; i < visited.pinned.size(); ++i) {
      ASSERT_EQ(visited.pinned[i].ToString(), visited.values[i]);
    }
  }
}

void CheckKeys(const TableReader& reader, const std::vector<std::string>& keys,
               Random* random, std::vector<Visited>* kept) {
  Question q = RandomQuestion(reader, random);
  q.options.timestamp = q.timestamp;
  std::vector<Visited> one(keys.size());
  std::vector<Visited> batch(keys.size());
  std::vector<Status> statuses(keys.size());
  for (size_t k = 0; k < keys.size(); ++k) {
    one[k].most = batch[k].most = random->OneIn(2) ? 1 : random->Between(1, 9);
    Require(reader.VisitVersions(
        q.options, keys[k], q.snapshot,
        [&](const StoredVersion& version) { return one[k].Take(version); }));
  }
  const std::vector<Slice> slices(keys.begin(), keys.end());
  reader.VisitVersionsBatch(q.options, slices, q.snapshot, statuses,
                            [&](size_t k, const StoredVersion& version) {
                              return batch[k].Take(version);
                            });
  for (size_t k = 0; k < keys.size(); ++k) {
    Require(statuses[k]);
    std::vector<std::string> expected = Expected(reader, q, keys[k]);
    expected.resize(std::min(expected.size(), one[k].most));
    ASSERT_EQ(one[k].versions, expected) << Hex(keys[k]);
    ASSERT_EQ(batch[k].versions, expected) << Hex(keys[k]);
  }
  for (Visited& v : one) kept->push_back(std::move(v));
  for (Visited& v : batch) kept->push_back(std::move(v));
}

std::vector<std::string> KeysOf(const TableReader& reader) {
  const size_t size = reader.comparator()->timestamp_size();
  std::vector<std::string> keys;
  Iterator it = reader.NewIterator({.ignore_range_deletions = true});
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    keys.push_back(WithoutTimestamp(it.user_key(), size).ToString());
    if (keys.size() % 7 == 0) keys.push_back(keys.back() + "x");
  }
  Require(it.status());
  for (const RangeDeletion& range : reader.RangeDeletions()) {
    keys.push_back(WithoutTimestamp(range.begin, size).ToString());
  }
  return keys;
}

// Checks every key of the table, some of them together; and that what was
// pinned outlives the reader.
void CheckTable(std::unique_ptr<TableReader> reader, Random* random) {
  const std::vector<std::string> keys = KeysOf(*reader);
  std::vector<Visited> kept;
  for (size_t i = 0; i < keys.size();) {
    const size_t n = std::min<size_t>(random->Between(1, 70), keys.size() - i);
    const auto from = keys.begin() + static_cast<ptrdiff_t>(i);
    CheckKeys(*reader, {from, from + static_cast<ptrdiff_t>(n)}, random, &kept);
    if (::testing::Test::HasFatalFailure()) return;
    i += n;
  }
  reader.reset();
  CheckPins(&kept);
}

TEST(StoredVersions, AreThoseOfAnIterator) {
  ForEachSeed(1, 150, [&](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    SCOPED_TRACE(table.description);
    ReaderOptions options;
    options.comparator = table.options.comparator;
    options.block_cache = AnyBlockCache(random.Next());
    options.cache_index_and_filter_blocks =
        options.block_cache != nullptr && random.OneIn(2);
    CheckTable(
        OpenTable(BuildTable(table.options, table.model.entries()), options),
        &random);
  });
}

// Range deletions, timestamps, and every type of value.
TEST(StoredVersions, OfTablesOfEveryForm) {
  ForEachSeed(1, 600, [&](uint64_t seed) {
    Random random(seed);
    const SmallTable table = MakeSmallTable(&random);
    SCOPED_TRACE(table.description);
    ReaderOptions options;
    options.block_cache = AnyBlockCache(random.Next());
    auto reader = OpenBytes(table.bytes, options);
    if (reader.status().IsNotSupported()) {
      options.comparator = ShorterFirstComparator();
      reader = OpenBytes(table.bytes, options);
    }
    Require(reader.status());
    CheckTable(std::move(reader).value(), &random);
  });
}

TEST(StoredVersions, OfTablesWithEmbeddedBlobs) {
  ForEachSeed(1, 40, [&](uint64_t seed) {
    Random random(seed);
    TableOptions options;
    options.format_version = 7;
    options.block_size = 400;
    options.embedded_blob_options = {.enable = true, .min_blob_size = 60};
    std::vector<Entry> entries;
    entries.reserve(100);
    for (int i = 0; i < 100; ++i) {
      entries.push_back(Value("key" + std::to_string(1000 + i / 3),
                              static_cast<SequenceNumber>(9 - i % 3),
                              random.Text(random.Below(120))));
    }
    ReaderOptions reader_options;
    reader_options.block_cache = AnyBlockCache(random.Next());
    CheckTable(OpenTable(BuildTable(options, entries), reader_options),
               &random);
  });
}

TEST(StoredVersions, AreCountedAsAGet) {
  TableOptions options;
  options.filter = FilterType::kBloom;
  const std::string table = BuildTable(
      options,
      {Value("a", 7, "new"), Value("a", 3, "older"), Deletion("b", 2)});
  std::vector<std::string> counts;
  for (const bool visits : {false, true}) {
    ReaderOptions reader_options;
    reader_options.statistics = std::make_shared<Statistics>();
    reader_options.block_cache = NewLruCache({}).value();
    const auto reader = OpenTable(table, reader_options);
    for (int round = 0; round < 2; ++round) {
      for (const char* key : {"a", "b", "c", "absent"}) {
        if (visits) {
          Require(reader->VisitVersions({}, key, kMaxSequenceNumber,
                                        [](const auto&) { return false; }));
        } else {
          GetResult result;
          Require(reader->Get(key, &result));
        }
      }
    }
    std::string& text = counts.emplace_back();
    reader_options.statistics->ForEach(
        [&text](std::string_view name, uint64_t count) {
          // The allocator decides how large a block in memory is.
          if (name.ends_with("bytes.insert") || name.ends_with("bytes.write") ||
              name == "rocksdb.block.cache.bytes.read") {
            return;
          }
          text += std::string(name) + " " + std::to_string(count) + "\n";
        });
  }
  EXPECT_EQ(counts[0], counts[1]);
}

TEST(StoredVersions, ErrorsAreThoseOfGet) {
  const auto reader = OpenTable(BuildTable({}, SomeEntries(3)));
  ReadOptions options;
  options.timestamp = "12345678";
  const auto none = [](const StoredVersion&) { return true; };
  EXPECT_TRUE(
      reader->VisitVersions(options, "key1", 9, none).IsInvalidArgument());
  const Slice keys[] = {"key1", "key2"};
  Status statuses[2];
  reader->VisitVersionsBatch(options, keys, 9, statuses,
                             [](size_t, const StoredVersion&) { return true; });
  EXPECT_TRUE(statuses[0].IsInvalidArgument());
  EXPECT_TRUE(statuses[1].IsInvalidArgument());
  // A deadline that is over ends all keys before the first.
  options = {};
  options.deadline = std::chrono::microseconds(1);
  int visited = 0;
  reader->VisitVersionsBatch(options, keys, 9, statuses,
                             [&](size_t, const StoredVersion&) {
                               ++visited;
                               return true;
                             });
  EXPECT_TRUE(statuses[0].IsTimedOut()) << statuses[0].ToString();
  EXPECT_TRUE(statuses[1].IsTimedOut()) << statuses[1].ToString();
  EXPECT_EQ(visited, 0);
}

}  // namespace
}  // namespace ashlar::testing
