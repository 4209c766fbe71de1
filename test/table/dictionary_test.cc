// Tests tables whose data blocks are compressed with a dictionary.
//
// Every entry can be read back for every codec, dictionary and buffer size. The
// dictionary is the one that RocksDB makes of the same entries. While blocks
// wait for the dictionary, the builder reports how large the file may become.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Returns entries whose values differ little from each other. No value can be
// compressed much on its own.
std::vector<Entry> SimilarEntries(int count) {
  Random random(42);
  const std::string form = random.Bytes(200);
  std::vector<Entry> entries;
  for (int i = 0; i < count; ++i) {
    std::string number = std::to_string(1000000 + i);
    std::string value = number + form;
    value += random.Bytes(static_cast<size_t>(i) % 13);
    entries.push_back(Value("key" + number, 7, value));
  }
  return entries;
}

struct Inspected {
  TableInspection table;
  std::vector<BlockInfo> data;
  const BlockInfo* dictionary = nullptr;
};

Inspected Inspect(const std::string& bytes) {
  Inspected found;
  Require(InspectTable(*NewMemoryFile("test.sst", bytes), {}, &found.table));
  EXPECT_TRUE(found.table.faults.empty());
  for (const BlockInfo& block : found.table.blocks) {
    if (block.kind == BlockKind::kData) found.data.push_back(block);
    if (block.kind == BlockKind::kDictionary) found.dictionary = &block;
  }
  return found;
}

std::string DictionaryOf(const std::string& bytes) {
  const Inspected found = Inspect(bytes);
  if (found.dictionary == nullptr) return "";
  return bytes.substr(found.dictionary->offset, found.dictionary->size);
}

TableOptions Options(CompressionType type, uint32_t max_dict_bytes) {
  TableOptions options;
  options.compression = type;
  options.block_size = 1000;
  options.compression_opts.max_dict_bytes = max_dict_bytes;
  return options;
}

void ExpectHolds(const std::string& bytes, const std::vector<Entry>& entries) {
  const auto reader = OpenTable(bytes);
  std::vector<Entry> found;
  Require(ReadForward(*reader, {}, &found));
  EXPECT_TRUE(found == entries);
  found.clear();
  Require(ReadBackward(*reader, {}, &found));
  std::reverse(found.begin(), found.end());
  EXPECT_TRUE(found == entries);
  for (const Entry& entry : entries) {
    GetResult result;
    Require(reader->Get(UserKeyOf(entry.key), &result));
    EXPECT_EQ(result.value.ToString(), entry.value);
  }
  Require(reader->VerifyChecksum());
}

TEST(DictionaryTable, HoldsItsEntriesWhateverTheOptions) {
  const std::vector<Entry> entries = SimilarEntries(300);
  for (const CompressionType type : SupportedCompressionTypes()) {
    const std::string plain = BuildTable(Options(type, 0), entries);
    EXPECT_EQ(DictionaryOf(plain), "");
    for (const uint64_t buffer : {0, 1, 5000, 20000, 1 << 30}) {
      for (const uint32_t train : {0, 50000}) {
        for (const uint32_t format : {2, 5, 6, 7}) {
          SCOPED_TRACE(std::string(CompressionTypeName(type)) + ", buffer " +
                       std::to_string(buffer) + ", train " +
                       std::to_string(train));
          TableOptions options = Options(type, 3000);
          options.format_version = format;
          options.compression_opts.max_dict_buffer_bytes = buffer;
          options.compression_opts.zstd_max_train_bytes = train;
          options.compression_opts.use_zstd_dict_trainer = format != 5;
          const std::string bytes = BuildTable(options, entries);
          ExpectHolds(bytes, entries);
          EXPECT_EQ(BuildTable(options, entries), bytes);
          const bool any = type != CompressionType::kNoCompression;
          // The zstd trainer needs several blocks.
          const bool too_few = train != 0 && type == CompressionType::kZSTD &&
                               (buffer == 1 || buffer == 5000);
          if (too_few && options.compression_opts.use_zstd_dict_trainer) {
            EXPECT_EQ(DictionaryOf(bytes), "");
          } else {
            EXPECT_EQ(!DictionaryOf(bytes).empty(), any);
          }
          EXPECT_LE(DictionaryOf(bytes).size(), 3000u);
        }
      }
    }
  }
}

