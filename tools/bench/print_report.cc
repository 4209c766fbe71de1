#include "tools/bench/print_report.h"

#include <algorithm>
#include <cstdio>

#include "tools/bench/report_parts.h"

namespace ashlar::bench {

namespace {

bool IsRocksDb(const std::string& engine) {
  return engine.starts_with("rocksdb");
}

// Returns the RocksDB engine with the shortest time, or an empty string.
// RocksDB may run with several numbers of threads.
std::string FastestRocksDb(const BenchmarkReport& report) {
  std::string fastest;
  double least = 0;
  for (const auto& [engine, runs] : report.results) {
    if (!IsRocksDb(engine)) continue;
    const double median = SpreadOf(report.Seconds(engine)).median;
    if (!fastest.empty() && median >= least) continue;
    fastest = engine;
    least = median;
  }
  return fastest;
}

// Returns whether there are other engines of RocksDB, or this one is a variant.
bool IsOneOfMany(const BenchmarkReport& report, const std::string& fastest) {
  return fastest != "rocksdb" ||
         std::any_of(report.results.begin(), report.results.end(),
                     [](const auto& engine) {
                       return engine.first.starts_with("rocksdb:");
                     });
}

// Adds the ratios to the serial build of the same round, and to RocksDB's
// fastest engine.
void AddRatiosOfThreads(const BenchmarkReport& report,
                        std::vector<Ratio>* ratios) {
  const std::string serial = "ashlar:1";
  if (report.results.contains(serial)) {
    ratios->push_back({"wall time of ashlar / " + serial,
                       report.WallRatio("ashlar", serial)});
    ratios->push_back(
        {"CPU time of ashlar / " + serial, report.CpuRatio("ashlar", serial)});
  }
  const std::string fastest = FastestRocksDb(report);
  if (fastest.empty()) return;
  const auto add_times_faster = [&](const std::string& ours) {
    ratios->push_back({ours + " is x times as fast as the fastest, " + fastest,
                       report.TimesFaster(ours, fastest)});
  };
  if (report.results.contains("ashlar:nowords")) {
    add_times_faster("ashlar:nowords");
  }
  if (!IsOneOfMany(report, fastest)) return;
  add_times_faster("ashlar");
  ratios->push_back(
      {"CPU time of ashlar / " + fastest, report.CpuRatio("ashlar", fastest)});
}

// Returns the figures of multifillseq for each engine.
std::vector<Ratio> FairnessOf(const BenchmarkReport& report) {
  std::vector<Ratio> figures;
  if (report.benchmark != "multifillseq") return figures;
  for (const auto& [engine, runs] : report.results) {
    figures.push_back(
        {"done by the slowest when the first was done, " + engine,
         SpreadOf(report.Figures(
             engine, [](const RunResult& run) { return run.slowest_share; }))});
    figures.push_back(
        {"longest stall in seconds, " + engine,
         SpreadOf(report.Figures(engine, [](const RunResult& run) {
           return run.longest_stall_seconds;
         }))});
  }
  return figures;
}

// Returns the ratios of time and memory to RocksDB's, of each of our engines.
std::vector<Ratio> RatiosOfOpening(const BenchmarkReport& report) {
  std::vector<Ratio> ratios;
  const auto peer = report.results.find("rocksdb");
  if (peer == report.results.end()) return ratios;
  for (const auto& [engine, runs] : report.results) {
    if (!engine.starts_with("ashlar")) continue;
    ratios.push_back({"time of " + engine + " / rocksdb",
                      report.WallRatio(engine, "rocksdb")});
    std::vector<double> memory;
    for (size_t i = 0; i < runs.size(); ++i) {
      memory.push_back(runs[i].heap_bytes_per_table /
                       peer->second[i].heap_bytes_per_table);
    }
    if (peer->second.front().heap_bytes_per_table == 0) continue;
    ratios.push_back({"memory of " + engine + " / rocksdb", SpreadOf(memory)});
  }
  return ratios;
}

// Returns the ratio of what is not the codec's own time, per round. The codec
// needs as much for each block of the peer.
Spread AllButCodec(const BenchmarkReport& report, const std::string& peer) {
  const std::vector<RunResult>& ours = report.results.at("ashlar");
  const std::vector<RunResult>& codec = report.results.at("ashlar:codec");
  const std::vector<RunResult>& theirs = report.results.at(peer);
  std::vector<double> ratios;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double own = codec[i].measured.seconds;
    const bool counted =
        ours[i].blocks_loaded != 0 && theirs[i].blocks_loaded != 0;
    const double blocks = counted
                              ? static_cast<double>(theirs[i].blocks_loaded) /
                                    static_cast<double>(ours[i].blocks_loaded)
                              : 1;
    ratios.push_back((ours[i].measured.seconds - own) /
                     (theirs[i].measured.seconds - own * blocks));
  }
  return SpreadOf(std::move(ratios));
}

double HeapBytesOf(const RunResult& run) { return run.heap_bytes_per_table; }

// Returns the ratio of our percentile of the latencies to that of a peer, per
// round.
template <int kPerMille>
Ratio LatencyRatio(const std::string& name, const BenchmarkReport& report,
                   const std::string& peer) {
  const auto nanos = [](const RunResult& run) {
    return run.latencies.Percentile(kPerMille / 10.0);
  };
  std::vector<double> ratios = report.Figures("ashlar", nanos);
  const std::vector<double> theirs = report.Figures(peer, nanos);
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] /= theirs[i];
  return {name + " of ashlar / " + peer, SpreadOf(std::move(ratios))};
}

