#include "tools/ashlar/print/results/replayed_trace.h"

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

using sim::AccessCounts;
using sim::CacheMisses;
using sim::ReuseHistogram;
using sim::TraceReplay;

// Returns the number with the largest unit that divides it.
std::string BytesText(uint64_t bytes) {
  constexpr std::string_view kUnits[] = {" bytes", " KiB", " MiB", " GiB",
                                         " TiB"};
  constexpr uint64_t kStep = 1024;
  size_t unit = 0;
  while (unit + 1 < std::size(kUnits) && bytes >= kStep && bytes % kStep == 0) {
    bytes /= kStep;
    ++unit;
  }
  return Grouped(bytes) + std::string(kUnits[unit]);
}

std::string PartText(uint64_t part, uint64_t whole) {
  return Grouped(part) + " (" + Percent(Share(part, whole), 1) + ")";
}

double SecondsOf(const TraceReplay& replay) {
  constexpr double kMicros = 1e6;
  return static_cast<double>(replay.last_micros - replay.first_micros) /
         kMicros;
}

std::string VersionOf(const BlockCacheTraceHeader& header) {
  return std::to_string(header.rocksdb_major) + "." +
         std::to_string(header.rocksdb_minor);
}

void PrintTrace(const ReplayedTrace& trace, Output* out) {
  const TraceReplay& replay = trace.replay;
  std::string text = "trace of ";
  text += replay.header.format == BlockCacheTraceFormat::kRocksDB
              ? "RocksDB " + VersionOf(replay.header)
              : std::string("Ashlar");
  text += ": " + Grouped(replay.accesses.all) + " accesses to " +
          Grouped(replay.blocks) + " blocks of " + Grouped(replay.block_bytes) +
          " bytes, in " + Fixed(SecondsOf(replay), 3) + " s\n";
  if (replay.sampling_frequency != 1) {
    text += "one block in " + Grouped(replay.sampling_frequency) +
            " is in the trace; sizes below are those of the whole load\n";
  }
  if (replay.unknown_sizes != 0) {
    text += "blocks of unknown size: " +
            PartText(replay.unknown_sizes, replay.accesses.all) +
            " of the accesses, counted as " + Grouped(trace.unknown_bytes) +
            " bytes each (--unknown_block_size)\n";
  }
  text += "missed when it was recorded: " +
          PartText(replay.recorded_misses.all, replay.accesses.all) + "\n";
  out->Append(text);
}

// Returns the number of results of each cache.
size_t SizesOf(const TraceReplay& replay) {
  size_t count = 0;
  while (count < replay.results.size() &&
         replay.results[count].cache == replay.results[0].cache) {
    ++count;
  }
  return count;
}

void PrintMisses(const TraceReplay& replay, Output* out) {
  const size_t sizes = SizesOf(replay);
  std::vector<TextRow> rows(1 + sizes);
  rows[0].emplace_back("size");
  for (size_t i = 0; i < replay.results.size(); ++i) {
    const CacheMisses& result = replay.results[i];
    TextRow& row = rows[1 + i % sizes];
    if (i < sizes) row.push_back(BytesText(result.size));
    if (i % sizes == 0) rows[0].emplace_back(result.cache->name);
    row.push_back(PartText(result.misses.all, replay.accesses.all));
  }
  // PrintColumns does not align the last column.
  for (TextRow& row : rows) row.emplace_back();
  out->Append("\nmisses, by size and cache\n");
  PrintColumns(rows, std::string(rows[0].size() - 1, 'r'), nullptr, out);
}

// Prints the misses of the first cache. `counts_of` returns the counts of a
// group, and `name_of` the name of a place in them.
template <typename CountsOf, typename NameOf>
void PrintGroup(const TraceReplay& replay, const std::string& group,
                const CountsOf& counts_of, const NameOf& name_of, Output* out) {
  const size_t sizes = SizesOf(replay);
  std::vector<TextRow> rows = {{group, "accesses", "recorded"}};
  for (size_t i = 0; i < sizes; ++i) {
    rows[0].push_back(BytesText(replay.results[i].size));
  }
  const auto& accesses = counts_of(replay.accesses);
  for (size_t place = 0; place < accesses.size(); ++place) {
    const uint64_t all = accesses[place];
    if (all == 0) continue;
    TextRow row = {name_of(place), Grouped(all),
                   PartText(counts_of(replay.recorded_misses)[place], all)};
    for (size_t i = 0; i < sizes; ++i) {
      row.push_back(PartText(counts_of(replay.results[i].misses)[place], all));
    }
    rows.push_back(std::move(row));
  }
  for (TextRow& row : rows) row.emplace_back();
  out->Append("\nmisses of " + std::string(replay.results[0].cache->name) +
              ", by " + group + "\n");
  PrintColumns(rows, "l" + std::string(rows[0].size() - 2, 'r'), nullptr, out);
}

const auto kByCaller = [](const AccessCounts& counts) -> const auto& {
  return counts.by_caller;
};
const auto kByKind = [](const AccessCounts& counts) -> const auto& {
  return counts.by_kind;
};
const auto kByLevel = [](const AccessCounts& counts) -> const auto& {
  return counts.by_level;
};

std::string CallerName(size_t place) {
  return std::string(WordFor(static_cast<BlockAccessCaller>(place)));
}
std::string KindName(size_t place) {
  return std::string(WordFor(static_cast<BlockAccessKind>(place)));
}
std::string LevelName(size_t place) {
  return place == AccessCounts::kUnknownLevel ? "unknown"
                                              : std::to_string(place);
}

