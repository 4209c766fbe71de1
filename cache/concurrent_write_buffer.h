// ConcurrentWriteBuffer: threads record small entries; a sink gets them by the
// block.
//
//   struct Slow { uint64_t file; uint32_t micros; uint32_t kind; };
//   auto buffer = ashlar::ConcurrentWriteBuffer<Slow>::Make(
//       {.shards = 4}, [&](std::span<const Slow> entries) { ... });
//   if (!buffer.ok()) return buffer.status();
//   (*buffer)->Record({file, micros, kind});  // from any thread
//   (*buffer)->Flush();                       // by a timer, or before you look
//
// For what must not cost much where it is recorded: evicted keys, sampled
// accesses. A record is two additions to words that threads of a shard share,
// and a copy: no allocation, no lock. Entries are any trivially copyable type
// of at most 4032 bytes with a default constructor, copied as they are; no
// value means anything. The protocol is in fifo/hand_over.h.
//
// The sink is called with the entries of one block, 1 to kBlockEntries, which
// are its for the call only; by one thread at a time, by a writer that
// completed a block or by who flushes, while the others go on. It must not
// throw, nor call this buffer. FifoCache::Add (fifo_cache.h) makes a good one.
//
// Memory is what there is from the beginning: `blocks` of 4 KiB. Where all are
// full, since the sink is slow, an entry is dropped and counted, or the writer
// sleeps until the sink has done with a block, by `when_full`.
//
// Order. Within a block as recorded; blocks as they are completed. One thread
// alone with one shard has its own order. Others may come between blocks, and a
// writer that is stopped in the middle of a record keeps its block back, and no
// other.
//
// How late an entry may come: a full block at once, a part-filled one at the
// next Flush. There is no timer in here. Flush waits for no writer that has not
// begun: only for those in the middle of a record, and for the sink.
//
// Any thread may call anything. What was not flushed before the destructor is
// lost; nobody may be recording then.
#ifndef ASHLAR_CACHE_CONCURRENT_WRITE_BUFFER_H_
#define ASHLAR_CACHE_CONCURRENT_WRITE_BUFFER_H_

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "ashlar/cache/fifo/hand_over.h"
#include "ashlar/util/result.h"
#include "ashlar/util/sync/exchange_word.h"
#include "ashlar/util/sync/thread_number.h"
#include "ashlar/util/sync/waiting_room.h"

namespace ashlar {

struct WriteBufferOptions {
  // Threads meet in shards, by turns of their first record: as many as threads
  // record at once. Taken up to a power of two, at most 16.
  uint32_t shards = 1;
  // Of 4 KiB; brought to at least 2 more than shards, and at most 64. 0: three
  // times the shards and 2.
  uint32_t blocks = 0;
  // What becomes of an entry when all blocks are full. Waiting writers depend
  // on the sink: it must not wait for one of them.
  enum class WhenFull : uint8_t { kDrop, kWait };
  WhenFull when_full = WhenFull::kDrop;
};

template <typename Entry>
class ConcurrentWriteBuffer {
  static_assert(std::is_trivially_copyable_v<Entry>);
  static_assert(std::is_copy_assignable_v<Entry>);
  static constexpr size_t kBlockBytes = 4096;
  static constexpr size_t kHeaderBytes = 64;
  static_assert(sizeof(Entry) <= kBlockBytes - kHeaderBytes);

 public:
  // 168 of 24 bytes.
  static constexpr uint32_t kBlockEntries =
      (kBlockBytes - kHeaderBytes) / sizeof(Entry);
  using Sink = std::function<void(std::span<const Entry>)>;

  // Options out of their range are brought into it. InvalidArgument without a
  // sink, MemoryLimit where there is no memory for the blocks.
  static Result<std::unique_ptr<ConcurrentWriteBuffer>> Make(
      const WriteBufferOptions& options, Sink sink) {
    if (!sink) return Status::InvalidArgument("the write buffer has no sink");
    try {
      return std::unique_ptr<ConcurrentWriteBuffer>(
          new ConcurrentWriteBuffer(options, std::move(sink)));
    } catch (const std::bad_alloc&) {
      return Status::MemoryLimit("no memory for the write buffer");
    }
  }
  ConcurrentWriteBuffer(const ConcurrentWriteBuffer&) = delete;
  ConcurrentWriteBuffer& operator=(const ConcurrentWriteBuffer&) = delete;

