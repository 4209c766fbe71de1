// HashCollector: the hashes that a filter is going to be made of.
//
// Data flow. Each hash goes into one of 64 parts as it comes, by the top bits
// of what decides its place in the filter. So each part owns a contiguous range
// of the final filter, whatever its size will be. When the filter is built part
// by part, the bytes that are being written stay in the nearest caches, and
// nothing needs to be sorted or known in advance. The first 32768 hashes all go
// into part 0, and are dealt out only if more come: smaller filters stay in the
// caches anyway. The order of the hashes does not matter to the filter's bytes,
// except for the first one (Ribbon), which is kept.
//
// Memory: 8 bytes per hash. Its cost is mostly the kernel's work to provide it.
// So most of it is taken in huge pages, of which the parts have pieces of 66
// KiB.
//
// Guard (TableOptions::detect_filter_construct_corruption). A guarded collector
// also keeps a sum over all hashes from the moment they come. Hashes move
// between parts, so the sum must not depend on their order. A faulty memory
// cell changes the same bit of several hashes. So each hash is mixed before it
// is added: two such changes then do not cancel out, as they do in an XOR.
//
// One for each filter that is being collected; belongs to one thread.
#ifndef ASHLAR_TABLE_FILTER_HASH_COLLECTOR_H_
#define ASHLAR_TABLE_FILTER_HASH_COLLECTOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cache/charge/memory_charge.h"
#include "port/huge_pages.h"

namespace ashlar::internal {

// The number of a hash's part is the top bits of (hash XOR mask) * multiplier.
struct HashParting {
  uint64_t mask;
  uint64_t multiplier;
  friend bool operator==(const HashParting&, const HashParting&) = default;
};

// Whether to find hashes that change in memory.
enum class HashGuard : bool { kOff, kOn };

class HashCollector {
 public:
  static constexpr size_t kParts = 64;
  static constexpr int kPartShift = 58;

  // Returns how to part the hashes, which may depend on the first one.
  using PartingFunction = HashParting (*)(uint64_t first_hash);
  explicit HashCollector(PartingFunction choose,
                         HashGuard guard = HashGuard::kOff)
      : choose_(choose), guarded_(guard == HashGuard::kOn) {}

  // From then on each piece of memory is charged before it is taken. If that is
  // refused, the call that adds a hash throws MemoryRefused. Requires: empty().
  void ChargeTo(MemoryCharge charge) { charge_ = std::move(charge); }

  // Adds a hash. Drops one that repeats the last one: versions of one user key
  // do.
  void Add(uint64_t hash) {
    if (hash == last_) [[unlikely]] {
      if (!empty()) return;
    }
    Append(hash);
  }

  // Adds the hashes of a key and of its prefix. Which of them are dropped
  // decides the size of the filter: FORMAT.md, "What is added".
  void AddPair(uint64_t key, uint64_t prefix) {
    const bool repeats_last = prefix == last_ && !empty();
    const bool repeats_prefix = has_prefix_ && prefix == last_prefix_;
    const bool drop_key =
        (key == last_ && !empty()) || (has_prefix_ && key == last_prefix_);
    if (!repeats_prefix && prefix != key && !repeats_last) Append(prefix);
    last_prefix_ = prefix;
    has_prefix_ = true;
    if (!drop_key) Append(key);
  }

  bool empty() const { return capacity_ == 0; }
  uint64_t size() const { return size_; }
  // Returns the first hash that was added. Requires: not empty().
  uint64_t first() const { return first_; }
  const HashParting& parting() const { return parting_; }

  bool guarded() const { return guarded_; }
  // Guarded only: returns the sum over all hashes as they came. It equals the
  // sum of Guard() over what ForEachRun shows, unless memory was damaged.
  uint64_t guard_sum() const { return guard_sum_; }
  static uint64_t Guard(uint64_t hash) {
    // Both halves of the product: each bit of the hash reaches the sum.
    constexpr uint64_t kMultiplier = 0x9FB21C651E98DF25;
    __extension__ using Product = unsigned __int128;
    const auto product = static_cast<Product>(hash) * kMultiplier;
    return static_cast<uint64_t>(product) ^
           static_cast<uint64_t>(product >> 64);
  }

  uint64_t PartSize(size_t part) const;
  // Calls use(std::span<const uint64_t>) for all hashes of a part.
  template <typename Use>
  void ForEachRun(size_t part, Use use) const {
    for (const Chunk& chunk : chunks_[part]) {
      const uint64_t* const begin = chunk.hashes;
      const uint64_t* const end = begin + chunk.capacity;
      const uint64_t* const used = end == end_[part] ? next_[part] : end;
      use(std::span<const uint64_t>(begin, used));
    }
  }

  // Drops all hashes, and frees their memory.
  void Clear();

 private:
  struct Free {
    void operator()(uint64_t* p) const { std::free(p); }
  };
  struct Chunk {
    uint64_t* hashes;
    size_t capacity;
  };

  void Append(uint64_t hash) {
    last_ = hash;
    ++size_;
    if (guarded_) [[unlikely]] {
      guard_sum_ += Guard(hash);
    }
    Put(hash);
  }
  size_t PartOf(uint64_t hash) const {
    return ((hash ^ parting_.mask) * parting_.multiplier) >> kPartShift;
  }
  // Makes room in the part of a hash, and returns the number of the part.
  size_t Grow(uint64_t hash);
  uint64_t* NewChunk(size_t capacity);
  // Moves the hashes, which are all in part 0, to their parts.
  void DealOut();
  void Put(uint64_t hash) {
    size_t part = PartOf(hash);
    if (next_[part] == end_[part]) [[unlikely]]
      part = Grow(hash);
    *next_[part]++ = hash;
  }

  PartingFunction choose_;
  bool guarded_;
  HashParting parting_{};  // zeros as long as all hashes are in part 0
  bool is_dealt_out_ = false;
  uint64_t first_ = 0;
  uint64_t last_ = 0;
  uint64_t size_ = 0;
  uint64_t last_prefix_ = 0;
  bool has_prefix_ = false;
  uint64_t guard_sum_ = 0;
  // For each part's last chunk: where the next hash goes, and where the chunk
  // ends.
  std::array<uint64_t*, kParts> next_{};
  std::array<uint64_t*, kParts> end_{};
  std::array<std::vector<Chunk>, kParts> chunks_;
  // The memory that the chunks are pieces of.
  std::vector<std::unique_ptr<uint64_t, Free>> small_;
  std::vector<port::HugePageRegion> large_;
  std::span<uint64_t> touched_;    // the rest of the last huge page
  std::span<uint64_t> untouched_;  // the rest of the last of large_
  uint64_t capacity_ = 0;          // of all chunks
  MemoryCharge charge_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_HASH_COLLECTOR_H_
