// The printers of `compact`.
#include <string>
#include <string_view>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

// What became of entries that are not in the output.
struct Dropped {
  std::string_view json;
  std::string_view text;
  uint64_t count;
};

std::vector<Dropped> DroppedOf(const CompactionResult& result) {
  const CompactionCounts& counts = result.counts;
  return {
      {"hidden", "hidden by a newer version", counts.dropped_hidden},
      {"obsolete", "deletions that hide nothing", counts.dropped_obsolete},
      {"range_deleted", "under a range deletion", counts.dropped_range_deleted},
      {"single_deletions", "single deletions", counts.dropped_single_deletions},
      {"single_deleted", "deleted by single deletions",
       counts.dropped_single_deleted},
      {"range_deletions", "range deletions", result.range_deletions_dropped},
  };
}

uint64_t BytesOf(const MadeTables& made) {
  uint64_t bytes = 0;
  for (const MadeTable& table : made.tables) bytes += table.file_bytes;
  return bytes;
}

std::string Counted(uint64_t count, std::string_view one,
                    std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::string Line(std::string_view label, uint64_t files, uint64_t entries,
                 uint64_t range_deletions, uint64_t bytes) {
  std::string line(label);
  line += Counted(files, "file", "files") + ", ";
  line += Counted(entries, "entry", "entries") + ", ";
  if (range_deletions != 0) {
    line +=
        Counted(range_deletions, "range deletion", "range deletions") + ", ";
  }
  return line + Counted(bytes, "byte", "bytes") + "\n";
}

}  // namespace

void PrintText(const Compacted& tables, Output* out) {
  if (FLAGS_quiet) return;
  const CompactionCounts& counts = tables.result.counts;
  out->Append(Line("input: ", tables.input_files, counts.input_entries,
                   tables.input_range_deletions, tables.input_bytes));
  out->Append(Line("output: ", tables.made.tables.size(), counts.output_entries,
                   tables.result.range_deletions_written,
                   BytesOf(tables.made)));
  for (const Dropped& row : DroppedOf(tables.result)) {
    if (row.count == 0) continue;
    out->Append("dropped, " + std::string(row.text) + ": " +
                std::to_string(row.count) + "\n");
  }
  if (counts.merged_operands != 0) {
    out->Append("merged, operands and values: " +
                std::to_string(counts.merged_operands) +
                "; results: " + std::to_string(counts.merge_results) + "\n");
  }
  if (counts.single_deletion_mismatches != 0) {
    out->Append("single deletions that met what is not one value: " +
                std::to_string(counts.single_deletion_mismatches) + "\n");
  }
  PrintText(tables.made, out);
}

void WriteJson(const Compacted& tables, JsonWriter* json) {
  const CompactionCounts& counts = tables.result.counts;
  json->ObjectMember("compaction", [&] {
    json->NumberMember("input_files", tables.input_files);
    json->NumberMember("input_bytes", tables.input_bytes);
    json->NumberMember("input_entries", counts.input_entries);
    json->NumberMember("input_range_deletions", tables.input_range_deletions);
    json->NumberMember("output_files", tables.made.tables.size());
    json->NumberMember("output_bytes", BytesOf(tables.made));
    json->NumberMember("output_entries", counts.output_entries);
    json->NumberMember("output_range_deletions",
                       tables.result.range_deletions_written);
    json->ObjectMember("dropped", [&] {
      for (const Dropped& row : DroppedOf(tables.result)) {
        json->NumberMember(row.json, row.count);
      }
    });
    json->NumberMember("merged_operands", counts.merged_operands);
    json->NumberMember("merge_results", counts.merge_results);
    json->NumberMember("zeroed_sequences", counts.zeroed_sequences);
    json->NumberMember("single_deletion_mismatches",
                       counts.single_deletion_mismatches);
    WriteJson(tables.made, json);
  });
}

}  // namespace ashlar::tool
