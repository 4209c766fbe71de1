#include "tools/ashlar/print/properties_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/entry/rocksdb_release.h"
#include "ashlar/table/entry/table_identity.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

using Properties = TableProperties;

// The value that a row shows. The row determines its type, and not the bytes of
// the file: a name that looks like a number is a name. std::monostate means
// that the file has no such value.
using Value = std::variant<std::monostate, uint64_t, double, bool, std::string>;

Value IfStored(const Properties& p, const char* stored_name, uint64_t number) {
  // For numbers that older files do not have.
  return p.stored.contains(stored_name) ? Value(number) : Value();
}
Value IfAny(const std::string& text) {
  return text.empty() ? Value() : Value(text);
}
Value IfKnown(const std::optional<uint64_t>& number) {
  return number ? Value(*number) : Value();
}
Value Average(uint64_t total, uint64_t count) {
  return count == 0 ? 0.0
                    : static_cast<double>(total) / static_cast<double>(count);
}

std::string TextOf(const Value& value) {
  struct Printer {
    std::string operator()(std::monostate) const { return "N/A"; }
    std::string operator()(uint64_t number) const {
      return std::to_string(number);
    }
    std::string operator()(double number) const {
      return std::to_string(number);
    }
    std::string operator()(bool yes) const { return yes ? "true" : "false"; }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Printer{}, value);
}

std::optional<EmbeddedBlobStats> BlobStats(const Properties& p) {
  const auto found =
      p.user_collected_properties.find(std::string(kEmbeddedBlobStatsProperty));
  if (found == p.user_collected_properties.end()) return std::nullopt;
  EmbeddedBlobStats stats;
  if (!IsOkOrThrow(DecodeEmbeddedBlobStats(found->second, &stats))) {
    return std::nullopt;
  }
  return stats;
}

// Returns the first two of the three words, as RocksDB prints them.
Value UniqueId(const Properties& p) {
  const std::string words =
      UniqueIdText(p.db_id, p.db_session_id, p.orig_file_number);
  const size_t first_dash = words.find('-');
  if (first_dash == std::string::npos) return IfAny(words);
  return words.substr(0, words.find('-', first_dash + 1));
}

// Says when a row is printed.
enum class Shown : uint8_t {
  kAlways,
  kWithPartitions,  // if the index has partitions
  kIfAny,           // if the file has such a value
  kInJson,
};

struct PropertyRow {
  std::string_view label;
  std::string_view json_name;
  Value (*value)(const Properties& p);
  Shown shown = Shown::kAlways;
};

