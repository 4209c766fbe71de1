// Tests how many bytes an inspection reads, and what it says of files that need
// much memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "table/block/block.h"
#include "table/format/footer.h"
#include "table/meta/plain_block.h"
#include "test/fuzz/sign_table.h"
#include "test/support/resign.h"
#include "test/support/tables.h"
#include "test/support/verdict_check.h"

namespace ashlar::testing {
namespace {

using namespace internal;

// Counts the bytes that are read.
class CountedFile final : public RandomAccessFile {
 public:
  explicit CountedFile(std::string bytes) : bytes_(std::move(bytes)) {}

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* result) const override {
    if (offset <= scarce_at && scarce_at - offset < n) {
      return Status::OutOfMemory();
    }
    const size_t from = std::min<size_t>(offset, bytes_.size());
    const size_t most = std::min(n, bytes_.size() - from);
    std::memcpy(scratch, bytes_.data() + from, most);
    *result = Slice(scratch, most);
    bytes_read += most;
    return {};
  }
  uint64_t Size() const override { return bytes_.size(); }
  std::string name() const override { return "counted.sst"; }

  mutable uint64_t bytes_read = 0;
  // Reads of this offset fail for lack of memory.
  uint64_t scarce_at = ~uint64_t{0};

 private:
  const std::string bytes_;
};

struct Found {
  Status status;
  std::string faults;
  uint64_t bytes_read = 0;
  int reports = 0;
  int blobs = 0;
};

Found Inspect(CountedFile* file) {
  Found found;
  InspectOptions options;
  options.readahead_size = 0;
  options.on_progress = [&found](uint64_t, uint64_t) {
    ++found.reports;
    return true;
  };
  TableInspection inspection;
  found.status = InspectTable(*file, options, &inspection);
  for (const TableFault& fault : inspection.faults) {
    found.faults += fault.status.ToString() + "\n";
  }
  for (const BlockInfo& block : inspection.blocks) {
    found.blobs += block.kind == BlockKind::kBlob ? 1 : 0;
  }
  found.bytes_read = file->bytes_read;
  return found;
}

Found Inspect(const std::string& table) {
  CountedFile file(table);
  return Inspect(&file);
}

// --- Keys of an index --------------------------------------------------------

// Returns a table of `blocks` data blocks. The keys in its index share nearly
// all of their bytes. A reader stores these bytes once if keys are in the order
// of their bytes; in other orders it stores all keys whole.
std::string TableOfLongKeys(int blocks, const Comparator* comparator) {
  constexpr size_t kKeyBytes = 30000;
  TableOptions options;
  options.comparator = comparator;
  options.format_version = 5;
  options.compression = CompressionType::kZSTD;
  options.filter = FilterType::kNone;
  options.block_size = 1;
  options.metadata_block_size = 40000;
  options.index_block_restart_interval = 1000;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  std::vector<Entry> entries;
  for (int i = 0; i < blocks; ++i) {
    std::string number = std::to_string(1000000 + 2 * i);
    entries.push_back(Value(std::string(kKeyBytes, 'p') + number + "end" +
                                std::string(comparator->timestamp_size(), 't'),
                            7, "v"));
  }
  return BuildTable(options, entries);
}

TEST(VerdictWork, IndexKeysThatAReaderHasRoomFor) {
  const auto expect_room = [](int blocks, const Comparator* comparator) {
    const std::string table = TableOfLongKeys(blocks, comparator);
    const Found found = Inspect(table);
    Require(found.status);
    EXPECT_EQ(found.faults, "");
    std::vector<Entry> entries;
    Require(ReadForward(*OpenTable(table), {}, &entries));
    EXPECT_EQ(entries.size(), static_cast<size_t>(blocks));
  };
  expect_room(1600, BytewiseComparatorWithU64Ts());
  expect_room(1600, BytewiseComparator());
  expect_room(4000, BytewiseComparator());
}

// An inspection keeps the index itself, as a reader does without a cache. A
// reader that keeps the index in the block cache holds only partitions that are
// used, and so reads the table.
TEST(VerdictWork, IndexKeysThatNoReaderCanKeep) {
  for (const int blocks : {3200, 4000}) {
    const std::string table =
        TableOfLongKeys(blocks, BytewiseComparatorWithU64Ts());
    const Found found = Inspect(table);
    EXPECT_TRUE(found.status.IsMemoryLimit()) << found.status.ToString();
    EXPECT_EQ(found.faults, "");
    std::vector<Entry> entries;
    EXPECT_FALSE(ReadForward(*OpenTable(table), {}, &entries).ok()) << blocks;
    ReaderOptions options;
    options.block_cache = NewLruCache({.capacity = size_t{8} << 20}).value();
    options.cache_index_and_filter_blocks = true;
    entries.clear();
    Require(ReadForward(*OpenTable(table, options), {}, &entries));
    EXPECT_EQ(entries.size(), static_cast<size_t>(blocks));
  }
}

// --- Blocks that are named several times -------------------------------------

// Appends an uncompressed block with a wrong checksum. Returns its handle.
BlockHandle AppendBlock(const Slice& contents, std::string* file) {
  const BlockHandle handle{file->size(), contents.size()};
  file->append(contents.data(), contents.size());
  file->append(kBlockTrailerSize, '\0');
  return handle;
}

std::string Encoded(const BlockHandle& handle) {
  std::string bytes;
  handle.AppendTo(&bytes);
  return bytes;
}

using PlainEntries = std::map<std::string, std::string>;

BlockHandle AppendPlainBlock(const PlainEntries& entries, std::string* file) {
  Buffer block;
  EncodePlainBlock(entries, 1, &block);
  return AppendBlock(block.slice(), file);
}

PlainEntries PlainEntriesOf(const std::string& table,
                            const BlockHandle& handle) {
  const BlockPlace place{BlockKind::kOther, handle};
  BlockView view;
  Require(ParseBlock(Slice(table.data() + handle.offset, handle.size), place,
                     &view));
  PlainEntries entries;
  Require(
      ForEachPlainEntry(view, place, [&](const Slice& key, const Slice& value) {
        entries[key.ToString()] = value.ToString();
        return Status();
      }));
  return entries;
}

// Returns the table after `change(entries, file)` changed its metaindex.
template <typename Change>
std::string WithMetaindex(const std::string& table, const Change& change) {
  Footer footer;
  Require(DecodeFooter(
      Slice(table.data() + table.size() - kFooterSize, kFooterSize),
      table.size(), &footer));
  PlainEntries entries = PlainEntriesOf(table, footer.metaindex);
  std::string file = table.substr(0, footer.offset);
  change(&entries, &file);
  footer.metaindex = AppendPlainBlock(entries, &file);
  footer.offset = file.size();
  file += EncodeFooter(footer);
  fuzz::SignTable(&file);
  return file;
}

TableOptions PlainOptions() {
  TableOptions options;
  options.format_version = 5;
  options.compression = CompressionType::kNoCompression;
  options.enable_index_compression = false;
  return options;
}

// No read-ahead window keeps two blocks of this size that are read in turn.
constexpr size_t kLarge = 1000000;

TEST(VerdictWork, OneBlockOfManyNames) {
  const std::string table = BuildTable(PlainOptions(), SomeEntries(10));
  const std::string hostile = WithMetaindex(table, [](PlainEntries* entries,
                                                      std::string* file) {
    const BlockHandle large[] = {AppendBlock(std::string(kLarge, 'x'), file),
                                 AppendBlock(std::string(kLarge, 'y'), file)};
    for (int i = 100; i < 300; ++i) {
      (*entries)["x" + std::to_string(i)] = Encoded(large[i % 2]);
    }
  });
  const Found found = Inspect(hostile);
  Require(found.status);
  EXPECT_NE(found.faults.find("overlap"), std::string::npos);
  EXPECT_LT(found.bytes_read, 4 * hostile.size());
}

TEST(VerdictWork, ProgressOverBlocksOfTheMetaindex) {
  const std::string table = BuildTable(PlainOptions(), SomeEntries(10));
  const std::string many =
      WithMetaindex(table, [](PlainEntries* entries, std::string* file) {
        for (int i = 1000; i < 1600; ++i) {
          (*entries)["x" + std::to_string(i)] =
              Encoded(AppendBlock("small", file));
        }
      });
  const Found found = Inspect(many);
  EXPECT_EQ(found.faults, "");
  EXPECT_EQ(found.reports, Inspect(table).reports + 2);
}

// Nothing says whether the top level names data blocks or partitions. Each of
// these names one of two large blocks that are neither.
TEST(VerdictWork, OneBlockInAllPartitionsOfAnIndex) {
  std::string file;
  const BlockHandle large[] = {AppendBlock(std::string(kLarge, '\xff'), &file),
                               AppendBlock(std::string(kLarge, '\xff'), &file)};
  PlainEntries top;
  std::vector<BlockInfo> parts;
  for (int i = 100; i < 300; ++i) {
    const std::string key =
        MakeInternalKey("k" + std::to_string(i), 5, ValueType::kTypeValue);
    BlockInfo part;
    const BlockHandle handle =
        AppendPlainBlock({{key, Encoded(large[i % 2])}}, &file);
    part.offset = handle.offset;
    part.size = handle.size;
    parts.push_back(part);
    top[key] = Encoded(handle);
  }
  Footer footer;
  footer.format_version = 3;
  footer.metaindex = AppendPlainBlock({}, &file);
  footer.index = AppendPlainBlock(top, &file);
  footer.offset = file.size();
  file += EncodeFooter(footer);
  fuzz::SignTable(&file);
  for (const BlockHandle& handle : large) {
    BlockInfo part;
    part.offset = handle.offset;
    part.size = handle.size;
    parts.push_back(part);
  }
  for (const BlockInfo& part : parts) Resign(part, &file);
  const Found found = Inspect(file);
  Require(found.status);
  EXPECT_NE(found.faults.find("without the properties block it is unknown"),
            std::string::npos)
      << found.faults;
  EXPECT_LT(found.bytes_read, 4 * file.size());
}

TEST(VerdictWork, OneBlobOfManyEntries) {
  TableOptions options = PlainOptions();
  options.block_size = 1;
  uint64_t size = 0;
  std::string table;
  for (int round = 0; round < 2; ++round) {
    std::vector<Entry> entries = {Value("a", 7, std::string(kLarge, 'x'))};
    std::string blob("\1\0\0", 3);  // in file 0, at offset 0
    AppendVarint64(&blob, size);
    blob.push_back('\0');
    for (int i = 100; i < 300; ++i) {
      entries.push_back({MakeInternalKey("b" + std::to_string(i), 7,
                                         ValueType::kTypeBlobIndex),
                         blob});
    }
    table = BuildTable(options, entries);
    size = FindBlock(BlocksOf(table), BlockKind::kData).size;
  }
  const BlockInfo properties =
      FindBlock(BlocksOf(table), BlockKind::kProperties);
  const std::string with_blobs =
      WithMetaindex(table, [&](PlainEntries* entries, std::string* file) {
        PlainEntries all =
            PlainEntriesOf(table, {properties.offset, properties.size});
        all["rocksdb.embedded.blob.stats"] = "";
        (*entries)["rocksdb.properties"] = Encoded(AppendPlainBlock(all, file));
      });
  const Found found = Inspect(with_blobs);
  Require(found.status);
  EXPECT_EQ(found.faults,
            "Corruption: overlap in data block #0 offset 0 size " +
                std::to_string(size) +
                ": a blob and another block are both there\n");
  EXPECT_LT(found.bytes_read, 4 * with_blobs.size());
  EXPECT_EQ(found.blobs, 1);
}

TEST(VerdictWork, NoMemoryWhileTheIndexIsGuessed) {
  TableOptions options = PlainOptions();
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.filter = FilterType::kNone;
  const std::string table =
      WithMetaindex(BuildTable(options, SomeEntries(10)),
                    [](PlainEntries* entries, std::string* file) {
                      entries->erase("rocksdb.properties");
                      AppendBlock(std::string(kLarge, 'x'), file);
                    });
  CountedFile file(table);
  file.scarce_at = FindBlock(BlocksOf(BuildTable(options, SomeEntries(10))),
                             BlockKind::kIndexPartition)
                       .offset;
  EXPECT_TRUE(Inspect(&file).status.IsMemoryLimit());
}

// --- Several filters ---------------------------------------------------------

constexpr const char* kFullFilter = "fullfilter.rocksdb.BuiltinBloomFilter";
// The filter has no probes, so it matches everything.
std::string AlwaysFilter() { return std::string(64 + 5, '\0'); }

void ExpectPromiseKept(const std::string& table) {
  const VerdictCheck check = CheckVerdict(table);
  EXPECT_TRUE(check.passes) << check.fault;
  EXPECT_EQ(check.broken_promise, "");
}

// A reader ignores filter partitions if there is a full filter.
TEST(VerdictWork, AFullFilterOfNoUseBesideOneOfPartitions) {
  TableOptions options = PlainOptions();
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  std::string table = BuildTable(options, SomeEntries(10));
  const BlockInfo part =
      FindBlock(BlocksOf(table), BlockKind::kFilterPartition);
  std::fill_n(table.begin() + static_cast<ptrdiff_t>(part.offset),
              part.size - 5, '\0');
  Resign(part, &table);
  EXPECT_FALSE(CheckVerdict(table).passes);
  ExpectPromiseKept(
      WithMetaindex(table, [](PlainEntries* entries, std::string* file) {
        (*entries)[kFullFilter] = Encoded(AppendBlock(AlwaysFilter(), file));
      }));
}

TEST(VerdictWork, AFullFilterBesideOneOfLevelDb) {
  // One filter with 6 probes and all bits 0, then its offset, then the offset
  // of that list. 11 means one filter for each 2 KiB of the file.
  std::string denies(9, '\0');
  denies[8] = 6;
  for (const uint32_t number : {0u, 9u}) AppendFixed32(&denies, number);
  denies.push_back(11);
  TableOptions options = PlainOptions();
  options.filter = FilterType::kNone;
  for (const bool has_full_filter : {false, true}) {
    const std::string table = WithMetaindex(
        BuildTable(options, SomeEntries(10)),
        [&](PlainEntries* entries, std::string* file) {
          (*entries)[std::string(kLevelDbFilterBlockName)] =
              Encoded(AppendBlock(denies, file));
          if (!has_full_filter) return;
          (*entries)[kFullFilter] = Encoded(AppendBlock(AlwaysFilter(), file));
        });
    if (has_full_filter) {
      ExpectPromiseKept(table);
    } else {
      EXPECT_FALSE(CheckVerdict(table).passes);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
