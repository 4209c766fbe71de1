// ConcurrentWriteBuffer: threads record small entries; a sink gets them by the
// block.
//
// For what must not cost much where it is recorded: evicted keys, sampled
// accesses. A record is two additions to words that threads of a shard share,
// and a copy. The protocol is in hand_over.h.
//
// Memory is what there is from the beginning: `blocks` of 4 KiB. The sink is
// called by one thread at a time, by the writer that completed a block, and the
// others go on. Where all blocks are full, an entry is dropped and counted, or
// the writer sleeps until the sink has done with a block.
//
// Order. Within a block as recorded; blocks as they are completed. One thread
// alone with one shard has its own order. Others may come between blocks, and a
// writer that is stopped in the middle of a record keeps its block back, and no
// other.
//
// How late an entry may come: a full block at once, a part-filled one at the
// next Flush. Who looks up what was recorded calls Flush by a timer, or before.
// Flush waits for no writer that has not begun: only for those in the middle of
// a record, and for the sink.
//
// Any thread may call anything, but for the sink, which must not call back.
// What was not flushed before the destructor is lost.
#ifndef ASHLAR_CACHE_FIFO_CONCURRENT_WRITE_BUFFER_H_
#define ASHLAR_CACHE_FIFO_CONCURRENT_WRITE_BUFFER_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "cache/fifo/hand_over.h"
#include "port/threads.h"
#include "util/sync/atomic.h"
#include "util/sync/exchange_word.h"
#include "util/sync/thread_number.h"
#include "util/sync/waiting_room.h"

namespace ashlar::internal {

struct WriteBufferOptions {
  // Threads meet in shards; taken up to a power of two, at most 16.
  uint32_t shards = 1;
  // Of 4 KiB; at least 2 more than shards, at most 64. 0: three times the
  // shards and 2.
  uint32_t blocks = 0;
  // What becomes of an entry when all are full.
  enum class WhenFull : uint8_t { kDrop, kWait };
  WhenFull when_full = WhenFull::kDrop;
};

template <typename Entry>
class ConcurrentWriteBuffer {
  static_assert(std::is_trivially_copyable_v<Entry>);
  static constexpr size_t kBlockBytes = 4096;
  static constexpr size_t kHeaderBytes = 64;

 public:
  static constexpr uint32_t kBlockEntries =
      (kBlockBytes - kHeaderBytes) / sizeof(Entry);
  using Sink = std::function<void(std::span<const Entry>)>;

  ConcurrentWriteBuffer(const WriteBufferOptions& options, Sink sink)
      : words_(ShardsOf(options), BlocksOf(options), std::move(sink)),
        waits_(options.when_full == WriteBufferOptions::WhenFull::kWait) {}
  ConcurrentWriteBuffer(const ConcurrentWriteBuffer&) = delete;
  ConcurrentWriteBuffer& operator=(const ConcurrentWriteBuffer&) = delete;

  // False: dropped.
  bool Record(const Entry& entry) {
    const size_t shard = ThreadNumber() & words_.shard_mask;
    hand_over::Place place;
    if (!hand_over::Reserve(&words_, shard, &place)) [[unlikely]] {
      if (!ReserveLate(shard, &place)) return false;
    }
    words_.blocks[place.block].entries[place.index] = entry;
    if (hand_over::Commit(&words_, place.block, 1)) [[unlikely]] {
      hand_over::Drain(&words_);
    }
    return true;
  }

  // All whose Record has returned are in the sink now.
  void Flush() {
    for (size_t i = 0; i <= words_.shard_mask; ++i) {
      if (hand_over::Close(&words_, i)) hand_over::Drain(&words_);
    }
    for (uint32_t block = 0; block < words_.block_count; ++block) {
      const uint64_t turn = words_.blocks[block].turns.LoadAcquire();
      while (words_.blocks[block].turns.LoadAcquire() == turn &&
             !words_.IsFreeOrOpen(block)) {
        port::YieldThread();
      }
    }
  }

  // Entries so far that found no room.
  uint64_t dropped() const {
    uint64_t sum = 0;
    for (size_t i = 0; i <= words_.shard_mask; ++i) {
      sum += words_.shards[i].dropped.Load();
    }
    return sum;
  }
  // All of it, for ever; the sink's own aside.
  size_t memory_bytes() const {
    return sizeof *this + (words_.shard_mask + 1) * sizeof(Shard) +
           words_.block_count * sizeof(Block);
  }

