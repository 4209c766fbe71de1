// Describes the contents of RocksDB's block cache and its second tier. The
// second tier does not report its contents. So random reads are made, which
// count where they found their blocks.

#include <rocksdb/advanced_cache.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <cstdio>

#include "tools/bench/key_draw.h"
#include "tools/bench/rocksdb_reads.h"

namespace ashlar::bench {

namespace {

// Returns the mean charge of blocks. Placeholder entries, which only record
// that a key was there, have no charge.
double MeanCharge(rocksdb::Cache* cache) {
  size_t sum = 0;
  size_t blocks = 0;
  const auto add = [&](const auto&, void*, size_t charge, const auto*) {
    sum += charge;
    blocks += charge == 0 ? 0 : 1;
  };
  cache->ApplyToAllEntries(add, {});
  return blocks == 0 ? 0
                     : static_cast<double>(sum) / static_cast<double>(blocks);
}

}  // namespace

std::string DescribeRocksDbHeld(RocksDbTable* table, rocksdb::Cache* cache,
                                const BenchOptions& options,
                                const Workload& workload) {
  constexpr uint64_t kQuestions = 20'000;
  // This draw differs from the benchmark's, because the benchmark itself
  // brought its blocks into the cache.
  KeyDraw draw(options, options.workload.seed + 1007);
  std::string key(workload.key_size(), '\0');
  rocksdb::PinnableSlice value;
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::PerfContext* const context = rocksdb::get_perf_context();
  context->Reset();
  for (uint64_t i = 0; i < kQuestions; ++i) {
    workload.Key(draw.Next(), key.data());
    const rocksdb::Status status = table->Get(key, &value);
    if (!status.ok()) return status.ToString() + "\n";
  }
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  const auto share = [](uint64_t part) {
    return static_cast<double>(part) / static_cast<double>(kQuestions);
  };
  const uint64_t in_second = context->secondary_cache_hit_count;
  const uint64_t found = context->block_cache_hit_count;
  const double each = MeanCharge(cache);
  const auto blocks = static_cast<double>(table->DataBlocks());
  const auto capacity = static_cast<double>(
      cache->GetCapacity() + options.compressed_secondary_cache_size);
  char line[240];
  std::snprintf(
      line, sizeof line,
      "of %.0f blocks %.1f %% found in the first tier, %.1f %% in the second; "
      "%.0f bytes each in the first tier: %.2f times its capacity\n",
      blocks, 100 * share(found - in_second), 100 * share(in_second), each,
      each * blocks * share(found) / capacity);
  return line;
}

}  // namespace ashlar::bench
