#include "table/meta/properties_block.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <variant>

#include "table/block/block.h"
#include "table/block/block_builder.h"
#include "table/meta/plain_block.h"
#include "util/compress/known_types.h"

namespace ashlar::internal {

namespace {

enum class When : uint8_t { kAlways, kIfSet };

// The fields. Their types give the encodings: 64-bit numbers are varints;
// 32-bit numbers, and those of external files, are fixed; text is stored as it
// is.
using Field =
    std::variant<uint64_t TableProperties::*, uint32_t TableProperties::*,
                 std::string TableProperties::*,
                 std::optional<SequenceNumber> TableProperties::*,
                 std::optional<uint32_t> TableProperties::*>;

struct Row {
  std::string_view name;
  Field field;
  When when = When::kAlways;
  // Whether it is fixed instead of a varint.
  bool fixed = false;
  // Whether readers go by it: if it does not decode, the file is damaged.
  bool needed = false;
};

using P = TableProperties;

constexpr When kAlways = When::kAlways;
constexpr When kIfSet = When::kIfSet;

// clang-format off
constexpr Row kRows[] = {
    {"rocksdb.block.based.table.decoupled.partitioned.filters",
     &P::decoupled_partitioned_filters, kIfSet},
    {"rocksdb.block.based.table.index.type", &P::index_type, kAlways, true,
     true},
    {"rocksdb.block.based.table.prefix.filtering", &P::prefix_filtering,
     kIfSet},
    {"rocksdb.block.based.table.whole.key.filtering", &P::whole_key_filtering,
     kIfSet},
    {"rocksdb.column.family.id", &P::column_family_id},
    {"rocksdb.column.family.name", &P::column_family_name, kIfSet},
    {"rocksdb.comparator", &P::comparator_name, kIfSet},
    {"rocksdb.compression", &P::compression_name},
    {"rocksdb.compression_options", &P::compression_options},
    {"rocksdb.creating.db.identity", &P::db_id, kIfSet},
    {"rocksdb.creating.host.identity", &P::db_host_id, kIfSet},
    {"rocksdb.creating.session.identity", &P::db_session_id, kIfSet},
    {"rocksdb.creation.time", &P::creation_time},
    {"rocksdb.data.block.restart.interval", &P::data_block_restart_interval,
     kIfSet},
    {"rocksdb.data.size", &P::data_size},
    {"rocksdb.deleted.keys", &P::num_deletions},
    {"rocksdb.external_sst_file.global_seqno",
     &P::external_sst_file_global_seqno, kIfSet, true, true},
    {"rocksdb.external_sst_file.version", &P::external_sst_file_version,
     kIfSet, true, true},
    {"rocksdb.file.creation.time", &P::file_creation_time, kIfSet},
    {"rocksdb.filter.policy", &P::filter_policy_name, kIfSet},
    {"rocksdb.filter.size", &P::filter_size},
    {"rocksdb.fixed.key.length", &P::fixed_key_len},
    {"rocksdb.format.version", &P::format_version},
    {"rocksdb.index.block.restart.interval", &P::index_block_restart_interval,
     kIfSet},
    {"rocksdb.index.key.is.user.key", &P::index_key_is_user_key, kAlways,
     false, true},
    {"rocksdb.index.partitions", &P::index_partitions, kIfSet},
    {"rocksdb.index.size", &P::index_size},
    {"rocksdb.index.value.is.delta.encoded", &P::index_value_is_delta_encoded,
     kAlways, false, true},
    {"rocksdb.key.largest.seqno", &P::key_largest_seqno, kIfSet},
    {"rocksdb.key.smallest.seqno", &P::key_smallest_seqno, kIfSet},
    {"rocksdb.merge.operands", &P::num_merge_operands},
    {"rocksdb.merge.operator", &P::merge_operator_name},
    {"rocksdb.newest.key.time", &P::newest_key_time},
    {"rocksdb.num.data.blocks", &P::num_data_blocks},
    {"rocksdb.num.data.blocks.compression.bypassed",
     &P::num_data_blocks_compression_bypassed, kIfSet},
    {"rocksdb.num.data.blocks.compression.rejected",
     &P::num_data_blocks_compression_rejected, kIfSet},
    {"rocksdb.num.entries", &P::num_entries},
    {"rocksdb.num.filter_entries", &P::num_filter_entries},
    {"rocksdb.num.range-deletions", &P::num_range_deletions},
    {"rocksdb.num.uniform.blocks", &P::num_uniform_blocks},
    {"rocksdb.oldest.key.time", &P::oldest_key_time},
    {"rocksdb.original.file.number", &P::orig_file_number},
    {"rocksdb.prefix.extractor.name", &P::prefix_extractor_name},
    {"rocksdb.property.collectors", &P::property_collectors_names},
    {"rocksdb.raw.key.size", &P::raw_key_size},
    {"rocksdb.raw.value.size", &P::raw_value_size},
    {"rocksdb.sample_for_compression.fast.data.size",
     &P::fast_compression_estimated_data_size, kIfSet},
    {"rocksdb.sample_for_compression.slow.data.size",
     &P::slow_compression_estimated_data_size, kIfSet},
    {"rocksdb.separate.key.value.in.data.block",
     &P::separate_key_value_in_data_block, kIfSet},
    {"rocksdb.seqno.time.map", &P::seqno_to_time_mapping, kIfSet},
    {"rocksdb.tail.start.offset", &P::tail_start_offset},
    {"rocksdb.top-level.index.size", &P::top_level_index_size, kIfSet},
};
// clang-format on

// Unlike all others, written only if timestamps are not.
constexpr std::string_view kTimestampsPersisted =
    "rocksdb.user.defined.timestamps.persisted";

std::string EncodeNumber(uint64_t value, size_t fixed_bytes) {
  std::string text;
  if (fixed_bytes == sizeof(uint32_t)) {
    AppendFixed32(&text, static_cast<uint32_t>(value));
  } else if (fixed_bytes == sizeof(uint64_t)) {
    AppendFixed64(&text, value);
  } else {
    AppendVarint64(&text, value);
  }
  return text;
}

// Returns nothing if the property is not to be written.
std::optional<std::string> EncodeField(const TableProperties& properties,
                                       const Row& row) {
  return std::visit(
      [&](auto field) -> std::optional<std::string> {
        const auto& value = properties.*field;
        using Value = std::decay_t<decltype(value)>;
        const bool set = value != Value();
        if (row.when == When::kIfSet && !set) return std::nullopt;
        if constexpr (std::is_same_v<Value, std::string>) {
          return value;
        } else if constexpr (std::is_integral_v<Value>) {
          return EncodeNumber(value, row.fixed ? sizeof value : 0);
        } else {
          return EncodeNumber(*value, row.fixed ? sizeof *value : 0);
        }
      },
      row.field);
}

bool DecodeNumber(const Slice& text, size_t fixed_bytes, uint64_t* value) {
  if (fixed_bytes == sizeof(uint32_t)) {
    if (text.size() != fixed_bytes) return false;
    *value = LoadFixed32(text.data());
    return true;
  }
  if (fixed_bytes == sizeof(uint64_t)) {
    if (text.size() != fixed_bytes) return false;
    *value = LoadFixed64(text.data());
    return true;
  }
  Decoder decoder(text);
  return decoder.Varint64(value) && decoder.empty();
}

bool DecodeField(const Slice& text, const Row& row,
                 TableProperties* properties) {
  return std::visit(
      [&](auto field) {
        auto& target = properties->*field;
        using Value = std::decay_t<decltype(target)>;
        if constexpr (std::is_same_v<Value, std::string>) {
          target = text.ToString();
          return true;
        } else {
          constexpr bool kOptional = !std::is_integral_v<Value>;
          uint64_t value;
          size_t width = sizeof(uint64_t);
          if constexpr (kOptional) {
            width = sizeof(typename Value::value_type);
          } else {
            width = sizeof(Value);
          }
          if (!DecodeNumber(text, row.fixed ? width : 0, &value)) return false;
          if constexpr (kOptional) {
            target = static_cast<typename Value::value_type>(value);
          } else {
            target = static_cast<Value>(value);
          }
          return true;
        }
      },
      row.field);
}

// Sorted, and no name twice.
static_assert(std::ranges::adjacent_find(kRows, std::ranges::greater_equal{},
                                         &Row::name) == std::end(kRows));

// Finds the rows of names that ascend.
class RowFinder {
 public:
  // Returns the row of that name, or null.
  const Row* Find(std::string_view name) {
    while (next_ != std::end(kRows) && next_->name < name) ++next_;
    return next_ != std::end(kRows) && next_->name == name ? next_ : nullptr;
  }

