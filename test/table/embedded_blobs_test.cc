// Tests tables with embedded blobs: every kind of read gives what it gives of a
// table of the same entries without blobs, and of RocksDB's files what RocksDB
// says of them. Damage is in hostile_blobs_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/faulty_file.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr ReadOptions kAll = {.ignore_range_deletions = true};

TableOptions WithBlobs(uint64_t min_blob_size) {
  TableOptions options;
  options.format_version = 7;
  options.embedded_blob_options = {.enable = true,
                                   .min_blob_size = min_blob_size};
  return options;
}

std::string DumpType(ValueType type) {
  switch (type) {
    case ValueType::kTypeValue:
      return "PUT";
    case ValueType::kTypeDeletion:
      return "DEL";
    case ValueType::kTypeMerge:
      return "MERGE";
    case ValueType::kTypeWideColumnEntity:
      return "ENTITY";
    default:
      return "?";
  }
}

// Returns entries in the form of the dumps beside RocksDB's files.
std::string Dump(const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& entry : entries) {
    text += Hex(UserKeyOf(entry.key).ToStringView()) + " " +
            std::to_string(SequenceOf(entry.key)) + " " +
            DumpType(TypeOf(entry.key)) + " " + Hex(entry.value) + "\n";
  }
  return text;
}

std::string Embedded(const std::string& name) {
  return GoldenPath("embedded/" + name);
}

TEST(EmbeddedBlobs, FilesOfRocksDB) {
  for (const std::string name :
       {"emb-xxh3", "emb-entity-crc", "emb-zero-min", "emb-none"}) {
    SCOPED_TRACE(name);
    const std::string bytes = ReadFile(Embedded(name + ".sst"));
    const auto reader = OpenTable(bytes);
    std::vector<Entry> entries;
    Require(ReadForward(*reader, kAll, &entries));
    EXPECT_EQ(Dump(entries), ReadFile(Embedded(name + ".dump")));
    std::vector<Entry> backward;
    Require(ReadBackward(*reader, kAll, &backward));
    std::reverse(backward.begin(), backward.end());
    EXPECT_TRUE(backward == entries);
    uint64_t checked = 0;
    Require(reader->CheckEntries({}, nullptr, {}, &checked));
    EXPECT_EQ(checked, entries.size());
  }
}

TEST(EmbeddedBlobs, DamageEndsAWalk) {
  const std::string bytes = ReadFile(Embedded("emb-zero-min-bad.sst"));
  const auto reader = OpenTable(bytes);
  std::vector<Entry> entries;
  const Status status = ReadForward(*reader, kAll, &entries);
  EXPECT_EQ(entries.size(), 2u);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_EQ(status.message(),
            "test.sst: value of 'c' seq:0, type:17: block checksum mismatch in "
            "blob block offset 11 size 3000: stored = 3927156027, computed = "
            "3041125418, type = 0");
  uint64_t checked = 0;
  EXPECT_EQ(reader->CheckEntries({}, nullptr, {}, &checked).ToString(),
            status.ToString());
  EXPECT_EQ(checked, 2u);
  GetResult result;
  EXPECT_EQ(reader->Get("c", &result).ToString(), status.ToString());
  EXPECT_EQ(result.state, GetResult::State::kNotFound);
  entries.clear();
  Require(ReadForward(
      *reader, {.verify_checksums = false, .ignore_range_deletions = true},
      &entries));
  EXPECT_EQ(entries.size(), 3u);
}