TEST(DictionaryTable, IsTheSameFileWithAnyNumberOfWorkers) {
  const std::vector<Entry> entries = SimilarEntries(5000);
  for (const CompressionType type : SupportedCompressionTypes()) {
    for (const uint64_t buffer : {0, 300000}) {
      TableOptions options = Options(type, 3000);
      options.compression_opts.max_dict_buffer_bytes = buffer;
      BuildOptions build = FixedBuild();
      build.workers = 0;
      const std::string serial = BuildTable(options, entries, build);
      for (const uint32_t workers : {1, 3}) {
        build.workers = workers;
        EXPECT_TRUE(BuildTable(options, entries, build) == serial)
            << CompressionTypeName(type) << ", " << workers << " workers";
      }
    }
  }
}

TEST(DictionaryTable, IsSmallerWhereBlocksAreAlike) {
  const std::vector<Entry> entries = SimilarEntries(2000);
  for (const CompressionType type :
       {CompressionType::kZlibCompression, CompressionType::kLZ4Compression,
        CompressionType::kLZ4HCCompression, CompressionType::kZSTD}) {
    if (!IsCompressionSupported(type)) continue;
    const uint64_t plain = BuildTable(Options(type, 0), entries).size();
    const uint64_t with = BuildTable(Options(type, 4000), entries).size();
    EXPECT_LT(with, plain * 9 / 10) << CompressionTypeName(type);
  }
}

// Golden files contain raw dictionaries that RocksDB made of the same entries.
TEST(DictionaryTable, RawDictionariesAreThoseOfRocksDb) {
  size_t compared = 0;
  for (const char* const name :
       {"r119-dict-lz4", "r119-dict-lz4hc", "r119-dict-snappy",
        "r119-dict-zlib", "r119-dict-zstd", "r78-dict-bzip2", "r78-dict-lz4",
        "r78-dict-snappy", "r78-dict-zlib", "r78-dict-zstd"}) {
    SCOPED_TRACE(name);
    const std::string theirs = ReadFile(GoldenPath(name) + ".sst");
    const auto reader = OpenTable(theirs);
    std::vector<Entry> entries;
    Require(ReadForward(*reader, {}, &entries));
    TableOptions options;
    options.block_size = 1024;
    options.compression_opts.max_dict_bytes = 2048;
    options.format_version = reader->format_version();
    options.filter = FilterType::kNone;
    const Inspected found = Inspect(theirs);
    options.compression = CompressionType::kNoCompression;
    for (const BlockInfo& block : found.data) {
      options.compression =
          std::max(options.compression,
                   static_cast<CompressionType>(block.compression_type));
    }
    const std::string ours = BuildTable(options, entries);
    ASSERT_EQ(DictionaryOf(theirs).size(), 2048u);
    EXPECT_EQ(Hex(DictionaryOf(ours)), Hex(DictionaryOf(theirs)));
    ++compared;
  }
  EXPECT_EQ(compared, 10u);
}

TEST(DictionaryTable, EdgesOfWhatIsSampled) {
  for (const CompressionType type : SupportedCompressionTypes()) {
    if (type == CompressionType::kNoCompression) continue;
    SCOPED_TRACE(CompressionTypeName(type));
    for (const uint32_t train : {0, 10000}) {
      TableOptions options = Options(type, 100000);
      options.compression_opts.zstd_max_train_bytes = train;
      const bool raw = train == 0 || type != CompressionType::kZSTD;
      // There is nothing to sample.
      const std::string empty = BuildTable(options, {});
      EXPECT_EQ(DictionaryOf(empty), "");
      ExpectHolds(empty, {});
      // All of the data becomes the dictionary.
      const std::vector<Entry> one = SimilarEntries(1);
      const std::string tiny = BuildTable(options, one);
      EXPECT_EQ(DictionaryOf(tiny).empty(), !raw);
      ExpectHolds(tiny, one);
      // No block can be compressed, except with itself as dictionary.
      Random random(9);
      std::vector<Entry> noise;
      noise.reserve(50);
      for (int i = 0; i < 50; ++i) {
        noise.push_back(
            Value("n" + std::to_string(100 + i), 3, random.Bytes(700)));
      }
      ExpectHolds(BuildTable(options, noise), noise);
      options.compression_opts.max_dict_bytes = 1;
      ExpectHolds(BuildTable(options, noise), noise);
    }
  }
  // If no block is ever compressed, no block waits for a dictionary.
  TableOptions never = Options(DefaultCompressionType(), 1000);
  never.compression_opts.max_compressed_bytes_per_kb = 0;
  EXPECT_EQ(DictionaryOf(BuildTable(never, SimilarEntries(20))), "");
}

