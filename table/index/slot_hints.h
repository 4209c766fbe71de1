// SlotHints: where in the block cache the data blocks of an index were found
// last.
//
// A hint is 8 bytes: the cache's slot, and bits 6 to 37 of the block's address.
// Hints are made when they are first used, for 512 blocks (4 KiB) at a time:
// an index whose blocks were never read has none. A thread that notes a
// hint of a run which does not exist yet makes the run.
//
// Memory order. The pointer to a run is published with release, after all its
// hints were set to "none", and loaded with acquire. If two threads make the
// same run at once, the first to publish wins, and the other frees its own. The
// hints are relaxed: a hint is never believed. The key in the slot is compared,
// and an address is only prefetched. If there is no memory for a run, nothing
// is noted.
//
// Any number of threads may use it at once. It owns the runs; the pointers to
// them are in memory that the caller keeps.
#ifndef ASHLAR_TABLE_INDEX_SLOT_HINTS_H_
#define ASHLAR_TABLE_INDEX_SLOT_HINTS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "table/index/memory_plan.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

// A slot hint. Both values may be wrong.
struct BlockHint {
  static constexpr uint32_t kNoSlot = std::numeric_limits<uint32_t>::max();

  uint32_t slot = kNoSlot;        // in the cache's table
  const char* address = nullptr;  // of the block; null: not known
};

class SlotHints {
 public:
  static constexpr size_t kPerRun = 512;

  SlotHints() = default;
  // Requires: no other thread uses `other`.
  SlotHints(SlotHints&& other) noexcept
      : runs_(std::exchange(other.runs_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        region_(other.region_.Load()) {}
  SlotHints& operator=(SlotHints&&) = delete;
  ~SlotHints();

  // Takes room for the pointers of n blocks. If there is memory, hints may be
  // noted from then on.
  void Plan(size_t n, MemoryPlan* plan);

  BlockHint hint(size_t i) const {
    if (runs_ == nullptr) return {};
    const Word* const run = runs_[i / kPerRun].Load();
    if (run == nullptr) return {};
    const uint64_t word = run[i % kPerRun].Load();
    const uint64_t line = word >> kSlotBits;
    return {~static_cast<uint32_t>(word),
            line == 0 ? nullptr
                      : reinterpret_cast<const char*>(region_.Load() |
                                                      line << kLineBits)};
  }
  // Sets the hint of block i. Any thread may call it.
  void Note(size_t i, uint32_t slot, const void* address) const;
  // Prefetches the hint of block i, if it is in memory.
  void Prefetch(size_t i) const {
    if (runs_ == nullptr) return;
    const Word* const run = runs_[i / kPerRun].Load();
    if (run != nullptr) __builtin_prefetch(run + i % kPerRun);
  }

  // Returns the bytes of the runs that were made.
  uint64_t MemoryUsage() const;
  // Returns the bytes of all runs, made or not.
  uint64_t MostMemoryUsage() const {
    return runs_ == nullptr ? 0 : size_ * sizeof(Word);
  }

 private:
  // The slot, inverted, and above it bits of the address. So 0 is "none".
  using Word = RelaxedAtomic<uint64_t>;

  static constexpr int kSlotBits = 32;
  static constexpr int kLineBits = 6;
  static constexpr int kRegionBits = 32 + kLineBits;

  size_t NumRuns() const { return (size_ + kPerRun - 1) / kPerRun; }
  size_t HintsInRun(size_t run) const {
    return run + 1 < NumRuns() ? kPerRun : size_ - run * kPerRun;
  }
  Word* MakeRun(size_t run) const;

  PublishedPointer<Word>* runs_ = nullptr;  // null: hints are not kept
  size_t size_ = 0;
  // The upper bits of addresses.
  mutable RelaxedAtomic<uint64_t> region_{0};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_SLOT_HINTS_H_