// Entries of several versions, some with large values; and entities.
std::vector<Entry> RandomEntries(Random* random) {
  std::vector<Entry> entries;
  const size_t keys = random->Below(120) + 1;
  const auto value = [random] {
    const size_t most = random->OneIn(20) ? 100'000 : 800;
    return random->OneIn(2) ? random->Bytes(random->Below(30))
                            : random->Bytes(random->Below(most));
  };
  for (size_t i = 0; i < keys; ++i) {
    const std::string key = "key" + std::to_string(10'000 + i);
    for (SequenceNumber sequence = random->Below(4) + 1; sequence > 0;
         --sequence) {
      if (random->OneIn(8)) {
        std::string entity;
        const std::string a = value();
        const std::string b = value();
        Require(
            EncodeWideColumns({{"", a}, {"b", b}, {"c", "small"}}, &entity));
        entries.push_back(
            {MakeInternalKey(key, sequence, ValueType::kTypeWideColumnEntity),
             entity});
      } else if (random->OneIn(8)) {
        entries.push_back(Deletion(key, sequence));
      } else if (random->OneIn(8)) {
        entries.push_back(Operand(key, sequence, value()));
      } else {
        entries.push_back(Value(key, sequence, value()));
      }
    }
  }
  return entries;
}

TableOptions RandomOptions(Random* random) {
  constexpr uint64_t kSizes[] = {0, 1, 30, 300, 5000};
  TableOptions options = WithBlobs(random->Pick(kSizes));
  options.compression = random->OneIn(2) ? CompressionType::kNoCompression
                                         : DefaultCompressionType();
  options.block_size = random->OneIn(2) ? 256 : 4096;
  options.checksum = static_cast<ChecksumType>(random->Below(5));
  options.data_block_index_type =
      static_cast<DataBlockIndexType>(random->Below(2));
  options.separate_key_value_in_data_block = random->OneIn(4);
  if (random->OneIn(3)) options.index_type = IndexType::kTwoLevelIndexSearch;
  if (random->OneIn(4)) {
    options.index_type = IndexType::kBinarySearchWithFirstKey;
  }
  if (random->OneIn(4)) {
    options.super_block_alignment_size = 8192;
    options.super_block_alignment_space_overhead_ratio = 4;
  }
  if (random->OneIn(3) &&
      options.compression != CompressionType::kNoCompression) {
    options.compression_opts.max_dict_bytes = 2000;
  }
  return options;
}

struct Found {
  std::string status;
  GetResult::State state;
  ValueType type;
  SequenceNumber sequence;
  std::string value;
  std::string entity;
  bool is_blob_index;
  std::vector<std::string> operands;

  bool operator==(const Found&) const = default;
};

Found FoundOf(const Status& status, const GetResult& result,
              std::vector<std::string> operands) {
  return {std::string(status.message()),
          result.state,
          result.type,
          result.sequence,
          result.value.ToString(),
          result.entity.ToString(),
          result.is_blob_index,
          std::move(operands)};
}

Found Get(const TableReader& reader, const Slice& key,
          SequenceNumber snapshot) {
  GetResult result;
  std::vector<std::string> operands;
  const Status status = reader.Get({}, key, snapshot, &result,
                                   [&](const Slice& operand, SequenceNumber) {
                                     operands.push_back(operand.ToString());
                                     return true;
                                   });
  return FoundOf(status, result, operands);
}

void ExpectSameGets(const TableReader& blobs, const TableReader& plain,
                    const std::vector<Entry>& entries) {
  std::vector<Slice> keys;
  keys.reserve(entries.size() + 1);
  for (const Entry& entry : entries) keys.push_back(UserKeyOf(entry.key));
  keys.emplace_back("absent");
  for (const SequenceNumber snapshot :
       {kMaxSequenceNumber, SequenceNumber{2}}) {
    std::vector<GetResult> results(keys.size());
    std::vector<Status> statuses(keys.size());
    std::vector<std::vector<std::string>> operands(keys.size());
    blobs.MultiGet({}, keys, snapshot, results, statuses,
                   [&](size_t k, const Slice& operand, SequenceNumber) {
                     operands[k].push_back(operand.ToString());
                     return true;
                   });
    for (size_t k = 0; k < keys.size(); ++k) {
      const Found expected = Get(plain, keys[k], snapshot);
      EXPECT_TRUE(Get(blobs, keys[k], snapshot) == expected) << k;
      EXPECT_TRUE(FoundOf(statuses[k], results[k], operands[k]) == expected)
          << k;
    }
  }
}

// Walks with values that are pinned, or that the iterator keeps.
void ExpectSameWalks(const std::string& table,
                     const std::vector<Entry>& entries) {
  for (const bool pin_data : {false, true}) {
    auto reader = OpenTable(table);
    std::vector<Entry> backward;
    const ReadOptions options = {.pin_data = pin_data,
                                 .ignore_range_deletions = true};
    Require(ReadBackward(*reader, options, &backward));
    std::reverse(backward.begin(), backward.end());
    EXPECT_TRUE(backward == entries);
    std::vector<PinnableSlice> pinned(entries.size());
    std::vector<Slice> seen;
    {
      Iterator it = reader->NewIterator(options);
      it.SeekToFirst();
      for (size_t i = 0; i < entries.size(); ++i, it.Next()) {
        ASSERT_TRUE(it.Valid()) << it.status().ToString();
        EXPECT_EQ(it.key(), Slice(entries[i].key));
        EXPECT_EQ(it.IsValuePinned(), pin_data);
        seen.push_back(it.value());
        Require(it.PinValue(&pinned[i]));
      }
      EXPECT_FALSE(it.Valid());
      Require(it.status());
      for (size_t i = 0; pin_data && i < entries.size(); ++i) {
        EXPECT_EQ(seen[i], Slice(entries[i].value));
      }
      for (size_t i = 0; i < entries.size(); i += 7) {
        it.Seek(UserKeyOf(entries[i].key), SequenceOf(entries[i].key));
        ASSERT_TRUE(it.Valid());
        EXPECT_EQ(it.value(), Slice(entries[i].value));
      }
    }
    reader.reset();
    for (size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(pinned[i].ToString(), entries[i].value) << i;
    }
  }
}

uint64_t CountBlobs(const TableInspection& found) {
  return static_cast<uint64_t>(
      std::count_if(found.blocks.begin(), found.blocks.end(),
                    [](const auto& b) { return b.kind == BlockKind::kBlob; }));
}

TEST(EmbeddedBlobs, ReadsGiveWhatTheyGiveWithoutBlobs) {
  uint64_t blobs = 0;
  ForEachSeed(1, 120, [&](uint64_t seed) {
    Random random(seed);
    const std::vector<Entry> entries = RandomEntries(&random);
    TableOptions options = RandomOptions(&random);
    const std::string table = BuildTable(options, entries);
    for (const uint32_t workers : {1u, 3u}) {
      BuildOptions build = FixedBuild();
      build.workers = workers;
      EXPECT_TRUE(BuildTable(options, entries, build) == table);
    }
    const auto reader = OpenTable(table);
    options.embedded_blob_options.enable = false;
    const auto plain = OpenTable(BuildTable(options, entries));
    std::vector<Entry> forward;
    Require(ReadForward(*reader, kAll, &forward));
    EXPECT_TRUE(forward == entries);
    ExpectSameGets(*reader, *plain, entries);
    ExpectSameWalks(table, entries);
    uint64_t checked = 0;
    WorkerPool pool(2);
    Require(reader->CheckEntries({}, &pool, {}, &checked));
    EXPECT_EQ(checked, entries.size());
    EXPECT_EQ(CanonicalDump(ReadReferenceTable(table)), CanonicalDump(entries));

    const auto file = NewMemoryFile("test.sst", table);
    TableInspection found;
    Require(InspectTable(*file, {.worker_pool = &pool}, &found));
    for (const TableFault& fault : found.faults) {
      ADD_FAILURE() << fault.status.ToString();
    }
    EXPECT_EQ(found.unreferenced_blob_bytes, 0u);
    EmbeddedBlobStats stats;
    const auto& user = reader->properties().user_collected_properties;
    const auto property = user.find(std::string(kEmbeddedBlobStatsProperty));
    if (property != user.end()) {
      Require(DecodeEmbeddedBlobStats(property->second, &stats));
      EXPECT_GT(stats.count, 0u);
    }
    EXPECT_EQ(CountBlobs(found), stats.count);
    blobs += stats.count;
  });
  EXPECT_GT(blobs, 5000u);
}

TEST(EmbeddedBlobs, WhatIsEmbedded) {
  std::string entity;
  Require(EncodeWideColumns({{"", "12345"}, {"x", "1234"}}, &entity));
  std::string table = BuildTable(
      WithBlobs(5),
      {Value("a", 1, "12345"),
       Value("b", 1, "1234"),
       Operand("c", 1, "123456"),
       {MakeInternalKey("d", 1, ValueType::kTypeWideColumnEntity), entity},
       RangeDeleted("e", 1, "zzzzzzz")});
  const auto reader = OpenTable(table);
  EmbeddedBlobStats stats;
  Require(
      DecodeEmbeddedBlobStats(reader->properties().user_collected_properties.at(
                                  std::string(kEmbeddedBlobStatsProperty)),
                              &stats));
  EXPECT_EQ(stats.count, 2u);
  EXPECT_EQ(stats.bytes, 10u);
  EXPECT_EQ(reader->properties().index_value_is_delta_encoded, 0u);
  // The first blob is the first thing in the file.
  EXPECT_EQ(table.substr(0, 5), "12345");
  EXPECT_FALSE(OpenTable(BuildTable(WithBlobs(50), {Value("a", 1, "12345")}))
                   ->properties()
                   .user_collected_properties.contains(
                       std::string(kEmbeddedBlobStatsProperty)));
}

// A reference may not come before an entry with the same sequence number.
TEST(EmbeddedBlobs, OrderOfEqualSequenceNumbers) {
  const std::vector<Entry> entries = {Operand("k", 5, "operand"),
                                      Value("k", 5, "value"), Deletion("k", 5),
                                      Value("k", 4, "old")};
  const std::string table = BuildTable(WithBlobs(0), entries);
  std::vector<Entry> forward;
  Require(ReadForward(*OpenTable(table), kAll, &forward));
  EXPECT_TRUE(forward == entries);
}

// An equal key is refused, whether or not either value is stored apart.
TEST(EmbeddedBlobs, EqualKeysAreRefused) {
  for (const std::string first : {"1", "12345"}) {
    for (const std::string second : {"1", "12345"}) {
      std::string bytes;
      const auto file = NewMemoryWritableFile("t.sst", &bytes);
      auto builder =
          TableBuilder::Create(WithBlobs(5), FixedBuild(), file.get());
      Require(builder.status());
      const std::string key = MakeInternalKey("k", 5, ValueType::kTypeValue);
      Require((*builder)->Add(key, first));
      const Status status = (*builder)->Add(key, second);
      EXPECT_EQ(status.subcode(), Status::SubCode::kDuplicateKey);
      EXPECT_EQ(status.message(),
                "entry 2: key 'k' seq:5, type:1 is not larger than the last "
                "one, 'k' seq:5, type:1");
      const auto operand = MakeInternalKey("k", 5, ValueType::kTypeMerge);
      EXPECT_EQ((*builder)->Add(operand, second).subcode(),
                Status::SubCode::kKeyOutOfOrder);
      Require((*builder)->Finish());
    }
  }
}

TEST(EmbeddedBlobs, ImpossibleOptions) {
  TableOptions options = WithBlobs(0);
  options.format_version = 6;
  EXPECT_EQ(options.Validate().message(),
            "embedded_blob_options.enable is true, but format_version is 6, "
            "expected 7");
  options.format_version = 7;
  options.block_align = true;
  options.compression = CompressionType::kNoCompression;
  EXPECT_TRUE(options.Validate().IsInvalidArgument());
  options.block_align = false;
  options.target_rocksdb = RocksDBRelease{11, 5};
  EXPECT_TRUE(options.Validate().IsInvalidArgument());
  options.target_rocksdb = RocksDBRelease{11, 6};
  Require(options.Validate());
}

// Such a walk has no target: whichever seek comes after which, the status says
// what is wrong.
TEST(EmbeddedBlobs, ImpossibleReadOptionsAreAnErrorOfEverySeek) {
  const auto reader = OpenTable(
      BuildTable(WithBlobs(1), {Value("a-long-enough-key", 1, "value")}));
  ReadOptions options;
  const std::string timestamp = "8 bytes.";
  options.timestamp = timestamp;
  Iterator it = reader->NewIterator(options);
  for (int i = 0; i < 2; ++i) {
    it.Seek("a");
    EXPECT_FALSE(it.Valid());
    it.SeekForPrev("a-key-that-needs-memory-of-its-own");
    EXPECT_FALSE(it.Valid());
  }
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsInvalidArgument()) << it.status().ToString();
}