TEST(DictionaryTable, IndexIsCompressedWithoutIt) {
  TableOptions options = Options(DefaultCompressionType(), 3000);
  const std::vector<Entry> entries = SimilarEntries(3000);
  const Inspected found = Inspect(BuildTable(options, entries));
  for (const BlockInfo& block : found.table.blocks) {
    if (block.kind != BlockKind::kIndex) continue;
    EXPECT_NE(block.compression_type, 0);
  }
  ASSERT_NE(found.dictionary, nullptr);
  EXPECT_EQ(found.dictionary->compression_type, 0);
  EXPECT_EQ(found.dictionary->name, "rocksdb.compression_dict");
  EXPECT_EQ(found.table.properties->num_data_blocks, found.data.size());
}

struct Cut {
  std::vector<std::string> files;
  uint64_t most_waiting = 0;  // bytes added while the file was still empty
};

// Cuts files as a compaction does: it starts the next file when this one is
// large enough.
Cut CutAtTarget(const TableOptions& options, uint64_t target,
                const std::vector<Entry>& entries) {
  Cut cut;
  BuildOptions build = FixedBuild();
  build.target_file_size = target;
  for (size_t i = 0; i < entries.size();) {
    std::string bytes;
    const auto file = NewMemoryWritableFile("cut.sst", &bytes);
    auto builder = TableBuilder::Create(options, build, file.get());
    Require(builder.status());
    uint64_t added = 0;
    for (; i < entries.size() && (*builder)->EstimatedFileSize() < target;
         ++i) {
      Require((*builder)->Add(entries[i].key, entries[i].value));
      added += entries[i].key.size() + entries[i].value.size();
      if ((*builder)->FileSize() == 0) {
        cut.most_waiting = std::max(cut.most_waiting, added);
      }
    }
    const uint64_t estimate = (*builder)->EstimatedFileSize();
    Require((*builder)->Finish());
    // The estimate is never less than the final size, except for the last bytes
    // of the tail.
    EXPECT_GE(estimate + 200, bytes.size());
    cut.files.push_back(bytes);
  }
  return cut;
}

TEST(DictionaryTable, FilesAreCutAtTheirTargetSize) {
  constexpr uint64_t kTarget = 50000;
  const std::vector<Entry> entries = SimilarEntries(4000);
  TableOptions options = Options(DefaultCompressionType(), 2000);
  for (const uint64_t buffer : {0, 10000}) {
    options.compression_opts.max_dict_buffer_bytes = buffer;
    const Cut cut = CutAtTarget(options, kTarget, entries);
    EXPECT_GT(cut.files.size(), 2u);
    const uint64_t slack = 3000;
    EXPECT_LT(cut.most_waiting, (buffer == 0 ? kTarget : buffer) + slack);
    std::vector<Entry> all;
    for (const std::string& bytes : cut.files) {
      EXPECT_LT(bytes.size(), kTarget + slack);
      // With a smaller buffer the compression ratio is known when the file is
      // cut.
      if (buffer != 0 && &bytes != &cut.files.back()) {
        EXPECT_GT(bytes.size(), kTarget * 3 / 4);
      }
      Require(ReadForward(*OpenTable(bytes), {}, &all));
    }
    EXPECT_TRUE(all == entries);
  }
}

TEST(DictionaryTable, EstimateCountsWhatWaits) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("estimate.sst", &bytes);
  auto builder = TableBuilder::Create(Options(DefaultCompressionType(), 1000),
                                      FixedBuild(), file.get());
  Require(builder.status());
  uint64_t added = 0;
  for (const Entry& entry : SimilarEntries(500)) {
    Require((*builder)->Add(entry.key, entry.value));
    added += entry.value.size();
    EXPECT_EQ((*builder)->FileSize(), 0u);
    EXPECT_GE((*builder)->EstimatedFileSize(), added);
    EXPECT_LE((*builder)->EstimatedFileSize(), added * 5 / 4 + 3000);
  }
  Require((*builder)->Finish());
  EXPECT_EQ((*builder)->FileSize(), bytes.size());
}

}  // namespace
}  // namespace ashlar::testing
