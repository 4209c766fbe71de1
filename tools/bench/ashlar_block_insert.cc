// The benchmark blockinsert of this library. It makes the calls that a read
// makes with a block that was not in the cache.

#include <string>

#include "ashlar/cache/typed_cache.h"
#include "table/load/cached_data_block.h"
#include "tools/bench/ashlar_build.h"
#include "tools/bench/ashlar_reads.h"
#include "tools/bench/block_insert.h"

namespace ashlar::bench {

namespace {

using internal::CachedDataBlock;
using BlockCache = TypedCache<CachedDataBlock, CacheEntryRole::kDataBlock>;

// Returns the bytes of the first data block in the cache.
std::string FirstBlock(Cache* cache, internal::BlockHandle* handle) {
  std::string bytes;
  cache->ForEachEntry([&](const CacheEntryView& entry) {
    const auto* const block = static_cast<const CachedDataBlock*>(entry.value);
    if (!bytes.empty() && handle->offset < block->handle().offset) return;
    *handle = block->handle();
    const internal::BlockView& view = block->view();
    // The number of restart points follows them.
    const char* const end =
        view.restarts + (size_t{view.num_restarts} + 1) * sizeof(uint32_t);
    bytes.assign(view.entries, end);
  });
  return bytes;
}

}  // namespace

Status RunBlockInsert(const BenchOptions& options, Cache* cache,
                      RunResult* result) {
  if (cache == nullptr) return Status::InvalidArgument("there is no cache");
  internal::BlockPlace place;
  place.kind = BlockKind::kData;
  const std::string bytes = FirstBlock(cache, &place.handle);
  BenchOptions of_cache = options;
  of_cache.cache_size = kInsertCacheBytes;
  Result<std::shared_ptr<Cache>> made = MakeBlockCache(of_cache);
  if (!made.ok()) return made.status();
  BlockCache blocks(*made);
  const internal::KeyOrder order(BytewiseComparator());
  const internal::KeyOrder* const words =
      options.entry_words ? &order : nullptr;
  uint32_t interval = 0;
  size_t word_bytes = 0;
  const auto insert = [&](uint64_t i) {
    std::unique_ptr<CachedDataBlock> block;
    internal::BlockRoom room(blocks.cache()->memory_allocator(),
                             CachedDataBlock::FrontBytes(word_bytes));
    Status status =
        CachedDataBlock::Make(place, bytes, words, &interval, &room, &block);
    if (!status.ok()) return status;
    word_bytes = block->word_bytes();
    static_cast<void>(blocks.InsertAndHold(InsertKey(i), std::move(block)));
    return status;
  };
  return TimeInserts(options, bytes.size(), result, insert);
}

}  // namespace ashlar::bench
