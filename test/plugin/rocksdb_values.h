// Values for RocksDB's caches that count how often they were ended, and can be
// saved and made again.
//
// A RocksDbValues owns all its values until the end of the test, so a value
// that is ended twice is reported. One thread at a time makes the values of a
// RocksDbValues; any thread may end them.
#ifndef ASHLAR_TEST_PLUGIN_ROCKSDB_VALUES_H_
#define ASHLAR_TEST_PLUGIN_ROCKSDB_VALUES_H_

#include <rocksdb/advanced_cache.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>

namespace ashlar::testing {

// A key of 16 bytes.
inline std::string RocksDbKey(uint64_t n) {
  std::string key(16, '\x5a');
  std::memcpy(key.data(), &n, sizeof(n));
  return key;
}

struct RocksDbValue {
  explicit RocksDbValue(uint64_t its_id, uint64_t its_key)
      : id(its_id), key(its_key) {}

  const uint64_t id;
  const uint64_t key;
  std::atomic<int> times_ended = 0;
  rocksdb::MemoryAllocator* ended_with = nullptr;
  bool save_fails = false;

  static RocksDbValue* Of(void* object) {
    return static_cast<RocksDbValue*>(object);
  }
};

class RocksDbValues : public rocksdb::Cache::CreateContext {
 public:
  RocksDbValue* Make(uint64_t key) {
    const std::scoped_lock lock(mutex_);
    return &values_.emplace_back(values_.size(), key);
  }
  const std::deque<RocksDbValue>& all() const { return values_; }
  RocksDbValue& back() { return values_.back(); }
  bool EachEndedOnce() const {
    for (const RocksDbValue& value : values_) {
      if (value.times_ended != 1) return false;
    }
    return true;
  }

  bool create_fails = false;
  std::atomic<int> created = 0;

 private:
  std::mutex mutex_;
  std::deque<RocksDbValue> values_;
};

inline void EndValue(void* object, rocksdb::MemoryAllocator* allocator) {
  RocksDbValue* const value = RocksDbValue::Of(object);
  value->ended_with = allocator;
  ++value->times_ended;
}

// A value is saved as its key, in this many bytes.
inline constexpr size_t kSavedValueBytes = 100;
inline size_t SizeOfValue(void* /*object*/) { return kSavedValueBytes; }
inline rocksdb::Status SaveValue(void* object, size_t offset, size_t length,
                                 char* out) {
  const RocksDbValue& value = *RocksDbValue::Of(object);
  if (value.save_fails) return rocksdb::Status::NotSupported();
  std::string bytes(kSavedValueBytes, 's');
  std::memcpy(bytes.data(), &value.key, sizeof(value.key));
  std::memcpy(out, bytes.data() + offset, length);
  return rocksdb::Status::OK();
}
// `context` must be a RocksDbValues.
inline rocksdb::Status CreateValue(const rocksdb::Slice& data,
                                   rocksdb::CompressionType /*type*/,
                                   rocksdb::CacheTier /*source*/,
                                   rocksdb::Cache::CreateContext* context,
                                   rocksdb::MemoryAllocator* /*allocator*/,
                                   void** object, size_t* charge) {
  auto* const values = static_cast<RocksDbValues*>(context);
  if (values->create_fails) return rocksdb::Status::Corruption("by the test");
  if (data.size() != kSavedValueBytes) {
    return rocksdb::Status::Corruption("size of the saved bytes");
  }
  uint64_t key = 0;
  std::memcpy(&key, data.data(), sizeof(key));
  ++values->created;
  *object = values->Make(key);
  *charge = data.size();
  return rocksdb::Status::OK();
}

using RocksDbItemHelper = rocksdb::Cache::CacheItemHelper;

inline const RocksDbItemHelper kPlainValue{rocksdb::CacheEntryRole::kMisc,
                                           EndValue};
inline const RocksDbItemHelper kIndexValue{rocksdb::CacheEntryRole::kIndexBlock,
                                           EndValue};
inline const RocksDbItemHelper kUnsavedDataValue{
    rocksdb::CacheEntryRole::kDataBlock, EndValue};
inline const RocksDbItemHelper kDataValue{rocksdb::CacheEntryRole::kDataBlock,
                                          EndValue,
                                          SizeOfValue,
                                          SaveValue,
                                          CreateValue,
                                          &kUnsavedDataValue};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_PLUGIN_ROCKSDB_VALUES_H_
