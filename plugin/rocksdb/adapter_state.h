// What all of the adapter's factories and tables of a process share: counts,
// and Ashlar's forms of comparators, prefix extractors and caches.
//
// Lives as long as the process, because RocksDB's tables may outlive every
// factory. Any thread may call anything.
#ifndef ASHLAR_PLUGIN_ROCKSDB_ADAPTER_STATE_H_
#define ASHLAR_PLUGIN_ROCKSDB_ADAPTER_STATE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ashlar/cache/cache.h"
#include "ashlar/table/statistics.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/prefix_extractor.h"
#include "ashlar/util/system_clock.h"
#include "ashlar_rocksdb.h"
#include "rocksdb/cache.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/system_clock.h"

namespace ashlar_rocksdb {

class AdapterState {
 public:
  static AdapterState& Shared();

  // Returns Ashlar's form of a comparator, which lives for ever. The built-in
  // ones become Ashlar's own, which are faster.
  const ashlar::Comparator* FindComparator(const rocksdb::Comparator* theirs);
  // Returns Ashlar's form of an extractor; null for null.
  std::shared_ptr<const ashlar::PrefixExtractor> FindPrefixExtractor(
      const std::shared_ptr<const rocksdb::SliceTransform>& theirs);
  // Returns the cache in which Ashlar's tables keep their blocks if RocksDB's
  // keep theirs in `theirs`; null for null. Readers share ownership of it.
  std::shared_ptr<ashlar::Cache> FindCache(
      const std::shared_ptr<rocksdb::Cache>& theirs);

  // Returns statistics that pass on to `theirs`; null for null.
  std::shared_ptr<ashlar::Statistics> FindStatistics(
      const std::shared_ptr<rocksdb::Statistics>& theirs);

  // Returns Ashlar's form of a clock, which lives for ever; null, the system's,
  // for RocksDB's default.
  ashlar::SystemClock* FindClock(rocksdb::SystemClock* theirs);

  void CountBuilt() { built_.fetch_add(1, std::memory_order_relaxed); }
  void CountRead() { read_.fetch_add(1, std::memory_order_relaxed); }
  // Return how often the reason has now been met.
  uint64_t CountBuiltByStock(const std::string& reason);
  uint64_t CountReadByStock(const std::string& reason);
  TableCounts Counts();

 private:
  AdapterState() = default;

  // Counters only: nothing is ordered by them.
  std::atomic<uint64_t> built_{0};
  std::atomic<uint64_t> built_by_stock_{0};
  std::atomic<uint64_t> read_{0};
  std::atomic<uint64_t> read_by_stock_{0};

  std::mutex mutex_;  // guards all below
  std::map<std::string, uint64_t> reasons_;
  std::map<const rocksdb::Comparator*, std::unique_ptr<ashlar::Comparator>>
      comparators_;
  std::map<rocksdb::SystemClock*, std::unique_ptr<ashlar::SystemClock>> clocks_;
  // Caches of applications, and Ashlar's faces of them, which stay.
  struct KnownCache {
    std::weak_ptr<rocksdb::Cache> theirs;
    std::shared_ptr<ashlar::Cache> ours;
  };
  std::map<rocksdb::Cache*, KnownCache> caches_;
  std::map<rocksdb::Statistics*, std::weak_ptr<ashlar::Statistics>> statistics_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_ADAPTER_STATE_H_
