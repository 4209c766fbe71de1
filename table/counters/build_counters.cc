#include "table/counters/build_counters.h"

#include "table/counters/statistics_shards.h"

namespace ashlar::internal {

void CountBuiltBlock(const Statistics* statistics, StoredForm form,
                     uint64_t raw_bytes, uint64_t stored_bytes) {
  if (statistics == nullptr ||
      StatisticsShards::LevelOf(*statistics) == StatsLevel::kDisableAll) {
    return;
  }
  StatisticsShard* const shard = StatisticsShards::Mine(*statistics);
  if (shard == nullptr) return;
  switch (form) {
    case StoredForm::kCompressed:
      shard->Add(Ticker::kNumberBlockCompressed, 1);
      shard->Add(Ticker::kBytesCompressedFrom, raw_bytes);
      shard->Add(Ticker::kBytesCompressedTo, stored_bytes);
      return;
    case StoredForm::kRejected:
      shard->Add(Ticker::kNumberBlockCompressionRejected, 1);
      shard->Add(Ticker::kBytesCompressionRejected, raw_bytes);
      return;
    case StoredForm::kBypassed:
      shard->Add(Ticker::kNumberBlockCompressionBypassed, 1);
      shard->Add(Ticker::kBytesCompressionBypassed, raw_bytes);
      return;
  }
}

}  // namespace ashlar::internal
