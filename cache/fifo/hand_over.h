// The protocol by which writers fill blocks together and hand them over.
//
// Purpose. Any number of threads record entries into blocks of N, and every
// block goes to a sink, once, when all that was reserved in it is written. A
// record costs two additions. Here are the steps; concurrent_write_buffer.h has
// the memory. They are templates over the words so that tests explore the
// interleavings of this very code.
//
// Words.
//   open       of each shard: block number, and the next index to reserve.
//              Closed where the index is N or more; nobody reserves then.
//   committed  of each block: indices that need not be waited for any more
//   size       of each block: entries in it; N but for flushed ones
//   free       a bit for each block that nobody has
//   pending    the list of blocks for the sink, by its newest; `next` of each
//              leads to the one before. And a bit: somebody drains.
//
// A block's states, and who owns it.
//   free       its bit is set; nobody
//   claimed    the thread that cleared the bit
//   open       a shard's word names it with an index below N. Index i is its
//              own who reserved it, until he commits.
//   closed     full, or taken off by Flush; those who have not yet committed
//   pending    in the list; the drainer, who gives it to the sink, resets it,
//              and sets it free
//
// Steps.
//   Reserve  adds 1 to the open word. An index below N is his. Otherwise the
//            block is full, and whoever sees that, any of them, claims a free
//            one and puts it in the place of the full one by compare-exchange,
//            with index 0 reserved for himself. If another was faster, it goes
//            back. So nobody waits for one who does not run.
//   Commit   adds to `committed`. Who brings it to N passes the block on. It
//            comes to N once: each index is committed once.
//   Close    (Flush) puts a closed word in the place of an open one, by
//            compare-exchange, which says how many indices were reserved. That
//            is the size, and the rest is committed in the place of writers
//            that will never be. Who is still writing passes the block on.
//   Pass     puts the block on the list. If nobody drains, he drains.
//   Drain    takes the whole list and gives it to the sink, oldest first, until
//            the list is empty and he has taken the bit away, in one step: what
//            is passed before has been taken, who passes after drains himself.
//
// So the sink is called by one thread at a time, and no one waits for it, as
// long as there are free blocks. Entries are counted; no value of an entry
// means anything here.
//
// Memory orders. Setting free releases, claiming acquires: the reset. Putting
// in releases, reserving acquires: that the block is the claimer's to give. A
// commit releases what was written and acquires what others committed, so the
// last has all, and the size. Passing releases it, draining acquires. Taking
// the bit acquires what the drainer before did in the sink, and leaving it
// releases. What notices: TSan, in the stress test of the FIFO cache; it was
// tried for the commits alone.
//
// Who waits for room, by choice, sleeps after a Reserve in vain. The drainer
// tells of room once a list (ThereIsRoom), and wakes one: all at once would
// take the processor from him, fill the blocks again, and sleep again. The
// others look by themselves now and then.
//
// Rare cases. A late addition to a closed word is lost with it, or makes it
// larger: the index is 32 bits, one addition a thread, since a look comes
// before it. A compare-exchange that takes a closed word for another one, which
// is the same, closes nothing that is open. List: only ever pushed to and taken
// whole, so a block that returns to its head does no harm.
//
// Progress. Reserve and Commit: lock-free. Rejected: the writer that fills a
// block alone puts in the next (all wait while he does not run); a mutex around
// the sink (writers sleep there, twice a block); a flag in each entry (the
// drainer waits for writers).
#ifndef ASHLAR_CACHE_FIFO_HAND_OVER_H_
#define ASHLAR_CACHE_FIFO_HAND_OVER_H_

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ashlar::internal::hand_over {

inline constexpr uint32_t kMaxBlocks = 64;  // the bits of `free`
inline constexpr uint32_t kNoBlock = kMaxBlocks;
inline constexpr uint32_t kDraining = kMaxBlocks << 1;
inline constexpr uint32_t kNothingPending = kNoBlock;

constexpr uint64_t OpenWord(uint32_t block, uint32_t index) {
  return uint64_t{block} << 32 | index;
}
constexpr uint32_t BlockOf(uint64_t open) {
  return static_cast<uint32_t>(open >> 32);
}
constexpr uint32_t IndexOf(uint64_t open) {
  return static_cast<uint32_t>(open);
}

// Where a writer may write.
struct Place {
  uint32_t block = kNoBlock;
  uint32_t index = 0;
};

enum class Reserved : uint8_t { kPlace, kNoFreeBlock, kOtherWasFaster };

// Whether nobody can reserve in it, in blocks of n entries.
constexpr bool IsClosed(uint64_t open, uint32_t n) {
  return IndexOf(open) >= n;
}

template <typename Words>
uint32_t ClaimFree(Words* words) {
  auto&& free = words->Free();
  uint64_t seen = free.LoadRelaxed();
  while (seen != 0) {
    const int block = std::countr_zero(seen);
    if (free.CompareExchangeBoth(&seen, seen & (seen - 1))) {
      return static_cast<uint32_t>(block);
    }
  }
  return kNoBlock;
}

template <typename Words>
void SetFree(Words* words, uint32_t block) {
  words->Free().FetchOrRelease(uint64_t{1} << block);
}

// Puts a fresh block in the place of the closed one that was seen.
template <typename Words>
Reserved Replace(Words* words, size_t shard, uint64_t seen, Place* place) {
  const uint32_t n = words->entries();
  auto&& open = words->Open(shard);
  const uint32_t fresh = ClaimFree(words);
  if (fresh == kNoBlock) {
    return IsClosed(open.LoadRelaxed(), n) ? Reserved::kNoFreeBlock
                                           : Reserved::kOtherWasFaster;
  }
  while (IsClosed(seen, n)) {
    if (open.CompareExchangeBoth(&seen, OpenWord(fresh, 1))) {
      *place = {fresh, 0};
      return Reserved::kPlace;
    }
  }
  SetFree(words, fresh);
  return Reserved::kOtherWasFaster;
}

// False: there is no free block, and nothing is reserved.
template <typename Words>
bool Reserve(Words* words, size_t shard, Place* place) {
  const uint32_t n = words->entries();
  auto&& open = words->Open(shard);
  for (;;) {
    uint64_t seen = open.LoadRelaxed();
    if (!IsClosed(seen, n)) {
      seen = open.FetchAddAcquire(1);
      if (!IsClosed(seen, n)) [[likely]] {
        *place = {BlockOf(seen), IndexOf(seen)};
        return true;
      }
      ++seen;
    }
    const Reserved outcome = Replace(words, shard, seen, place);
    if (outcome == Reserved::kPlace) return true;
    if (outcome == Reserved::kNoFreeBlock) return false;
  }
}

// True: the caller must drain now.
template <typename Words>
[[nodiscard]] bool Pass(Words* words, uint32_t block) {
  auto&& pending = words->Pending();
  uint32_t seen = pending.LoadRelaxed();
  do {
    words->SetNext(block, seen & ~kDraining);
  } while (!pending.CompareExchangeBoth(&seen, block | kDraining));
  return (seen & kDraining) == 0;
}

// The same, of `count` indices.
template <typename Words>
[[nodiscard]] bool Commit(Words* words, uint32_t block, uint32_t count) {
  const uint32_t before = words->Committed(block).FetchAddBoth(count);
  return before + count == words->entries() && Pass(words, block);
}

// The same; nothing to do where nothing is reserved.
template <typename Words>
[[nodiscard]] bool Close(Words* words, size_t shard) {
  const uint32_t n = words->entries();
  auto&& open = words->Open(shard);
  uint64_t seen = open.LoadRelaxed();
  do {
    if (IsClosed(seen, n)) return false;
  } while (!open.CompareExchangeBoth(&seen, OpenWord(kNoBlock, n)));
  words->SetSize(BlockOf(seen), IndexOf(seen));
  return Commit(words, BlockOf(seen), n - IndexOf(seen));
}

// The newest of all that is pending; kNoBlock: nothing was, and the caller does
// not drain any more.
template <typename Words>
uint32_t TakePending(Words* words) {
  auto&& pending = words->Pending();
  uint32_t seen = pending.LoadRelaxed();
  for (;;) {
    const uint32_t newest = seen & ~kDraining;
    const uint32_t left =
        newest == kNoBlock ? kNothingPending : kNoBlock | kDraining;
    if (pending.CompareExchangeBoth(&seen, left)) return newest;
  }
}

// By who was told to.
template <typename Words>
void Drain(Words* words) {
  for (uint32_t block = TakePending(words); block != kNoBlock;
       block = TakePending(words)) {
    uint32_t oldest = kNoBlock;
    while (block != kNoBlock) {
      const uint32_t before = words->Next(block);
      words->SetNext(block, oldest);
      oldest = block;
      block = before;
    }
    while (oldest != kNoBlock) {
      const uint32_t after = words->Next(oldest);
      words->GiveToSink(oldest);
      words->Reset(oldest);  // committed 0, size N
      SetFree(words, oldest);
      oldest = after;
    }
    words->ThereIsRoom();
  }
}

}  // namespace ashlar::internal::hand_over

#endif  // ASHLAR_CACHE_FIFO_HAND_OVER_H_
