// Builds random tables and reads them back. The result is compared with a
// sorted model, and with the reference reader, which shares no code with the
// library.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "table/format/block_alignment.h"
#include "test/support/faulty_file.h"
#include "test/support/folder.h"
#include "test/support/random_table.h"
#include "test/support/reference_reader.h"
#include "util/coding/coding.h"

namespace ashlar::testing {
namespace {

// The caller must pass a comparator that is not built in.
ReaderOptions ReaderOptionsFor(const TableOptions& options) {
  ReaderOptions reader_options;
  if (FindBuiltinComparator(options.comparator->Name()) == nullptr) {
    reader_options.comparator = options.comparator;
  }
  return reader_options;
}

// A file may return a slice of its own memory, or copy the bytes to the
// caller's buffer. This opens either kind.
std::unique_ptr<TableReader> OpenEitherWay(const std::string& bytes,
                                           const ReaderOptions& options,
                                           bool copied) {
  static FaultPlan no_faults;
  auto reader =
      TableReader::Open(copied ? NewFaultyFile("copied.sst", bytes, &no_faults)
                               : NewMemoryFile("memory.sst", bytes),
                        options);
  Require(reader.status());
  return std::move(reader).value();
}

void ExpectAt(const Iterator& it, const Model& model, int64_t position) {
  const bool inside =
      position >= 0 && position < static_cast<int64_t>(model.entries().size());
  ASSERT_TRUE(it.status().ok()) << it.status().ToString();
  ASSERT_EQ(it.Valid(), inside);
  if (!inside) return;
  const Entry& expected = model.entries()[static_cast<size_t>(position)];
  ASSERT_TRUE(it.key() == Slice(expected.key))
      << "found " << DescribeInternalKey(it.key()) << ", expected "
      << DescribeInternalKey(expected.key);
  ASSERT_TRUE(it.value() == Slice(expected.value));
}

SequenceNumber RandomSnapshot(Random* random) {
  constexpr SequenceNumber kSome[] = {0, 1, 7, kMaxSequenceNumber};
  return random->OneIn(2) ? random->Pick(kSome) : random->Below(500);
}

// Seeks, and walks that change direction.
void CheckWalks(const TableReader& reader, const Model& model,
                const ReadOptions& options, Random* random) {
  constexpr int kWalks = 40;
  constexpr uint64_t kLongest = 12;
  Iterator it = reader.NewIterator(options);
  ASSERT_FALSE(it.Valid());
  const auto size = static_cast<int64_t>(model.entries().size());
  for (int walk = 0; walk < kWalks; ++walk) {
    const std::string target = RandomTarget(model, random);
    const SequenceNumber snapshot = RandomSnapshot(random);
    int64_t position = 0;
    switch (random->Below(6)) {
      case 0:
        it.SeekToFirst();
        break;
      case 1:
        it.SeekToLast();
        position = size - 1;
        break;
      case 2:
      case 3:
        it.Seek(target, snapshot);
        position = static_cast<int64_t>(model.Seek(target, snapshot));
        break;
      default:
        it.SeekForPrev(target, snapshot);
        position = model.SeekForPrev(target, snapshot);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectAt(it, model, position));
    bool forward = random->OneIn(2);
    for (uint64_t steps = random->Below(kLongest); steps > 0 && it.Valid();
         --steps) {
      if (random->OneIn(4)) forward = !forward;
      forward ? it.Next() : it.Prev();
      position += forward ? 1 : -1;
      ASSERT_NO_FATAL_FAILURE(ExpectAt(it, model, position));
    }
  }
}

void CheckGet(const TableReader& reader, const Model& model,
              const ReadOptions& options, const std::string& user_key,
              SequenceNumber snapshot) {
  const ModelAnswer expected = model.Get(user_key, snapshot);
  GetResult result;
  std::vector<std::string> operands;
  const Status status =
      reader.Get(options, user_key, snapshot, &result,
                 [&](const Slice& operand, SequenceNumber sequence) {
                   EXPECT_LE(sequence, snapshot);
                   operands.push_back(operand.ToString());
                   return true;
                 });
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(result.state, expected.state) << "snapshot " << snapshot;
  ASSERT_EQ(operands, expected.operands);
  ASSERT_EQ(result.value.ToString(), expected.value);
  if (expected.state != GetResult::State::kNotFound) {
    ASSERT_EQ(result.sequence, expected.sequence);
    ASSERT_NE(result.filter, GetResult::Filter::kAbsent);
    ASSERT_GT(result.data_blocks_read, 0u);
  }
  // Get without a callback must not drop operands silently.
  const Status bare = reader.Get(options, user_key, snapshot, &result);
  ASSERT_EQ(bare.IsMergeInProgress(), !operands.empty()) << bare.ToString();
}

void CheckGets(const TableReader& reader, const Model& model,
               const ReadOptions& options, Random* random) {
  constexpr int kGets = 60;
  for (int i = 0; i < kGets; ++i) {
    ASSERT_NO_FATAL_FAILURE(CheckGet(reader, model, options,
                                     RandomTarget(model, random),
                                     RandomSnapshot(random)));
  }
}

void CheckOffsets(const TableReader& reader, const Model& model) {
  uint64_t last = 0;
  for (const Entry& entry : model.entries()) {
    const uint64_t offset = reader.ApproximateOffsetOf(UserKeyOf(entry.key));
    ASSERT_GE(offset, last);
    ASSERT_LT(offset, reader.properties().data_size);
    last = offset;
  }
}

uint64_t NumberProperty(const ReferenceTable& table, const std::string& name) {
  const auto found = table.properties.find("rocksdb." + name);
  uint64_t number = ~uint64_t{0};
  if (found == table.properties.end()) return number;
  internal::Decoder decoder(found->second);
  EXPECT_TRUE(decoder.Varint64(&number)) << name;
  return number;
}

// Compares the counts among the properties with those of the entries.
void CheckCounts(const ReferenceTable& reference, const TableOptions& options,
                 const Model& model) {
  uint64_t deletions = 0;
  uint64_t operands = 0;
  uint64_t key_bytes = 0;
  uint64_t value_bytes = 0;
  uint64_t largest = 0;
  uint64_t smallest = model.entries().empty() ? 0 : kMaxSequenceNumber;
  for (const Entry& entry : model.entries()) {
    const ValueType type = TypeOf(entry.key);
    if (type == ValueType::kTypeMerge) ++operands;
    if (type == ValueType::kTypeDeletion ||
        type == ValueType::kTypeSingleDeletion) {
      ++deletions;
    }
    key_bytes += entry.key.size();
    value_bytes += entry.value.size();
    largest = std::max(largest, SequenceOf(entry.key));
    smallest = std::min(smallest, SequenceOf(entry.key));
  }
  const std::pair<const char*, uint64_t> expected[] = {
      {"num.entries", model.entries().size()},
      {"deleted.keys", deletions},
      {"merge.operands", operands},
      {"raw.key.size", key_bytes},
      {"raw.value.size", value_bytes},
      {"key.largest.seqno", largest},
      {"key.smallest.seqno", smallest},
      {"num.data.blocks", reference.index.size()},
      {"num.range-deletions", 0},
  };
  for (const auto& [name, number] : expected) {
    // References count, not what they refer to.
    if (options.embedded_blob_options.enable && name == expected[4].first) {
      continue;
    }
    EXPECT_EQ(NumberProperty(reference, name), number) << name;
  }
  uint64_t data_size = 0;
  if (!reference.index.empty()) {
    const auto& [offset, size] = reference.index.back().second;
    data_size =
        offset + size + 5 + internal::BlockAlignment(options).After(size);
  }
  EXPECT_EQ(NumberProperty(reference, "data.size"), data_size);
  EXPECT_EQ(NumberProperty(reference, "tail.start.offset"), data_size);
}

void CheckReference(const RandomTable& table, const std::string& bytes) {
  if (table.options.comparator == ShorterFirstComparator()) return;
  ReferenceTable reference;
  try {
    reference = ReadReferenceTable(bytes);
  } catch (const std::exception& error) {
    FAIL() << "reference reader: " << error.what();
  }
  EXPECT_EQ(reference.format_version, table.options.format_version);
  EXPECT_EQ(CanonicalDump(reference), CanonicalDump(table.model.entries()));
  CheckCounts(reference, table.options, table.model);
  // A filter to which nothing was added is not stored.
  const bool filtered = table.options.filter != FilterType::kNone &&
                        NumberProperty(reference, "num.filter_entries") != 0;
  EXPECT_EQ(reference.filter.empty(),
            !filtered || table.options.partition_filters);
  EXPECT_EQ(reference.filter_partitions.empty(),
            !filtered || !table.options.partition_filters);
}

// Reads the table back in every way.
void CheckReader(const RandomTable& table, const std::string& bytes,
                 Random* random) {
  constexpr uint64_t kReadaheads[] = {0, 0, 1, 4096, uint64_t{1} << 40};
  ReaderOptions reader_options = ReaderOptionsFor(table.options);
  reader_options.block_cache = AnyBlockCache(random->Next());
  const std::unique_ptr<TableReader> reader =
      OpenEitherWay(bytes, reader_options, random->OneIn(2));
  const ReadOptions options{.verify_checksums = !random->OneIn(4),
                            .readahead_size = random->Pick(kReadaheads),
                            .async_io = random->OneIn(2)};
  EXPECT_EQ(reader->format_version(), table.options.format_version);
  EXPECT_EQ(reader->checksum_type(), table.options.checksum);
  EXPECT_EQ(reader->properties().num_entries, table.model.entries().size());

  std::vector<Entry> entries;
  const Status forward = ReadForward(*reader, options, &entries);
  ASSERT_TRUE(forward.ok()) << forward.ToString();
  ASSERT_TRUE(entries == table.model.entries());
  entries.clear();
  const Status backward = ReadBackward(*reader, options, &entries);
  ASSERT_TRUE(backward.ok()) << backward.ToString();
  std::reverse(entries.begin(), entries.end());
  ASSERT_TRUE(entries == table.model.entries());

  ASSERT_NO_FATAL_FAILURE(CheckWalks(*reader, table.model, options, random));
  ASSERT_NO_FATAL_FAILURE(CheckGets(*reader, table.model, options, random));
  ASSERT_NO_FATAL_FAILURE(CheckOffsets(*reader, table.model));
  const Status sums = reader->VerifyChecksum(options);
  ASSERT_TRUE(sums.ok()) << sums.ToString();
  TableInspection found;
  ASSERT_TRUE(InspectTable(reader->file(), {}, &found).ok());
  for (const TableFault& fault : found.faults) {
    ADD_FAILURE() << fault.status.ToString();
  }
}

void CheckRandomTable(const RandomTable& table, Random* random) {
  SCOPED_TRACE(table.description);
  const std::string bytes =
      BuildTable(table.options, table.model.entries(), FixedBuild());
  CheckReference(table, bytes);
  CheckReader(table, bytes, random);
}

TEST(Roundtrip, RandomTables) {
  constexpr uint64_t kFirstSeed = 1;
  constexpr uint64_t kSeeds = 400;
  ForEachSeed(kFirstSeed, kSeeds, [](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    CheckRandomTable(table, &random);
  });
}

// Checks these entries with every format version and codec.
void CheckEverywhere(const std::vector<Entry>& entries) {
  Random random(17);
  for (uint32_t version = kMinFormatVersion; version <= kMaxFormatVersion;
       ++version) {
    for (const CompressionType codec : SupportedCompressionTypes()) {
      TableOptions options;
      options.format_version = version;
      options.compression = codec;
      const std::string description = "format " + std::to_string(version) +
                                      ", " +
                                      std::string(CompressionTypeName(codec));
      CheckRandomTable(
          {options, Model(BytewiseComparator(), entries), description},
          &random);
    }
  }
}

TEST(Roundtrip, EmptyTable) { CheckEverywhere({}); }

TEST(Roundtrip, OneEntry) { CheckEverywhere({Value("k", 1, "v")}); }

TEST(Roundtrip, OneEmptyKeyWithAnEmptyValue) {
  CheckEverywhere({Value("", 0, "")});
}

TEST(Roundtrip, EmptyKeyInManyVersions) {
  CheckEverywhere({Value("", 9, ""), Deletion("", 8), Operand("", 7, "o"),
                   Value("", 1, "old"), Value(std::string(1, '\0'), 3, "z")});
}

TEST(Roundtrip, KeyOf64KiBAndValueOf2MiB) {
  Random random(5);
  const std::string text = random.Text(size_t{2} << 20);
  const std::string long_key = random.Bytes(size_t{64} << 10);
  for (const uint32_t version : {2u, 6u}) {
    for (const CompressionType codec : SupportedCompressionTypes()) {
      TableOptions options;
      options.format_version = version;
      options.compression = codec;
      Model model(BytewiseComparator(),
                  {Value("a", 1, "first"), Value(long_key, 2, "long"),
                   Value(long_key + "x", 2, text),
                   Value("m", 3, random.Bytes(size_t{2} << 20)),
                   Value("z", 1, "last")});
      CheckRandomTable({options, std::move(model), "large"}, &random);
    }
  }
}

TEST(Roundtrip, KeysThatShare10KiB) {
  std::vector<Entry> entries;
  const std::string prefix(10240, 'p');
  entries.reserve(60);
  for (int i = 0; i < 60; ++i) {
    entries.push_back(Value(prefix + std::to_string(100 + i), 4, "v"));
  }
  CheckEverywhere(entries);
}

// One restart interval has more bytes of keys than a walk backward holds in
// memory at once.
TEST(Roundtrip, BackwardThroughHugeRestartInterval) {
  std::vector<Entry> entries;
  const std::string prefix(size_t{64} << 10, 'p');
  entries.reserve(700);
  for (int i = 0; i < 700; ++i) {
    entries.push_back(Value(prefix + std::to_string(1000 + i), 4, "v"));
  }
  TableOptions options;
  options.block_restart_interval = 1000;
  options.block_size = uint64_t{1} << 20;
  options.filter = FilterType::kNone;
  const auto reader = OpenTable(BuildTable(options, entries));
  ASSERT_EQ(reader->properties().num_data_blocks, 1u);
  std::vector<Entry> backward;
  const Status status = ReadBackward(*reader, {}, &backward);
  ASSERT_TRUE(status.ok()) << status.ToString();
  std::reverse(backward.begin(), backward.end());
  EXPECT_TRUE(backward == entries);
}

// The versions of one user key are in many blocks. Get finds each of them in
// whatever block it is.
TEST(Roundtrip, VersionsOfOneKeySpanBlocks) {
  std::vector<Entry> entries = {Value("a", 1, "before")};
  for (SequenceNumber sequence = 300; sequence > 0; --sequence) {
    entries.push_back(
        sequence % 50 == 0
            ? Value("key", sequence, "value" + std::to_string(sequence))
            : Operand("key", sequence, "operand" + std::to_string(sequence)));
  }
  entries.push_back(Value("z", 1, "behind"));
  Random random(3);
  for (uint32_t version = kMinFormatVersion; version <= kMaxFormatVersion;
       ++version) {
    TableOptions options;
    options.format_version = version;
    options.block_size = 100;
    const std::string bytes = BuildTable(options, entries);
    const Model model(BytewiseComparator(), entries);
    const auto reader = OpenTable(bytes);
    EXPECT_EQ(reader->properties().index_key_is_user_key, 0u);
    EXPECT_GT(reader->properties().num_data_blocks, 50u);
    for (SequenceNumber snapshot = 0; snapshot <= 301; ++snapshot) {
      ASSERT_NO_FATAL_FAILURE(CheckGet(*reader, model, {}, "key", snapshot));
    }
    CheckRandomTable({options, model, "spanning"}, &random);
  }
}

TEST(Roundtrip, ValuesOutliveTheReader) {
  auto reader = OpenTable(BuildTable({}, SomeEntries(100)));
  GetResult first;
  GetResult second;
  ASSERT_TRUE(reader->Get("key00007", &first).ok());
  ASSERT_TRUE(reader->Get("key00093", &second).ok());
  const PinnableSlice moved = std::move(first.value);
  reader.reset();
  EXPECT_EQ(moved.ToString(), "value7");
  EXPECT_EQ(second.value.ToString(), "value93");
}

TEST(Roundtrip, MappedFile) {
  const TestFolder folder;
  const std::string path = folder / "mapped.sst";
  const std::vector<Entry> written = SomeEntries(10000);
  WriteFile(path, BuildTable({}, written));
  auto reader = TableReader::Open(path, {.allow_mmap_reads = true});
  Require(reader.status());
  // Only a mapped file can be read without a buffer.
  Slice magic;
  ASSERT_TRUE((*reader)->file().Read(0, 8, nullptr, &magic).ok());
  std::vector<Entry> entries;
  Require(ReadForward(**reader, {}, &entries));
  EXPECT_TRUE(entries == written);
  GetResult result;
  Require((*reader)->Get("key00093", &result));
  reader->reset();
  EXPECT_EQ(result.value.ToString(), "value93");
}

TEST(Roundtrip, CallbackEndsTheReadOfOperands) {
  const auto reader = OpenTable(BuildTable(
      {}, {Operand("k", 9, "c"), Operand("k", 8, "b"), Value("k", 1, "a")}));
  GetResult result;
  int calls = 0;
  ASSERT_TRUE(reader
                  ->Get({}, "k", kMaxSequenceNumber, &result,
                        [&](const Slice&, SequenceNumber) {
                          ++calls;
                          return false;
                        })
                  .ok());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(result.state, GetResult::State::kMerged);
  EXPECT_EQ(result.sequence, 9u);
}

TEST(Roundtrip, OffsetsGoFromTheFirstBlockToTheEndOfTheData) {
  TableOptions options;
  options.block_size = 100;
  const auto reader = OpenTable(BuildTable(options, SomeEntries(200)));
  EXPECT_EQ(reader->ApproximateOffsetOf(""), 0u);
  EXPECT_EQ(reader->ApproximateOffsetOf("key00000"), 0u);
  EXPECT_GT(reader->ApproximateOffsetOf("key00100"), 0u);
  EXPECT_LT(reader->ApproximateOffsetOf("key00100"),
            reader->ApproximateOffsetOf("key00150"));
  EXPECT_EQ(reader->ApproximateOffsetOf("zzz"), reader->properties().data_size);
  const auto empty = OpenTable(BuildTable({}, {}));
  EXPECT_EQ(empty->ApproximateOffsetOf("a"), 0u);
}

TEST(Roundtrip, FilterRulesOutMostAbsentKeys) {
  const auto reader = OpenTable(BuildTable({}, SomeEntries(2000)));
  int ruled_out = 0;
  for (int i = 0; i < 2000; ++i) {
    GetResult result;
    ASSERT_TRUE(reader->Get("absent" + std::to_string(i), &result).ok());
    ASSERT_EQ(result.state, GetResult::State::kNotFound);
    if (result.filter == GetResult::Filter::kAbsent) {
      ++ruled_out;
      EXPECT_EQ(result.data_blocks_read, 0u);
    }
  }
  EXPECT_GT(ruled_out, 1900);
}

}  // namespace
}  // namespace ashlar::testing
