// RocksDB's parsing and insertion of a block, through its public interface. A
// secondary cache gives RocksDB a block's bytes through a function of RocksDB,
// which copies and parses them as reads of a file do. A cache with a secondary
// cache of ours shows which function that is, and which arguments it needs.

#include <rocksdb/advanced_cache.h>
#include <rocksdb/secondary_cache.h>

#include <string>

#include "tools/bench/block_insert.h"
#include "tools/bench/rocksdb_reads.h"
#include "tools/bench/rocksdb_table.h"

namespace ashlar::bench {

namespace {

using rocksdb::Cache;

// A secondary cache that stores nothing, and records what it was asked for.
class Listener final : public rocksdb::SecondaryCache {
 public:
  const char* Name() const override { return "Listener"; }
  rocksdb::Status Insert(const rocksdb::Slice&, Cache::ObjectPtr,
                         const Cache::CacheItemHelper*, bool) override {
    return {};
  }
  rocksdb::Status InsertSaved(const rocksdb::Slice&, const rocksdb::Slice&,
                              rocksdb::CompressionType,
                              rocksdb::CacheTier) override {
    return {};
  }
  std::unique_ptr<rocksdb::SecondaryCacheResultHandle> Lookup(
      const rocksdb::Slice&, const Cache::CacheItemHelper* helper,
      Cache::CreateContext* create_context, bool, bool, rocksdb::Statistics*,
      bool& kept) override {
    kept = false;
    if (helper->role == rocksdb::CacheEntryRole::kDataBlock) {
      helper_ = helper;
      create_context_ = create_context;
    }
    return nullptr;
  }
  bool SupportForceErase() const override { return false; }
  void Erase(const rocksdb::Slice&) override {}
  void WaitAll(std::vector<rocksdb::SecondaryCacheResultHandle*>) override {}
  std::string GetPrintableOptions() const override { return ""; }

  const Cache::CacheItemHelper* helper() const { return helper_; }
  Cache::CreateContext* create_context() const { return create_context_; }

 private:
  const Cache::CacheItemHelper* helper_ = nullptr;
  Cache::CreateContext* create_context_ = nullptr;
};

// Sets *bytes to the bytes of the only data block in the cache.
rocksdb::Status OnlyBlock(Cache* cache, std::string* bytes) {
  rocksdb::Status status = rocksdb::Status::NotFound("no data block");
  cache->ApplyToAllEntries(
      [&](const rocksdb::Slice&, Cache::ObjectPtr object, size_t,
          const Cache::CacheItemHelper* helper) {
        if (helper == nullptr ||
            helper->role != rocksdb::CacheEntryRole::kDataBlock ||
            helper->size_cb == nullptr) {
          return;
        }
        bytes->resize(helper->size_cb(object));
        status = helper->saveto_cb(object, 0, bytes->size(), bytes->data());
      },
      {});
  return status;
}

}  // namespace

rocksdb::Status RunRocksDbBlockInsert(const std::string& path,
                                      const BenchOptions& options,
                                      const RocksDbReads::OptionsOf& options_of,
                                      RunResult* result) {
  const auto listener = std::make_shared<Listener>();
  const auto spilling = MakeRocksDbCache(options, kInsertCacheBytes, listener);
  std::unique_ptr<RocksDbTable> table;
  rocksdb::Status status = OpenTableFile(options_of(spilling), path, &table);
  if (!status.ok()) return status;
  const auto it = table->NewIterator(rocksdb::ReadOptions());
  it->SeekToFirst();
  std::string bytes;
  status = it->Valid() ? OnlyBlock(spilling.get(), &bytes) : it->status();
  if (!status.ok()) return status;
  if (listener->helper() == nullptr) {
    return rocksdb::Status::NotSupported("no data block was looked for");
  }
  const Cache::CacheItemHelper* const helper = listener->helper();
  const auto cache = MakeRocksDbCache(options, kInsertCacheBytes);
  return TimeInserts(options, bytes.size(), result, [&](uint64_t i) {
    Cache::ObjectPtr object = nullptr;
    size_t charge = 0;
    rocksdb::Status made = helper->create_cb(
        bytes, rocksdb::kNoCompression, rocksdb::CacheTier::kVolatileTier,
        listener->create_context(), nullptr, &object, &charge);
    if (!made.ok()) return made;
    const CacheKey key = InsertKey(i);
    const rocksdb::Slice key_bytes(reinterpret_cast<const char*>(&key),
                                   sizeof key);
    Cache::Handle* handle = nullptr;
    made = cache->Insert(key_bytes, object, helper->without_secondary_compat,
                         charge, &handle);
    if (made.ok()) cache->Release(handle);
    return made;
  });
}

}  // namespace ashlar::bench
