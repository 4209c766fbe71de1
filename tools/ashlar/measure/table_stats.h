// TableStats: what `stats` counts while it reads a table, or one table after
// the other.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_TABLE_STATS_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_TABLE_STATS_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"
#include "tools/ashlar/measure/size_distribution.h"

namespace ashlar::tool {

struct PrefixWeight {
  std::string prefix;
  uint64_t entries = 0;
  uint64_t bytes = 0;  // of user keys and values
};

class TableStats {
 public:
  // Callbacks of InspectOptions.
  void OnBlock(const BlockInfo& block);
  // To be called instead of OnBlock for a block that was not decoded.
  void CountBytes(const BlockInfo& block);
  void OnEntry(const BlockInfo& block, const Slice& key, const Slice& value);
  // To be called after the last block.
  void Finish();
  // Returns the bytes of the filter's blocks or partitions, without trailers.
  uint64_t FilterBytes() const;

  struct KindTotal {
    uint64_t blocks = 0;
    uint64_t bytes = 0;  // with trailers
  };
  std::map<BlockKind, KindTotal> kinds;
  std::map<ValueType, uint64_t> types;
  SizeDistribution key_sizes;
  SizeDistribution value_sizes;
  SizeDistribution raw_sizes;
  SizeDistribution stored_sizes;
  SizeDistribution ratios;  // hundredths
  SizeDistribution entries_a_block;
  // The ten prefixes with the most bytes, the largest first, after Finish. Of
  // several tables that together have more than kMostPrefixes, what one table
  // has of a light prefix may be missing.
  static constexpr size_t kMostPrefixes = 65536;
  std::vector<PrefixWeight> prefixes;
  // distinct_keys counts user keys that differ from the one before, without
  // their timestamps of this size.
  size_t timestamp_size = 0;
  uint64_t distinct_keys = 0;
  // A sample of user keys of up to kMaxSampledKeyBytes, from the whole table.
  static constexpr size_t kMaxSampledKeyBytes = 1024;
  std::vector<std::string> sample;

 private:
  void TakePrefix(std::string_view key, uint64_t bytes);
  void ClosePrefix();
  void ForgetLightPrefixes();
  void Sample(const Slice& user_key);
  // `key` has no timestamp.
  void CountDistinct(std::string_view key);

  // Each of these prefixes begins with the one before it.
  std::vector<PrefixWeight> open_prefixes_;
  std::unordered_map<std::string, PrefixWeight> closed_prefixes_;
  std::string last_key_;
  uint64_t keys_ = 0;
  uint64_t next_sample_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_TABLE_STATS_H_
