// HashCollector: the hashes that a filter is going to be made of.
//
// Data flow: a hash is put into one of 16 parts as it comes in, by the top
// bits of what decides about its place in the filter. So each part owns a
// contiguous range of the final filter, whatever its size turns out to be;
// part by part the bytes that are being written stay within the nearest
// caches, and nothing needs to be sorted or known in advance. The order of the
// hashes within a filter does not matter to its bytes, but the first one does
// (Ribbon), and is kept. 8 bytes a hash are held.
//
// One for each filter in the making; belongs to one thread.
#ifndef ASHLAR_TABLE_FILTER_HASH_COLLECTOR_H_
#define ASHLAR_TABLE_FILTER_HASH_COLLECTOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace ashlar::internal {

// A hash belongs to the part that the top bits of
// (hash XOR mask) * multiplier number.
struct HashParting {
  uint64_t mask;
  uint64_t multiplier;
};

class HashCollector {
 public:
  static constexpr size_t kParts = 16;
  static constexpr int kPartShift = 60;

  // How to part the hashes may depend on the first one.
  using PartingFunction = HashParting (*)(uint64_t first_hash);
  explicit HashCollector(PartingFunction parting) : choose_(parting) {}

  // A hash that repeats the last one is dropped: versions of one user key.
  void Add(uint64_t hash) {
    if (hash == last_) [[unlikely]] {
      if (!empty()) return;
    }
    Append(hash);
  }

  // A key and its prefix. Which of them are dropped decides about the size of
  // the filter: FORMAT.md, "What is added".
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
  uint64_t size() const;
  // The first hash added. Only where there is one.
  uint64_t first() const { return first_; }

  uint64_t PartSize(size_t part) const;
  // Calls use(std::span<const uint64_t>) for all hashes of a part.
  template <typename Use>
  void ForEachRun(size_t part, Use use) const {
    for (const Chunk& chunk : chunks_[part]) {
      const uint64_t* const begin = chunk.hashes.get();
      const uint64_t* const end = begin + chunk.capacity;
      const uint64_t* const used = end == end_[part] ? next_[part] : end;
      use(std::span<const uint64_t>(begin, used));
    }
  }

  // As if nothing had been added; gives the memory back.
  void Clear();

 private:
  struct Free {
    void operator()(uint64_t* p) const { std::free(p); }
  };
  struct Chunk {
    std::unique_ptr<uint64_t[], Free> hashes;
    size_t capacity;
  };

  void Append(uint64_t hash) {
    last_ = hash;
    size_t part = PartOf(hash);
    if (next_[part] == end_[part]) [[unlikely]]
      part = Grow(hash);
    *next_[part]++ = hash;
  }
  size_t PartOf(uint64_t hash) const {
    return ((hash ^ parting_.mask) * parting_.multiplier) >> kPartShift;
  }
  // Makes room in the part of a hash, and says which that is.
  size_t Grow(uint64_t hash);

  PartingFunction choose_;
  HashParting parting_{};
  uint64_t first_ = 0;
  uint64_t last_ = 0;
  uint64_t last_prefix_ = 0;
  bool has_prefix_ = false;
  // Where each part's last chunk goes on and where it ends.
  std::array<uint64_t*, kParts> next_{};
  std::array<uint64_t*, kParts> end_{};
  std::array<std::vector<Chunk>, kParts> chunks_;
  uint64_t capacity_ = 0;  // of all chunks
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_HASH_COLLECTOR_H_