// Returns the useful ratios, with the names that the bars use.
std::vector<Ratio> RatiosOf(const BenchmarkReport& report,
                            const BenchOptions& options) {
  if (OpensTables(report.benchmark)) return RatiosOfOpening(report);
  std::vector<Ratio> ratios = FairnessOf(report);
  const auto has = [&](const std::string& engine) {
    return report.results.contains(engine);
  };
  if (!has("ashlar")) return ratios;
  for (const auto& [engine, runs] : report.results) {
    if (engine == "ashlar" || engine == "generator" || engine == "copy" ||
        engine == "ashlar:codec") {
      continue;
    }
    ratios.push_back({"ashlar is x times as fast as " + engine,
                      report.TimesFaster("ashlar", engine)});
  }
  AddRatiosOfThreads(report, &ratios);
  const std::string fastest = FastestRocksDb(report);
  if (options.latencies && !fastest.empty() &&
      report.results.at(fastest).front().latencies.count() != 0) {
    ratios.push_back(LatencyRatio<500>("p50", report, fastest));
    ratios.push_back(LatencyRatio<990>("p99", report, fastest));
    ratios.push_back(LatencyRatio<999>("p99.9", report, fastest));
  }
  if (has("ashlar:codec") && !fastest.empty()) {
    ratios.push_back({"all but the codec's own time, ashlar / " + fastest,
                      AllButCodec(report, fastest)});
  }
  const bool own_cost =
      has("generator") &&
      (report.benchmark == "filterbuild" ||
       (options.null_sink && options.compression_type == "none"));
  if (own_cost && has("rocksdb")) {
    ratios.push_back({"own cost of ashlar / rocksdb",
                      report.OwnCostRatio("ashlar", "rocksdb", "generator")});
  }
  if (own_cost && has("copy")) {
    ratios.push_back({"own cost of ashlar / copy",
                      report.OwnCostRatio("ashlar", "copy", "generator")});
  }
  return ratios;
}

// Returns whether the benchmark runs by RunThreads.
bool CountsAllocations(const BenchmarkReport& report,
                       const BenchOptions& options) {
  if (options.count_allocations == nullptr) return false;
  for (const char* other :
       {"readseq", "readreverse", "blockinsert", "verify"}) {
    if (report.benchmark == other) return false;
  }
  return ReadsTable(report.benchmark) || OpensTables(report.benchmark);
}

}  // namespace

