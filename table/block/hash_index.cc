#include "table/block/hash_index.h"

#include <cstring>

namespace ashlar::internal {

void HashIndexBuilder::AppendTo(Buffer* out) const {
  const size_t num_buckets = NumBuckets();
  out->Reserve(num_buckets + sizeof(uint16_t));
  auto* const buckets = reinterpret_cast<uint8_t*>(out->end());
  std::memset(buckets, kEmptyBucket, num_buckets);
  for (const Entry& entry : entries_) {
    uint8_t& bucket = buckets[entry.hash % num_buckets];
    if (bucket == kEmptyBucket) {
      bucket = entry.restart;
    } else if (bucket != entry.restart) {
      bucket = kSharedBucket;
    }
  }
  out->Advance(num_buckets);
  out->PushBack(static_cast<char>(num_buckets));
  out->PushBack(static_cast<char>(num_buckets >> 8));
}

}  // namespace ashlar::internal
