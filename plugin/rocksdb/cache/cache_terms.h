// The terms that RocksDB's caches and Ashlar's have in common, from one to the
// other: roles, priorities, allocators, and keys.
//
// Used by the two caches of this folder. Thread-safe. Not for applications.
#ifndef ASHLAR_PLUGIN_ROCKSDB_CACHE_CACHE_TERMS_H_
#define ASHLAR_PLUGIN_ROCKSDB_CACHE_CACHE_TERMS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "ashlar/cache/cache_entry.h"
#include "ashlar/cache/cache_key.h"
#include "ashlar/util/memory_allocator.h"
#include "rocksdb/advanced_cache.h"
#include "rocksdb/memory_allocator.h"
#include "rocksdb/slice.h"

namespace ashlar_rocksdb {

// Ashlar's roles without a counterpart become kMisc, and so does RocksDB's
// kDeprecatedFilterBlock.
rocksdb::CacheEntryRole ToRocksDb(ashlar::CacheEntryRole role);
ashlar::CacheEntryRole ToAshlar(rocksdb::CacheEntryRole role);

inline rocksdb::Cache::Priority ToRocksDb(ashlar::CachePriority priority) {
  using enum ashlar::CachePriority;
  if (priority == kHigh) return rocksdb::Cache::Priority::HIGH;
  return priority == kLow ? rocksdb::Cache::Priority::LOW
                          : rocksdb::Cache::Priority::BOTTOM;
}
inline ashlar::CachePriority ToAshlar(rocksdb::Cache::Priority priority) {
  using enum rocksdb::Cache::Priority;
  if (priority == HIGH) return ashlar::CachePriority::kHigh;
  return priority == LOW ? ashlar::CachePriority::kLow
                         : ashlar::CachePriority::kBottom;
}

// RocksDB's allocator as Ashlar's. Any number of objects may stand for one
// allocator: memory of one of them may be given back to another.
class AllocatorOfRocksDb final : public ashlar::MemoryAllocator {
 public:
  // Requires: `target` is not null and outlives this object.
  explicit AllocatorOfRocksDb(rocksdb::MemoryAllocator* target)
      : target_(target) {}

  const char* Name() const override { return target_->Name(); }
  void* Allocate(size_t size) override { return target_->Allocate(size); }
  void Deallocate(void* memory) override { target_->Deallocate(memory); }
  size_t UsableSize(void* memory, size_t size) const override {
    return target_->UsableSize(memory, size);
  }
  rocksdb::MemoryAllocator* target() const { return target_; }

 private:
  rocksdb::MemoryAllocator* const target_;
};

// Returns RocksDB's allocator as one of Ashlar's that lives forever, since
// cached blocks point to it: one small object per allocator of the process.
// Returns null for null.
ashlar::MemoryAllocator* LastingAllocator(rocksdb::MemoryAllocator* allocator);

inline constexpr size_t kKeyBytes = 2 * sizeof(uint64_t);

// Ashlar's keys and RocksDB's go into one cache without ever meeting, although
// both may name a block of one file, or be small numbers: whichever are the
// guests in a cache get this number XORed in. There are two, since one of our
// caches may be within the other.
struct GuestKeys {
  uint64_t file;
  uint64_t block;

  constexpr ashlar::CacheKey Of(const ashlar::CacheKey& key) const {
    return {key.file ^ file, key.block ^ block};
  }
};
inline constexpr GuestKeys kGuestsOfAshlar = {0xc90fdaa22168c234,
                                              0xc4c6628b80dc1cd1};
inline constexpr GuestKeys kGuestsOfRocksDb = {0xadf85458a2bb4a9a,
                                               0xafdc5620273d3cf1};

// Requires: `key` has kKeyBytes bytes.
inline ashlar::CacheKey KeyOfSlice(const rocksdb::Slice& key) {
  ashlar::CacheKey result;
  std::memcpy(&result.file, key.data(), sizeof(uint64_t));
  std::memcpy(&result.block, key.data() + sizeof(uint64_t), sizeof(uint64_t));
  return result;
}

// A key as RocksDB's caches take it, valid as long as this object lives.
class KeyBytes {
 public:
  explicit KeyBytes(const ashlar::CacheKey& key)
      : words_{key.file, key.block} {}
  rocksdb::Slice slice() const {
    return {reinterpret_cast<const char*>(words_), kKeyBytes};
  }

 private:
  uint64_t words_[2];
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_CACHE_CACHE_TERMS_H_
