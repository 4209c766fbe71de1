#include "cache_terms.h"

#include <map>

#include "ashlar/util/sync/mutex.h"

namespace ashlar_rocksdb {

rocksdb::CacheEntryRole ToRocksDb(ashlar::CacheEntryRole role) {
  using Theirs = rocksdb::CacheEntryRole;
  switch (role) {
    using enum ashlar::CacheEntryRole;
    case kDataBlock:
      return Theirs::kDataBlock;
    case kFilterBlock:
      return Theirs::kFilterBlock;
    case kFilterMetaBlock:
      return Theirs::kFilterMetaBlock;
    case kIndexBlock:
      return Theirs::kIndexBlock;
    case kOtherBlock:
      return Theirs::kOtherBlock;
    case kWriteBuffer:
      return Theirs::kWriteBuffer;
    case kCompressionDictionaryBuildingBuffer:
      return Theirs::kCompressionDictionaryBuildingBuffer;
    case kFilterConstruction:
      return Theirs::kFilterConstruction;
    case kBlockBasedTableReader:
      return Theirs::kBlockBasedTableReader;
    case kFileMetadata:
      return Theirs::kFileMetadata;
    case kBlobValue:
      return Theirs::kBlobValue;
    case kBlobCache:
      return Theirs::kBlobCache;
    case kReadAhead:
    case kIterator:
    case kMisc:
      break;
  }
  return Theirs::kMisc;
}

ashlar::CacheEntryRole ToAshlar(rocksdb::CacheEntryRole role) {
  using Ours = ashlar::CacheEntryRole;
  switch (role) {
    using enum rocksdb::CacheEntryRole;
    case kDataBlock:
      return Ours::kDataBlock;
    case kFilterBlock:
      return Ours::kFilterBlock;
    case kFilterMetaBlock:
      return Ours::kFilterMetaBlock;
    case kIndexBlock:
      return Ours::kIndexBlock;
    case kOtherBlock:
      return Ours::kOtherBlock;
    case kWriteBuffer:
      return Ours::kWriteBuffer;
    case kCompressionDictionaryBuildingBuffer:
      return Ours::kCompressionDictionaryBuildingBuffer;
    case kFilterConstruction:
      return Ours::kFilterConstruction;
    case kBlockBasedTableReader:
      return Ours::kBlockBasedTableReader;
    case kFileMetadata:
      return Ours::kFileMetadata;
    case kBlobValue:
      return Ours::kBlobValue;
    case kBlobCache:
      return Ours::kBlobCache;
    case kDeprecatedFilterBlock:
    case kMisc:
      break;
  }
  return Ours::kMisc;
}

ashlar::MemoryAllocator* LastingAllocator(rocksdb::MemoryAllocator* allocator) {
  if (allocator == nullptr) return nullptr;
  // Never destroyed: cached blocks may outlive static objects.
  static auto& mutex = *new ashlar::internal::Mutex;
  static auto& known =
      *new std::map<rocksdb::MemoryAllocator*, AllocatorOfRocksDb>;
  const ashlar::internal::MutexLock lock(&mutex);
  return &known.try_emplace(allocator, allocator).first->second;
}

}  // namespace ashlar_rocksdb
