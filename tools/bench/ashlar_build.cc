#include "tools/bench/ashlar_build.h"

#include "ashlar/cache/cache_options.h"
#include "ashlar/cache/tiered_cache.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/huge_page_allocator.h"
#include "port/threads.h"
#include "tools/bench/null_file.h"

namespace ashlar::bench {

FilterType FilterTypeFor(const BenchOptions& o) {
  return o.ribbon ? FilterType::kRibbon : FilterType::kBloom;
}

TableOptions TableOptionsFor(const BenchOptions& o) {
  TableOptions t;
  t.format_version = o.format_version;
  t.block_size = o.block_size;
  t.block_restart_interval = o.block_restart_interval;
  t.compression = *ParseCompressionType(o.compression_type);
  t.compression_opts.level = o.compression_level;
  t.filter = o.bloom_bits > 0 ? FilterTypeFor(o) : FilterType::kNone;
  if (o.bloom_bits > 0) t.bloom_bits_per_key = o.bloom_bits;
  return t;
}

uint32_t WorkersOf(const BenchOptions& o) {
  if (o.workers >= 0) return static_cast<uint32_t>(o.workers);
  if (o.parallel_threads == 0) return port::CpuCount() - 1;
  return o.parallel_threads == 1 ? 0 : o.parallel_threads;
}

BuildOptions BuildOptionsFor(const BenchOptions& o, WorkerPool* pool) {
  BuildOptions b;
  b.workers = WorkersOf(o);
  b.worker_pool = pool;
  return b;
}

Result<std::unique_ptr<WritableFile>> OpenSink(const BenchOptions& o,
                                               const std::string& name) {
  if (!o.null_sink) return OpenWritableFile(o.folder + "/" + name);
  std::unique_ptr<WritableFile> file = std::make_unique<NullFile>();
  return file;
}

namespace {

Result<std::shared_ptr<Cache>> MakeFirstTier(const BenchOptions& o) {
  std::shared_ptr<MemoryAllocator> memory;
  if (o.huge_page_cache) memory = NewHugePageAllocator();
  if (o.cache_type == "lru_cache") {
    return NewLruCache({.capacity = o.cache_size, .memory_allocator = memory});
  }
  return NewHyperClockCache({.capacity = o.cache_size,
                             .estimated_entry_charge = o.block_size,
                             .admission = o.cache_admission,
                             .memory_allocator = memory});
}

}  // namespace

Result<std::shared_ptr<Cache>> MakeBlockCache(const BenchOptions& o) {
  auto first = MakeFirstTier(o);
  if (!first.ok() || o.compressed_secondary_cache_size == 0) return first;
  auto second = NewCompressedSecondaryCache(
      {.capacity = o.compressed_secondary_cache_size,
       .compression_type =
           ParseCompressionType(o.compressed_secondary_cache_compression_type)
               .value()});
  if (!second.ok()) return second.status();
  auto tiers = NewTieredCache({.primary = std::move(first).value(),
                               .secondary = std::move(second).value(),
                               .estimated_entry_charge = o.block_size});
  if (!tiers.ok()) return tiers.status();
  return std::shared_ptr<Cache>(std::move(tiers).value());
}

}  // namespace ashlar::bench