// In RocksDB's order.
constexpr PropertyRow kRows[] = {
    {"# data blocks", "num_data_blocks",
     [](const Properties& p) -> Value { return p.num_data_blocks; }},
    {"# data blocks compression rejected",
     "num_data_blocks_compression_rejected",
     [](const Properties& p) -> Value {
       return IfStored(p, "rocksdb.num.data.blocks.compression.rejected",
                       p.num_data_blocks_compression_rejected);
     }},
    {"# data blocks compression bypassed",
     "num_data_blocks_compression_bypassed",
     [](const Properties& p) -> Value {
       return IfStored(p, "rocksdb.num.data.blocks.compression.bypassed",
                       p.num_data_blocks_compression_bypassed);
     }},
    {"# uniform blocks", "num_uniform_blocks",
     [](const Properties& p) -> Value {
       return IfStored(p, "rocksdb.num.uniform.blocks", p.num_uniform_blocks);
     }},
    {"# entries", "num_entries",
     [](const Properties& p) -> Value { return p.num_entries; }},
    {"# deletions", "num_deletions",
     [](const Properties& p) -> Value { return p.num_deletions; }},
    {"# merge operands", "num_merge_operands",
     [](const Properties& p) -> Value { return p.num_merge_operands; }},
    {"# range deletions", "num_range_deletions",
     [](const Properties& p) -> Value { return p.num_range_deletions; }},
    {"raw key size", "raw_key_size",
     [](const Properties& p) -> Value { return p.raw_key_size; }},
    {"raw average key size", "raw_average_key_size",
     [](const Properties& p) -> Value {
       return Average(p.raw_key_size, p.num_entries);
     }},
    {"raw value size", "raw_value_size",
     [](const Properties& p) -> Value { return p.raw_value_size; }},
    {"raw average value size", "raw_average_value_size",
     [](const Properties& p) -> Value {
       return Average(p.raw_value_size, p.num_entries);
     }},
    {"data block size", "data_size",
     [](const Properties& p) -> Value { return p.data_size; }},
    {"data uncompressed size", "uncompressed_data_size",
     [](const Properties& p) -> Value {
       return p.uncompressed_data_size == 0 ? Value()
                                            : Value(p.uncompressed_data_size);
     }},
    {"", "index_key_is_user_key",
     [](const Properties& p) -> Value { return p.index_key_is_user_key; },
     Shown::kInJson},
    {"", "index_value_is_delta_encoded",
     [](const Properties& p) -> Value {
       return p.index_value_is_delta_encoded;
     },
     Shown::kInJson},
    {"index block size", "index_size",
     [](const Properties& p) -> Value { return p.index_size; }},
    {"# index partitions", "index_partitions",
     [](const Properties& p) -> Value { return p.index_partitions; },
     Shown::kWithPartitions},
    {"top-level index size", "top_level_index_size",
     [](const Properties& p) -> Value { return p.top_level_index_size; },
     Shown::kWithPartitions},
    {"filter block size", "filter_size",
     [](const Properties& p) -> Value { return p.filter_size; }},
    {"# entries for filter", "num_filter_entries",
     [](const Properties& p) -> Value { return p.num_filter_entries; }},
    {"(estimated) table size", "estimated_table_size",
     [](const Properties& p) -> Value {
       return p.data_size + p.index_size + p.filter_size;
     }},
    {"filter policy name", "filter_policy_name",
     [](const Properties& p) -> Value { return IfAny(p.filter_policy_name); }},
    {"prefix extractor name", "prefix_extractor_name",
     [](const Properties& p) -> Value {
       return IfAny(p.prefix_extractor_name);
     }},
    {"column family ID", "column_family_id",
     [](const Properties& p) -> Value {
       constexpr uint64_t kUnknownId = 0x7fffffff;
       return p.column_family_id == kUnknownId ? Value()
                                               : Value(p.column_family_id);
     }},
    {"column family name", "column_family_name",
     [](const Properties& p) -> Value { return IfAny(p.column_family_name); }},
    {"comparator name", "comparator_name",
     [](const Properties& p) -> Value { return IfAny(p.comparator_name); }},
    {"user defined timestamps persisted", "user_defined_timestamps_persisted",
     [](const Properties& p) -> Value {
       return p.user_defined_timestamps_persisted != 0;
     }},
    {"largest sequence number in file", "key_largest_seqno",
     [](const Properties& p) -> Value { return IfKnown(p.key_largest_seqno); }},
    {"smallest sequence number in file", "key_smallest_seqno",
     [](const Properties& p) -> Value {
       return IfKnown(p.key_smallest_seqno);
     }},
    {"merge operator name", "merge_operator_name",
     [](const Properties& p) -> Value { return IfAny(p.merge_operator_name); }},
    {"property collectors names", "property_collectors_names",
     [](const Properties& p) -> Value {
       return IfAny(p.property_collectors_names);
     }},
    {"SST file compression algo", "compression_name",
     [](const Properties& p) -> Value { return IfAny(p.compression_name); }},
    {"SST file compression options", "compression_options",
     [](const Properties& p) -> Value { return IfAny(p.compression_options); }},
    {"creation time", "creation_time",
     [](const Properties& p) -> Value { return p.creation_time; }},
    {"time stamp of earliest key", "oldest_key_time",
     [](const Properties& p) -> Value { return p.oldest_key_time; }},
    {"time stamp of newest key", "newest_key_time",
     [](const Properties& p) -> Value {
       return IfStored(p, "rocksdb.newest.key.time", p.newest_key_time);
     }},
    {"file creation time", "file_creation_time",
     [](const Properties& p) -> Value { return p.file_creation_time; }},
    {"slow compression estimated data size",
     "slow_compression_estimated_data_size",
     [](const Properties& p) -> Value {
       return p.slow_compression_estimated_data_size;
     }},
    {"fast compression estimated data size",
     "fast_compression_estimated_data_size",
     [](const Properties& p) -> Value {
       return p.fast_compression_estimated_data_size;
     }},
    {"DB identity", "db_id",
     [](const Properties& p) -> Value { return p.db_id; }},
    {"DB session identity", "db_session_id",
     [](const Properties& p) -> Value { return p.db_session_id; }},
    {"DB host id", "db_host_id",
     [](const Properties& p) -> Value { return p.db_host_id; }},
    {"original file number", "orig_file_number",
     [](const Properties& p) -> Value { return p.orig_file_number; }},
    {"unique ID", "unique_id",
     [](const Properties& p) -> Value { return UniqueId(p); }},
    {"Sequence number to time mapping", "seqno_to_time_mapping",
     [](const Properties& p) -> Value {
       return p.seqno_to_time_mapping.empty()
                  ? std::string()
                  : "0x" + ToHex(p.seqno_to_time_mapping, HexCase::kUpper);
     }},
    {"# embedded blobs", "embedded_blobs",
     [](const Properties& p) -> Value {
       const auto stats = BlobStats(p);
       return stats ? Value(stats->count) : Value();
     },
     Shown::kIfAny},
    {"embedded blobs size", "embedded_blob_bytes",
     [](const Properties& p) -> Value {
       const auto stats = BlobStats(p);
       return stats ? Value(stats->bytes) : Value();
     },
     Shown::kIfAny},
};

constexpr std::string_view kCollectedToo[] = {
    "rocksdb.block.based.table.", "rocksdb.deleted.keys",
    "rocksdb.merge.operands", "rocksdb.external_sst_file."};

