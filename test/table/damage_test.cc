// Tests damaged files. Reading one gives an error or exactly the right entries,
// and never anything else.
//
// Small tables are cut off at every byte, lengthened, and changed in every
// single bit. Damage that only a checksum would catch is also made at random
// places with right checksums. Any answer is allowed then, as long as the read
// ends, shows its entries in order, and takes little memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "table/format/footer.h"
#include "test/support/random.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

// AddressSanitizer calls this function where it is linked in. The tables here
// have a few KiB, so no reader of them may allocate 64 MiB at once.
extern "C" __attribute__((visibility("default"))) const char*
__asan_default_options();               // NOLINT
const char* __asan_default_options() {  // NOLINT
  return "max_allocation_size_mb=64";
}

namespace ashlar::testing {
namespace {

constexpr uint64_t kMaxBlockBytes = uint64_t{1} << 20;

// Has several versions of keys, some deletions, and enough for several blocks.
std::vector<Entry> SmallEntries() {
  return {Value("apple", 9, "red, or green, or yellow"),
          Value("apple", 3, "green"),
          Deletion("apricot", 4),
          Value("banana", 5, std::string(40, 'y')),
          Operand("cherry", 8, "dark"),
          Operand("cherry", 7, "small"),
          Value("cherry", 2, "red"),
          Value("date", 1, "brown"),
          Value("elderberry", 6, std::string(60, 'b')),
          Value("fig", 6, "")};
}

struct SmallTable {
  uint32_t format_version;
  CompressionType compression;
  ChecksumType checksum;
  IndexType index_type = IndexType::kBinarySearch;
  // Data blocks have a hash index and separated values.
  bool special_blocks = false;
  uint32_t max_dict_bytes = 0;

  TableOptions Options() const {
    TableOptions options;
    options.index_type = index_type;
    // Each partition then has one or two data blocks.
    options.metadata_block_size = 40;
    options.format_version = format_version;
    options.compression = compression;
    options.checksum = checksum;
    options.block_size = 90;
    options.block_restart_interval = 2;
    if (special_blocks) {
      options.data_block_index_type =
          DataBlockIndexType::kDataBlockBinaryAndHash;
      options.separate_key_value_in_data_block = true;
    }
    // Blocks as small as these are then stored compressed.
    options.compression_opts.max_compressed_bytes_per_kb = 1023;
    options.compression_opts.max_dict_bytes = max_dict_bytes;
    return options;
  }
  std::string Build() const { return BuildTable(Options(), SmallEntries()); }
  std::string Describe() const {
    return "format " + std::to_string(format_version) + ", " +
           std::string(CompressionTypeName(compression)) + ", " +
           std::string(ChecksumTypeName(checksum)) + ", index type " +
           std::to_string(static_cast<int>(index_type)) +
           (special_blocks ? ", hash index, values apart" : "") +
           ", dictionary " + std::to_string(max_dict_bytes);
  }
};

using enum CompressionType;
using enum ChecksumType;
using enum IndexType;

// What happened when a file was read in every way.
struct Outcome {
  bool opened = false;
  bool any_error = false;
  bool inspected_well = false;
  // The first error.
  Status error;

