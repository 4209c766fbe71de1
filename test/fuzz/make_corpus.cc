// Writes the seeds of the fuzz corpus: small tables from Ashlar and RocksDB,
// and their blocks. The output is the same every time.
//
//   fuzz_make_corpus <test/golden> <test/fuzz/corpus>
//
// Adds and overwrites files named seed-*. Inputs with other names once found a
// fault, and are not changed.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "table/database/log_records.h"
#include "table/dump/dump_format.h"
#include "table/format/footer.h"
#include "test/support/dumped_tables.h"
#include "test/support/folder.h"
#include "test/support/reference_reader.h"
#include "test/support/small_table.h"
#include "util/compress/codec.h"

namespace ashlar {

namespace {

using internal::AppendFixed32;
using internal::AppendFixed64;
using testing::Entry;
using testing::Random;

constexpr size_t kMaxSeedBytes = 4096;
constexpr size_t kMaxSeeds = 56;

class Corpus {
 public:
  explicit Corpus(std::string path) : path_(std::move(path)) {}

  // Skips the seed if the target has enough or the seed is too large.
  void Add(const std::string& target, const std::string& name,
           const std::string& bytes) {
    if (bytes.size() > kMaxSeedBytes || counts_[target] == kMaxSeeds) return;
    ++counts_[target];
    std::filesystem::create_directories(path_ + "/" + target);
    testing::WriteFile(path_ + "/" + target + "/seed-" + name, bytes);
  }
  void Print() const {
    for (const auto& [target, count] : counts_) {
      std::printf("%-14s %zu seeds\n", target.c_str(), count);
    }
  }

