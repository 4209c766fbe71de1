#include "test/support/random_table.h"

#include <algorithm>
#include <utility>

namespace ashlar::testing {

namespace {

class ShorterFirst final : public Comparator {
 public:
  std::string_view Name() const override { return "test.ShorterFirst"; }
  int Compare(const Slice& a, const Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
};

enum class KeyShape : uint8_t {
  kCounted,
  kFewBytes,  // 00, FF and one letter, also the empty key
  kAnyBytes,
  kManyVersions,
  kLongPrefix,  // all keys share 10 KiB
  kLongKeys,    // up to 64 KiB
};

constexpr KeyShape kShapes[] = {
    KeyShape::kCounted,      KeyShape::kCounted,      KeyShape::kFewBytes,
    KeyShape::kFewBytes,     KeyShape::kAnyBytes,     KeyShape::kAnyBytes,
    KeyShape::kManyVersions, KeyShape::kManyVersions, KeyShape::kLongPrefix,
    KeyShape::kLongKeys};

size_t MostEntries(KeyShape shape) {
  constexpr size_t kMost = 400;
  constexpr size_t kMostLong = 40;
  constexpr size_t kMostLongest = 6;
  if (shape == KeyShape::kLongPrefix) return kMostLong;
  return shape == KeyShape::kLongKeys ? kMostLongest : kMost;
}

std::string RandomUserKey(KeyShape shape, Random* random) {
  constexpr char kFew[] = {'\x00', '\xff', 'a'};
  std::string key;
  switch (shape) {
    case KeyShape::kCounted:
      return "user" + std::to_string(100000 + random->Below(2000));
    case KeyShape::kFewBytes:
      for (uint64_t n = random->Below(8); n > 0; --n) {
        key.push_back(random->Pick(kFew));
      }
      return key;
    case KeyShape::kAnyBytes:
      return random->Bytes(random->Below(40));
    case KeyShape::kManyVersions:
      return "v" + std::to_string(random->Below(4));
    case KeyShape::kLongPrefix:
      return std::string(10240, 'p') + random->Bytes(random->Below(4));
    case KeyShape::kLongKeys:
      return random->Bytes(random->Below(65536) + 1);
  }
  return key;
}

std::string RandomValue(Random* random) {
  switch (random->Below(6)) {
    case 0:
      return {};
    case 1:
      return random->Bytes(random->Below(200));
    case 2:
      return random->OneIn(20) ? random->Text(random->Below(9000))
                               : random->Text(100);
    default:
      return random->Text(random->Below(60));
  }
}

std::vector<Entry> RandomEntries(KeyShape shape, Random* random) {
  constexpr ValueType kTypes[] = {
      ValueType::kTypeValue, ValueType::kTypeValue,
      ValueType::kTypeMerge, ValueType::kTypeDeletion,
      ValueType::kTypeMerge, ValueType::kTypeSingleDeletion};
  // Tables of no entry or one entry come more often than by chance.
  const size_t most = MostEntries(shape);
  const size_t count =
      random->OneIn(12) ? random->Below(2) : random->Below(most) + 1;
  const uint64_t kinds = random->Between(1, std::size(kTypes));
  const uint64_t sequences = random->OneIn(4) ? 1 : 500;
  std::vector<Entry> entries;
  for (size_t i = 0; i < count; ++i) {
    const ValueType type = kTypes[random->Below(kinds)];
    const bool empty = type == ValueType::kTypeDeletion ||
                       type == ValueType::kTypeSingleDeletion;
    SequenceNumber sequence = random->Below(sequences);
    if (random->OneIn(200)) sequence = kMaxSequenceNumber;
    entries.push_back(
        {MakeInternalKey(RandomUserKey(shape, random), sequence, type),
         empty ? "" : RandomValue(random)});
  }
  return entries;
}

void SetBlockForm(Random* random, TableOptions* options) {
  constexpr double kRatios[] = {0.3, 0.75, 0.75, 5};
  if (random->OneIn(3)) {
    options->data_block_index_type =
        DataBlockIndexType::kDataBlockBinaryAndHash;
    options->data_block_hash_table_util_ratio = random->Pick(kRatios);
  }
  options->separate_key_value_in_data_block = random->OneIn(3);
  options->embedded_blob_options = {
      .enable = options->format_version == 7 && random->OneIn(3),
      .min_blob_size = random->Below(60)};
  // block_align needs a power of two, which all these sizes but 200 are.
  options->block_align =
      random->OneIn(3) && options->block_size != 200 &&
      !options->embedded_blob_options.enable &&
      options->compression == CompressionType::kNoCompression;
  if (!random->OneIn(3)) return;
  options->super_block_alignment_size =
      options->block_size == 65536 ? 1 << 17 : 1 << 13;
  options->super_block_alignment_space_overhead_ratio = random->Below(5);
}

void SetFilter(Random* random, TableOptions* options) {
  constexpr FilterType kFilters[] = {FilterType::kNone, FilterType::kBloom,
                                     FilterType::kRibbon};
  options->filter = random->Pick(kFilters);
  const size_t n = random->Below(7);
  switch (random->Below(6)) {
    case 0:
      options->prefix_extractor = NewFixedPrefixExtractor(n);
      break;
    case 1:
      options->prefix_extractor = NewCappedPrefixExtractor(n);
      break;
    case 2:
      options->prefix_extractor = NewNoopPrefixExtractor();
      break;
    default:
      break;
  }
  options->whole_key_filtering = !random->OneIn(3);
  if (options->index_type != IndexType::kHashSearch) return;
  options->index_block_restart_interval = 1;
  if (options->prefix_extractor == nullptr) {
    options->prefix_extractor = NewCappedPrefixExtractor(3);
  }
}

void SetDictionary(Random* random, TableOptions* options) {
  constexpr uint32_t kSizes[] = {100, 4000, 100000};
  CompressionOptions& codec = options->compression_opts;
  codec.max_dict_bytes = random->Pick(kSizes);
  if (random->OneIn(2)) codec.max_dict_buffer_bytes = 3000;
  if (options->compression == CompressionType::kZSTD && random->OneIn(2)) {
    codec.zstd_max_train_bytes = 5000;
  }
}

TableOptions RandomOptions(Random* random) {
  constexpr uint64_t kBlockSizes[] = {1, 64, 200, 512, 1024, 4096, 65536};
  constexpr int kDeviations[] = {0, 10, 10, 60, 100};
  constexpr int kIntervals[] = {1, 2, 3, 16, 16, 1000};
  using enum IndexShortening;
  constexpr IndexShortening kShortenings[] = {kNoShortening, kShortenSeparators,
                                              kShortenSeparatorsAndSuccessor};
  using enum IndexType;
  constexpr IndexType kIndexTypes[] = {kBinarySearch, kHashSearch,
                                       kTwoLevelIndexSearch,
                                       kBinarySearchWithFirstKey};
  constexpr double kBits[] = {0.5, 1, 5, 10, 23.7, 100};
  const std::vector<CompressionType> codecs = SupportedCompressionTypes();
  TableOptions options;
  options.comparator = random->OneIn(5)   ? ReverseBytewiseComparator()
                       : random->OneIn(5) ? ShorterFirstComparator()
                                          : BytewiseComparator();
  options.format_version = static_cast<uint32_t>(random->Between(2, 7));
  options.block_size = random->Pick(kBlockSizes);
  options.block_size_deviation = random->Pick(kDeviations);
  options.block_restart_interval = random->Pick(kIntervals);
  options.index_block_restart_interval = random->Pick(kIntervals);
  options.use_delta_encoding = !random->OneIn(5);
  options.index_shortening = random->Pick(kShortenings);
  options.index_type = random->Pick(kIndexTypes);
  options.metadata_block_size = random->Pick(kBlockSizes);
  if (options.index_type == kTwoLevelIndexSearch && !random->OneIn(3)) {
    options.partition_filters = true;
    options.decouple_partitioned_filters = random->OneIn(2);
  }
  options.uniform_cv_threshold = random->OneIn(3) ? 0.5 : -1;
  options.compression = codecs[random->Below(codecs.size())];
  if (random->OneIn(6))
    options.compression_opts.max_compressed_bytes_per_kb = 0;
  if (random->OneIn(4)) SetDictionary(random, &options);
  options.enable_index_compression = !random->OneIn(3);
  options.checksum = static_cast<ChecksumType>(random->Below(5));
  options.bloom_bits_per_key = random->Pick(kBits);
  SetFilter(random, &options);
  SetBlockForm(random, &options);
  return options;
}

std::string Describe(const TableOptions& o, const Model& model) {
  std::string text = "format " + std::to_string(o.format_version);
  text += ", " + std::string(o.comparator->Name());
  text += ", " + std::string(CompressionTypeName(o.compression));
  text += ", " + std::string(ChecksumTypeName(o.checksum));
  text += ", block size " + std::to_string(o.block_size) + " deviation " +
          std::to_string(o.block_size_deviation) + " restarts " +
          std::to_string(o.block_restart_interval) + "/" +
          std::to_string(o.index_block_restart_interval);
  text += o.use_delta_encoding ? ", delta" : ", whole keys";
  if (o.data_block_index_type != DataBlockIndexType::kDataBlockBinarySearch) {
    text += ", hash " + std::to_string(o.data_block_hash_table_util_ratio);
  }
  if (o.separate_key_value_in_data_block) text += ", apart";
  if (o.embedded_blob_options.enable) {
    text +=
        ", blobs of " + std::to_string(o.embedded_blob_options.min_blob_size);
  }
  if (o.block_align) text += ", aligned";
  text += ", super block " + std::to_string(o.super_block_alignment_size) +
          "/" + std::to_string(o.super_block_alignment_space_overhead_ratio);
  text += o.filter == FilterType::kNone     ? ", no filter"
          : o.filter == FilterType::kRibbon ? ", ribbon"
                                            : ", bloom";
  if (o.partition_filters) {
    text += o.decouple_partitioned_filters ? " in parts" : " in coupled parts";
  }
  if (!o.whole_key_filtering) text += " without whole keys";
  if (o.prefix_extractor != nullptr) {
    text += ", " + std::string(o.prefix_extractor->Name());
  }
  if (o.compression_opts.max_dict_bytes != 0) {
    text += ", dictionary " + std::to_string(o.compression_opts.max_dict_bytes);
  }
  return text + ", " + std::to_string(model.entries().size()) + " entries";
}

}  // namespace

const Comparator* ShorterFirstComparator() {
  static const ShorterFirst comparator;
  return &comparator;
}

Model::Model(const Comparator* comparator, std::vector<Entry> entries)
    : comparator_(comparator), entries_(std::move(entries)) {
  std::stable_sort(
      entries_.begin(), entries_.end(),
      [this](const Entry& a, const Entry& b) { return Less(a.key, b.key); });
  const auto same_key = [](const Entry& a, const Entry& b) {
    return a.key == b.key;
  };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), same_key),
                 entries_.end());
}

