// SecondaryCache: a second tier behind a block cache, and one that is kept
// compressed in memory.
//
// What a Cache has to evict can be saved as bytes and looked for here before it
// is read again; NewTieredCache (tiered_cache.h) joins the two. A tier of one's
// own (a local disk, shared memory) derives from SecondaryCache. It keeps bytes
// under keys and knows nothing else of them: who reads them back compares them
// with a checksum, so a tier that returns other bytes does no harm but is
// counted. Nothing depends on what a tier keeps, or for how long.
//
// All functions are called by any number of threads at once, and none from
// under a lock that lookups or inserts of the Cache take.
#ifndef ASHLAR_CACHE_SECONDARY_CACHE_H_
#define ASHLAR_CACHE_SECONDARY_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "ashlar/cache/cache_key.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"
#include "ashlar/util/memory_allocator.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// A lookup that may still be under way. One thread at a time uses it; the tier
// outlives it.
class ASHLAR_EXPORT SecondaryCacheResultHandle {
 public:
  SecondaryCacheResultHandle() = default;
  SecondaryCacheResultHandle(const SecondaryCacheResultHandle&) = delete;
  SecondaryCacheResultHandle& operator=(const SecondaryCacheResultHandle&) =
      delete;
  // A result that is not ready is given up.
  virtual ~SecondaryCacheResultHandle() = default;

  // Never waits.
  virtual bool IsReady() = 0;
  virtual void Wait() = 0;
  // Of a result that is ready: the bytes, which live as long as the handle.
  // None: the key is not there, or could not be read.
  virtual std::optional<Slice> Value() = 0;
};

// Since the tier was made, but for the last three.
struct SecondaryCacheStats {
  uint64_t lookups = 0;
  uint64_t hits = 0;
  uint64_t inserts = 0;
  uint64_t failures = 0;      // lookups and inserts that failed
  uint64_t bytes_in = 0;      // of inserts, as they came
  uint64_t bytes_stored = 0;  // of the same, as they are kept
  size_t entries = 0;
  size_t usage = 0;
  size_t capacity = 0;
};

class ASHLAR_EXPORT SecondaryCache {
 public:
  SecondaryCache() = default;
  SecondaryCache(const SecondaryCache&) = delete;
  SecondaryCache& operator=(const SecondaryCache&) = delete;
  virtual ~SecondaryCache() = default;

  virtual const char* Name() const = 0;

  // Copies the bytes, where it wants them. One that is there may stay or be
  // replaced: it is the same. An error is counted and otherwise ignored.
  virtual Status Insert(const CacheKey& key, const Slice& saved) = 0;
  // True: it is there and was marked as used, and no Insert is needed. Asked
  // before a value is saved.
  virtual bool Touch(const CacheKey& /*key*/) { return false; }
  // Null: it is not there. A tier that has to wait returns at once what is not
  // ready.
  virtual std::unique_ptr<SecondaryCacheResultHandle> Lookup(
      const CacheKey& key) = 0;
  // Returns when all are ready. For tiers that can wait better for many than
  // for one after the other.
  virtual void WaitAll(std::span<SecondaryCacheResultHandle* const> handles);
  virtual void Erase(const CacheKey& key) = 0;

  // Bytes, at once. 0 switches the tier off.
  virtual void SetCapacity(size_t capacity) = 0;
  virtual size_t GetCapacity() const = 0;
  // Bytes, with all that it needs for an entry.
  virtual size_t GetUsage() const = 0;

  virtual SecondaryCacheStats GetStats() const = 0;
};

struct CompressedSecondaryCacheOptions {
  // Bytes of memory: compressed ones, what malloc adds to them, and the table.
  // 0: off, until SetCapacity.
  size_t capacity = 0;

  // 2^n parts with a mutex and a capacity of their own. -1: as many as leave
  // each 512 KiB, at most 64.
  int num_shard_bits = -1;

  // kNoCompression: kept as they come.
  CompressionType compression_type = CompressionType::kLZ4Compression;
  // What does not become as small as max_compressed_bytes_per_kb says is kept
  // as it comes. Dictionaries are not used.
  CompressionOptions compression_opts;

  // Of what is kept. Null: malloc.
  std::shared_ptr<MemoryAllocator> memory_allocator;

  // Keys are hashed with it. 0: drawn at random.
  uint64_t hash_seed = 0;
};
// The least recently used goes first. NotSupported where the codec is not built
// in.
ASHLAR_EXPORT Result<std::shared_ptr<SecondaryCache>>
NewCompressedSecondaryCache(const CompressedSecondaryCacheOptions& options);

}  // namespace ashlar

#endif  // ASHLAR_CACHE_SECONDARY_CACHE_H_
