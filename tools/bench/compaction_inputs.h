// The tables that the benchmarks compact and readmerged read: files of level 0
// of a RocksDB database, so that both libraries get the same bytes. Without
// RocksDB, our own tables.
#ifndef ASHLAR_TOOLS_BENCH_COMPACTION_INPUTS_H_
#define ASHLAR_TOOLS_BENCH_COMPACTION_INPUTS_H_

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/engine.h"
#include "tools/bench/workload.h"

namespace ashlar::bench {

inline std::string CompactionInputsFolder(const BenchOptions& options) {
  return options.folder + "/compaction_inputs";
}

// Returns the paths of the tables in the folder, the oldest first.
inline std::vector<std::string> CompactionInputs(const BenchOptions& options) {
  std::vector<std::string> paths;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(
           CompactionInputsFolder(options), none)) {
    if (file.path().extension() == ".sst") paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Calls take(key, value) for the entries of one of options.tables inputs, in
// order. Each key is in one of them, drawn by its number, so that which input
// comes next cannot be foreseen.
template <typename Take>
void ForEachEntryOfInput(const BenchOptions& options, const Workload& workload,
                         int input, Take take) {
  constexpr uint64_t kSpread =
      0x9E3779B97F4A7C15;  // odd, from the golden ratio
  constexpr int kShift = 32;
  const auto inputs = static_cast<uint64_t>(options.tables);
  std::string key(workload.key_size(), '\0');
  for (uint64_t i = 0; i < workload.num(); ++i) {
    const uint64_t drawn = (i * kSpread ^ i >> kShift) * kSpread >> kShift;
    if (drawn % inputs != static_cast<uint64_t>(input)) continue;
    workload.Key(i, key.data());
    take(std::string_view(key), workload.Value(i));
  }
}

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_COMPACTION_INPUTS_H_