// Prints a row for each fourth power of two, in which the reuses up to it are
// counted.
void PrintReuse(const TraceReplay& replay, Output* out) {
  const ReuseHistogram& reuse = replay.reuse;
  const uint64_t all = replay.accesses.all;
  out->Append("\nreuse distances; first uses of a block: " +
              PartText(reuse.first_uses(), all) + "\n");
  std::vector<TextRow> rows = {
      {"up to", "accesses", "LRU of this size misses", ""}};
  uint64_t within = 0;
  uint64_t shown = 0;
  for (size_t bin = 0; bin < reuse.end_bin(); ++bin) {
    within += reuse.CountIn(bin);
    const uint64_t limit = ReuseHistogram::LimitOf(bin);
    const bool is_power_of_4 =
        (limit & (limit - 1)) == 0 && (limit & 0x5555555555555555) != 0;
    const bool is_last = bin + 1 == reuse.end_bin();
    if (within == 0 || (!is_power_of_4 && !is_last)) continue;
    rows.push_back({BytesText(limit), PartText(within - shown, all),
                    PartText(all - within, all), ""});
    shown = within;
  }
  PrintColumns(rows, "rrr", nullptr, out);
}

template <typename CountsOf, typename WriteName>
void WriteGroup(const TraceReplay& replay, std::string_view member,
                const CountsOf& counts_of, const WriteName& write_name,
                JsonWriter* json) {
  json->Key(member);
  json->BeginArray();
  const auto& accesses = counts_of(replay.accesses);
  for (size_t place = 0; place < accesses.size(); ++place) {
    if (accesses[place] == 0) continue;
    json->BeginObject();
    write_name(place);
    json->NumberMember("accesses", accesses[place]);
    json->NumberMember("recorded_misses",
                       counts_of(replay.recorded_misses)[place]);
    json->ArrayMember("misses", replay.results, [&](const CacheMisses& result) {
      json->Number(counts_of(result.misses)[place]);
    });
    json->EndObject();
  }
  json->EndArray();
}

void WriteTrace(const ReplayedTrace& trace, JsonWriter* json) {
  const TraceReplay& replay = trace.replay;
  const bool is_rocksdb =
      replay.header.format == BlockCacheTraceFormat::kRocksDB;
  json->ObjectMember("trace", [&] {
    json->Member("format", is_rocksdb ? "rocksdb" : "ashlar");
    if (is_rocksdb) json->Member("rocksdb_version", VersionOf(replay.header));
    json->NumberMember("sampling_frequency", replay.sampling_frequency);
    json->BoolMember("cut_off", replay.is_cut_off);
    json->DecimalMember("seconds", SecondsOf(replay));
    json->NumberMember("accesses", replay.accesses.all);
    json->NumberMember("recorded_misses", replay.recorded_misses.all);
    json->NumberMember("blocks", replay.blocks);
    json->NumberMember("block_bytes", replay.block_bytes);
    json->NumberMember("unknown_sizes", replay.unknown_sizes);
    json->NumberMember("unknown_block_size", trace.unknown_bytes);
  });
}

void WriteReuse(const TraceReplay& replay, JsonWriter* json) {
  const ReuseHistogram& reuse = replay.reuse;
  json->ObjectMember("reuse", [&] {
    json->NumberMember("first_uses", reuse.first_uses());
    json->Key("distances");
    json->BeginArray();
    uint64_t missed = replay.accesses.all;
    for (size_t bin = reuse.begin_bin(); bin < reuse.end_bin(); ++bin) {
      missed -= reuse.CountIn(bin);
      json->BeginObject();
      json->NumberMember("up_to", ReuseHistogram::LimitOf(bin));
      json->NumberMember("accesses", reuse.CountIn(bin));
      json->DecimalMember("lru_miss_ratio", Share(missed, replay.accesses.all));
      json->EndObject();
    }
    json->EndArray();
  });
}

}  // namespace

void PrintText(const ReplayedTrace& trace, Output* out) {
  const TraceReplay& replay = trace.replay;
  PrintTrace(trace, out);
  if (replay.accesses.all == 0) return;
  PrintMisses(replay, out);
  PrintGroup(replay, "caller", kByCaller, CallerName, out);
  PrintGroup(replay, "kind", kByKind, KindName, out);
  PrintGroup(replay, "level", kByLevel, LevelName, out);
  PrintReuse(replay, out);
}

void WriteJson(const ReplayedTrace& trace, JsonWriter* json) {
  const TraceReplay& replay = trace.replay;
  WriteTrace(trace, json);
  json->ObjectsMember(
      "results", replay.results, [&](const CacheMisses& result) {
        json->Member("cache", result.cache->name);
        json->NumberMember("size", result.size);
        json->NumberMember("misses", result.misses.all);
        json->DecimalMember("miss_ratio",
                            Share(result.misses.all, replay.accesses.all));
      });
  WriteGroup(
      replay, "by_caller", kByCaller,
      [&](size_t place) { json->Member("caller", CallerName(place)); }, json);
  WriteGroup(
      replay, "by_kind", kByKind,
      [&](size_t place) { json->Member("kind", KindName(place)); }, json);
  WriteGroup(
      replay, "by_level", kByLevel,
      [&](size_t place) {
        json->IntegerMember("level", place == AccessCounts::kUnknownLevel
                                         ? BlockAccess::kUnknownLevel
                                         : static_cast<int64_t>(place));
      },
      json);
  WriteReuse(replay, json);
}

}  // namespace ashlar::tool
