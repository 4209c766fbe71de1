// Tests that the file is the same for any number of threads, byte for byte, for
// everything that a table may consist of.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/prefix_extractor.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// There are enough entries to use each ring slot again: the ring has 16 slots
// of 128 KiB. About half of the data can be compressed, and some blocks not at
// all.
const std::vector<Entry>& ManyEntries() {
  static const std::vector<Entry> entries = [] {
    constexpr size_t kEntries = 14000;
    std::vector<Entry> made;
    Random random(61);
    for (size_t i = 0; i < kEntries; ++i) {
      const bool stubborn = i / 500 % 4 == 3;
      std::string value = random.Bytes(stubborn ? 190 : 60);
      if (!stubborn) value.append(130, static_cast<char>('a' + i % 26));
      made.push_back(Value("key" + std::to_string(10000000 + i), 5, value));
    }
    return made;
  }();
  return entries;
}

struct Kind {
  const char* name;
  void (*set)(TableOptions* options);
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class ThreadCount : public ::testing::TestWithParam<Kind> {};

TEST_P(ThreadCount, ChangesNothing) {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  GetParam().set(&options);
  const std::vector<CompressionType> built_in = SupportedCompressionTypes();
  if (!std::count(built_in.begin(), built_in.end(), options.compression)) {
    // CI builds with every codec.
    GTEST_SKIP() << "this build leaves out the codec whose files are compared";
  }
  BuildOptions build = FixedBuild();
  const std::string serial = BuildTable(options, ManyEntries(), build);
  ASSERT_GT(serial.size(), size_t{1} << 20);
  for (const uint32_t threads : {2, 3, 4, 8, 16}) {
    build.parallel_threads = threads;
    EXPECT_TRUE(serial == BuildTable(options, ManyEntries(), build))
        << threads << " threads";
  }
  // The pool has no threads, so no worker comes and the emit thread does all
  // the work.
  WorkerPool nobody(0);
  build.worker_pool = &nobody;
  EXPECT_TRUE(serial == BuildTable(options, ManyEntries(), build));
}

std::string NameOf(const ::testing::TestParamInfo<Kind>& kind) {
  return kind.param.name;
}

using O = TableOptions*;
using enum CompressionType;

INSTANTIATE_TEST_SUITE_P(
    Codec, ThreadCount,
    ::testing::Values(
        Kind{"None", [](O) {}},
        Kind{"Snappy", [](O o) { o->compression = kSnappyCompression; }},
        Kind{"Zlib", [](O o) { o->compression = kZlibCompression; }},
        Kind{"BZip2", [](O o) { o->compression = kBZip2Compression; }},
        Kind{"Lz4", [](O o) { o->compression = kLZ4Compression; }},
        Kind{"Lz4Hc", [](O o) { o->compression = kLZ4HCCompression; }},
        Kind{"Zstd", [](O o) { o->compression = kZSTD; }},
        Kind{"ZstdChecksum",
             [](O o) {
               o->compression = kZSTD;
               o->compression_opts.checksum = true;
             }},
        Kind{"NothingIsSmallEnough",
             [](O o) {
               o->compression = kZSTD;
               o->compression_opts.max_compressed_bytes_per_kb = 100;
             }}),
    NameOf);

void WithDictionary(O o, CompressionType type) {
  o->compression = type;
  o->compression_opts.max_dict_bytes = 4096;
  o->compression_opts.max_dict_buffer_bytes = 1 << 18;
}

INSTANTIATE_TEST_SUITE_P(
    Dictionary, ThreadCount,
    ::testing::Values(
        Kind{"Zlib", [](O o) { WithDictionary(o, kZlibCompression); }},
        Kind{"Lz4", [](O o) { WithDictionary(o, kLZ4Compression); }},
        Kind{"Lz4Hc", [](O o) { WithDictionary(o, kLZ4HCCompression); }},
        Kind{"Zstd", [](O o) { WithDictionary(o, kZSTD); }},
        Kind{"ZstdTrained",
             [](O o) {
               WithDictionary(o, kZSTD);
               o->compression_opts.zstd_max_train_bytes = 100 * 4096;
             }},
        Kind{"ZstdFinalized",
             [](O o) {
               WithDictionary(o, kZSTD);
               o->compression_opts.zstd_max_train_bytes = 100 * 4096;
               o->compression_opts.use_zstd_dict_trainer = false;
             }},
        // All blocks wait for the dictionary, and then go to the ring at once.
        Kind{"HeldToTheEnd",
             [](O o) {
               WithDictionary(o, kZSTD);
               o->compression_opts.max_dict_buffer_bytes = 1 << 30;
             }}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Index, ThreadCount,
    ::testing::Values(
        Kind{"HashSearch",
             [](O o) {
               o->index_type = IndexType::kHashSearch;
               o->prefix_extractor = NewFixedPrefixExtractor(8);
             }},
        Kind{"TwoLevel",
             [](O o) {
               o->index_type = IndexType::kTwoLevelIndexSearch;
               o->metadata_block_size = 500;
             }},
        Kind{"FirstKey",
             [](O o) { o->index_type = IndexType::kBinarySearchWithFirstKey; }},
        Kind{"Uniform", [](O o) { o->uniform_cv_threshold = 0.5; }},
        Kind{"Compressed",
             [](O o) {
               o->compression = kZSTD;
               o->index_type = IndexType::kTwoLevelIndexSearch;
               o->index_block_restart_interval = 16;
             }},
        Kind{"Format7",
             [](O o) {
               o->format_version = 7;
               o->compression = kZSTD;
             }},
        Kind{"Format2", [](O o) { o->format_version = 2; }}),
    NameOf);

void WithFilterPartitions(O o) {
  o->index_type = IndexType::kTwoLevelIndexSearch;
  o->metadata_block_size = 500;
  o->partition_filters = true;
}

INSTANTIATE_TEST_SUITE_P(
    Filter, ThreadCount,
    ::testing::Values(
        Kind{"None", [](O o) { o->filter = FilterType::kNone; }},
        Kind{"Ribbon", [](O o) { o->filter = FilterType::kRibbon; }},
        Kind{"Prefix",
             [](O o) { o->prefix_extractor = NewFixedPrefixExtractor(8); }},
        Kind{"PrefixOnly",
             [](O o) {
               o->prefix_extractor = NewFixedPrefixExtractor(8);
               o->whole_key_filtering = false;
             }},
        Kind{"Partitions", WithFilterPartitions},
        Kind{"PartitionsThatFitMemory",
             [](O o) {
               WithFilterPartitions(o);
               o->optimize_filters_for_memory = true;
             }},
        Kind{"CoupledPartitions",
             [](O o) {
               WithFilterPartitions(o);
               o->decouple_partitioned_filters = false;
             }},
        Kind{"RibbonPartitionsOfPrefixes",
             [](O o) {
               WithFilterPartitions(o);
               o->filter = FilterType::kRibbon;
               o->prefix_extractor = NewFixedPrefixExtractor(8);
             }}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    DataBlock, ThreadCount,
    ::testing::Values(Kind{"Aligned", [](O o) { o->block_align = true; }},
                      Kind{"SuperBlocks",
                           [](O o) {
                             o->super_block_alignment_size = 1 << 14;
                             o->super_block_alignment_space_overhead_ratio = 4;
                           }},
                      Kind{"SuperBlocksCompressed",
                           [](O o) {
                             o->compression = kZSTD;
                             o->super_block_alignment_size = 1 << 14;
                             o->super_block_alignment_space_overhead_ratio = 4;
                           }},
                      Kind{"AlignedSuperBlocks",
                           [](O o) {
                             o->block_align = true;
                             o->super_block_alignment_size = 1 << 15;
                             o->super_block_alignment_space_overhead_ratio = 2;
                           }},
                      Kind{"Hash",
                           [](O o) {
                             o->data_block_index_type =
                                 DataBlockIndexType::kDataBlockBinaryAndHash;
                           }},
                      Kind{"ValuesApart",
                           [](O o) {
                             o->separate_key_value_in_data_block = true;
                           }},
                      Kind{"LargerThanASlot",
                           [](O o) {
                             o->compression = kZSTD;
                             o->block_size = 300000;
                           }},
                      Kind{"Small", [](O o) { o->block_size = 256; }}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Checksum, ThreadCount,
    ::testing::Values(
        Kind{"None", [](O o) { o->checksum = ChecksumType::kNoChecksum; }},
        Kind{"Crc32c", [](O o) { o->checksum = ChecksumType::kCRC32c; }},
        Kind{"XxHash", [](O o) { o->checksum = ChecksumType::kxxHash; }},
        Kind{"XxHash64", [](O o) { o->checksum = ChecksumType::kxxHash64; }}),
    NameOf);

}  // namespace
}  // namespace ashlar::testing