 private:
  const Row* next_ = std::begin(kRows);
};

Status DecodeOne(std::string_view name, const Slice& value,
                 const BlockPlace& place, const Row* row,
                 TableProperties* properties) {
  if (name == kTimestampsPersisted) {
    uint64_t persisted;
    if (!DecodeNumber(value, 0, &persisted)) {
      return place.Corruption("bad property", std::string(name));
    }
    properties->user_defined_timestamps_persisted = persisted;
    return {};
  }
  if (row == nullptr) {
    properties->user_collected_properties.emplace(name, value.ToStringView());
    return {};
  }
  if (!DecodeField(value, *row, properties) && row->needed) {
    return place.Corruption("bad property", std::string(name) + " of " +
                                                std::to_string(value.size()) +
                                                " bytes does not decode");
  }
  return {};
}

}  // namespace

bool HasPropertyField(std::string_view name) {
  return name == kTimestampsPersisted || RowFinder().Find(name) != nullptr;
}

void EncodeProperties(const TableProperties& properties, Buffer* out) {
  std::map<std::string, std::string> entries =
      properties.user_collected_properties;
  if (properties.user_defined_timestamps_persisted == 0) {
    entries[std::string(kTimestampsPersisted)] = EncodeNumber(0, 0);
  }
  for (const Row& row : kRows) {
    std::optional<std::string> value = EncodeField(properties, row);
    if (value.has_value()) {
      entries[std::string(row.name)] = std::move(*value);
    }
  }
  EncodePlainBlock(entries, BlockBuilder::kOneRestart, out);
}

Status DecodeProperties(const Slice& contents, const BlockPlace& place,
                        TableProperties* properties) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  StoredProperties& stored = properties->stored;
  stored.Reserve(std::size(kRows), contents.size());
  RowFinder rows;
  return ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice& value) -> Status {
        const std::string_view name = key.ToStringView();
        if (stored.Append(name, value.ToStringView())) {
          return DecodeOne(name, value, place, rows.Find(name), properties);
        }
        const auto last = stored.back();
        return place.Corruption("properties unsorted",
                                "'" + std::string(name) +
                                    "' is not larger than '" +
                                    std::string(last.first) + "'");
      });
}

