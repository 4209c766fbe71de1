// stats: shows sizes and distributions.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/util/comparator.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/filter_probe.h"
#include "tools/ashlar/measure/table_stats.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/progress.h"

namespace ashlar::tool {
namespace {

constexpr unsigned kPercents[] = {50, 90, 99};

struct NamedDistribution {
  std::string_view text;
  std::string_view json;
  const SizeDistribution* sizes;
  double unit;
};

std::vector<NamedDistribution> Distributions(const TableStats& stats) {
  constexpr double kHundredth = 0.01;
  return {
      {"key size", "key_size", &stats.key_sizes, 1},
      {"value size", "value_size", &stats.value_sizes, 1},
      {"data block raw size", "raw_size", &stats.raw_sizes, 1},
      {"data block stored size", "stored_size", &stats.stored_sizes, 1},
      {"data block ratio", "ratio", &stats.ratios, kHundredth},
      {"entries per data block", "entries_per_block", &stats.entries_a_block,
       1},
  };
}

std::string InUnits(uint64_t number, double unit) {
  if (unit == 1) return std::to_string(number);
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", static_cast<double>(number) * unit);
  return text;
}

std::string PercentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f %%", 100 * share);
  return text;
}

// Returns the share of the probes that passed. Requires: there was at least one
// probe.
double MeasuredRate(const FilterRates& rates) {
  return static_cast<double>(rates.passed) / static_cast<double>(rates.probes);
}

std::string NotMeasured(const TableStats& stats) {
  if (!stats.sample.empty()) return "not measured";
  return "not measured, all keys are longer than " +
         std::to_string(TableStats::kMaxSampledKeyBytes) + " bytes";
}

std::string FilterLine(const FilterRates& rates, const TableStats& stats) {
  char bits[32];
  std::snprintf(bits, sizeof bits, "%.2f", rates.bits_per_key);
  const std::string measured = rates.probes == 0
                                   ? NotMeasured(stats)
                                   : PercentText(MeasuredRate(rates)) + " of " +
                                         std::to_string(rates.probes);
  return "filter: " + std::string(bits) +
         " bits per key; absent keys that pass: " + measured +
         ", computed for a Bloom filter " + PercentText(rates.bloom_rate) +
         "\n";
}

void PrintStats(const TableStats& stats, uint64_t file_size,
                const std::optional<FilterRates>& rates, Output* out) {
  out->Append("bytes by kind of block:\n");
  for (const auto& [kind, total] : stats.kinds) {
    out->Append("  " + std::string(BlockKindName(kind)) + ": " +
                std::to_string(total.blocks) + " blocks, " +
                std::to_string(total.bytes) + " bytes, " +
                PercentText(static_cast<double>(total.bytes) /
                            static_cast<double>(file_size)) +
                "\n");
  }
  out->Append("entries by type:\n");
  for (const auto& [type, count] : stats.types) {
    out->Append("  " + TypeWord(type) + ": " + std::to_string(count) + "\n");
  }
  for (const NamedDistribution& row : Distributions(stats)) {
    const SizeDistribution& sizes = *row.sizes;
    if (sizes.count() == 0) continue;
    out->Append(std::string(row.text) + ": min " +
                InUnits(sizes.min(), row.unit));
    for (const unsigned percent : kPercents) {
      out->Append(", " + std::to_string(percent) + " % " +
                  InUnits(sizes.Percentile(percent), row.unit));
    }
    out->Append(", max " + InUnits(sizes.max(), row.unit) + "\n");
  }
  if (rates) out->Append(FilterLine(*rates, stats));
  if (stats.prefixes.empty()) return;
  out->Append("heaviest prefixes:\n");
  for (const PrefixWeight& weight : stats.prefixes) {
    out->Append("  '" + Escape(weight.prefix) +
                "': " + std::to_string(weight.entries) + " entries, " +
                std::to_string(weight.bytes) + " bytes\n");
  }
}

void WriteDistribution(const NamedDistribution& row, JsonWriter* json) {
  const SizeDistribution& sizes = *row.sizes;
  const auto member = [&](std::string_view name, uint64_t number) {
    json->Key(name);
    if (row.unit == 1) {
      json->Number(number);
    } else {
      json->Decimal(static_cast<double>(number) * row.unit);
    }
  };
  json->Key(row.json);
  json->BeginObject();
  member("min", sizes.min());
  for (const unsigned percent : kPercents) {
    member("p" + std::to_string(percent), sizes.Percentile(percent));
  }
  member("max", sizes.max());
  json->EndObject();
}

void WriteFilter(const FilterRates& rates, JsonWriter* json) {
  json->Key("filter");
  json->BeginObject();
  json->Key("bits_per_key");
  json->Decimal(rates.bits_per_key);
  json->Key("bloom_rate");
  json->Decimal(rates.bloom_rate);
  if (rates.probes != 0) {
    json->Key("measured_rate");
    json->Decimal(MeasuredRate(rates));
  }
  json->NumberMember("probes", rates.probes);
  json->EndObject();
}

void WriteStats(const TableStats& stats,
                const std::optional<FilterRates>& rates, JsonWriter* json) {
  json->Key("kinds");
  json->BeginObject();
  for (const auto& [kind, total] : stats.kinds) {
    json->Key(BlockKindName(kind));
    json->BeginObject();
    json->NumberMember("blocks", total.blocks);
    json->NumberMember("bytes", total.bytes);
    json->EndObject();
  }
  json->EndObject();
  json->Key("types");
  json->BeginObject();
  for (const auto& [type, count] : stats.types) {
    json->NumberMember(TypeWord(type), count);
  }
  json->EndObject();
  for (const NamedDistribution& row : Distributions(stats)) {
    if (row.sizes->count() != 0) WriteDistribution(row, json);
  }
  if (rates) WriteFilter(*rates, json);
  json->Key("prefixes");
  json->BeginArray();
  for (const PrefixWeight& weight : stats.prefixes) {
    json->BeginObject();
    json->HexMember("prefix", weight.prefix);
    json->NumberMember("entries", weight.entries);
    json->NumberMember("bytes", weight.bytes);
    json->EndObject();
  }
  json->EndArray();
}

size_t TimestampSize(const TableProperties& properties) {
  const Comparator* const comparator =
      FindBuiltinComparator(properties.comparator_name);
  return comparator == nullptr ||
                 properties.user_defined_timestamps_persisted == 0
             ? 0
             : comparator->timestamp_size();
}

bool Gather(const std::string& path, TableStats* stats,
            TableInspection* inspection, Report* report) {
  Progress progress(path);
  InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
  options.on_progress = [&progress](uint64_t done, uint64_t total) {
    return progress.Update(done, total);
  };
  options.on_block = [stats, inspection](const BlockInfo& block) {
    // This is known before the data blocks come.
    if (inspection->properties) {
      stats->timestamp_size = TimestampSize(*inspection->properties);
    }
    stats->OnBlock(block);
  };
  options.on_entry = [stats](const BlockInfo& block, const Slice& key,
                             const Slice& value) {
    stats->OnEntry(block, key, value);
  };
  return InspectInto(path, options, inspection, report);
}

void ShowStats(const std::string& path, Report* report) {
  TableStats stats;
  TableInspection inspection;
  if (!Gather(path, &stats, &inspection, report)) return;
  stats.Finish();
  if (inspection.magic == TableMagic::kUnknown) {
    report->SetFileStatus("not_sst");
  }
  for (const TableFault& fault : inspection.faults) report->AddFault(fault);
  if (inspection.blocks.empty()) return;
  report->Opened(inspection);
  WarnOfUnknownOrder(inspection, *report);
  std::optional<FilterRates> rates;
  if (inspection.faults.empty() && inspection.knows_order &&
      FLAGS_filter_probes != 0) {
    auto table = TableReader::Open(path, ReaderOptionsFromFlags());
    Status status = table.status();
    if (table.ok()) rates = ProbeFilter(**table, stats, &status);
    if (!status.ok()) report->AddFault(status);
  }
  if (report->text()) {
    PrintStats(stats, inspection.file_size, rates, report->out());
  } else {
    WriteStats(stats, rates, report->json());
  }
}

}  // namespace

int RunStats(const CommandLine& line) {
  if (FLAGS_prefix_length != 0 && !FLAGS_prefix_separator.empty()) {
    return UsageError(
        "--prefix_length and --prefix_separator exclude each "
        "other");
  }
  return RunOverFiles(line, "stats", ShowStats);
}

}  // namespace ashlar::tool