TEST(EmbeddedBlobs, ReferencesToBlobFilesStay) {
  std::string reference;
  BlobIndex index;
  index.file_number = 12;
  index.size = 7;
  AppendBlobIndex(index, &reference);
  const auto type = ValueType::kTypeBlobIndex;
  const std::vector<Entry> entries = {
      {MakeInternalKey("a", 1, type), reference}, Value("b", 1, "value")};
  const auto reader = OpenTable(BuildTable(WithBlobs(0), entries));
  std::vector<Entry> forward;
  Require(ReadForward(*reader, kAll, &forward));
  EXPECT_TRUE(forward == entries);
  GetResult result;
  Require(reader->Get("a", &result));
  EXPECT_TRUE(result.is_blob_index);
  EXPECT_EQ(result.value.ToString(), reference);
  Require(reader->Get("b", &result));
  EXPECT_FALSE(result.is_blob_index);
  EXPECT_EQ(result.type, ValueType::kTypeValue);
}

TEST(EmbeddedBlobs, AFileThatFails) {
  const std::vector<Entry> entries = {Value("a", 1, std::string(300, 'a')),
                                      Value("b", 1, std::string(70'000, 'b')),
                                      Value("c", 1, "c")};
  const std::string table = BuildTable(WithBlobs(100), entries);
  using Kind = FaultPlan::Kind;
  for (const Kind kind :
       {Kind::kError, Kind::kNothing, Kind::kOneByte, Kind::kOneShort}) {
    uint64_t failed = 0;
    FaultPlan plan{.kind = kind};
    do {
      plan = {.fail_at = plan.fail_at + 1, .kind = kind};
      auto reader = TableReader::Open(NewFaultyFile("t.sst", table, &plan));
      if (!reader.ok()) continue;
      std::vector<Entry> seen;
      Status status = ReadForward(**reader, kAll, &seen);
      failed += status.ok() ? 0 : 1;
      EXPECT_TRUE(status.ok() || status.IsIOError() || status.IsCorruption());
      for (size_t i = 0; i < seen.size(); ++i)
        EXPECT_TRUE(seen[i] == entries[i]);
      EXPECT_EQ(seen.size() == entries.size(), status.ok());
      GetResult result;
      status = (*reader)->Get("b", &result);
      failed += status.ok() ? 0 : 1;
      if (status.ok()) {
        EXPECT_EQ(result.value.ToString(), entries[1].value);
      }
    } while (plan.faults != 0);
    EXPECT_GT(failed, 2u);
  }
}

TEST(EmbeddedBlobs, ExternalFiles) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("t.sst", &bytes);
  auto writer = ExternalFileWriter::Create(file.get(), WithBlobs(3));
  Require(writer.status());
  Require((*writer)->Put("k", "value"));
  EXPECT_TRUE((*writer)->Put("k", "again").IsInvalidArgument());
  Require((*writer)->PutEntity("l", {{"", "ab"}, {"col", "cde"}}));
  Require((*writer)->Finish());
  const auto file_again = NewMemoryFile("t.sst", bytes);
  TableInspection found;
  Require(InspectTable(*file_again, {}, &found));
  EXPECT_TRUE(found.faults.empty());
  EXPECT_EQ(CountBlobs(found), 2u);
  // What was refused left nothing in the file.
  EXPECT_EQ(found.unreferenced_blob_bytes, 0u);
}

}  // namespace
}  // namespace ashlar::testing
