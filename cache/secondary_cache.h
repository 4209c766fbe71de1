// SecondaryCache: the interface of a second tier behind a block cache, and a
// second tier that keeps blocks compressed in memory.
//
// A Cache can save what it evicts as bytes and look for it here before it is
// read from the file again. NewTieredCache (tiered_cache.h) joins the two. For
// a tier of your own (a local disk, shared memory), derive from SecondaryCache.
//
// A tier keeps bytes under keys and knows nothing else about them. TieredCache
// adds a checksum to what it saves, and compares it when the bytes come back.
// So a tier that returns wrong bytes does no harm, and
// TieredCacheStats::damaged counts it. A tier may forget any key at any time.
//
// Thread safety: any number of threads may call any function at once. The Cache
// calls none of them while it holds a lock that its lookups or inserts take. If
// a function throws, the TieredCache catches the exception and counts a
// failure.
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

// A lookup that may still be in progress. One thread at a time may use it. The
// tier must outlive it.
class ASHLAR_EXPORT SecondaryCacheResultHandle {
 public:
  SecondaryCacheResultHandle() = default;
  SecondaryCacheResultHandle(const SecondaryCacheResultHandle&) = delete;
  SecondaryCacheResultHandle& operator=(const SecondaryCacheResultHandle&) =
      delete;
  // Cancels the lookup if its result is not ready.
  virtual ~SecondaryCacheResultHandle() = default;

  // Returns whether the result is ready. Never waits.
  virtual bool IsReady() = 0;
  // Waits until the result is ready.
  virtual void Wait() = 0;
  // Returns the bytes, which live as long as this object. Returns nullopt if
  // the key is not there or could not be read. Requires: IsReady().
  virtual std::optional<Slice> Value() = 0;
};

// Counts since the tier was made. The last three fields are the state now;
// `usage` and `capacity` are in bytes.
struct SecondaryCacheStats {
  uint64_t lookups = 0;
  uint64_t hits = 0;
  uint64_t inserts = 0;
  uint64_t failures = 0;      // lookups and inserts that failed
  uint64_t bytes_in = 0;      // of inserts, as they were passed in
  uint64_t bytes_stored = 0;  // of the same inserts, as they are kept
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

  // Returns a name for messages and reports.
  virtual const char* Name() const = 0;

  // Stores a copy of `saved` under `key`. The tier may also keep nothing. If
  // the key is present, the tier may keep the old bytes or replace them: they
  // are the same. The caller counts an error and otherwise ignores it.
  virtual Status Insert(const CacheKey& key, const Slice& saved) = 0;
  // Returns true if the key is present, after marking it as used: then no
  // Insert is needed. The Cache asks this before it saves a value.
  virtual bool Touch(const CacheKey& /*key*/) { return false; }
  // Starts a lookup. Returns null if the key is not there. A tier that has to
  // wait returns at once, with a result that is not ready.
  virtual std::unique_ptr<SecondaryCacheResultHandle> Lookup(
      const CacheKey& key) = 0;
  // Waits until all of `handles` are ready. The default waits for one after the
  // other. Override it if the tier can wait better for many at once.
  virtual void WaitAll(std::span<SecondaryCacheResultHandle* const> handles);
  // Removes the key. Does nothing if it is not there.
  virtual void Erase(const CacheKey& key) = 0;

  // Sets the capacity in bytes, with immediate effect. 0 switches the tier off:
  // a TieredCache then neither saves nor looks up anything.
  virtual void SetCapacity(size_t capacity) = 0;
  virtual size_t GetCapacity() const = 0;
  // Returns the bytes in use, including everything that the tier needs for an
  // entry.
  virtual size_t GetUsage() const = 0;

  // Returns counts and sizes as of now.
  virtual SecondaryCacheStats GetStats() const = 0;
};

// How NewCompressedSecondaryCache makes a cache.
struct CompressedSecondaryCacheOptions {
  // Bytes of memory. Counts the compressed bytes, what malloc adds to them, and
  // the table. 0: off, until SetCapacity.
  size_t capacity = 0;

  // The tier has 2^n shards, each with a mutex and its part of the capacity.
  // -1: as many as leave each shard at least 512 KiB, at most 64 (16, if the
  // capacity is 0). -1, or 0 to 16.
  int num_shard_bits = -1;

  // The codec. kNoCompression: bytes are kept uncompressed.
  CompressionType compression_type = CompressionType::kLZ4Compression;
  // Options of the codec. Bytes that do not become as small as
  // max_compressed_bytes_per_kb demands are kept uncompressed. Dictionaries are
  // not used.
  CompressionOptions compression_opts;

  // Where the kept bytes get their memory from. Null: malloc.
  std::shared_ptr<MemoryAllocator> memory_allocator;

  // The seed of the hash of keys. 0: a random one.
  uint64_t hash_seed = 0;
};
// Makes a tier that keeps compressed bytes in memory and evicts the least
// recently used ones first. Returns NotSupported if the codec is not built in.
// Returns InvalidArgument if the codec cannot compress, or if one of its
// options or num_shard_bits is out of range. Returns MemoryLimit if there is no
// memory.
ASHLAR_EXPORT Result<std::shared_ptr<SecondaryCache>>
NewCompressedSecondaryCache(const CompressedSecondaryCacheOptions& options);

}  // namespace ashlar

#endif  // ASHLAR_CACHE_SECONDARY_CACHE_H_
