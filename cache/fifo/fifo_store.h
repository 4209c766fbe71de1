// FifoStore: entries in order of arrival, and chains of links to find them.
//
// Internal, installed as a part of FifoCache. It is the memory of a FifoCache
// between two changes of its capacity. Purpose: an entry costs one random
// memory access when it arrives, and none when it is evicted.
//
// Layout. The store has a ring of blocks of one page each. Blocks are filled
// one after the other, so entries are packed no matter how they arrive. The
// next block of the ring is always the oldest one: opening it evicts what is in
// it. A table of heads maps the hash of a key (its bucket) to the newest entry
// of that bucket, and each entry links to the entry before it in its bucket.
// Heads and links are words of 32 bits:
//
//   logical number of the block 24 | position in it 8
//
// A block's ordinal counts all blocks ever opened, from 1. Its logical number
// is the ordinal modulo a multiple of the ring's length. Its place in the ring
// is either of the two modulo the ring's length. A link to a block that has
// left the ring since is dead. So is everything after it in the chain, since
// chains only lead to older entries. That is why eviction touches no chain. A
// key that is recorded twice is stored twice. Its newer entry is found first,
// whatever happens to the older one.
//
// After 2^24 blocks, dead links in heads and entries may look alive again. They
// do no harm: keys are compared, and the entries before a dead link have been
// compared already. A walk only goes to older and older entries, so it ends.
//
// Threads. One thread at a time adds, and any number look up at the same time,
// without locks.
//   The adder  opens a block: it stores the block's ordinal, then the tail's
//              ordinal. It puts an entry: it stores the entry's words, its link
//              to the former head, then the head. Every store releases.
//   A reader   loads a head, then the tail. For each entry it loads the
//              block's ordinal, the entry's words and link, and the ordinal
//              again. Every load acquires, but the second look at the ordinal
//              is relaxed: the loads before it order it.
//
// Loading the head makes the entry visible, and a tail that is not older than
// the entry. If the reader loads a word of a later entry at that position, the
// later ordinal is visible too. So its second look finds out that the entry was
// overwritten while it was read. That entry was evicted, and so was everything
// after it in the chain. If the reader finds nothing, it loads the head again.
// If the head has changed, the key may have been added again before its older
// entry was evicted, so the reader starts again.
//
// So a lookup that finds nothing was right at one moment. Lookups are
// lock-free, and the adder never waits. Tested by the stress test of the FIFO
// cache.
//
// Memory per entry: its words, 4 bytes of link in the block, and 4 bytes of a
// head. That is 32 bytes for an entry of 24.
//
// Rejected: an open-addressed index (eviction must change it too, which is a
// second random access), links of 64 bits, taking over the write buffer's
// blocks as they are (partly filled ones would need packing, and copying costs
// only a nanosecond per entry), one lock per bucket.
#ifndef ASHLAR_CACHE_FIFO_FIFO_STORE_H_
#define ASHLAR_CACHE_FIFO_FIFO_STORE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>

#include "ashlar/cache/hash/key_hash.h"
#include "ashlar/util/sync/exchange_word.h"

namespace ashlar::internal {

template <typename Key, typename Value>
struct FifoEntry {
  Key key;
  Value value;
};

// `Hash`: a pure function object from Key to 64 bits. All bits count.
template <typename Key, typename Value, typename Hash>
class FifoStore {
 public:
  using Entry = FifoEntry<Key, Value>;
  static_assert(std::is_trivially_copyable_v<Entry>);
  static_assert(std::is_default_constructible_v<Entry>);
  static constexpr size_t kBlockBytes = 4096;

  // Returns a store that takes at most `bytes` in all. Returns null if there is
  // no memory, or if `bytes` has no room for one block.
  static std::unique_ptr<FifoStore> Make(size_t bytes) {
    const size_t blocks = BlocksIn(bytes);
    if (blocks == 0) return nullptr;
    std::unique_ptr<Block[]> ring(new (std::nothrow) Block[blocks]());
    std::unique_ptr<Link[]> heads(new (std::nothrow) Link[HeadsOf(blocks)]());
    if (ring == nullptr || heads == nullptr) return nullptr;
    return std::unique_ptr<FifoStore>(new (std::nothrow)
                                          FifoStore(blocks, ring, heads));
  }
  // Returns how many blocks `bytes` have room for, including the heads and this
  // object.
  static constexpr size_t BlocksIn(size_t bytes) {
    return bytes < sizeof(FifoStore)
               ? 0
               : std::min((bytes - sizeof(FifoStore)) / kBytesPerBlock,
                          kMostBlocks);
  }

  // Adds entries in this order. One thread at a time.
  void Add(std::span<const Entry> entries) {
    while (!entries.empty()) {
      const size_t n = std::min(entries.size(), kAhead);
      std::array<uint32_t, kAhead> buckets;
      for (size_t i = 0; i < n; ++i) {
        buckets[i] = BucketOf(entries[i].key);
        __builtin_prefetch(&heads_[buckets[i]], 1);
      }
      for (size_t i = 0; i < n; ++i) Put(entries[i], buckets[i]);
      entries = entries.subspan(n);
    }
  }

  // Returns the newest value of the key, or nullopt. Any thread.
  std::optional<Value> Find(const Key& key) const {
    const Link& head = heads_[BucketOf(key)];
    std::optional<Value> value;
    uint32_t newest = head.Load();
    for (;;) {
      value = FindInChain(newest, key);
      if (value.has_value()) return value;
      const uint32_t now = head.Load();
      if (now == newest) return value;
      newest = now;
    }
  }

