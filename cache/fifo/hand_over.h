// The protocol by which writers fill blocks together and hand them over.
//
// Internal, installed as a part of ConcurrentWriteBuffer.
//
// Purpose. Any number of threads record entries into blocks of N entries. Every
// block goes to a sink once, when every reserved entry of it is written. A
// record costs two additions. This file has the steps, and
// concurrent_write_buffer.h has the memory. The steps are templates over the
// words, so that tests explore the interleavings of this very code.
//
// Words.
//   open       One per shard: a block number, and the next index to reserve in
//              that block. The word is closed if the index is N or more. Then
//              nobody reserves in it.
//   committed  One per block: the number of indices that need not be waited for
//              any more.
//   size       One per block: the number of entries in it. N, unless the block
//              was closed by a flush.
//   free       One bit for each block that nobody owns.
//   pending    The list of blocks for the sink, by its newest block. `next` of
//              each block leads to the one before it. Also a bit: some thread
//              is draining.
//
// States of a block, and its owner.
//   free       Its bit is set. Nobody owns it.
//   claimed    Owned by the thread that cleared the bit.
//   open       A shard's word names it with an index below N. Each index
//              belongs to the thread that reserved it, until it commits.
//   closed     The block is full, or Flush has taken it off. It belongs to the
//              threads that have not yet committed.
//   pending    It is in the list. It belongs to the draining thread, which
//              gives it to the sink, resets it, and sets it free.
//
// Steps.
//   Reserve  adds 1 to the open word. If the index is below N, it belongs to
//            the caller. Otherwise the block is full. Any thread that sees this
//            claims a free block, and replaces the full one with it by
//            compare-exchange, with index 0 reserved for itself. If another
//            thread was faster, it sets the claimed block free again. So no
//            thread waits for one that is not running.
//   Commit   adds to `committed`. The thread that brings it to N passes the
//            block on. It reaches N once, since each index is committed once.
//   Close    is a step of Flush. It replaces an open word with a closed one by
//            compare-exchange, which tells how many indices were reserved. That
//            number is the size. Close commits the rest in place of writers
//            that will never come. The last thread that is still writing
//            passes the block on.
//   Pass     puts the block on the list. If nobody is draining, the caller
//            must drain.
//   Drain    takes the whole list and gives its blocks to the sink, oldest
//            first. It repeats this until, in one step, it finds the list empty
//            and clears the draining bit. A block that was passed before that
//            step has been taken. A thread that passes a block after it drains
//            the list itself.
//
// So one thread at a time calls the sink, and no thread waits for the sink as
// long as there are free blocks. Entries are only counted: no value of an entry
// has a meaning here.
//
// Memory orders.
//   Setting a block free releases, and claiming it acquires: the claimer sees
//   the reset.
//   Replacing the open word releases, and reserving acquires: the reserver sees
//   that the block is the claimer's to give.
//   A commit releases what its thread wrote, and acquires what other threads
//   committed. So the last commit has all entries, and the size.
//   Passing a block releases it, and draining acquires it.
//   Setting the draining bit acquires what the previous draining thread did in
//   the sink, and clearing the bit releases it.
// TSan finds a wrong order in the stress test of the FIFO cache. This was tried
// for the commits only.
//
// Waiting for room. A writer may choose to sleep after a Reserve that found no
// free block. The draining thread announces room once per list (ThereIsRoom),
// and wakes one writer. If it woke all of them, they would take the processor
// from it, fill the blocks again, and sleep again. The other writers look again
// now and then by themselves.
//
// Rare cases. An addition to a word that was closed meanwhile is lost when the
// word is replaced, or makes the word larger. The index has 32 bits, and each
// thread adds at most once, since it looks at the word first. A
// compare-exchange may take a closed word for a different closed word that is
// equal. It then closes nothing that is open. Blocks are only pushed to the
// list, and only the whole list is taken. So a block that returns to the head
// of the list does no harm.
//
// Progress. Reserve and Commit are lock-free.
//
// Rejected: only the writer that fills a block may open the next (all wait
// while it is not running), a mutex around the sink (writers sleep there, twice
// per block), a flag in each entry (the draining thread waits for writers).
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

// Where a writer may write its entry.
struct Place {
  uint32_t block = kNoBlock;
  uint32_t index = 0;
};

enum class Reserved : uint8_t { kPlace, kNoFreeBlock, kOtherWasFaster };

// Returns whether the word is closed, for blocks of n entries.
constexpr bool IsClosed(uint64_t open, uint32_t n) {
  return IndexOf(open) >= n;
}

// Returns a block that the caller owns now, or kNoBlock if none is free.
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

// Replaces the closed word that was `seen` with a free block, and sets *place
// to index 0 of it.
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

// Sets *place to an index that the caller owns. Returns false, and reserves
// nothing, if there is no free block.
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

// Puts the block on the list. Returns true if the caller must drain now.
template <typename Words>
[[nodiscard]] bool Pass(Words* words, uint32_t block) {
  auto&& pending = words->Pending();
  uint32_t seen = pending.LoadRelaxed();
  do {
    words->SetNext(block, seen & ~kDraining);
  } while (!pending.CompareExchangeBoth(&seen, block | kDraining));
  return (seen & kDraining) == 0;
}

// Commits `count` indices of the block. Returns true if the caller must drain
// now.
template <typename Words>
[[nodiscard]] bool Commit(Words* words, uint32_t block, uint32_t count) {
  const uint32_t before = words->Committed(block).FetchAddBoth(count);
  return before + count == words->entries() && Pass(words, block);
}

// Closes the shard's open block. Does nothing if the word is closed already.
// Returns true if the caller must drain now.
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

// Takes the whole list, and returns its newest block. Returns kNoBlock if the
// list was empty: the caller then no longer drains.
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

// Gives all pending blocks to the sink. For a thread that Pass, Commit or Close
// told to drain.
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