  void Take(const Status& status) {
    if (!status.ok() && !any_error) error = status;
    any_error |= !status.ok();
  }
};

void ExpectLocated(const Status& status) {
  ASSERT_TRUE(status.IsCorruption() || status.IsNotSupported())
      << status.ToString();
  ASSERT_TRUE(status.message().starts_with("test.sst: ")) << status.ToString();
  ASSERT_NE(status.message().find(" block"), std::string_view::npos)
      << status.ToString();
  ASSERT_NE(status.message().find(" offset "), std::string_view::npos)
      << status.ToString();
}

// Walks in one direction from end to end. Sets `right` to whether the entries
// were right. Entries before an error must be right too.
Status WalkSmallTable(const TableReader& reader, const ReadOptions& options,
                      bool backward, bool* right) {
  static const std::vector<Entry> expected = SmallEntries();
  static Entry found;  // copying reads all bytes; memory is used again
  size_t n = 0;
  *right = true;
  Iterator it = reader.NewIterator(options);
  backward ? it.SeekToLast() : it.SeekToFirst();
  for (; it.Valid(); backward ? it.Prev() : it.Next()) {
    found.key.assign(it.key().data(), it.key().size());
    found.value.assign(it.value().data(), it.value().size());
    *right &= n < expected.size() &&
              found == expected[backward ? expected.size() - 1 - n : n];
    ++n;
  }
  Status status = it.status();
  if (status.ok()) *right &= n == expected.size();
  return status;
}

void CheckScans(const TableReader& reader, const ReadOptions& options,
                Outcome* outcome) {
  for (const bool backward : {false, true}) {
    bool right;
    outcome->Take(WalkSmallTable(reader, options, backward, &right));
    ASSERT_TRUE(right || !options.verify_checksums)
        << (backward ? "backward" : "forward");
  }
}

void CheckGets(const TableReader& reader, const ReadOptions& options,
               Outcome* outcome) {
  using State = GetResult::State;
  struct Case {
    const char* key;
    State state;
    std::string value;
    size_t operands;
  };
  static const Case cases[] = {
      {"apple", State::kFound, "red, or green, or yellow", 0},
      {"apricot", State::kDeleted, "", 0},
      {"cherry", State::kFound, "red", 2},
      {"fig", State::kFound, "", 0},
      {"aardvark", State::kNotFound, "", 0},
      {"grape", State::kNotFound, "", 0},
  };
  for (const Case& c : cases) {
    GetResult result;
    size_t operands = 0;
    const Status status = reader.Get(options, c.key, kMaxSequenceNumber,
                                     &result, [&](const Slice&, uint64_t) {
                                       ++operands;
                                       return true;
                                     });
    outcome->Take(status);
    if (!status.ok() || !options.verify_checksums) continue;
    ASSERT_TRUE(result.state == c.state &&
                result.value.slice() == Slice(c.value) &&
                operands == c.operands)
        << c.key;
  }
}

void CheckSeeks(const TableReader& reader, const ReadOptions& options,
                Outcome* outcome) {
  const std::pair<const char*, const char*> cases[] = {
      {"b", "banana"}, {"cherry", "cherry"}, {"dz", "elderberry"}};
  Iterator it = reader.NewIterator(options);
  for (const auto& [target, expected] : cases) {
    it.Seek(target);
    outcome->Take(it.status());
    if (!it.status().ok() || !options.verify_checksums) continue;
    ASSERT_TRUE(it.Valid());
    ASSERT_EQ(it.user_key().ToStringView(), expected);
    it.Prev();
    outcome->Take(it.status());
    if (!it.status().ok()) continue;
    ASSERT_TRUE(it.Valid());
    ASSERT_LT(it.user_key().ToStringView(), expected);
  }
}

// Reads the file in every way.
void ReadAll(const std::string& bytes, const ReadOptions& options,
             Outcome* outcome) {
  *outcome = Outcome();
  TableInspection found;
  const Status inspected =
      InspectTable(*NewMemoryFile("test.sst", bytes),
                   {.max_uncompressed_block_bytes = kMaxBlockBytes}, &found);
  ASSERT_TRUE(inspected.ok()) << inspected.ToString();
  outcome->inspected_well = found.faults.empty();
  auto opened =
      OpenBytes(bytes, {.max_uncompressed_block_bytes = kMaxBlockBytes});
  outcome->opened = opened.ok();
  outcome->Take(opened.status());
  if (opened.ok()) {
    const TableReader& reader = **opened;
    ASSERT_NO_FATAL_FAILURE(CheckScans(reader, options, outcome));
    ASSERT_NO_FATAL_FAILURE(CheckGets(reader, options, outcome));
    ASSERT_NO_FATAL_FAILURE(CheckSeeks(reader, options, outcome));
    outcome->Take(reader.VerifyChecksum());
  }
  if (outcome->any_error) ExpectLocated(outcome->error);
}

constexpr SmallTable kTables[] = {
    {2, kNoCompression, kCRC32c},
    {3, kSnappyCompression, kxxHash},
    {5, kLZ4Compression, kXXH3},
    {6, kZSTD, kXXH3},
    {6, kNoCompression, kXXH3},
    {7, kLZ4Compression, kxxHash64},
    {7, kZSTD, kCRC32c},
    {2, kNoCompression, kXXH3, kTwoLevelIndexSearch},
    {6, kZSTD, kCRC32c, kTwoLevelIndexSearch},
    {6, kNoCompression, kXXH3, kBinarySearchWithFirstKey},
    {6, kNoCompression, kXXH3, kBinarySearch, true},
    {7, kZSTD, kXXH3, kBinarySearch, false, 100},
    {5, kZlibCompression, kXXH3},
    {6, kLZ4HCCompression, kXXH3, kTwoLevelIndexSearch, false, 100},
};

TEST(Damage, NothingIsWrongWithoutAny) {
  for (const SmallTable& table : kTables) {
    SCOPED_TRACE(table.Describe());
    Outcome outcome;
    ReadAll(table.Build(), {}, &outcome);
    EXPECT_TRUE(outcome.opened);
    EXPECT_FALSE(outcome.any_error) << outcome.error.ToString();
    EXPECT_TRUE(outcome.inspected_well);
    EXPECT_GE(OpenTable(table.Build())->properties().num_data_blocks, 3u);
  }
}

TEST(Damage, TruncationAtEveryByte) {
  for (const SmallTable& table : kTables) {
    SCOPED_TRACE(table.Describe());
    const std::string bytes = table.Build();
    for (size_t size = 0; size < bytes.size(); ++size) {
      Outcome outcome;
      ReadAll(bytes.substr(0, size), {}, &outcome);
      ASSERT_FALSE(outcome.opened) << "cut off at " << size;
      ASSERT_TRUE(outcome.error.IsCorruption()) << outcome.error.ToString();
      ASSERT_FALSE(outcome.inspected_well) << "cut off at " << size;
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Damage, ExtensionByAFewBytes) {
  constexpr size_t kMost = 16;
  Random random(11);
  for (const SmallTable& table : kTables) {
    SCOPED_TRACE(table.Describe());
    const std::string bytes = table.Build();
    for (size_t extra = 1; extra <= kMost; ++extra) {
      const std::string tails[] = {
          std::string(extra, '\0'), std::string(extra, '\xff'),
          random.Bytes(extra), bytes.substr(bytes.size() - extra)};
      for (const std::string& tail : tails) {
        Outcome outcome;
        ReadAll(bytes + tail, {}, &outcome);
        ASSERT_TRUE(outcome.any_error) << extra << " bytes of " << Hex(tail);
        ASSERT_FALSE(outcome.inspected_well);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Returns whether no checksum covers this byte. That is so in footers before
// version 6, for the padding after the handles and for the format version,
// since some versions are read alike.
bool MayBeHarmless(const SmallTable& table, const std::string& bytes,
                   size_t position) {
  constexpr size_t kFirstPadding = 5;
  constexpr size_t kMagicAt = 45;
  const size_t footer = bytes.size() - internal::kFooterSize;
  return table.format_version < 6 && position >= footer + kFirstPadding &&
         position < footer + kMagicAt;
}

void FlipEveryBit(const SmallTable& table) {
  SCOPED_TRACE(table.Describe());
  std::string bytes = table.Build();
  size_t harmless = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    char& byte = bytes[bit / 8];
    const auto mask = static_cast<char>(1 << bit % 8);
    byte = static_cast<char>(byte ^ mask);
    Outcome outcome;
    ReadAll(bytes, {}, &outcome);
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "bit " << bit;
    if (!outcome.any_error) {
      ++harmless;
      ASSERT_TRUE(MayBeHarmless(table, bytes, bit / 8)) << "bit " << bit;
    }
    ASSERT_EQ(outcome.inspected_well, !outcome.any_error)
        << "bit " << bit << ": " << outcome.error.ToString();
    byte = static_cast<char>(byte ^ mask);
  }
  EXPECT_EQ(harmless > 0, table.format_version < 6) << harmless;
}

TEST(Damage, EveryBitOfFormat2Raw) { FlipEveryBit(kTables[0]); }
TEST(Damage, EveryBitOfFormat3Snappy) { FlipEveryBit(kTables[1]); }
TEST(Damage, EveryBitOfFormat5Lz4) { FlipEveryBit(kTables[2]); }
TEST(Damage, EveryBitOfFormat6Zstd) { FlipEveryBit(kTables[3]); }
TEST(Damage, EveryBitOfFormat6Raw) { FlipEveryBit(kTables[4]); }
TEST(Damage, EveryBitOfFormat7Lz4) { FlipEveryBit(kTables[5]); }
TEST(Damage, EveryBitOfFormat7Zstd) { FlipEveryBit(kTables[6]); }
TEST(Damage, EveryBitOfPartitions) { FlipEveryBit(kTables[8]); }
TEST(Damage, EveryBitOfFirstKeys) { FlipEveryBit(kTables[9]); }
TEST(Damage, EveryBitOfSpecialBlocks) { FlipEveryBit(kTables[10]); }
TEST(Damage, EveryBitOfFormat7ZstdDictionary) { FlipEveryBit(kTables[11]); }
TEST(Damage, EveryBitOfFormat5Zlib) { FlipEveryBit(kTables[12]); }

// Only the checks of the decoders protect the answers here. Some answers may be
// wrong, but every read must end.
TEST(Damage, EveryBitOfTheDataWithoutChecksums) {
  const ReadOptions unchecked{.verify_checksums = false};
  for (const SmallTable& table : kTables) {
    SCOPED_TRACE(table.Describe());
    std::string bytes = table.Build();
    const uint64_t end = OpenTable(bytes)->properties().tail_start_offset;
    for (size_t bit = 0; bit < 8 * end; ++bit) {
      char& byte = bytes[bit / 8];
      const auto mask = static_cast<char>(1 << bit % 8);
      byte = static_cast<char>(byte ^ mask);
      Outcome outcome;
      ReadAll(bytes, unchecked, &outcome);
      ASSERT_TRUE(outcome.opened) << "bit " << bit;
      ASSERT_TRUE(outcome.any_error) << "VerifyChecksum missed bit " << bit;
      if (HasFatalFailure()) return;
      byte = static_cast<char>(byte ^ mask);
    }
  }
}

TEST(Damage, TablesWithoutChecksumsDoNotCrash) {
  for (const uint32_t version : {2u, 7u}) {
    std::string bytes =
        SmallTable{version, kNoCompression, kNoChecksum}.Build();
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      char& byte = bytes[bit / 8];
      const auto mask = static_cast<char>(1 << bit % 8);
      byte = static_cast<char>(byte ^ mask);
      Outcome outcome;
      ReadAll(bytes, {.verify_checksums = false}, &outcome);
      ASSERT_FALSE(HasFatalFailure()) << "bit " << bit;
      byte = static_cast<char>(byte ^ mask);
    }
  }
}

// Intact blocks at wrong offsets are detected from version 6 on.
TEST(Damage, BlocksChangePlaces) {
  TableOptions options;
  options.compression = kNoCompression;
  options.block_size = 100;
  const std::string bytes = BuildTable(options, SomeEntries(60));
  const std::vector<BlockInfo> blocks = BlocksOf(bytes);
  const BlockInfo a = FindBlock(blocks, BlockKind::kData, 2);
  const BlockInfo b = FindBlock(blocks, BlockKind::kData, 3);
  ASSERT_EQ(a.size, b.size);
  const size_t whole = a.size + internal::kBlockTrailerSize;
  std::string swapped = bytes;
  swapped.replace(a.offset, whole, bytes, b.offset, whole);
  swapped.replace(b.offset, whole, bytes, a.offset, whole);
  EXPECT_TRUE(OpenTable(swapped)->VerifyChecksum().IsCorruption());

  // The same block of another file, which differs only in its identity.
  const std::string other =
      BuildTable(options, SomeEntries(60), FixedBuild("other"));
  std::string mixed = bytes;
  mixed.replace(a.offset, whole, other, a.offset, whole);
  ASSERT_EQ(BlocksOf(other)[2].size, a.size);
  EXPECT_TRUE(OpenTable(mixed)->VerifyChecksum().IsCorruption());
}

// --- With right checksums ----------------------------------------------------

void ExpectInOrder(const std::vector<Entry>& entries, bool backward) {
  for (size_t i = 1; i < entries.size(); ++i) {
    const Slice a(entries[backward ? i : i - 1].key);
    const Slice b(entries[backward ? i - 1 : i].key);
    const int order = UserKeyOf(a).compare(UserKeyOf(b));
    ASSERT_TRUE(order < 0 || (order == 0 && TailOf(a) > TailOf(b)))
        << DescribeInternalKey(a) << " before " << DescribeInternalKey(b);
  }
}

// Expects only that every read ends, and that entries come in order.
void ReadHostile(const std::string& bytes, bool verify) {
  // A damaged file of this size cannot decode to more entries.
  constexpr size_t kMost = 100000;
  TableInspection found;
  ASSERT_TRUE(InspectTable(*NewMemoryFile("test.sst", bytes),
                           {.max_uncompressed_block_bytes = kMaxBlockBytes},
                           &found)
                  .ok());
  auto opened =
      OpenBytes(bytes, {.max_uncompressed_block_bytes = kMaxBlockBytes});
  if (!opened.ok()) {
    // A changed comparator name gives NotSupported, not Corruption.
    ASSERT_NO_FATAL_FAILURE(ExpectLocated(opened.status()));
    return;
  }
  const ReadOptions options{.verify_checksums = verify};
  const TableReader& reader = **opened;
  std::vector<Entry> entries;
  const Status forward = ReadForward(reader, options, &entries);
  if (!forward.ok()) ExpectLocated(forward);
  ASSERT_LT(entries.size(), kMost);
  const bool bytewise = reader.comparator() == BytewiseComparator();
  if (bytewise) {
    ASSERT_NO_FATAL_FAILURE(ExpectInOrder(entries, false));
  }
  entries.clear();
  const Status backward = ReadBackward(reader, options, &entries);
  if (!backward.ok()) ExpectLocated(backward);
  ASSERT_LT(entries.size(), kMost);
  if (bytewise) {
    ASSERT_NO_FATAL_FAILURE(ExpectInOrder(entries, true));
  }
  Iterator it = reader.NewIterator(options);
  for (const char* key : {"apple", "b", "cherry", "zz"}) {
    GetResult result;
    const Status got = reader.Get(options, key, kMaxSequenceNumber, &result,
                                  [](const Slice&, uint64_t) { return true; });
    if (!got.ok()) ExpectLocated(got);
    it.SeekForPrev(key);
    if (it.Valid()) it.Prev();
    it.Seek(key);
    if (it.Valid()) it.Next();
    if (it.Valid()) it.Prev();
    static_cast<void>(reader.ApproximateOffsetOf(key));
  }
  reader.VerifyChecksum().IgnoreError();
}

void Mutate(const BlockInfo& block, Random* random, std::string* bytes) {
  constexpr char kTelling[] = {'\0', '\x01', '\x7f', '\x80', '\xff'};
  // The type byte of the trailer may change too.
  const uint64_t reach =
      block.size + (block.kind == BlockKind::kFooter ? 0 : 1);
  for (uint64_t n = random->Between(1, 4); n > 0; --n) {
    // Counts and offsets are at the end of a block.
    const uint64_t back =
        random->OneIn(3) ? std::min<uint64_t>(reach, 24) : reach;
    char& byte = (*bytes)[block.offset + reach - 1 - random->Below(back)];
    byte = random->OneIn(2) ? random->Pick(kTelling)
           : random->OneIn(2)
               ? static_cast<char>(byte + (random->OneIn(2) ? 1 : -1))
               : static_cast<char>(random->Next());
  }
}

void MutateResigned(const SmallTable& table, uint64_t first_seed) {
  constexpr uint64_t kRounds = 4000;
  SCOPED_TRACE(table.Describe());
  const std::string bytes = table.Build();
  const std::vector<BlockInfo> blocks = BlocksOf(bytes);
  ForEachSeed(first_seed, kRounds, [&](uint64_t seed) {
    Random random(seed);
    std::string mutated = bytes;
    for (uint64_t n = random.Between(1, 2); n > 0; --n) {
      const BlockInfo& block = blocks[random.Below(blocks.size())];
      Mutate(block, &random, &mutated);
      Resign(block, &mutated);
    }
    ReadHostile(mutated, random.OneIn(2));
  });
}

TEST(Damage, ResignedFormat2Raw) { MutateResigned(kTables[0], 100000); }
TEST(Damage, ResignedFormat3Snappy) { MutateResigned(kTables[1], 200000); }
TEST(Damage, ResignedFormat5Lz4) { MutateResigned(kTables[2], 300000); }
TEST(Damage, ResignedSpecialBlocks) { MutateResigned(kTables[10], 1000000); }
TEST(Damage, ResignedFormat6Zstd) { MutateResigned(kTables[3], 400000); }
TEST(Damage, ResignedFormat6Raw) { MutateResigned(kTables[4], 500000); }
TEST(Damage, ResignedFormat7Zstd) { MutateResigned(kTables[6], 600000); }
TEST(Damage, ResignedPartitions) { MutateResigned(kTables[7], 700000); }
TEST(Damage, ResignedFirstKeys) { MutateResigned(kTables[9], 800000); }
TEST(Damage, ResignedFormat7ZstdDictionary) {
  MutateResigned(kTables[11], 900000);
}
TEST(Damage, ResignedFormat5Zlib) { MutateResigned(kTables[12], 950000); }
TEST(Damage, ResignedFormat6Lz4HcDictionary) {
  MutateResigned(kTables[13], 990000);
}

}  // namespace
}  // namespace ashlar::testing
