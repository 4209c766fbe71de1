#include "foreign_entry.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "cache_terms.h"
#include "util/hash.h"

namespace ashlar_rocksdb {

namespace {

using ItemFunctions = rocksdb::Cache::CacheItemHelper;
using rocksdb::Slice;
using rocksdb::Status;

// What a second tier keeps of an entry: the bytes that the value saved of
// itself, and a checksum of them, since CacheItemOps::create trusts them.
constexpr size_t kChecksumBytes = sizeof(uint64_t);

uint64_t ChecksumOf(ashlar::CacheEntryRole role, const char* bytes,
                    size_t size) {
  constexpr uint64_t kSeed = 0x2545f4914f6cdd1d;
  return rocksdb::Hash64(bytes, size, kSeed + static_cast<uint64_t>(role));
}

const ForeignEntry* EntryOf(void* object) {
  return static_cast<const ForeignEntry*>(object);
}

size_t SizeOf(void* object) {
  const ForeignEntry* const entry = EntryOf(object);
  return entry->ops()->saved_size(entry->value()) + kChecksumBytes;
}

void SaveWhole(const ForeignEntry& entry, size_t size, char* out) {
  const size_t bytes = size - kChecksumBytes;
  entry.ops()->save_to(entry.value(), out);
  const uint64_t checksum = ChecksumOf(entry.ops()->role, out, bytes);
  std::memcpy(out + bytes, &checksum, kChecksumBytes);
}

// A tier may ask for the bytes piece by piece.
Status SaveTo(void* object, size_t offset, size_t length, char* out) {
  const ForeignEntry& entry = *EntryOf(object);
  const size_t size = SizeOf(object);
  if (offset > size || length > size - offset) {
    return Status::InvalidArgument("beyond the saved bytes");
  }
  if (length == size) {
    SaveWhole(entry, size, out);
    return Status::OK();
  }
  std::string whole(size, '\0');
  SaveWhole(entry, size, whole.data());
  std::memcpy(out, whole.data() + offset, length);
  return Status::OK();
}

Status ErrorOf(const ashlar::Status& status) {
  return status.IsMemoryLimit() ? Status::MemoryLimit(status.ToString())
                                : Status::Corruption(status.ToString());
}

Status Create(const Slice& data, rocksdb::CompressionType type,
              rocksdb::CacheTier /*source*/,
              rocksdb::Cache::CreateContext* context,
              rocksdb::MemoryAllocator* /*allocator*/, void** object,
              size_t* charge) {
  const auto& wanted = *static_cast<const ForeignContext*>(context);
  if (type != rocksdb::kNoCompression || data.size() < kChecksumBytes) {
    return Status::Corruption("not what ForeignCache saved");
  }
  const size_t bytes = data.size() - kChecksumBytes;
  uint64_t checksum = 0;
  std::memcpy(&checksum, data.data() + bytes, kChecksumBytes);
  if (checksum != ChecksumOf(wanted.ops->role, data.data(), bytes)) {
    return Status::Corruption("checksum of the saved bytes");
  }
  void* value = nullptr;
  size_t of_value = 0;
  const ashlar::Status made =
      wanted.ops->create(ashlar::Slice(data.data(), bytes), wanted.context,
                         wanted.allocator, &value, &of_value);
  if (!made.ok()) return ErrorOf(made);
  if (value == nullptr) return Status::NotFound("no value can be made now");
  auto* const entry =
      new (std::nothrow) ForeignEntry(value, wanted.ops, of_value);
  if (entry == nullptr) {
    if (wanted.ops->destroy != nullptr) {
      wanted.ops->destroy(value, wanted.allocator);
    }
    return Status::MemoryLimit("no memory for a cache entry");
  }
  *object = entry;
  *charge = of_value + kForeignEntryBytes;
  return Status::OK();
}

// Two helpers of each role: the first cannot save, the second can.
struct Pair {
  ItemFunctions without;
  ItemFunctions with;
};

const Pair* MakePairs() {
  auto* const pairs = new Pair[ashlar::kCacheEntryRoles];
  for (size_t i = 0; i < ashlar::kCacheEntryRoles; ++i) {
    const rocksdb::CacheEntryRole role =
        ToRocksDb(static_cast<ashlar::CacheEntryRole>(i));
    Pair& pair = pairs[i];
    pair.without.role = role;
    pair.without.del_cb = EndForeignEntry;
    pair.with = ItemFunctions(role, EndForeignEntry, SizeOf, SaveTo, Create,
                              &pair.without);
  }
  return pairs;
}

}  // namespace

void EndForeignEntry(void* entry, rocksdb::MemoryAllocator* allocator) {
  auto* const ended = static_cast<ForeignEntry*>(entry);
  if (ended->ops()->destroy != nullptr) {
    if (allocator == nullptr) {
      ended->ops()->destroy(ended->value(), nullptr);
    } else {
      AllocatorOfRocksDb adapter(allocator);
      ended->ops()->destroy(ended->value(), &adapter);
    }
  }
  delete ended;
}

const ItemFunctions* ForeignItemOps(const ashlar::CacheItemOps& ops) {
  static const Pair* const pairs = MakePairs();
  const Pair& pair = pairs[static_cast<size_t>(ops.role)];
  return ops.save_to == nullptr ? &pair.without : &pair.with;
}

}  // namespace ashlar_rocksdb