// Returns the properties that RocksDB counts as collected by users. In addition
// to the users' own, these are some of RocksDB's names that it does not read
// into a field.
std::map<std::string, std::string> CollectedProperties(const Properties& p) {
  std::map<std::string, std::string> collected = p.user_collected_properties;
  for (const auto& [name, value] : p.stored) {
    if (IsCollectedToo(name)) collected.emplace(name, value);
  }
  return collected;
}

// Keeps different names different in JSON, which has text only: shows a name
// that is not UTF-8 as hexadecimal, and also one that looks like that.
std::string JsonName(const std::string& name) {
  if (IsUtf8(name) && !name.starts_with("0x")) return name;
  return "0x" + ToHex(name, HexCase::kUpper);
}

}  // namespace

bool IsCollectedToo(std::string_view name) {
  for (const std::string_view start : kCollectedToo) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

std::string NameOfJson(const std::string& name) {
  return name.starts_with("0x") ? FromHex(name).value_or(name) : name;
}

void WriteProperties(const Properties& p, JsonWriter* json) {
  json->ObjectMember("properties", [&] {
    for (const PropertyRow& row : kRows) {
      const Value value = row.value(p);
      if (std::holds_alternative<std::monostate>(value)) continue;
      json->Key(row.json_name);
      struct Writer {
        JsonWriter* json;
        void operator()(std::monostate) const {}
        void operator()(uint64_t number) const { json->Number(number); }
        void operator()(double number) const { json->Decimal(number); }
        void operator()(bool yes) const { json->Bool(yes); }
        void operator()(const std::string& text) const { json->String(text); }
      };
      std::visit(Writer{json}, value);
    }
    json->ObjectMember("user", [&] {
      for (const auto& [name, value] : CollectedProperties(p)) {
        json->HexMember(JsonName(name), value);
      }
    });
  });
}

std::vector<LabelledProperty> LabelledProperties(const TextOfProperty& text) {
  std::vector<LabelledProperty> labelled;
  for (const PropertyRow& row : kRows) {
    if (row.shown == Shown::kInJson ||
        (row.shown == Shown::kWithPartitions &&
         text("index_partitions") == "0") ||
        (row.shown == Shown::kIfAny &&
         (text(row.json_name).empty() || text(row.json_name) == "N/A"))) {
      continue;
    }
    std::string label(row.label);
    if (row.json_name == "index_size") {
      label += " (user-key? " + text("index_key_is_user_key") +
               ", delta-value? " + text("index_value_is_delta_encoded") + ")";
    }
    labelled.push_back({std::move(label), text(row.json_name)});
  }
  return labelled;
}

std::vector<LabelledProperty> LabelledProperties(
    const TableProperties& properties) {
  return LabelledProperties([&](std::string_view json_name) {
    const auto* const row =
        std::find_if(std::begin(kRows), std::end(kRows),
                     [&](const auto& r) { return r.json_name == json_name; });
    return TextOf(row->value(properties));
  });
}

std::string PropertyLines(const TableProperties& properties, ByteStyle style) {
  std::string text;
  for (const LabelledProperty& property : LabelledProperties(properties)) {
    text +=
        "  " + property.label + ": " + BytesText(property.text, style) + "\n";
  }
  return text;
}

std::string PropertiesText(const TableInspection& inspection, ByteStyle style) {
  constexpr std::string_view kRule = "------------------------------\n";
  const Properties& p = *inspection.properties;
  std::string text = "Table Properties:\n";
  text += kRule;
  text += PropertyLines(p, style);
  text += "  Raw user collected properties\n";
  text += kRule;
  for (const auto& [name, value] : CollectedProperties(p)) {
    text += "  # " + BytesText(name, style) + ": 0x" +
            ToHex(value, HexCase::kUpper) + "\n";
  }
  return text;
}

void PrintProperties(const TableInspection& inspection, Report* report) {
  if (!report->text()) {
    WriteProperties(*inspection.properties, report->json());
    return;
  }
  report->out()->Append(PropertiesText(inspection, ChosenNameStyle()));
  if (FLAGS_quiet || !inspection.format_version) return;
  std::string line =
      "  format version: " + std::to_string(*inspection.format_version);
  const std::optional<RocksDBRelease> since = OldestRocksDBFor(
      *inspection.format_version, inspection.checksum_type,
      inspection.properties ? &*inspection.properties : nullptr);
  if (since) line += " (readable by RocksDB >= " + ToString(*since) + ")";
  report->out()->Append(line + "\n");
}

void PrintMetaBlocks(const TableInspection& inspection, Report* report) {
  if (report->text()) {
    const ByteStyle style = ChosenNameStyle();
    for (const MetaBlockEntry& block : inspection.meta_blocks) {
      report->out()->Append("  " + BytesText(block.name, style) + ": " +
                            std::to_string(block.offset) + " " +
                            std::to_string(block.size) + "\n");
    }
    return;
  }
  JsonWriter* const json = report->json();
  json->ObjectsMember("meta_blocks", inspection.meta_blocks,
                      [&](const MetaBlockEntry& block) {
                        json->Member("name", block.name);
                        json->NumberMember("offset", block.offset);
                        json->NumberMember("size", block.size);
                      });
}

}  // namespace ashlar::tool