void PrintText(const BenchmarkReport& report, const BenchOptions& options) {
  constexpr double kMebi = 1 << 20;
  for (const auto& [engine, runs] : report.results) {
    const RunResult& run = MedianRun(runs);
    const double seconds = run.measured.seconds;
    const auto operations = static_cast<double>(run.operations);
    std::printf(
        "%-12s : %11.4f micros/op %.0f ops/sec %.3f seconds "
        "%llu operations; %6.1f MB/s",
        report.benchmark.c_str(), seconds * 1e6 / operations,
        operations / seconds, seconds,
        static_cast<unsigned long long>(run.operations),
        static_cast<double>(run.bytes) / kMebi / seconds);
    if (run.found != 0 || report.benchmark == "readmissing") {
      std::printf(" (%llu of %llu found)",
                  static_cast<unsigned long long>(run.found),
                  static_cast<unsigned long long>(run.operations));
    }
    std::printf("; %.3f CPU seconds, %.1f MiB peak", run.measured.cpu_seconds,
                static_cast<double>(run.measured.peak_bytes) / kMebi);
    if (CountsAllocations(report, options)) {
      std::printf(", %.4f allocations an operation",
                  static_cast<double>(run.allocations) / operations);
    }
    if (run.blocks_loaded != 0) {
      std::printf(", %.3f blocks an operation",
                  static_cast<double>(run.blocks_loaded) / operations);
    }
    if (OpensTables(report.benchmark) && report.benchmark != "lsmget") {
      std::printf(", %.1f page faults an operation",
                  static_cast<double>(run.page_faults) / operations);
      std::printf(", %.0f bytes of heap per table",
                  SpreadOf(report.Figures(engine, HeapBytesOf)).median);
    }
    if (run.latencies.count() != 0) {
      std::printf(", p50 %.2f us, p99 %.2f us, p99.9 %.2f us",
                  run.latencies.Percentile(50) / 1e3,
                  run.latencies.Percentile(99) / 1e3,
                  run.latencies.Percentile(99.9) / 1e3);
    }
    std::printf(" [%s]\n", engine.c_str());
  }
  PrintRatios(report, RatiosOf(report, options));
  std::fflush(stdout);
}

std::string ToJson(const std::vector<BenchmarkReport>& reports,
                   const std::vector<Engine*>& engines,
                   const BenchOptions& options) {
  Json document;
  document["schema"] = "ashlar-bench/1";
  for (const Engine* engine : engines) {
    document["engines"][engine->Name()] = engine->Describe(options);
  }
  document["benchmarks"] = Json::array();
  for (const BenchmarkReport& report : reports) {
    Json entry = ToJson(report, RatiosOf(report, options));
    for (const auto& [engine, runs] : report.results) {
      const RunResult& run = MedianRun(runs);
      entry["engines"][engine]["bytes"] = run.bytes;
      entry["engines"][engine]["file_bytes"] = run.file_bytes;
      if (CountsAllocations(report, options)) {
        entry["engines"][engine]["allocations"] = run.allocations;
      }
      if (run.blocks_loaded != 0) {
        entry["engines"][engine]["blocks_loaded"] = run.blocks_loaded;
      }
      if (OpensTables(report.benchmark)) {
        entry["engines"][engine]["page_faults"] = run.page_faults;
        entry["engines"][engine]["heap_bytes_per_table"] =
            SpreadOf(report.Figures(engine, HeapBytesOf)).median;
      }
      if (report.benchmark.ends_with(kWhileWriting)) {
        entry["engines"][engine]["written_bytes"] = run.written_bytes;
      }
    }
    const std::string fastest = FastestRocksDb(report);
    if (!fastest.empty()) entry["fastest_rocksdb"] = fastest;
    document["benchmarks"].push_back(std::move(entry));
  }
  return document.dump(2);
}

}  // namespace ashlar::bench
