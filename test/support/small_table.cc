#include "test/support/small_table.h"

#include <utility>
#include <vector>

#include "ashlar/table/entry/timed_value.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/external_file_writer.h"
#include "ashlar/util/comparator.h"
#include "table/meta/properties_block.h"
#include "test/support/random_table.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {

namespace {

const Comparator* RandomComparator(Random* random) {
  switch (random->Below(12)) {
    case 0:
      return ShorterFirstComparator();
    case 1:
      return ReverseBytewiseComparatorWithU64Ts();
    case 2:
    case 3:
      return BytewiseComparatorWithU64Ts();
    case 4:
    case 5:
      return ReverseBytewiseComparator();
    default:
      return BytewiseComparator();
  }
}

void SetIndex(Random* random, TableOptions* options) {
  using enum IndexType;
  using enum IndexShortening;
  constexpr IndexType kTypes[] = {kBinarySearch, kHashSearch,
                                  kTwoLevelIndexSearch, kTwoLevelIndexSearch,
                                  kBinarySearchWithFirstKey};
  constexpr IndexShortening kShortenings[] = {kNoShortening, kShortenSeparators,
                                              kShortenSeparatorsAndSuccessor};
  constexpr int kIntervals[] = {1, 1, 2, 16};
  constexpr uint64_t kPartBytes[] = {1, 64, 200};
  options->index_type = random->Pick(kTypes);
  options->index_shortening = random->Pick(kShortenings);
  options->index_block_restart_interval = random->Pick(kIntervals);
  options->metadata_block_size = random->Pick(kPartBytes);
  options->uniform_cv_threshold = random->OneIn(3) ? 0.5 : -1;
  if (options->index_type != kHashSearch) return;
  options->index_block_restart_interval = 1;
  options->prefix_extractor = NewCappedPrefixExtractor(3);
}

void SetFilter(Random* random, TableOptions* options) {
  constexpr FilterType kFilters[] = {FilterType::kNone, FilterType::kBloom,
                                     FilterType::kRibbon};
  options->filter = random->Pick(kFilters);
  if (random->OneIn(2)) {
    const size_t n = random->Between(1, 5);
    options->prefix_extractor = random->OneIn(2) ? NewFixedPrefixExtractor(n)
                                                 : NewCappedPrefixExtractor(n);
  }
  options->whole_key_filtering = !random->OneIn(3);
  if (options->index_type != IndexType::kTwoLevelIndexSearch) return;
  options->partition_filters = !random->OneIn(3);
  options->decouple_partitioned_filters = random->OneIn(2);
}

TableOptions RandomOptions(Random* random) {
  constexpr uint64_t kBlockSizes[] = {1, 64, 128, 512, 4096};
  constexpr int kIntervals[] = {1, 2, 3, 16};
  TableOptions options;
  options.comparator = RandomComparator(random);
  options.persist_user_defined_timestamps =
      options.comparator->timestamp_size() == 0 || random->OneIn(2);
  options.format_version = static_cast<uint32_t>(random->Between(2, 7));
  options.checksum = static_cast<ChecksumType>(random->Below(5));
  options.block_size = random->Pick(kBlockSizes);
  options.block_restart_interval = random->Pick(kIntervals);
  options.use_delta_encoding = !random->OneIn(5);
  options.compression = CompressionType::kNoCompression;
  if (random->OneIn(5)) {
    const std::vector<CompressionType> codecs = SupportedCompressionTypes();
    options.compression = codecs[random->Below(codecs.size())];
    options.enable_index_compression = random->OneIn(2);
    if (random->OneIn(3)) options.compression_opts.max_dict_bytes = 100;
  }
  if (random->OneIn(3)) {
    options.data_block_index_type = DataBlockIndexType::kDataBlockBinaryAndHash;
  }
  options.separate_key_value_in_data_block = random->OneIn(3);
  options.block_align = random->OneIn(4) &&
                        options.compression == CompressionType::kNoCompression;
  SetIndex(random, &options);
  SetFilter(random, &options);
  return options;
}

std::string RandomUserKey(uint64_t shape, Random* random) {
  constexpr char kFew[] = {'\x00', '\xff', 'a'};
  std::string key;
  switch (shape) {
    case 0:
      return "key" + std::to_string(1000 + random->Below(500));
    case 1:
      return "v" + std::to_string(random->Below(5));
    case 2:
      return std::string(40, 'p') + std::to_string(random->Below(1000));
    default:
      for (uint64_t n = random->Below(6); n > 0; --n) {
        key.push_back(random->Pick(kFew));
      }
      return key;
  }
}

std::string RandomValue(ValueType type, Random* random) {
  std::string value = random->Text(random->Below(30));
  std::string encoded;
  switch (type) {
    case ValueType::kTypeDeletion:
    case ValueType::kTypeSingleDeletion:
      return {};
    case ValueType::kTypeValuePreferredSeqno:
      AppendTimedValue({Slice(value), 5}, &encoded);
      return encoded;
    case ValueType::kTypeWideColumnEntity:
      Require(EncodeWideColumns({{"", value}, {"other", "x"}}, &encoded));
      return encoded;
    default:
      return value;
  }
}

std::vector<Entry> RandomEntries(const TableOptions& options, Random* random) {
  constexpr ValueType kTypes[] = {ValueType::kTypeValue,
                                  ValueType::kTypeMerge,
                                  ValueType::kTypeDeletion,
                                  ValueType::kTypeWideColumnEntity,
                                  ValueType::kTypeBlobIndex,
                                  ValueType::kTypeSingleDeletion,
                                  ValueType::kTypeValuePreferredSeqno};
  const uint64_t shape = random->Below(4);
  const uint64_t sequences = random->OneIn(3) ? 1 : 200;
  const bool plain = random->OneIn(2);
  const uint64_t count = random->OneIn(12) ? 0 : random->Below(60);
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < count; ++i) {
    const ValueType type = plain ? kTypes[0] : random->Pick(kTypes);
    std::string key = RandomUserKey(shape, random);
    if (options.comparator->timestamp_size() != 0) {
      const bool any = options.persist_user_defined_timestamps;
      key += EncodeU64Ts(any ? random->Below(4) : 0);
    }
    entries.push_back({MakeInternalKey(key, random->Below(sequences), type),
                       RandomValue(type, random)});
  }
  return Model(options.comparator, std::move(entries)).entries();
}

