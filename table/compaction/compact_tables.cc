// CompactTables: runs a compaction as one CompactionPart, or as several.

#include <algorithm>

#include "ashlar/table/compaction.h"
#include "table/compaction/compaction_part.h"
#include "table/compaction/part_borders.h"
#include "table/compaction/subcompactions.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

// Estimates how many bytes of entries the compaction takes from a table.
uint64_t ExpectedBytes(const CompactionOptions& options,
                       const TableReader& table) {
  const TableProperties& properties = table.properties();
  const uint64_t all = properties.raw_key_size + properties.raw_value_size;
  if (options.start.empty() && options.end.empty()) return all;
  const uint64_t from =
      options.start.empty() ? 0 : table.ApproximateOffsetOf(options.start);
  const uint64_t to = options.end.empty()
                          ? properties.data_size
                          : table.ApproximateOffsetOf(options.end);
  if (to <= from || properties.data_size == 0) return 0;
  const double part = static_cast<double>(to - from) /
                      static_cast<double>(properties.data_size);
  return static_cast<uint64_t>(static_cast<double>(all) * std::min(part, 1.0));
}

void Expect(const CompactionOptions& options,
            const std::vector<CompactionRun>& runs,
            const std::vector<CompactionMemory>& memory) {
  if (options.progress == nullptr) return;
  CompactionAmounts amounts;
  for (const CompactionRun& run : runs) {
    for (const CompactionInput& input : run) {
      amounts.expected_bytes += ExpectedBytes(options, *input.table);
    }
  }
  for (const CompactionMemory& each : memory) {
    if (each.entries != nullptr) amounts.expected_bytes += each.expected_bytes;
  }
  options.progress->Add(amounts);
}

}  // namespace

Status CompactTables(const CompactionOptions& options,
                     const std::vector<CompactionRun>& runs,
                     std::vector<CompactionMemory> memory,
                     CompactionOutputs* outputs, CompactionResult* result) {
  *result = CompactionResult();
  Expect(options, runs, memory);
  std::vector<std::string> borders;
  if (options.max_subcompactions > 1 && options.cuts_outputs &&
      memory.empty()) {
    Status chosen = internal::ChoosePartBorders(options, runs, &borders);
    if (!chosen.ok()) return chosen;
  }
  return internal::OrMemoryLimit([&] {
    if (borders.empty()) {
      return internal::CompactionPart(options, outputs, nullptr, result)
          .Run(runs, std::move(memory));
    }
    return internal::RunSubcompactions(options, runs, borders, outputs, result);
  });
}

}  // namespace ashlar