  // False: dropped, which kWait never does.
  bool Record(const Entry& entry) {
    const size_t shard = internal::ThreadNumber() & words_.shard_mask;
    internal::hand_over::Place place;
    if (!internal::hand_over::Reserve(&words_, shard, &place)) [[unlikely]] {
      if (!ReserveLate(shard, &place)) return false;
    }
    words_.blocks[place.block].entries[place.index] = entry;
    if (internal::hand_over::Commit(&words_, place.block, 1)) [[unlikely]] {
      internal::hand_over::Drain(&words_);
    }
    return true;
  }

  // All whose Record returned before the call have been through the sink when
  // it returns.
  void Flush() {
    for (size_t i = 0; i <= words_.shard_mask; ++i) {
      if (internal::hand_over::Close(&words_, i))
        internal::hand_over::Drain(&words_);
    }
    for (uint32_t block = 0; block < words_.block_count; ++block) {
      const uint64_t turn = words_.blocks[block].turns.LoadAcquire();
      while (words_.blocks[block].turns.LoadAcquire() == turn &&
             !words_.IsFreeOrOpen(block)) {
        internal::WaitingRoom::LetOthersRun();
      }
    }
  }

  // Entries so far that found no room; exact once writers are done.
  uint64_t dropped() const {
    uint64_t sum = 0;
    for (size_t i = 0; i <= words_.shard_mask; ++i) {
      sum += words_.shards[i].dropped.LoadRelaxed();
    }
    return sum;
  }
  // All of it, for ever; the sink's own aside.
  size_t memory_bytes() const {
    return sizeof *this + (words_.shard_mask + 1) * sizeof(Shard) +
           words_.block_count * sizeof(Block);
  }

 private:
  // std::bad_alloc where there is no memory, which Make catches.
  ConcurrentWriteBuffer(const WriteBufferOptions& options, Sink sink)
      : words_(ShardsOf(options), BlocksOf(options), std::move(sink)),
        waits_(options.when_full == WriteBufferOptions::WhenFull::kWait) {}

  template <typename T>
  using ExchangeWord = internal::ExchangeWord<T>;

  struct alignas(kHeaderBytes) Shard {
    ExchangeWord<uint64_t> open;
    ExchangeWord<uint64_t> dropped;
  };

  struct alignas(kHeaderBytes) Block {
    ExchangeWord<uint32_t> committed;
    uint32_t size = kBlockEntries;
    uint32_t next = internal::hand_over::kNoBlock;
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
          free(~uint64_t{0} >> (internal::hand_over::kMaxBlocks - all_blocks)) {
      for (size_t i = 0; i < shard_count; ++i) {
        shards[i].open.StoreRelaxed(internal::hand_over::OpenWord(
            internal::hand_over::kNoBlock, kBlockEntries));
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
        if (internal::hand_over::BlockOf(seen) == b &&
            !internal::hand_over::IsClosed(seen, kBlockEntries)) {
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
    ExchangeWord<uint32_t> pending{internal::hand_over::kNothingPending};
    internal::WaitingRoom room;
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
    return std::clamp(wanted, shards + 2, internal::hand_over::kMaxBlocks);
  }

  // The writer that sleeps holds nothing, and a shard has one open block at
  // most, so one of the others comes free.
  bool ReserveLate(size_t shard, internal::hand_over::Place* place) {
    if (!waits_) {
      words_.shards[shard].dropped.FetchAddRelease(1);
      return false;
    }
    words_.room.Await(
        [&] { return internal::hand_over::Reserve(&words_, shard, place); });
    return true;
  }

  Words words_;
  const bool waits_;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CONCURRENT_WRITE_BUFFER_H_
