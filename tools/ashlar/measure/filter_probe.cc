#include "tools/ashlar/measure/filter_probe.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

constexpr double kLineBits = 512;

// Returns the rate of false positives, given that keys are spread over the
// lines at random, so that some lines are fuller than others.
double LineRate(double bits_per_key, int probes) {
  const double mean = kLineBits / bits_per_key;
  const auto most = static_cast<int>(mean + 20 * std::sqrt(mean) + 20);
  double rate = 0;
  double share = std::exp(-mean);  // of the lines that have `keys` keys
  for (int keys = 0; keys <= most; ++keys) {
    const double clear = std::pow(1 - 1 / kLineBits, keys * probes);
    rate += share * std::pow(1 - clear, probes);
    share *= mean / (keys + 1);
  }
  return rate;
}

// Returns the rate with the best number of probes per key.
double BloomRate(double bits_per_key) {
  constexpr int kMostProbes = 30;
  // With fewer bits, the filter is so full that one probe is best and all lines
  // are alike. A file may claim any number of keys.
  constexpr double kFewBits = 0.75;
  if (!(bits_per_key >= kFewBits)) return 1 - std::exp(-1 / bits_per_key);
  double best = 1;
  for (int probes = 1; probes <= kMostProbes; ++probes) {
    best = std::min(best, LineRate(bits_per_key, probes));
  }
  return best;
}

}  // namespace

std::optional<FilterRates> ProbeFilter(const TableReader& table,
                                       const TableStats& stats,
                                       Status* status) {
  const TableProperties& properties = table.properties();
  if (stats.distinct_keys == 0 || properties.filter_size == 0 ||
      properties.whole_key_filtering == "0") {
    return std::nullopt;
  }
  FilterRates rates;
  // Not every writer stores num_filter_entries.
  const uint64_t in_filter = properties.num_filter_entries != 0
                                 ? properties.num_filter_entries
                                 : stats.distinct_keys;
  rates.bits_per_key = 8.0 * static_cast<double>(stats.FilterBytes()) /
                       static_cast<double>(in_filter);
  rates.bloom_rate = BloomRate(rates.bits_per_key);
  const std::vector<std::string>& sample = stats.sample;
  if (sample.empty()) return rates;
  constexpr uint64_t kSeed = 0x5eed;
  std::mt19937_64 random(kSeed);
  const size_t timestamp = table.comparator()->timestamp_size();
  const ReadOptions options = ReadOptionsFromFlags();
  GetResult result;
  for (uint64_t i = 0; i < FLAGS_filter_probes && !Interrupted(); ++i) {
    std::string key = sample[random() % sample.size()];
    key.resize(key.size() - std::min(key.size(), timestamp));
    const uint64_t tail = random();
    key.append(reinterpret_cast<const char*>(&tail), sizeof tail);
    *status = table.Get(options, key, kMaxSequenceNumber, &result,
                        [](const Slice&, SequenceNumber) { return false; });
    if (!status->ok()) return std::nullopt;
    if (result.filter == GetResult::Filter::kNone) return std::nullopt;
    if (result.state != GetResult::State::kNotFound) continue;
    ++rates.probes;
    if (result.filter == GetResult::Filter::kMaybe) ++rates.passed;
  }
  return rates;
}

}  // namespace ashlar::tool