std::vector<Entry> RandomRanges(const TableOptions& options, Random* random) {
  const std::string timestamp(options.comparator->timestamp_size(), '\0');
  std::vector<Entry> ranges;
  for (uint64_t n = random->OneIn(3) ? random->Below(4) : 0; n > 0; --n) {
    std::string a = RandomUserKey(0, random) + timestamp;
    std::string b = RandomUserKey(0, random) + timestamp;
    const int order = options.comparator->Compare(a, b);
    if (order > 0) std::swap(a, b);
    if (order != 0) ranges.push_back(RangeDeleted(a, random->Below(200), b));
  }
  return ranges;
}

// Changes the global sequence number in place, as ingestion does. The checksum
// stays that of the block with zeros in its place.
void SetGlobalSeqno(SequenceNumber sequence, std::string* table) {
  const BlockInfo block = FindBlock(BlocksOf(*table), BlockKind::kProperties);
  if (block.compression_type != 0) return;
  const size_t position = internal::FindGlobalSeqno(
      Slice(table->data() + block.offset, block.size));
  if (position == 0) return;
  internal::StoreFixed64(table->data() + block.offset + position, sequence);
}

// Builds an external file: some keys with one value each. It has a global
// sequence number among its properties, as after ingestion, or none.
std::string BuildExternal(const TableOptions& options,
                          const std::vector<Entry>& entries, Random* random) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("external.sst", &bytes);
  auto writer = ExternalFileWriter::Create(file.get(), options, FixedBuild());
  Require(writer.status());
  Slice last;
  for (const Entry& entry : entries) {
    const Slice key = UserKeyOf(entry.key);
    if (!last.empty() && key == last) continue;
    if (key.empty()) continue;
    Require((*writer)->Put(key, entry.value));
    last = key;
  }
  Require((*writer)->Finish());
  if (random->OneIn(2)) SetGlobalSeqno(random->Between(1, 300), &bytes);
  return bytes;
}

}  // namespace

SmallTable MakeSmallTable(Random* random) {
  const TableOptions options = RandomOptions(random);
  std::vector<Entry> entries = RandomEntries(options, random);
  SmallTable table;
  table.description = "format " + std::to_string(options.format_version) +
                      ", index type " +
                      std::to_string(static_cast<int>(options.index_type)) +
                      ", " + std::string(options.comparator->Name()) + ", " +
                      std::to_string(entries.size()) + " entries";
  const bool plain_keys = options.comparator->timestamp_size() == 0;
  if (plain_keys && !entries.empty() && random->OneIn(8)) {
    table.description += ", external";
    table.bytes = BuildExternal(options, entries, random);
    return table;
  }
  const std::vector<Entry> ranges = RandomRanges(options, random);
  table.description += ", " + std::to_string(ranges.size()) + " ranges";
  entries.insert(entries.end(), ranges.begin(), ranges.end());
  table.bytes = BuildTable(options, entries);
  return table;
}

}  // namespace ashlar::testing