 private:
  std::string path_;
  std::map<std::string, size_t> counts_;
};

std::vector<Entry> SeedEntries() {
  std::vector<Entry> entries = testing::SomeEntries(20);
  entries.push_back(testing::Operand("merged", 9, "newer"));
  entries.push_back(testing::Operand("merged", 8, "older"));
  entries.push_back(testing::Value("merged", 7, "base"));
  entries.push_back(testing::Deletion("none", 5));
  entries.push_back(testing::Value("text", 3, std::string(300, 't')));
  return entries;
}

// Returns the parameters that a target expects before the block.
std::string Parameters(BlockKind kind, uint8_t index_form, uint64_t limit) {
  std::string bytes;
  if (kind == BlockKind::kIndex) bytes.push_back(static_cast<char>(index_form));
  if (kind == BlockKind::kIndex || kind == BlockKind::kMetaIndex) {
    AppendFixed32(&bytes, static_cast<uint32_t>(limit));
  }
  if (kind == BlockKind::kData) {
    const std::string moves("\x00\x02\x01\x85k\x03\x02\x01\x01\x88zz", 12);
    bytes.push_back('\0');
    bytes.push_back(static_cast<char>(moves.size()));
    bytes += moves;
  }
  if (kind == BlockKind::kRangeDeletion) bytes.push_back('\0');
  if (kind == BlockKind::kFilter) {
    const std::string keys("\x08key00003\x06merged\x04gone", 21);
    bytes.push_back(20);
    bytes.push_back(static_cast<char>(keys.size()));
    bytes += keys;
  }
  return bytes;
}

// Adds the payload in the form of format versions 0 and 1.
void AddUnsized(const std::string& name, uint8_t type, std::string payload,
                Corpus* corpus) {
  if (type != static_cast<uint8_t>(CompressionType::kZlibCompression) &&
      type != static_cast<uint8_t>(CompressionType::kBZip2Compression)) {
    return;
  }
  constexpr size_t kPrefix = 2;  // of blocks as large as these
  payload.replace(0, kPrefix, {static_cast<char>(type), '\x80'});
  corpus->Add("decompress", name + "-unsized", payload);
}

// Adds payloads together with the dictionary that they need.
void AddDictionary(Corpus* corpus) {
  const std::string dictionary = "a few words that come again, and again";
  for (const CompressionType type : SupportedCompressionTypes()) {
    auto compressor = internal::NewCompressor(type, {}, dictionary);
    if (!compressor.status().ok()) continue;
    std::string payload(200, '\0');
    payload.resize((*compressor)
                       ->Compress("words that come again and again",
                                  payload.data(), payload.size()));
    std::string input = {static_cast<char>(0x80 | static_cast<int>(type)),
                         '\x83', static_cast<char>(dictionary.size())};
    input.append(dictionary).append(payload);
    corpus->Add("decompress",
                "dictionary-" + std::string(CompressionTypeName(type)), input);
  }
}

void AddBlock(const std::string& name, const std::string& table,
              const BlockInfo& block, uint8_t index_form, Corpus* corpus) {
  const std::map<BlockKind, std::string> targets = {
      {BlockKind::kData, "block"},
      {BlockKind::kIndex, "index"},
      {BlockKind::kFilter, "filter"},
      {BlockKind::kProperties, "properties"},
      {BlockKind::kMetaIndex, "metaindex"},
      {BlockKind::kRangeDeletion, "range_deletions"},
  };
  const std::string stored = table.substr(block.offset, block.size);
  if (block.compression_type != 0) {
    std::string payload;
    payload.push_back(static_cast<char>(block.compression_type));
    payload.push_back(static_cast<char>(0x83));
    corpus->Add("decompress", name, payload + stored);
    AddUnsized(name, block.compression_type, stored, corpus);
    return;
  }
  const auto target = targets.find(block.kind);
  if (target == targets.end() || block.index > 0) return;
  corpus->Add(target->second, name,
              Parameters(block.kind, index_form, table.size()) + stored);
}

// If `parts` is false, the table adds only its compressed blocks, because the
// corpus already has uncompressed blocks like its others.
void AddTable(const std::string& name, const std::string& table, Corpus* corpus,
              bool parts = true) {
  TableInspection found;
  const auto file = NewMemoryFile(name, table);
  testing::Require(InspectTable(*file, {}, &found));
  corpus->Add("table", name, table);
  corpus->Add("signed_table", name, table);
  corpus->Add("block_walk", name, '\3' + table);
  if (!parts) {
    for (const BlockInfo& block : found.blocks) {
      if (block.compression_type == 0 || !block.status.ok()) continue;
      AddBlock(name, table, block, 0, corpus);
    }
    return;
  }
  const uint64_t footer_size =
      std::min<uint64_t>(table.size(), internal::kFooterSize);
  std::string footer;
  AppendFixed32(&footer, static_cast<uint32_t>(table.size() - footer_size));
  corpus->Add("footer", name,
              footer + table.substr(table.size() - footer_size));
  constexpr auto kFirstKeys =
      static_cast<uint32_t>(IndexType::kBinarySearchWithFirstKey);
  uint8_t form = 0;
  if (found.properties.has_value()) {
    form |= found.properties->index_key_is_user_key != 0 ? 1 : 0;
    form |= found.properties->index_value_is_delta_encoded != 0 ? 2 : 0;
    form |= found.properties->index_type == kFirstKeys ? 4 : 0;
  }
  for (const BlockInfo& block : found.blocks) {
    if (block.status.ok()) AddBlock(name, table, block, form, corpus);
  }
}

// Adds the index blocks of a table, top level first.
void AddPartitions(const std::string& name, const std::string& table,
                   uint8_t form, Corpus* corpus) {
  TableInspection found;
  const auto file = NewMemoryFile(name, table);
  testing::Require(InspectTable(*file, {}, &found));
  std::string bytes(1, static_cast<char>(form));
  bytes += "\4key5";
  for (const BlockKind kind : {BlockKind::kIndex, BlockKind::kIndexPartition}) {
    for (const BlockInfo& block : found.blocks) {
      if (block.kind != kind) continue;
      bytes.push_back(static_cast<char>(block.size));
      bytes += table.substr(block.offset, block.size);
    }
  }
  corpus->Add("partitions", name, bytes);
}

// Adds tables of every form, for the target that checks whole tables most
// closely.
void AddSmallTables(Corpus* corpus) {
  constexpr uint64_t kFirstSeed = 1900;
  constexpr uint64_t kTables = 40;
  for (uint64_t i = 0; i < kTables; ++i) {
    Random random(kFirstSeed + i);
    corpus->Add("verdict", "small-" + std::to_string(i),
                testing::MakeSmallTable(&random).bytes);
  }
}

void AddOurs(Corpus* corpus) {
  for (uint32_t version = kMinFormatVersion; version <= kMaxFormatVersion;
       ++version) {
    for (const CompressionType codec : SupportedCompressionTypes()) {
      const bool is_common = codec < CompressionType::kZlibCompression ||
                             codec == CompressionType::kLZ4Compression ||
                             codec == CompressionType::kZSTD;
      // Enough of each codec, without too many files.
      if (!is_common && version != kMinFormatVersion + 1 &&
          version != kMaxFormatVersion) {
        continue;
      }
      TableOptions options;
      options.format_version = version;
      options.compression = codec;
      options.block_size = 400;
      options.block_restart_interval = 4;
      options.index_block_restart_interval = version % 2 == 0 ? 1 : 3;
      options.checksum = static_cast<ChecksumType>(version % 5);
      AddTable("ours-" + std::to_string(version) + "-" +
                   std::string(CompressionTypeName(codec)),
               testing::BuildTable(options, SeedEntries()), corpus, is_common);
      if (version != kMaxFormatVersion ||
          codec == CompressionType::kNoCompression) {
        continue;
      }
      options.compression_opts.max_dict_bytes = 200;
      AddTable("ours-dictionary-" + std::string(CompressionTypeName(codec)),
               testing::BuildTable(options, SeedEntries()), corpus, false);
    }
  }
  for (const IndexType type : {IndexType::kTwoLevelIndexSearch,
                               IndexType::kBinarySearchWithFirstKey}) {
    for (const uint32_t version : {2, 6}) {
      TableOptions options;
      options.format_version = version;
      options.compression = CompressionType::kNoCompression;
      options.block_size = 200;
      options.index_type = type;
      options.metadata_block_size = 40;
      const std::string name = "ours-" + std::to_string(version) + "-index-" +
                               std::to_string(static_cast<int>(type));
      const std::string table = testing::BuildTable(options, SeedEntries());
      AddTable(name, table, corpus);
      if (type == IndexType::kTwoLevelIndexSearch) {
        AddPartitions(name, table, version == 2 ? 0 : 3, corpus);
      }
    }
  }
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  options.block_restart_interval = 4;
  options.data_block_index_type = DataBlockIndexType::kDataBlockBinaryAndHash;
  AddTable("ours-hashed", testing::BuildTable(options, SeedEntries()), corpus);
  options.separate_key_value_in_data_block = true;
  AddTable("ours-apart", testing::BuildTable(options, SeedEntries()), corpus);
  AddTable("ours-empty", testing::BuildTable({}, {}), corpus);
  AddSmallTables(corpus);
}

void AddGolden(const std::string& golden, Corpus* corpus) {
  for (const char* name :
       {"r119-sepkv-16.sst", "r119-sepkv-8.sst", "r119-hashidx.sst",
        "r119-one.sst", "r78-one.sst", "r119-rangedel-only.sst",
        "peb-rangedelonly.sst", "r78-userprops.sst",
        "bad/lying-compression-zstd.sst", "bad/unsorted.sst",
        "bad/restart-out-of-block.sst", "bad/fv1.sst",
        "bad/no-index-type.sst"}) {
    std::string flat(name);
    std::replace(flat.begin(), flat.end(), '/', '-');
    AddTable(flat, testing::ReadFile(golden + "/" + name), corpus);
  }
}

// Adds filter payloads of each kind, from files too large to be seeds
// themselves.
void AddOptions(Corpus* corpus) {
  corpus->Add("options", "ours",
              "comparator=leveldb.BytewiseComparator;format_version=6;"
              "block_size=4096;uniform_cv_threshold=-1.5;compression=kZSTD;"
              "compression_opts.level=32767;embedded_blob_options={enable=1;};"
              "filter=kRibbon;bloom_bits_per_key=9.5;"
              "prefix_extractor=rocksdb.FixedPrefix.4;target_rocksdb=11.8;");
  corpus->Add("options", "nested",
              "metadata_cache_options={unpartitioned_pinning=kAll;};"
              "block_based_table_factory={{filter_policy={id=ribbonfilter:9.5:"
              "2;bloom_before_level=2;};}};table_factory={id=BlockBasedTable;"
              "block_size=16K};compression_opts=-14:3:0:16384:0:2:false;"
              "merge_operator={id=stringappend;delimiter=\\#;}");
  corpus->Add("options", "file",
              "# a comment\r\n[Version]\n  rocksdb_version=11.8.1\n"
              "[DBOptions]\n  wal_dir=a\n[CFOptions \"default\"]\n"
              "  compression_per_level=kNoCompression:kZSTD\n"
              "  bottommost_compression=kDisableCompressionOption\n"
              "[TableOptions/BlockBasedTable \"default\"]\n"
              "  filter_policy=bloomfilter:10:false\n"
              "[CFOptions \"a \\# \\n b\"]\n  num_levels=7\n");
}

void AddFilters(const std::string& golden, Corpus* corpus) {
  const std::string front = Parameters(BlockKind::kFilter, 0, 0);
  for (const char* name :
       {"r119-ribbon-10.sst", "r119-ribbon-60.sst", "r78-bloom-fv4-10.sst",
        "peb-bloom.sst", "ldb-bloom.ldb", "r119-partfilter-fv7.sst",
        "r119-partfilter-ribbon.sst"}) {
    const testing::ReferenceTable table =
        testing::ReadReferenceTable(testing::ReadFile(golden + "/" + name));
    std::string payload = table.filter + table.leveldb_filter;
    if (payload.empty()) payload = table.filter_partitions.at(0).second;
    corpus->Add("filter", name, front + payload);
  }
}

// Adds partitioned filters, coupled and decoupled, of keys, prefixes or both.
void AddFilterPartitions(Corpus* corpus) {
  for (const bool decoupled : {true, false}) {
    for (const bool whole_keys : {true, false}) {
      TableOptions options;
      options.compression = CompressionType::kNoCompression;
      options.block_size = 200;
      options.index_type = IndexType::kTwoLevelIndexSearch;
      options.metadata_block_size = 80;
      options.partition_filters = true;
      options.decouple_partitioned_filters = decoupled;
      options.filter = decoupled ? FilterType::kRibbon : FilterType::kBloom;
      options.prefix_extractor = NewCappedPrefixExtractor(4);
      options.whole_key_filtering = whole_keys;
      AddTable(std::string("ours-filter-parts-") +
                   (decoupled ? "decoupled" : "coupled") +
                   (whole_keys ? "" : "-prefixes"),
               testing::BuildTable(options, SeedEntries()), corpus);
    }
  }
}

void AddHashSearch(Corpus* corpus) {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  options.block_size = 200;
  options.index_type = IndexType::kHashSearch;
  options.prefix_extractor = NewCappedPrefixExtractor(4);
  AddTable("ours-hash-search", testing::BuildTable(options, SeedEntries()),
           corpus);
}

// A dump with every kind of block, and its records one by one.
void AddCacheDumps(Corpus* corpus) {
  TableOptions options;
  options.block_size = 250;
  options.metadata_block_size = 200;
  options.filter = FilterType::kBloom;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  LruCacheOptions lru;
  lru.capacity = size_t{1} << 20;
  lru.num_shard_bits = 0;
  ReaderOptions in_cache;
  in_cache.block_cache = NewLruCache(lru).value();
  in_cache.cache_index_and_filter_blocks = true;
  const auto reader = testing::OpenTable(
      testing::BuildTable(options, testing::SomeEntries(40)), in_cache);
  std::vector<Entry> entries;
  testing::Require(testing::ReadForward(*reader, {}, &entries));
  GetResult result;
  testing::Require(reader->Get("key00001", &result));
  CacheDumpStats stats;
  std::string drawn;  // its id is random
  testing::Require(DumpBlockCache(*in_cache.block_cache,
                                  NewMemoryWritableFile("d", &drawn).get(), {},
                                  &stats));
  const auto file = NewMemoryFile("d", drawn);
  internal::DumpReader from(file.get());
  testing::Require(from.ReadHeader());
  std::string dump;
  const auto written = NewMemoryWritableFile("d", &dump);
  internal::DumpWriter to(written.get(), 1);
  testing::Require(to.AddHeader(true));
  internal::DumpRecord record;
  bool found = false;
  testing::Require(from.Next(&record, &found));
  for (int i = 0; found; ++i) {
    testing::Require(to.AddBlock(record));
    std::string one = {
        1, static_cast<char>(i), static_cast<char>(record.entry.role), 1, 0, 0,
        0};
    one.push_back(static_cast<char>(record.body.size()));
    one.push_back(static_cast<char>(record.body.size() >> 8));
    one.append(record.body.data(), record.body.size());
    corpus->Add("cache_dump", "record-" + std::to_string(i), one);
    testing::Require(from.Next(&record, &found));
  }
  testing::Require(to.AddEnd());
  corpus->Add("cache_dump", "whole", std::string(1, '\0') + dump);
}

void AddHandles(Corpus* corpus) {
  const uint64_t numbers[] = {
      0, 1, 127, 128, 300, uint64_t{1} << 32, ~uint64_t{0} - 5, ~uint64_t{0}};
  for (const uint64_t number : numbers) {
    std::string bytes;
    AppendFixed64(&bytes, number);
    internal::BlockHandle{number / 2, number / 3}.AppendTo(&bytes);
    corpus->Add("block_handle", std::to_string(number), bytes);
  }
}

// Adds entities of both versions, blob indexes of each kind, and a timed value.
void AddValues(Corpus* corpus) {
  for (const char* hex :
       {"0100", "01030002036363330302 7a7a01 616263646566", "010101610162",
        "0202020201110100010302 61 010203 6262", "0201010100110003010203"}) {
    corpus->Add("wide_columns", std::string(hex).substr(0, 12),
                testing::Unhex(hex));
  }
  for (const char* hex : {"010a47c80107", "02ac020a470100", "00ac026162",
                          "6162632211000000000000"}) {
    corpus->Add("blob_index", hex, testing::Unhex(hex));
  }
}

// Adds range deletions that overlap, repeat, are unordered, and are empty.
void AddRangeDeletions(Corpus* corpus) {
  using testing::RangeDeleted;
  AddTable("ours-ranges",
           testing::BuildTable(
               {}, {RangeDeleted("m", 5, "p"), RangeDeleted("a", 9, "z"),
                    testing::Value("b", 3, "x"), RangeDeleted("b", 0, "n"),
                    RangeDeleted("a", 9, "z"), RangeDeleted("", 7, "b")}),
           corpus);
}

// Adds MANIFESTs, as files and as their edits.
void AddDatabases(const std::string& golden, Corpus* corpus) {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(golden + "/db")) {
    const std::filesystem::path& path = entry.path();
    if (!path.filename().string().starts_with("MANIFEST-")) continue;
    const std::string name = path.parent_path().filename().string();
    const auto file = OpenRandomAccessFile(path.string());
    std::string edits(1, '\0');
    internal::LogRecords records(*file.value());
    while (records.Next()) {
      const Slice record = records.record();
      edits.push_back(static_cast<char>(record.size() & 0xff));
      edits.push_back(static_cast<char>(record.size() >> 8));
      edits.append(record.data(), record.size());
    }
    corpus->Add("database", name + "-edits", edits);
    corpus->Add("database", name + "-file",
                "\1" + testing::ReadFile(path.string()));
  }
}

// Adds traces of RocksDB and of Ashlar: as they are, cut off, and with a byte
// changed.
void AddTraces(const std::string& golden, Corpus* corpus) {
  constexpr size_t kSomeRecords = 700;
  const std::string rocksdb = testing::ReadFile(golden + "/trace/trace.bin");
  corpus->Add("block_cache_trace", "rocksdb", rocksdb);
  corpus->Add("block_cache_trace", "rocksdb-cut",
              rocksdb.substr(0, kSomeRecords));
  // A header, a chunk of three accesses, and the end. Version 1 of the file,
  // which is no longer written, and the current one.
  const std::string old = testing::Unhex(
      "896173686263740a010000000200000000000000000000003e8415dc"
      "1c000000030000004437d328101200010000000000000002010300010202"
      "01040000000000000003100000000000000029104fb30300000000000000"
      "0000000000000000");
  const std::string ours = testing::Unhex(
      "896173686263740a020000000200000000000000000000006ea9f79a"
      "2000000003000000910a11c81012000100000000000000020001030001a0"
      "2002020104000000000000000300100000000000000029104fb303000000"
      "000000000000000000000000");
  corpus->Add("block_cache_trace", "ours-old", old);
  corpus->Add("block_cache_trace", "ours", ours);
  for (std::string bad : {rocksdb.substr(0, kSomeRecords), ours}) {
    char& byte = bad[bad.size() / 2];
    byte = static_cast<char>(byte ^ 1);
    corpus->Add("block_cache_trace", bad.size() < 200 ? "ours-bad" : "bad",
                bad);
  }
}

// Adds random bytes after small numbers, which choose types and lengths.
void AddArrowColumns(Corpus* corpus) {
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    std::string bytes(1, static_cast<char>(i));
    for (uint64_t left = random.Below(200); left > 0; --left) {
      bytes.push_back(
          static_cast<char>(random.Below(random.Below(8) == 0 ? 256 : 5)));
    }
    corpus->Add("arrow_column", std::to_string(i), bytes);
  }
}

