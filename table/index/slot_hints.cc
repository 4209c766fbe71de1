#include "table/index/slot_hints.h"

#include <cstdlib>
#include <memory>
#include <new>

namespace ashlar::internal {

SlotHints::~SlotHints() {
  if (runs_ == nullptr) return;
  for (size_t i = 0; i < NumRuns(); ++i) std::free(runs_[i].Load());
}

void SlotHints::Plan(size_t n, MemoryPlan* plan) {
  size_ = n;
  auto* const runs = plan->Take<PublishedPointer<Word>>(NumRuns());
  if (!plan->has_memory()) return;
  for (size_t i = 0; i < NumRuns(); ++i) {
    new (runs + i) PublishedPointer<Word>();
  }
  runs_ = runs;
}

// Returns the run, which this thread or another one has made; null if there is
// no memory.
SlotHints::Word* SlotHints::MakeRun(size_t run) const {
  auto* const made =
      static_cast<Word*>(std::malloc(HintsInRun(run) * sizeof(Word)));
  if (made == nullptr) return nullptr;
  std::uninitialized_value_construct_n(made, HintsInRun(run));
  Word* const published = runs_[run].PublishFirst(made);
  if (published != made) std::free(made);
  return published;
}

void SlotHints::Note(size_t i, uint32_t slot, const void* address) const {
  if (runs_ == nullptr) return;
  Word* run = runs_[i / kPerRun].Load();
  if (run == nullptr) [[unlikely]] {
    run = MakeRun(i / kPerRun);
    if (run == nullptr) return;
  }
  const auto bytes = reinterpret_cast<uint64_t>(address);
  const uint64_t word = bytes >> kLineBits << kSlotBits | uint32_t{~slot};
  Word& there = run[i % kPerRun];
  // A cache line that threads share is written only if that changes it.
  if (there.Load() == word) return;
  there.Store(word);
  const uint64_t region = bytes >> kRegionBits << kRegionBits;
  if (region_.Load() != region) region_.Store(region);
}

uint64_t SlotHints::MemoryUsage() const {
  uint64_t bytes = 0;
  if (runs_ == nullptr) return 0;
  for (size_t i = 0; i < NumRuns(); ++i) {
    if (runs_[i].Load() != nullptr) bytes += HintsInRun(i) * sizeof(Word);
  }
  return bytes;
}

}  // namespace ashlar::internal
