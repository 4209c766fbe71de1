// TableStats: what `stats` counts while it reads a table, or one table after
// the other.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_TABLE_STATS_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_TABLE_STATS_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
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
  // The ten prefixes with the most bytes, the largest first. Of several tables
  // whose ranges overlap, a prefix that is not among the ten at the end of one
  // is not counted there.
  std::vector<PrefixWeight> prefixes;
  // distinct_keys counts user keys that differ from the one before, without
  // their timestamps of this size.
  size_t timestamp_size = 0;
  uint64_t distinct_keys = 0;
  // A sample of user keys of up to kMaxSampledKeyBytes, from the whole table.
  static constexpr size_t kMaxSampledKeyBytes = 1024;
  std::vector<std::string> sample;

 private:
  void TakePrefix(const Slice& user_key, uint64_t bytes);
  void ClosePrefix();
  void Sample(const Slice& user_key);
  void CountDistinct(const Slice& user_key);

  // Each of these prefixes begins with the one before it.
  std::vector<PrefixWeight> open_prefixes_;
  std::string last_key_;
  uint64_t keys_ = 0;
  uint64_t next_sample_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_TABLE_STATS_H_
