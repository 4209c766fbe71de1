// MemoryReservation: memory outside of the cache that counts against its
// capacity.
//
// For an application's own memory that grows beside the cache (write buffers,
// for instance): its owner says how much it has, and the cache holds so much
// less. Ashlar's own readers and builders make none: what they hold outside of
// the cache counts nowhere (an option of RocksDB makes it count there). The
// charge lies in entries without values; ForEachEntry and the statistics show
// under their role those that found room in the table. One thread at a time;
// the cache itself is shared as ever.
#ifndef ASHLAR_CACHE_MEMORY_RESERVATION_H_
#define ASHLAR_CACHE_MEMORY_RESERVATION_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "ashlar/cache/cache.h"
#include "ashlar/util/export.h"

namespace ashlar {

class ASHLAR_EXPORT MemoryReservation {
 public:
  // Null: nothing is charged anywhere, and nothing fails.
  explicit MemoryReservation(std::shared_ptr<Cache> cache,
                             CacheEntryRole role = CacheEntryRole::kMisc);
  MemoryReservation(const MemoryReservation&) = delete;
  MemoryReservation& operator=(const MemoryReservation&) = delete;
  // Gives all of it back.
  ~MemoryReservation();

  // Reserves this much from now on, more or less than before. MemoryLimit,
  // where the cache has a strict limit and no room: all is as it was.
  Status UpdateTo(size_t bytes);

  // As last asked for.
  size_t bytes() const { return bytes_; }
  // What the cache was charged: rounded up by less than 256 KiB, or beyond 32
  // MiB by less than one part in 64.
  size_t charged_bytes() const { return charged_bytes_; }
  // The entries that hold it: 128 for the first 32 MiB, then 64 each time it
  // doubles.
  size_t entries() const { return pieces_.size(); }

 private:
  struct Piece {
    CacheKey key;
    CacheHandle* handle;
  };

  bool AddPiece();
  void RemovePiece();

  const std::shared_ptr<Cache> cache_;
  const CacheItemOps* const ops_;
  size_t bytes_ = 0;
  size_t charged_bytes_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_MEMORY_RESERVATION_H_
