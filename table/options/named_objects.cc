#include "table/options/named_objects.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <vector>

#include "ashlar/table/flush_block_policy.h"
#include "ashlar/table/option_table.h"
#include "ashlar/util/custom_codec.h"
#include "table/options/option_text.h"
#include "util/compress/known_types.h"

namespace ashlar::internal {
namespace {

constexpr std::string_view kBySize = "FlushBlockBySizePolicyFactory";
constexpr std::string_view kEveryKey = "FlushBlockEveryKeyPolicyFactory";
constexpr std::string_view kCustomCodec = "kCustomCompression";
constexpr std::string_view kNoCodec = "kDisableCompressionOption";

bool IsNone(std::string_view id) { return id.empty() || id == kNullObject; }

// RocksDB's policy of this name: each entry ends its block.
class EndAfterEveryKey final : public FlushBlockPolicy {
 public:
  bool Update(const Slice& /*internal_key*/, const Slice& /*value*/) override {
    return true;
  }
};
class EndAfterEveryKeyFactory final : public FlushBlockPolicyFactory {
 public:
  std::unique_ptr<FlushBlockPolicy> NewFlushBlockPolicy() const override {
    return std::make_unique<EndAfterEveryKey>();
  }
};

Status NotBuiltIn(std::string_view name) {
  return Status::NotSupported("'" + std::string(name) + "' is not built in",
                              Status::SubCode::kNotBuiltIn);
}

// The names that RocksDB takes for its built-in filters, and what each makes.
struct NamedFilter {
  std::string_view name;
  FilterType type;
};
constexpr NamedFilter kNamedFilters[] = {
    {"bloomfilter", FilterType::kBloom},
    {"rocksdb.BloomFilter", FilterType::kBloom},
    {"rocksdb.internal.FastLocalBloomFilter", FilterType::kBloom},
    {"ribbonfilter", FilterType::kRibbon},
    {"rocksdb.RibbonFilter", FilterType::kRibbon},
    {"rocksdb.internal.Standard128RibbonFilter", FilterType::kRibbon},
};
// This one reads filters and makes none.
constexpr std::string_view kReadOnlyFilter = "rocksdb.BuiltinBloomFilter";

// Limits of RocksDB's, which are those of the option, too.
constexpr double kLeastBits = 0.5;
constexpr double kMostBits = 100;

// Whether a Ribbon policy with this text makes a Bloom filter even at the last
// level: only with the largest level of all.
bool IsBloomEverywhere(std::string_view level) {
  const auto number = ParseDigits(level);
  return number && *number >= uint64_t{std::numeric_limits<int>::max()};
}

}  // namespace

std::string_view IdOf(std::string_view text) {
  std::vector<OptionPair> pairs;
  std::string_view at;
  if (!text.starts_with("id") || !SplitPairs(text, &pairs, &at).ok()) {
    return text;
  }
  return pairs.front().name == "id" ? pairs.front().value : text;
}

Status SetFilterPolicy(std::string_view text, TableOptions* options) {
  const std::string_view id = IdOf(text);
  const std::vector<std::string_view> parts = SplitList(id);
  if (IsNone(id) || id == kReadOnlyFilter) {
    options->filter = FilterType::kNone;
    options->filter_policy = nullptr;
    return {};
  }
  const auto named =
      std::find_if(std::begin(kNamedFilters), std::end(kNamedFilters),
                   [&](const NamedFilter& f) { return f.name == parts[0]; });
  if (named == std::end(kNamedFilters)) return NotBuiltIn(id);
  const auto bits =
      parts.size() > 1 ? ParseDouble(parts[1]) : std::optional<double>();
  if (!bits || !(*bits >= 0)) {
    return Status::InvalidArgument("'" + std::string(id) +
                                   "' has no bits per key, as in '" +
                                   std::string(parts[0]) + ":10'");
  }
  options->filter_policy = nullptr;
  options->filter = *bits < kLeastBits ? FilterType::kNone : named->type;
  if (*bits >= kLeastBits) {
    options->bloom_bits_per_key = std::min(*bits, kMostBits);
  }
  if (options->filter == FilterType::kRibbon && parts.size() > 2 &&
      IsBloomEverywhere(parts[2])) {
    options->filter = FilterType::kBloom;
  }
  return {};
}

std::string FilterPolicyText(const TableOptions& options) {
  if (options.filter == FilterType::kNone) return std::string(kNullObject);
  const std::string bits = DescribeValue({}, options.bloom_bits_per_key);
  if (options.filter == FilterType::kBloom) {
    return "bloomfilter:" + bits + ":false";
  }
  // -1: in the tables of every level, flushed ones too.
  return "{id=ribbonfilter:" + bits + ":-1;bloom_before_level=-1;}";
}

Status SetPrefixExtractor(std::string_view text,
                          std::shared_ptr<const PrefixExtractor>* extractor) {
  const std::string_view id = IdOf(text);
  if (IsNone(id)) {
    extractor->reset();
    return {};
  }
  // The short names, which RocksDB takes but does not write.
  constexpr std::string_view kFixed = "fixed:";
  constexpr std::string_view kCapped = "capped:";
  std::string name(id);
  if (id.starts_with(kFixed)) {
    name = "rocksdb.FixedPrefix." + std::string(id.substr(kFixed.size()));
  } else if (id.starts_with(kCapped)) {
    name = "rocksdb.CappedPrefix." + std::string(id.substr(kCapped.size()));
  }
  auto found = FindBuiltinPrefixExtractor(name);
  if (found == nullptr) return NotBuiltIn(id);
  *extractor = std::move(found);
  return {};
}

Status SetComparatorByName(std::string_view text,
                           const Comparator** comparator) {
  std::string_view id = IdOf(text);
  if (id == "rocksdb.BytewiseComparator") id = "leveldb.BytewiseComparator";
  const Comparator* const found = FindBuiltinComparator(id);
  if (found == nullptr) return NotBuiltIn(id);
  *comparator = found;
  return {};
}

Status SetFlushBlockPolicy(std::string_view text, TableOptions* options) {
  const std::string_view id = IdOf(text);
  if (IsNone(id) || id == kBySize) {
    options->flush_block_policy_factory = nullptr;
    return {};
  }
  if (id != kEveryKey) return NotBuiltIn(id);
  options->flush_block_policy_factory =
      std::make_shared<EndAfterEveryKeyFactory>();
  return {};
}

std::optional<std::string_view> FlushBlockPolicyText(
    const TableOptions& options) {
  const FlushBlockPolicyFactory* const factory =
      options.flush_block_policy_factory.get();
  if (factory == nullptr) return kBySize;
  if (dynamic_cast<const EndAfterEveryKeyFactory*>(factory) != nullptr) {
    return kEveryKey;
  }
  return std::nullopt;
}

std::string_view MergeOperatorName(std::string_view text) {
  constexpr std::string_view kShortNames[][2] = {
      {"max", "MaxOperator"},
      {"put", "PutOperator"},
      {"put_v1", "PutOperator"},
      {"sortlist", "MergeSortOperator"},
      {"stringappend", "StringAppendOperator"},
      {"stringappendtest", "StringAppendTESTOperator"},
      {"uint64add", "UInt64AddOperator"},
  };
  const std::string_view id = IdOf(text);
  if (IsNone(id)) return {};
  for (const auto& [word, name] : kShortNames) {
    if (id == word) return name;
  }
  return id;
}

std::optional<CompressionType> CodecByName(std::string_view name) {
  if (name == kNoCodec) return kDisabledCompression;
  // RocksDB writes no such codec any more.
  if (name == "kZSTDNotFinalCompression") return std::nullopt;
  for (const KnownCompressionType& known : kKnownCompressionTypes) {
    if (known.enumerator == name) return known.type;
  }
  if (!name.starts_with(kCustomCodec)) return std::nullopt;
  constexpr int kHexadecimal = 16;
  constexpr size_t kDigits = 2;
  const std::string_view digits = name.substr(kCustomCodec.size());
  uint8_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, number, kHexadecimal);
  const auto type = static_cast<CompressionType>(number);
  if (digits.size() != kDigits || parsed.ec != std::errc() ||
      parsed.ptr != end || !IsCustomCompressionType(type)) {
    return std::nullopt;
  }
  return type;
}

std::string CodecName(CompressionType type) {
  if (const KnownCompressionType* const known = FindKnownType(type)) {
    return std::string(known->enumerator);
  }
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr unsigned kHexadecimal = 16;
  const auto number = static_cast<uint8_t>(type);
  std::string name(kCustomCodec);
  name += kDigits[number / kHexadecimal];
  name += kDigits[number % kHexadecimal];
  return name;
}

}  // namespace ashlar::internal
