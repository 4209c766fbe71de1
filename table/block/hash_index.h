// The hash index of a data block: which restart interval holds a user key.
//
//   num_buckets x u8 | fixed16 num_buckets
//
// A bucket holds the number of the one interval whose user keys hash into it.
// FORMAT.md, "Hash index". A HashIndexBuilder belongs to one block builder: one
// thread at a time. Looking up is a pure function: thread-safe.
#ifndef ASHLAR_TABLE_BLOCK_HASH_INDEX_H_
#define ASHLAR_TABLE_BLOCK_HASH_INDEX_H_

#include <cstdint>
#include <vector>

#include "ashlar/util/slice.h"
#include "table/block/block.h"
#include "util/hash/hash32.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

inline constexpr uint8_t kEmptyBucket = 255;
inline constexpr uint8_t kSharedBucket = 254;  // keys of several intervals
inline constexpr uint32_t kMostRestartOrdinal = 253;

inline uint32_t HashForBlock(const Slice& user_key) {
  constexpr uint32_t kSeed = 397;
  return Hash32(user_key, kSeed);
}

// Returns the bucket of a user key. Requires: view.num_buckets is not 0.
inline uint8_t BucketOf(const BlockView& view, const Slice& user_key) {
  return view.buckets[HashForBlock(user_key) % view.num_buckets];
}

class HashIndexBuilder {
 public:
  // `ratio` is the number of entries per bucket. Requires: ratio > 0.
  explicit HashIndexBuilder(double ratio) : buckets_per_entry_(1 / ratio) {}

  // Begins the table's next block. As in RocksDB, no block after one that had
  // too many restart points has an index.
  void StartBlock() {
    entries_.clear();
    buckets_ = 0;
  }

  void Add(const Slice& user_key, uint32_t restart) {
    buckets_ += buckets_per_entry_;
    if (restart > kMostRestartOrdinal) fits_ = false;
    if (!fits_) return;
    entries_.push_back({HashForBlock(user_key), static_cast<uint8_t>(restart)});
  }

  // Returns the size of the index in bytes; 0 if this block, or one before, has
  // too many restart points for an index.
  size_t Size() const { return fits_ ? NumBuckets() + sizeof(uint16_t) : 0; }

  // Appends the index to *out.
  void AppendTo(Buffer* out) const;

 private:
  struct Entry {
    uint32_t hash;
    uint8_t restart;
  };

  // Odd, and 16 bits wide.
  size_t NumBuckets() const {
    return static_cast<uint16_t>(static_cast<uint64_t>(buckets_)) | 1u;
  }

  const double buckets_per_entry_;
  double buckets_ = 0;
  bool fits_ = true;
  std::vector<Entry> entries_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_HASH_INDEX_H_