bool Model::Less(const Slice& a, const Slice& b) const {
  const int order = comparator_->Compare(UserKeyOf(a), UserKeyOf(b));
  return order != 0 ? order < 0 : TailOf(a) > TailOf(b);
}

size_t Model::LowerBound(const Slice& internal_key) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), internal_key,
                       [this](const Entry& entry, const Slice& key) {
                         return Less(entry.key, key);
                       });
  return static_cast<size_t>(found - entries_.begin());
}

size_t Model::Seek(const Slice& user_key, SequenceNumber snapshot) const {
  return LowerBound(
      MakeInternalKey(user_key, snapshot, static_cast<ValueType>(0xff)));
}

int64_t Model::SeekForPrev(const Slice& user_key,
                           SequenceNumber snapshot) const {
  const std::string key =
      MakeInternalKey(user_key, snapshot, static_cast<ValueType>(0));
  const size_t i = LowerBound(key);
  const auto position = static_cast<int64_t>(i);
  return i < entries_.size() && entries_[i].key == key ? position
                                                       : position - 1;
}

ModelAnswer Model::Get(const Slice& user_key, SequenceNumber snapshot) const {
  ModelAnswer answer;
  for (size_t i = Seek(user_key, snapshot);
       i < entries_.size() && UserKeyOf(entries_[i].key) == user_key; ++i) {
    answer.sequence = SequenceOf(entries_[i].key);
    if (TypeOf(entries_[i].key) == ValueType::kTypeMerge) {
      answer.state = GetResult::State::kMerged;
      answer.operands.push_back(entries_[i].value);
      continue;
    }
    const bool found = TypeOf(entries_[i].key) == ValueType::kTypeValue;
    answer.state =
        found ? GetResult::State::kFound : GetResult::State::kDeleted;
    answer.value = entries_[i].value;
    return answer;
  }
  return answer;
}

RandomTable MakeRandomTable(Random* random) {
  const TableOptions options = RandomOptions(random);
  const KeyShape shape = random->Pick(kShapes);
  Model model(options.comparator, RandomEntries(shape, random));
  std::string description = Describe(options, model);
  return {options, std::move(model), std::move(description)};
}

std::string RandomTarget(const Model& model, Random* random) {
  if (model.entries().empty() || random->OneIn(8)) {
    return random->Bytes(random->Below(6));
  }
  const Entry& entry = model.entries()[random->Below(model.entries().size())];
  std::string key = UserKeyOf(entry.key).ToString();
  switch (random->Below(4)) {
    case 0:
      key.push_back(random->OneIn(2) ? '\0' : '\xff');
      break;
    case 1:
      if (!key.empty()) key.pop_back();
      break;
    case 2:
      if (!key.empty()) ++key[random->Below(key.size())];
      break;
    default:
      break;
  }
  return key;
}

}  // namespace ashlar::testing
