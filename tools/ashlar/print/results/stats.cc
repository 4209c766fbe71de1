// The printers of `stats`.
#include <string>
#include <string_view>
#include <vector>

#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"
#include "tools/escaped_text.h"

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
  return Fixed(static_cast<double>(number) * unit, 2);
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
  const std::string measured = rates.probes == 0
                                   ? NotMeasured(stats)
                                   : Percent(MeasuredRate(rates), 3) + " of " +
                                         std::to_string(rates.probes);
  return "filter: " + Fixed(rates.bits_per_key, 2) +
         " bits per key; absent keys that pass: " + measured +
         ", computed for a Bloom filter " + Percent(rates.bloom_rate, 3) + "\n";
}

void WriteInUnits(std::string_view name, uint64_t number, double unit,
                  JsonWriter* json) {
  if (unit == 1) {
    json->NumberMember(name, number);
  } else {
    json->DecimalMember(name, static_cast<double>(number) * unit);
  }
}

void WriteDistribution(const NamedDistribution& row, JsonWriter* json) {
  const SizeDistribution& sizes = *row.sizes;
  const auto member = [&](std::string_view name, uint64_t number) {
    WriteInUnits(name, number, row.unit, json);
  };
  json->ObjectMember(row.json, [&] {
    member("min", sizes.min());
    for (const unsigned percent : kPercents) {
      member("p" + std::to_string(percent), sizes.Percentile(percent));
    }
    member("max", sizes.max());
  });
}

void WriteFilter(const FilterRates& rates, JsonWriter* json) {
  json->DecimalMember("bits_per_key", rates.bits_per_key);
  // Rates may be small, and the page shows a thousandth of a percent.
  json->DecimalMember("bloom_rate", rates.bloom_rate, 9);
  if (rates.probes != 0) {
    json->DecimalMember("measured_rate", MeasuredRate(rates));
    json->NumberMember("passed", rates.passed);
  }
  json->NumberMember("probes", rates.probes);
}

}  // namespace

void WriteHistograms(const TableStats& stats, JsonWriter* json) {
  json->ObjectMember("histograms", [&] {
    for (const NamedDistribution& row : Distributions(stats)) {
      if (row.sizes->count() == 0) continue;
      json->ObjectsMember(row.json, row.sizes->Bins(), [&](const auto& bin) {
        WriteInUnits("low", bin.low, row.unit, json);
        WriteInUnits("high", bin.high, row.unit, json);
        json->NumberMember("count", bin.count);
      });
    }
  });
}

void PrintText(const StatsResult& table, Output* out) {
  const TableStats& stats = table.stats;
  out->Append("bytes by kind of block:\n");
  for (const auto& [kind, total] : stats.kinds) {
    out->Append("  " + std::string(BlockKindName(kind)) + ": " +
                std::to_string(total.blocks) + " blocks, " +
                std::to_string(total.bytes) + " bytes, " +
                Percent(Share(total.bytes, table.file_bytes), 3) + "\n");
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
  if (table.filter) out->Append(FilterLine(*table.filter, stats));
  if (stats.prefixes.empty()) return;
  out->Append("heaviest prefixes:\n");
  for (const PrefixWeight& weight : stats.prefixes) {
    out->Append("  '" + Escape(weight.prefix) +
                "': " + std::to_string(weight.entries) + " entries, " +
                std::to_string(weight.bytes) + " bytes\n");
  }
}

void WriteJson(const StatsResult& table, JsonWriter* json) {
  const TableStats& stats = table.stats;
  json->ObjectMember("kinds", [&] {
    for (const auto& [kind, total] : stats.kinds) {
      const TableStats::KindTotal& sum = total;
      json->ObjectMember(BlockKindName(kind), [&] {
        json->NumberMember("blocks", sum.blocks);
        json->NumberMember("bytes", sum.bytes);
      });
    }
  });
  json->ObjectMember("types", [&] {
    for (const auto& [type, count] : stats.types) {
      json->NumberMember(TypeWord(type), count);
    }
  });
  for (const NamedDistribution& row : Distributions(stats)) {
    if (row.sizes->count() != 0) WriteDistribution(row, json);
  }
  if (table.filter) {
    json->ObjectMember("filter", [&] { WriteFilter(*table.filter, json); });
  }
  json->ObjectsMember("prefixes", stats.prefixes, [&](const auto& weight) {
    json->HexMember("prefix", weight.prefix);
    json->NumberMember("entries", weight.entries);
    json->NumberMember("bytes", weight.bytes);
  });
}

void PrintText(const LevelStats& level, Output* out) {
  out->Append("Level " + std::to_string(level.level) + ": " +
              std::to_string(level.files) +
              (level.files == 1 ? " file, " : " files, ") +
              std::to_string(level.stats.file_bytes) + " bytes\n");
  PrintText(level.stats, out);
}

void WriteJson(const LevelStats& level, JsonWriter* json) {
  json->BeginObject();
  json->NumberMember("level", level.level);
  json->NumberMember("files", level.files);
  json->NumberMember("file_bytes", level.stats.file_bytes);
  WriteJson(level.stats, json);
  json->EndObject();
}

}  // namespace ashlar::tool