size_t FindGlobalSeqno(const Slice& contents) {
  BlockView view;
  const BlockPlace nowhere;
  if (!ParseBlock(contents, nowhere, &view).ok()) return 0;
  size_t position = 0;
  // An entry that does not decode ends the search; what was found stays.
  ForEachPlainEntry(view, nowhere,
                    [&](const Slice& key, const Slice& value) -> Status {
                      if (key == Slice(kGlobalSeqnoProperty) &&
                          value.size() == sizeof(uint64_t)) {
                        position =
                            static_cast<size_t>(value.data() - contents.data());
                      }
                      return {};
                    })
      .IgnoreError();
  return position;
}

namespace {

constexpr std::string_view kBuiltInCodecs = "BuiltinV2";

Status BadCompression(const std::string& value, std::string_view why) {
  std::string text("rocksdb.compression '");
  text.append(value).append("': ").append(why);
  return Status::Corruption(std::move(text));
}

// One word names one of the types in use, so any type may occur, unless the
// word says that nothing is compressed.
Status DecodeOneWord(const std::string& value, DeclaredCompression* declared) {
  if (value == "ZSTDNotFinal") return {};
  for (const KnownCompressionType& known : kKnownCompressionTypes) {
    if (known.property != value) continue;
    declared->declared = known.type == CompressionType::kNoCompression;
    return {};
  }
  return BadCompression(value, "unknown codec name");
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Two upper-case hexadecimal digits per type.
Status DecodeTypeList(const std::string& value, std::string_view list,
                      DeclaredCompression* declared) {
  if (list.size() % 2 != 0) return BadCompression(value, "odd digit count");
  declared->declared = true;
  for (size_t i = 0; i < list.size(); i += 2) {
    const int high = HexDigit(list[i]);
    const int low = HexDigit(list[i + 1]);
    if (high < 0 || low < 0) return BadCompression(value, "bad digit");
    const int type = high * 16 + low;
    if (type == 0 || type == 0xff) return BadCompression(value, "bad type");
    declared->types.set(static_cast<size_t>(type));
  }
  return {};
}

}  // namespace

Status DecodeCompressionProperty(const TableProperties& properties,
                                 const FormatTraits& traits,
                                 DeclaredCompression* declared) {
  *declared = DeclaredCompression();
  if (!properties.stored.contains("rocksdb.compression")) return {};
  const std::string& value = properties.compression_name;
  const size_t first = value.find(';');
  // The first releases that wrote version 7 still wrote one word. Like every
  // RocksDB, they also wrote the options.
  const bool one_word =
      !traits.lists_compression_types ||
      (first == std::string::npos &&
       properties.stored.contains("rocksdb.compression_options"));
  if (one_word) return DecodeOneWord(value, declared);
  if (first == std::string::npos) {
    return BadCompression(value, "missing separator");
  }
  const std::string_view manager = std::string_view(value).substr(0, first);
  if (manager != kBuiltInCodecs) declared->codec_name = manager;
  const size_t second = value.find(';', first + 1);
  if (second == std::string::npos) {
    return BadCompression(value, "missing second separator");
  }
  return DecodeTypeList(
      value, std::string_view(value).substr(first + 1, second - first - 1),
      declared);
}

std::string EncodeCompressionProperty(CompressionType configured,
                                      const std::bitset<256>& used,
                                      const FormatTraits& traits,
                                      std::string_view codec_name) {
  if (!traits.lists_compression_types) {
    return std::string(CompressionTypeName(configured));
  }
  if (configured == CompressionType::kNoCompression) return ";;";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text(codec_name.empty() ? kBuiltInCodecs : codec_name);
  text.push_back(';');
  for (size_t type = 1; type < used.size(); ++type) {
    if (!used[type]) continue;
    text.push_back(kDigits[type / 16]);
    text.push_back(kDigits[type % 16]);
  }
  text.push_back(';');
  return text;
}

}  // namespace ashlar::internal
