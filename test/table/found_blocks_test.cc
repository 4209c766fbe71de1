// Tests InspectTable with find_blocks: random tables lose their footer, index
// or anything else, and every entry of every sound block must be found.
//
// The oracle is the inspection of the table as it was: where each data block
// is, and which entries it has.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/util/compression.h"
#include "test/support/inspected_table.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"
#include "test/support/thorough.h"

namespace ashlar::testing {
namespace {

bool IsIntact(const std::string& was, const std::string& now, uint64_t offset,
              uint64_t end) {
  return end <= now.size() &&
         was.compare(offset, end - offset, now, offset, end - offset) == 0;
}

// Returns the entries of the data blocks whose bytes are as they were.
std::vector<Entry> IntactEntries(const Inspected& sound, const std::string& was,
                                 const std::string& now) {
  std::vector<Entry> entries;
  for (const InspectedBlock& block : sound.data) {
    if (!IsIntact(was, now, block.info.offset, block.end())) continue;
    entries.insert(entries.end(), block.entries.begin(), block.entries.end());
  }
  return entries;
}

size_t IntactBlocks(const Inspected& sound, const std::string& was,
                    const std::string& now) {
  return static_cast<size_t>(std::count_if(
      sound.data.begin(), sound.data.end(), [&](const InspectedBlock& b) {
        return IsIntact(was, now, b.info.offset, b.end());
      }));
}

TEST(FoundBlocks, AllEntriesOfATableThatIsCutAfterItsDataBlocks) {
  for (uint32_t version = 2; version <= kMaxFormatVersion; ++version) {
    for (int checksum = 0; checksum <= 4; ++checksum) {
      for (const CompressionType codec : SupportedCompressionTypes()) {
        for (const int count : {1, 400}) {
          TableOptions options;
          options.format_version = version;
          options.checksum = static_cast<ChecksumType>(checksum);
          options.compression = codec;
          options.compression_opts.max_compressed_bytes_per_kb = 1023;
          options.block_size = 700;
          const std::string table = BuildTable(options, SomeEntries(count));
          const Inspected sound = Inspect(table, false);
          const Inspected cut =
              Inspect(table.substr(0, EndOfData(sound)), true);
          ASSERT_EQ(cut.entries(), sound.entries())
              << "version " << version << " checksum " << checksum << " codec "
              << static_cast<int>(codec) << " entries " << count;
          EXPECT_TRUE(cut.found.lost_bytes.empty());
          EXPECT_EQ(cut.found.found_blocks, sound.data.size());
          EXPECT_FALSE(cut.found.faults.empty());
        }
      }
    }
  }
}

void CheckCutTable(uint64_t seed) {
  Random random(seed);
  const RandomTable table = MakeRandomTable(&random);
  const std::string bytes = BuildTable(table.options, table.model.entries());
  const Inspected sound = Inspect(bytes, false);
  if (NeedsDictionary(sound)) return;
  // Among blobs, one block does not tell how it is signed.
  if (sound.data.size() < 2) return;
  // Without checksums other bytes may have the form of a block by chance.
  if (table.options.checksum == ChecksumType::kNoChecksum) return;
  const Inspected cut = Inspect(bytes.substr(0, EndOfData(sound)), true);
  EXPECT_EQ(Missing(sound.entries(), cut.entries()).size(), 0u)
      << table.description;
  EXPECT_EQ(cut.entries().size(), sound.entries().size()) << table.description;
}

TEST(FoundBlocks, AllEntriesOfRandomTablesThatAreCutAfterTheirDataBlocks) {
  ForEachSeed(1, IsThorough() ? 3000 : 60, CheckCutTable);
}

// Flips bits of the footer, of the index, or of both.
void CheckDamagedFooterOrIndex(uint64_t seed) {
  Random random(seed);
  const RandomTable table = MakeRandomTable(&random);
  const std::string bytes = BuildTable(table.options, table.model.entries());
  const Inspected sound = Inspect(bytes, false);
  std::string damaged = bytes;
  constexpr uint64_t kFooterBytes = 53;
  if (random.OneIn(2)) {
    damaged[damaged.size() - 1 - random.Below(kFooterBytes)] ^=
        static_cast<char>(1 << random.Below(8));
  }
  for (const BlockInfo& block : sound.found.blocks) {
    const bool is_index = block.kind == BlockKind::kIndex ||
                          block.kind == BlockKind::kIndexPartition ||
                          block.kind == BlockKind::kMetaIndex;
    // A dictionary without a mark has no begin if the index before it is
    // damaged.
    if (NeedsDictionary(sound) && block.kind != BlockKind::kMetaIndex) {
      continue;
    }
    // Without checksums a damaged index is as good as any.
    if (!is_index || random.OneIn(2) ||
        table.options.checksum == ChecksumType::kNoChecksum) {
      continue;
    }
    damaged[block.offset + random.Below(block.size + kBlockTrailerBytes)] ^=
        static_cast<char>(1 << random.Below(8));
  }
  const Inspected found = Inspect(damaged, true);
  const std::string what = table.description + " seed " + std::to_string(seed);
  EXPECT_EQ(Missing(sound.entries(), found.entries()).size(), 0u) << what;
  EXPECT_EQ(found.entries().size(), sound.entries().size()) << what;
  EXPECT_TRUE(found.range_deletions == sound.range_deletions) << what;
}

TEST(FoundBlocks, AllOfATableWhoseFooterOrIndexIsDamaged) {
  ForEachSeed(1, IsThorough() ? 3000 : 80, CheckDamagedFooterOrIndex);
}

// One flipped bit makes a footer of another version out of some: it is in good
// form, and no block has a checksum that it allows.
TEST(FoundBlocks, AllOfATableWithAnyFlippedBitInItsFooter) {
  for (const uint32_t version : {5u, 6u}) {
    TableOptions options;
    options.format_version = version;
    options.checksum = ChecksumType::kCRC32c;
    const std::string table = BuildTable(options, SomeEntries(20));
    const Inspected sound = Inspect(table, false);
    constexpr size_t kFooterBytes = 53;
    for (size_t bit = 0; bit < 8 * kFooterBytes; ++bit) {
      std::string damaged = table;
      damaged[table.size() - 1 - bit / 8] ^= static_cast<char>(1 << bit % 8);
      const Inspected found = Inspect(damaged, true);
      ASSERT_EQ(found.entries(), sound.entries())
          << "version " << version << " bit " << bit << " from the end";
    }
  }
}

void Damage(Random* random, std::string* bytes) {
  const size_t at = random->Below(bytes->size());
  const size_t most = bytes->size() - at;
  switch (random->Below(4)) {
    case 0:
      (*bytes)[at] ^= static_cast<char>(1 << random->Below(8));
      return;
    case 1:  // a sector of zeros
      bytes->replace(at, std::min<size_t>(512, most),
                     std::string(std::min<size_t>(512, most), '\0'));
      return;
    case 2: {  // another piece of the file
      const size_t n = std::min<size_t>(random->Below(600), most);
      bytes->replace(at, n, bytes->substr(random->Below(bytes->size() - n), n));
      return;
    }
    default: {
      const size_t n = std::min<size_t>(random->Below(100), most);
      bytes->replace(at, n, random->Bytes(n));
      return;
    }
  }
}

void CheckSoundBlocks(uint64_t seed) {
  Random random(seed);
  RandomTable table = MakeRandomTable(&random);
  // Damage cannot be told without checksums.
  if (table.options.checksum == ChecksumType::kNoChecksum) return;
  const std::string bytes = BuildTable(table.options, table.model.entries());
  const Inspected sound = Inspect(bytes, false);
  std::string damaged = bytes;
  for (uint64_t n = random.Between(1, 4); n > 0; --n) {
    Damage(&random, &damaged);
  }
  if (random.OneIn(3)) damaged.resize(random.Below(damaged.size()));
  for (const BlockInfo& block : sound.found.blocks) {
    const bool is_dictionary = block.kind == BlockKind::kDictionary;
    if (is_dictionary &&
        !IsIntact(bytes, damaged, block.offset,
                  block.offset + block.size + kBlockTrailerBytes)) {
      return;
    }
  }
  // One block does not tell how it is signed.
  if (IntactBlocks(sound, bytes, damaged) < 2) return;
  const Inspected found = Inspect(damaged, true);
  const std::vector<Entry> expected = IntactEntries(sound, bytes, damaged);
  const std::string what = table.description + " seed " + std::to_string(seed);
  EXPECT_EQ(Missing(expected, found.entries()).size(), 0u) << what;
}

TEST(FoundBlocks, EveryEntryOfEverySoundBlock) {
  ForEachSeed(1, IsThorough() ? 20000 : 150, CheckSoundBlocks);
}

// These seeds failed once. All of them are beyond those that always run.
TEST(FoundBlocks, SeedsThatFailedOnce) {
  // Keys that begin with the offset of a value, where values are apart.
  for (const uint64_t seed : {831, 1512, 1543}) CheckCutTable(seed);
  // Entries that looked like an index, before more data.
  for (const uint64_t seed : {971, 3133}) CheckCutTable(seed);
  // Two entries that looked like an index of blocks that were moved.
  CheckCutTable(1996);
  // References to blobs that looked like an index that names nothing.
  CheckCutTable(1067);
  CheckSoundBlocks(1067);
  // A copy of one sound block, which hid all that follow it.
  CheckSoundBlocks(874);
  // Keys in the reverse order, in a file that has lost its metaindex.
  CheckSoundBlocks(2113);
  // Partitions of one handle, which are indexes in more than one form.
  CheckDamagedFooterOrIndex(2606);
}

// Without context checksums blocks are sound wherever they are.
TEST(FoundBlocks, BlocksThatChangedPlacesAreInTheOrderOfTheirKeys) {
  for (const CompressionType codec : SupportedCompressionTypes()) {
    TableOptions options;
    options.format_version = 5;
    options.compression = codec;
    options.block_size = 700;
    const std::string table = BuildTable(options, SomeEntries(400));
    const Inspected sound = Inspect(table, false);
    ASSERT_GE(sound.data.size(), 6u);
    const InspectedBlock& a = sound.data[1];
    const InspectedBlock& b = sound.data[4];
    const auto piece = [&table](uint64_t begin, uint64_t end) {
      return table.substr(begin, end - begin);
    };
    const std::string swapped =
        piece(0, a.info.offset) + piece(b.info.offset, b.end()) +
        piece(a.end(), b.info.offset) + piece(a.info.offset, a.end()) +
        piece(b.end(), EndOfData(sound));
    EXPECT_EQ(Inspect(swapped, true).entries(), sound.entries())
        << static_cast<int>(codec);
  }
}

// Files that lie one behind the other, each cut after its index. The indexes of
// the second and of the third are those of blocks that were moved. Separators
// have sequence numbers, since versions of a key are in more than one block.
// (That of a single block may be an entry, by all that is known of it.)
void CheckJoinedFiles(const TableOptions& options, size_t count,
                      size_t versions) {
  std::string joined;
  std::vector<Entry> expected;
  for (const std::string name : {"a", "b", "c"}) {
    // No index names blocks of another file by chance.
    const std::string value(20 + 7 * static_cast<size_t>(name[0] - 'a'), 'v');
    std::vector<Entry> entries;
    for (size_t i = 0; i < count; ++i) {
      entries.push_back(Value(name + std::to_string(100 + i / versions),
                              100 - i % versions, value));
    }
    const std::string table = BuildTable(options, entries);
    const Inspected sound = Inspect(table, false);
    const auto index = std::find_if(
        sound.found.blocks.begin(), sound.found.blocks.end(),
        [](const BlockInfo& b) { return b.kind == BlockKind::kIndex; });
    ASSERT_NE(index, sound.found.blocks.end());
    joined += table.substr(0, index->offset + index->size + kBlockTrailerBytes);
    expected.insert(expected.end(), entries.begin(), entries.end());
  }
  const std::vector<Entry> found = Inspect(joined, true).entries();
  EXPECT_EQ(Missing(expected, found).size(), 0u);
  EXPECT_EQ(found.size(), expected.size());
}

TEST(FoundBlocks, NoSeparatorOfJoinedFilesIsAnEntry) {
  for (const uint32_t version : {2u, 5u}) {
    for (const IndexType index_type :
         {IndexType::kBinarySearch, IndexType::kBinarySearchWithFirstKey}) {
      for (const size_t count : {4u, 6u, 9u, 60u}) {
        for (const size_t versions : {3u, 60u}) {
          SCOPED_TRACE("version " + std::to_string(version) + " index " +
                       std::to_string(static_cast<int>(index_type)) +
                       " entries " + std::to_string(count) + " versions " +
                       std::to_string(versions));
          TableOptions options;
          options.format_version = version;
          options.index_type = index_type;
          options.compression = CompressionType::kNoCompression;
          options.block_size = 64;
          CheckJoinedFiles(options, count, versions);
        }
      }
    }
  }
}

std::string BytesOf(const std::string& table, const InspectedBlock& first,
                    const InspectedBlock& last) {
  return table.substr(first.info.offset, last.end() - first.info.offset);
}

// Returns a table of version 5 with many data blocks of few sizes.
std::string TableOfSmallBlocks(IndexType index_type) {
  TableOptions options;
  options.format_version = 5;
  options.compression = CompressionType::kNoCompression;
  options.index_type = index_type;
  options.block_size = 200;
  options.metadata_block_size = 200;
  std::vector<Entry> entries;
  for (int i = 0; i < 1500; ++i) {
    const std::string number = std::to_string(10000 + i);
    entries.push_back(Value("key" + number, 1, number));
  }
  return BuildTable(options, entries);
}

constexpr IndexType kIndexTypes[] = {IndexType::kBinarySearch,
                                     IndexType::kTwoLevelIndexSearch,
                                     IndexType::kBinarySearchWithFirstKey};

// The blocks that were overwritten are lost, and no other one. Blocks of one
// size are where the index names them; those between are found without it.
TEST(FoundBlocks, ACopyOverOtherBlocksHidesOnlyThose) {
  for (const IndexType index_type : kIndexTypes) {
    for (const size_t shift : {0, 1}) {
      const std::string table = TableOfSmallBlocks(index_type);
      const Inspected sound = Inspect(table, false);
      ASSERT_GE(sound.data.size(), 100u);
      std::string copied = table;
      const std::string over = BytesOf(table, sound.data[80], sound.data[82]);
      copied.replace(sound.data[10].info.offset + shift, over.size(), over);
      const std::vector<Entry> expected = IntactEntries(sound, table, copied);
      const Inspected found = Inspect(copied, true);
      EXPECT_EQ(found.entries(), expected) << shift;
      for (const BlockInfo& block : found.found.blocks) {
        if (block.kind != BlockKind::kData) continue;
        const bool intact =
            IsIntact(table, copied, block.offset,
                     block.offset + block.size + kBlockTrailerBytes);
        EXPECT_EQ(block.contents_sound, intact) << block.offset;
        EXPECT_EQ(block.status.ok(), intact) << block.offset;
      }
    }
  }
}

// Without properties the order of keys is taken to be bytewise, and nothing
// else compares the block with the index.
TEST(FoundBlocks, ACopyOverAnotherBlockOfATableWithoutProperties) {
  const std::string table = TableOfSmallBlocks(IndexType::kBinarySearch);
  const Inspected sound = Inspect(table, false);
  const InspectedBlock& target = sound.data[10];
  ASSERT_EQ(target.info.size, sound.data[80].info.size);
  std::string damaged = table;
  damaged.replace(target.info.offset, target.info.size + kBlockTrailerBytes,
                  BytesOf(table, sound.data[80], sound.data[80]));
  for (const BlockInfo& block : sound.found.blocks) {
    if (block.kind == BlockKind::kProperties) damaged[block.offset + 9] ^= 1;
  }
  const Inspected found = Inspect(damaged, true);
  EXPECT_EQ(found.entries(), IntactEntries(sound, table, damaged));
  EXPECT_TRUE(std::any_of(found.found.faults.begin(), found.found.faults.end(),
                          [&](const TableFault& fault) {
                            return fault.kind == BlockKind::kData &&
                                   fault.offset == target.info.offset;
                          }));
}

// A block that is only where another one was: its entries are there, and those
// of the other one are lost.
TEST(FoundBlocks, ABlockInThePlaceOfAnotherIsNotWhatWasThere) {
  for (const IndexType index_type : kIndexTypes) {
    const std::string table = TableOfSmallBlocks(index_type);
    const Inspected sound = Inspect(table, false);
    const InspectedBlock& over = sound.data[80];
    const InspectedBlock& target = sound.data[10];
    ASSERT_EQ(target.info.size, over.info.size);
    std::string damaged = table;
    damaged.replace(target.info.offset, target.info.size + kBlockTrailerBytes,
                    BytesOf(table, over, over));
    damaged[over.info.offset + 7] ^= 1;
    std::vector<Entry> expected = sound.entries();
    std::erase_if(expected, [&target](const Entry& entry) {
      return std::find(target.entries.begin(), target.entries.end(), entry) !=
             target.entries.end();
    });
    const Inspected found = Inspect(damaged, true);
    EXPECT_EQ(found.entries(), expected);
    for (const BlockInfo& block : found.found.blocks) {
      if (block.kind != BlockKind::kData) continue;
      const bool is_lost = block.offset == target.info.offset ||
                           block.offset == over.info.offset;
      EXPECT_EQ(block.contents_sound, !is_lost) << block.offset;
    }
  }
}

// Without properties the order is only guessed. By bytes, versions of one key
// with timestamps do not ascend, and those in the next block seem to come
// first.
TEST(FoundBlocks, VersionsOfOneKeyStayInTheirOrderWithoutProperties) {
  TableOptions options;
  options.format_version = 5;
  options.comparator = BytewiseComparatorWithU64Ts();
  options.block_size = 100;
  std::vector<Entry> entries;
  for (int i = 1000; i < 1200; ++i) {
    for (char newest = 5; newest > 0; --newest) {
      entries.push_back(Value("key" + std::to_string(i) +
                                  std::string(1, newest) + std::string(7, '\0'),
                              1, "value"));
    }
  }
  const std::string table = BuildTable(options, entries);
  const Inspected sound = Inspect(table, false);
  ASSERT_GE(sound.data.size(), 100u);
  std::string damaged = table;
  for (const BlockInfo& block : sound.found.blocks) {
    if (block.kind == BlockKind::kProperties) damaged[block.offset + 9] ^= 1;
  }
  EXPECT_EQ(Inspect(damaged, true).entries(), sound.entries());
}

TEST(FoundBlocks, BlocksOfOneSizeThatChangedPlacesUnderASoundIndex) {
  for (const IndexType index_type : kIndexTypes) {
    const std::string table = TableOfSmallBlocks(index_type);
    const Inspected sound = Inspect(table, false);
    const InspectedBlock& a = sound.data[3];
    const InspectedBlock& b = sound.data[70];
    ASSERT_EQ(a.info.size, b.info.size);
    std::string swapped = table;
    swapped.replace(a.info.offset, b.info.size + kBlockTrailerBytes,
                    BytesOf(table, b, b));
    swapped.replace(b.info.offset, a.info.size + kBlockTrailerBytes,
                    BytesOf(table, a, a));
    ASSERT_NE(swapped, table);
    const Inspected found = Inspect(swapped, true);
    EXPECT_EQ(found.entries(), sound.entries());
    EXPECT_EQ(found.found.faults.size(), 2u);
  }
}

// Counts the bytes that are read.
class CountedFile final : public RandomAccessFile {
 public:
  explicit CountedFile(std::string bytes) : bytes_(std::move(bytes)) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    n = std::min<size_t>(n, bytes_.size() - offset);
    std::copy_n(bytes_.data() + offset, n, scratch);
    *data = Slice(scratch, n);
    read_ += n;
    return {};
  }
  uint64_t Size() const override { return bytes_.size(); }
  std::string name() const override { return name_; }
  uint64_t read() const { return read_; }