// Adds random bytes, which the target turns into options and entries.
void AddRoundTrips(Corpus* corpus) {
  Random random(1);
  for (int i = 0; i < 16; ++i) {
    corpus->Add(
        "round_trip", std::to_string(i),
        random.Bytes(8) + random.Text(40) + random.Bytes(random.Below(600)));
  }
}

}  // namespace

}  // namespace ashlar

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fuzz_make_corpus <golden> <corpus>\n");
    return 2;
  }
  ashlar::Corpus corpus(argv[2]);
  ashlar::AddDictionary(&corpus);
  ashlar::AddGolden(argv[1], &corpus);
  ashlar::AddValues(&corpus);
  ashlar::AddOurs(&corpus);
  ashlar::AddRangeDeletions(&corpus);
  ashlar::AddFilters(argv[1], &corpus);
  ashlar::AddOptions(&corpus);
  ashlar::AddFilterPartitions(&corpus);
  ashlar::AddHashSearch(&corpus);
  ashlar::AddCacheDumps(&corpus);
  ashlar::AddDatabases(argv[1], &corpus);
  ashlar::AddHandles(&corpus);
  ashlar::AddTraces(argv[1], &corpus);
  ashlar::AddRoundTrips(&corpus);
  ashlar::AddArrowColumns(&corpus);
  corpus.Add("canary", "harmless", "Ass");
  corpus.Print();
  return 0;
}
