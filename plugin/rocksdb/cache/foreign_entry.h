// ForeignEntry: a value of Ashlar as RocksDB's caches keep it, and the helpers
// by which these caches end it, save it and make it again.
//
// Used by ForeignCache. RocksDB's functions get the value alone, so it points
// to its operations: one helper per role is enough. Thread-safe.
#ifndef ASHLAR_PLUGIN_ROCKSDB_CACHE_FOREIGN_ENTRY_H_
#define ASHLAR_PLUGIN_ROCKSDB_CACHE_FOREIGN_ENTRY_H_

#include <atomic>
#include <cstddef>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/cache_entry.h"
#include "rocksdb/advanced_cache.h"

namespace ashlar_rocksdb {

// The object of a rocksdb::Cache, and at the same time the handle that
// ForeignCache returns. All references to an entry of RocksDB's caches are one
// handle, which the entry knows once there was a first one.
class ForeignEntry final : public ashlar::CacheHandle {
 public:
  ForeignEntry(void* value, const ashlar::CacheItemOps* ops, size_t charge) {
    value_ = value;
    ops_ = ops;
    charge_ = charge;
  }

  rocksdb::Cache::Handle* handle() const {
    return handle_.load(std::memory_order_relaxed);
  }
  // Each caller sets the same.
  void set_handle(rocksdb::Cache::Handle* handle) {
    if (this->handle() == nullptr) {
      handle_.store(handle, std::memory_order_relaxed);
    }
  }

 private:
  std::atomic<rocksdb::Cache::Handle*> handle_{nullptr};
};

// Ends the value of the entry, and deletes the entry.
void EndForeignEntry(void* entry, rocksdb::MemoryAllocator* allocator);

// What RocksDB charges for an entry on top of the charge of its value: the
// object, and what malloc adds.
inline constexpr size_t kForeignEntryBytes =
    sizeof(ForeignEntry) + sizeof(size_t);

// What makes an entry of saved bytes again. A lookup passes it.
struct ForeignContext : rocksdb::Cache::CreateContext {
  const ashlar::CacheItemOps* ops = nullptr;
  const void* context = nullptr;  // for ops->create
  // Lives as long as any value.
  ashlar::MemoryAllocator* allocator = nullptr;
};

// Returns the helper of entries with these operations, which lives forever. It
// can save values if `ops` can. Its create_cb needs a ForeignContext.
const rocksdb::Cache::CacheItemHelper* ForeignHelper(
    const ashlar::CacheItemOps& ops);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_CACHE_FOREIGN_ENTRY_H_
