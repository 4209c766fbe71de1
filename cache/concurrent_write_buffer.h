// ConcurrentWriteBuffer: collects small entries from many threads, and passes
// them to a sink in blocks.
//
//   struct Slow { uint64_t file; uint32_t micros; uint32_t kind; };
//   auto buffer = ashlar::ConcurrentWriteBuffer<Slow>::Make(
//       {.shards = 4}, [&](std::span<const Slow> entries) { ... });
//   if (!buffer.ok()) return buffer.status();
//   (*buffer)->Record({file, micros, kind});  // from any thread
//   (*buffer)->Flush();                       // by a timer, or before you look
//
// For small records that must cost little where they are made: evicted keys,
// sampled accesses. A record costs two additions to words that the threads of a
// shard share, and a copy: no allocation, no lock. An entry may be of any
// trivially copyable, assignable, default-constructible type of at most 4032
// bytes. Any value of the type may be recorded; none is reserved. The protocol
// is in fifo/hand_over.h. Not a queue: there is no strict order, and it may
// drop entries.
//
// The sink is called with the entries of one block, 1 to kBlockEntries, which
// are valid during the call. One thread at a time calls it, while the others
// continue: a writer that has completed a block, or a thread in Flush. The sink
// must not throw, nor call this buffer. FifoCache::Add (fifo_cache.h) is a good
// sink.
//
// Memory: `blocks` of 4 KiB, all allocated by Make. If all are full because the
// sink is slow, `when_full` decides: an entry is dropped and counted, or the
// writer sleeps until the sink is done with a block.
//
// Order: within a block as recorded, and blocks as they are completed. A thread
// that is alone with one shard keeps its own order. Otherwise other blocks may
// come between. A writer that is stopped in the middle of a record holds back
// its own block and no other.
//
// Delay: a full block is handed over at once, a partly filled one at the next
// Flush. There is no timer in here. Flush waits for writers in the middle of a
// record and for the sink, never for one that has not begun.
//
// Thread safety: any number of threads may call any function at once, except
// the destructor. The destructor loses what was not flushed.
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

// How a ConcurrentWriteBuffer is divided, and when it drains.
struct WriteBufferOptions {
  // Number of shards. A thread gets its shard by the order of first records.
  // Use as many as threads record at once. Rounded up to a power of two, at
  // most 16.
  uint32_t shards = 1;
  // Number of blocks of 4 KiB, at least `shards` + 2 and at most 64. Other
  // numbers are brought into that range. 0: three times `shards`, plus 2.
  uint32_t blocks = 0;
  // What happens to an entry when all blocks are full: kDrop drops it. kWait
  // makes the writer wait for the sink, which must not wait for a writer.
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
  // Entries in a full block: 168 for entries of 24 bytes.
  static constexpr uint32_t kBlockEntries =
      (kBlockBytes - kHeaderBytes) / sizeof(Entry);
  using Sink = std::function<void(std::span<const Entry>)>;

  // Makes a buffer. Options out of range are brought into it. Returns
  // InvalidArgument if `sink` is empty, MemoryLimit if there is no memory.
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

  // Records an entry. Returns false if it was dropped, never with kWait.
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

  // Hands over what was recorded: when it returns, the sink has had every entry
  // whose Record returned before this call.
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

  // Returns the number of entries dropped so far. Exact once writers are done.
  uint64_t dropped() const {
    uint64_t sum = 0;
    for (size_t i = 0; i <= words_.shard_mask; ++i) {
      sum += words_.shards[i].dropped.LoadRelaxed();
    }
    return sum;
  }
  // Returns the bytes that the buffer takes, without the sink's. It is
  // constant.
  size_t memory_bytes() const {
    return sizeof *this + (words_.shard_mask + 1) * sizeof(Shard) +
           words_.block_count * sizeof(Block);
  }

 private:
  // Throws std::bad_alloc if there is no memory. Make catches it.
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
    ExchangeWord<uint64_t> turns;  // how often the sink has had this block
    alignas(kHeaderBytes) std::array<Entry, kBlockEntries> entries;
  };

  // The words that fifo/hand_over.h works on.
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
        // Who sees that the block is open again has also what the sink did.
        const uint64_t seen = shards[i].open.LoadAcquire();
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
    // Per shard: one block that is open, one at the sink, one between.
    const uint32_t wanted =
        options.blocks == 0 ? 3 * shards + 2 : options.blocks;
    return std::clamp(wanted, shards + 2, internal::hand_over::kMaxBlocks);
  }

  // A writer that sleeps holds nothing, and each shard has at most one open
  // block. So one of the other blocks becomes free.
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