 private:
  const std::string bytes_;
  const std::string name_ = "counted.sst";
  mutable uint64_t read_ = 0;
};

// Bytes of which every piece looks like a block, or like one that goes on for
// very long.
TEST(FoundBlocks, HostileBytesAreReadABoundedNumberOfTimes) {
  const size_t size = size_t{1} << 20;
  // An entry: nothing shared, a key of 9 bytes with a sound tail, one byte of
  // value. Then the same with a value of megabytes; and sizes before frames.
  const std::string tail("\x01\x00\x00\x00\x00\x00\x00\x00", 8);
  const std::string entry = std::string("\x00\x09\x01k", 4) + tail + "v";
  const std::string huge = std::string("\x00\x09\xff\xff\x3fk", 6) + tail;
  const std::string frame("\xff\xff\x7f\x28\xb5\x2f\xfd\x00\x58", 9);
  const std::string runs("\xff\xff\x7f\xf0\x01xx\x01", 8);
  for (const std::string& piece : {entry, huge, frame, runs}) {
    std::string bytes;
    while (bytes.size() < size) bytes += piece;
    const CountedFile file(bytes);
    InspectOptions options;
    options.find_blocks = true;
    TableInspection found;
    EXPECT_TRUE(InspectTable(file, options, &found).ok());
    EXPECT_EQ(found.found_blocks, 0u);
    EXPECT_LE(file.read(), size * 400);
  }
}

}  // namespace
}  // namespace ashlar::testing
