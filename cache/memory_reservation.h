// MemoryReservation: counts memory outside of a cache against its capacity.
//
// For an application's own memory that grows beside the cache, such as write
// buffers. Its owner says how much memory it has, and the cache holds that much
// less. Memory of Ashlar's own readers and builders is charged by option
// (cache_usage_options.h), by means of this class. RocksDB's is the internal
// class "CacheReservationManager".
//
// The charge is held by entries without values, which the cache cannot evict.
// ForEachEntry and the statistics show them under their role, if they found
// room in the table.
//
// Thread safety: one thread at a time may use a reservation. The cache itself
// may be shared as always. This does not allocate the memory that it counts.
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
  // Reserves nothing yet. `cache` may be null: then UpdateTo charges nothing
  // and never fails. The charge is shown under `role`.
  explicit MemoryReservation(std::shared_ptr<Cache> cache,
                             CacheEntryRole role = CacheEntryRole::kMisc);
  MemoryReservation(const MemoryReservation&) = delete;
  MemoryReservation& operator=(const MemoryReservation&) = delete;
  // Gives the whole reservation back.
  ~MemoryReservation();

  // Changes the reservation to `bytes`, more or less than before. The cache
  // evicts entries to make room. Returns MemoryLimit if the cache has a strict
  // limit and not enough room, if there is no memory for the entries, or if
  // `bytes` exceeds a quarter of the address space. The reservation is then as
  // before.
  Status UpdateTo(size_t bytes);

  // Returns the size of the last successful UpdateTo, in bytes.
  size_t bytes() const { return bytes_; }
  // Returns the bytes that the cache was charged. That is bytes() rounded up,
  // by less than 256 KiB, or above 32 MiB by less than one part in 64.
  size_t charged_bytes() const { return charged_bytes_; }
  // Returns the number of entries that hold the charge: 128 for the first 32
  // MiB, then 64 more each time that it doubles.
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