  // Calls visit(entry) for each entry, oldest first. Requires: nobody adds.
  template <typename Visit>
  void ForEach(Visit visit) const {
    const uint64_t tail = tail_.Load();
    for (uint64_t o = tail - LiveBlocks() + 1; o <= tail; ++o) {
      const Block& block = ring_[o % blocks_];
      const size_t n = o == tail ? filled_ : kEntries;
      for (size_t i = 0; i < n; ++i) visit(block.EntryAt(i));
    }
  }

  // Returns the number of entries, computed from the blocks. Requires: nobody
  // adds.
  size_t EntryCount() const {
    return tail_.Load() == 0 ? 0 : (LiveBlocks() - 1) * kEntries + filled_;
  }
  size_t capacity_entries() const { return blocks_ * kEntries; }
  size_t memory_bytes() const {
    return sizeof *this + blocks_ * sizeof(Block) +
           HeadsOf(blocks_) * sizeof(Link);
  }

 private:
  using Link = PublishedWord<uint32_t>;
  using Word = PublishedWord<uint64_t>;
  static constexpr int kPositionBits = 8;
  static constexpr uint32_t kMostPositions = 1U << kPositionBits;
  static constexpr size_t kWords = (sizeof(Entry) + 7) / 8;
  static constexpr size_t kEntries = std::min<size_t>(
      (kBlockBytes - sizeof(Word)) / (kWords * sizeof(Word) + sizeof(Link)),
      kMostPositions);
  static_assert(kEntries > 0, "an entry is larger than a block");
  // The entries of an Add whose heads are prefetched together.
  static constexpr size_t kAhead = 32;
  // The ring has at most half of the logical numbers, so that dead links can be
  // told from living ones.
  static constexpr uint64_t kLogicalNumbers = uint64_t{1} << 24;
  static constexpr size_t kMostBlocks = kLogicalNumbers / 2;

  struct alignas(64) Block {
    Word ordinal;  // 0: never opened
    std::array<std::array<Word, kWords>, kEntries> entries;
    std::array<Link, kEntries> older;

    Entry EntryAt(size_t i) const {
      std::array<uint64_t, kWords> words;
      for (size_t w = 0; w < kWords; ++w) words[w] = entries[i][w].Load();
      Entry entry;
      std::memcpy(static_cast<void*>(&entry), words.data(), sizeof entry);
      return entry;
    }
  };
  static_assert(sizeof(Block) <= kBlockBytes);
  static constexpr size_t kBytesPerBlock =
      sizeof(Block) + kEntries * sizeof(Link);

  // One head per entry, so that a chain has one living entry on average.
  static constexpr size_t HeadsOf(size_t blocks) { return blocks * kEntries; }

  FifoStore(size_t blocks, std::unique_ptr<Block[]>& ring,
            std::unique_ptr<Link[]>& heads)
      : blocks_(blocks),
        logical_end_(kLogicalNumbers / blocks * blocks),
        ring_(std::move(ring)),
        heads_(std::move(heads)),
        place_(blocks - 1),
        filled_(kEntries) {}

  uint32_t BucketOf(const Key& key) const {
    return static_cast<uint32_t>(ScaleHash(Hash()(key), HeadsOf(blocks_)));
  }
  uint64_t LiveBlocks() const {
    return std::min<uint64_t>(tail_.Load(), blocks_);
  }

  // Opens the next block, which evicts the entries of the oldest one.
  void OpenBlock() {
    const uint64_t ordinal = tail_.LoadRelaxed() + 1;
    place_ = ordinal % blocks_;
    logical_ = static_cast<uint32_t>(ordinal % logical_end_);
    filled_ = 0;
    ring_[place_].ordinal.Store(ordinal);
    tail_.Store(ordinal);
  }

  void Put(const Entry& entry, uint32_t bucket) {
    if (filled_ == kEntries) OpenBlock();
    Block& block = ring_[place_];
    std::array<uint64_t, kWords> words{};
    std::memcpy(words.data(), static_cast<const void*>(&entry), sizeof entry);
    for (size_t w = 0; w < kWords; ++w) {
      block.entries[filled_][w].Store(words[w]);
    }
    block.older[filled_].Store(heads_[bucket].LoadRelaxed());
    heads_[bucket].Store(logical_ << kPositionBits |
                         static_cast<uint32_t>(filled_));
    ++filled_;
  }

  std::optional<Value> FindInChain(uint32_t link, const Key& key) const {
    const uint64_t tail = tail_.Load();
    const uint64_t tail_logical = tail % logical_end_;
    // The next entry must be older than this, in positions.
    uint64_t walked = 0;
    for (;;) {
      const uint64_t logical = link >> kPositionBits;
      const size_t at = link % kMostPositions;
      const uint64_t age = tail_logical >= logical
                               ? tail_logical - logical
                               : tail_logical + logical_end_ - logical;
      const uint64_t rank = age * kMostPositions + (kMostPositions - at);
      if (age >= blocks_ || age >= tail || rank <= walked) return {};
      const Block& block = ring_[logical % blocks_];
      if (block.ordinal.Load() != tail - age) return {};
      const Entry entry = block.EntryAt(at);
      link = block.older[at].Load();
      if (block.ordinal.LoadRelaxed() != tail - age) return {};
      if (entry.key == key) return entry.value;
      walked = rank;
    }
  }

  const size_t blocks_;
  const uint64_t logical_end_;
  const std::unique_ptr<Block[]> ring_;
  const std::unique_ptr<Link[]> heads_;
  PublishedWord<uint64_t> tail_;  // ordinal of the block that is being filled
  // Used by the adder only.
  size_t place_;
  size_t filled_;
  uint32_t logical_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_FIFO_FIFO_STORE_H_