 private:
  struct alignas(kHeaderBytes) Shard {
    ExchangeWord<uint64_t> open;
    RelaxedAtomic<uint64_t> dropped;
  };

  struct alignas(kHeaderBytes) Block {
    ExchangeWord<uint32_t> committed;
    uint32_t size = kBlockEntries;
    uint32_t next = hand_over::kNoBlock;
    ExchangeWord<uint64_t> turns;  // how often the sink has had it
    alignas(kHeaderBytes) std::array<Entry, kBlockEntries> entries;
  };

  // What the protocol goes by.
  struct Words {
    Words(size_t shard_count, uint32_t all_blocks, Sink into)
        : shard_mask(shard_count - 1),
          block_count(all_blocks),
          shards(std::make_unique<Shard[]>(shard_count)),
          blocks(std::make_unique_for_overwrite<Block[]>(all_blocks)),
          sink(std::move(into)),
          free(~uint64_t{0} >> (hand_over::kMaxBlocks - all_blocks)) {
      for (size_t i = 0; i < shard_count; ++i) {
        shards[i].open.StoreRelaxed(
            hand_over::OpenWord(hand_over::kNoBlock, kBlockEntries));
      }
    }

    static constexpr uint32_t entries() { return kBlockEntries; }
    ExchangeWord<uint64_t>& Open(size_t shard) { return shards[shard].open; }
    ExchangeWord<uint64_t>& Free() { return free; }
    ExchangeWord<uint32_t>& Pending() { return pending; }
    ExchangeWord<uint32_t>& Committed(uint32_t b) {
      return blocks[b].committed;
    }
    void SetSize(uint32_t b, uint32_t size) { blocks[b].size = size; }
    void SetNext(uint32_t b, uint32_t next) { blocks[b].next = next; }
    uint32_t Next(uint32_t b) const { return blocks[b].next; }
    void GiveToSink(uint32_t b) {
      sink(std::span<const Entry>(blocks[b].entries.data(), blocks[b].size));
    }
    void Reset(uint32_t b) {
      blocks[b].size = kBlockEntries;
      blocks[b].committed.StoreRelaxed(0);
      blocks[b].turns.FetchAddRelease(1);
    }
    void ThereIsRoom() { room.Announce(); }

    bool IsFreeOrOpen(uint32_t b) const {
      if ((free.LoadAcquire() >> b & 1) != 0) return true;
      for (size_t i = 0; i <= shard_mask; ++i) {
        const uint64_t seen = shards[i].open.LoadRelaxed();
        if (hand_over::BlockOf(seen) == b &&
            !hand_over::IsClosed(seen, kBlockEntries)) {
          return true;
        }
      }
      return false;
    }

    const size_t shard_mask;
    const uint32_t block_count;
    const std::unique_ptr<Shard[]> shards;
    const std::unique_ptr<Block[]> blocks;
    const Sink sink;
    alignas(kHeaderBytes) ExchangeWord<uint64_t> free;
    ExchangeWord<uint32_t> pending{hand_over::kNothingPending};
    WaitingRoom room;
  };

  static size_t ShardsOf(const WriteBufferOptions& options) {
    constexpr uint32_t kMost = 16;
    return std::bit_ceil(std::clamp(options.shards, 1U, kMost));
  }
  static uint32_t BlocksOf(const WriteBufferOptions& options) {
    const auto shards = static_cast<uint32_t>(ShardsOf(options));
    // Of a shard: one that is open, one with the sink, one between.
    const uint32_t wanted =
        options.blocks == 0 ? 3 * shards + 2 : options.blocks;
    return std::clamp(wanted, shards + 2, hand_over::kMaxBlocks);
  }

  // The writer that sleeps holds nothing, and a shard has one open block at
  // most, so one of the others comes free.
  bool ReserveLate(size_t shard, hand_over::Place* place) {
    if (!waits_) {
      words_.shards[shard].dropped.FetchAdd(1);
      return false;
    }
    words_.room.Await(
        [&] { return hand_over::Reserve(&words_, shard, place); });
    return true;
  }

  Words words_;
  const bool waits_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_FIFO_CONCURRENT_WRITE_BUFFER_H_
