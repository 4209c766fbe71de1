#include "test/schedules/weak_memory.h"

#include <algorithm>
#include <utility>

namespace ashlar::testing {

namespace {

// Older changes of a word are seen by nobody.
constexpr size_t kMostChanges = 8;

bool Acquires(std::memory_order order) {
  return order != std::memory_order_relaxed &&
         order != std::memory_order_release;
}

bool Releases(std::memory_order order) {
  return order == std::memory_order_release ||
         order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

template <typename Clock>
void Join(const Clock& other, Clock* clock) {
  for (size_t i = 0; i < clock->size(); ++i) {
    (*clock)[i] = std::max((*clock)[i], other[i]);
  }
}

}  // namespace

void WeakMemory::Start(uint32_t thread, uint32_t started) {
  NextStep(thread);
  clocks_[started] = clocks_[thread];
}

void WeakMemory::Join(uint32_t thread, uint32_t ended) {
  testing::Join(clocks_[ended], &clocks_[thread]);
}

void WeakMemory::Lock(uint32_t thread, const void* mutex) {
  testing::Join(mutexes_[mutex], &clocks_[thread]);
}

void WeakMemory::Unlock(uint32_t thread, const void* mutex) {
  NextStep(thread);
  mutexes_[mutex] = clocks_[thread];
}

WeakMemory::Step WeakMemory::NextStep(uint32_t thread) {
  return {thread, ++clocks_[thread][thread]};
}

bool WeakMemory::IsBefore(const Step& step, uint32_t thread) const {
  return step.number <= clocks_[thread][step.thread];
}

// Memory is also changed without a word of it: by what makes it, and before
// threads are controlled. Then its newest value is a first one, which comes
// before everything.
WeakMemory::Word& WeakMemory::WordAt(const void* place, uint64_t newest) {
  Word& word = words_[place];
  if (!word.changes.empty() && word.changes.back().value == newest) {
    return word;
  }
  word = Word();
  word.changes.push_back({.value = newest, .step = {}, .released = {}});
  return word;
}

uint64_t WeakMemory::OldestFor(const Word& word, uint32_t thread,
                               std::memory_order order) const {
  uint64_t oldest = word.first;
  for (size_t i = word.changes.size(); i > 0; --i) {
    const WordChange& change = word.changes[i - 1];
    const bool hides_older =
        order == std::memory_order_seq_cst && change.in_one_order;
    if (!hides_older && !IsBefore(change.step, thread)) continue;
    oldest = word.first + i - 1;
    break;
  }
  for (uint32_t other = 0; other < kMostThreads; ++other) {
    const std::vector<Seen>& seen = word.seen[other];
    const auto after =
        std::find_if(seen.rbegin(), seen.rend(), [&](const Seen& each) {
          return IsBefore({other, each.number}, thread);
        });
    if (after != seen.rend()) oldest = std::max(oldest, after->change);
  }
  return oldest;
}

void WeakMemory::See(Word* word, uint64_t change, uint32_t thread,
                     std::memory_order order) {
  const Step step = NextStep(thread);
  std::vector<Seen>& seen = word->seen[thread];
  if (seen.empty() || seen.back().change != change) {
    seen.push_back({step.number, change});
  }
  WordChange& seen_change = word->changes[change - word->first];
  // A later load in the one order may not see an older one.
  if (order == std::memory_order_seq_cst) seen_change.in_one_order = true;
  if (Acquires(order)) testing::Join(seen_change.released, &clocks_[thread]);
}

uint64_t WeakMemory::Load(uint32_t thread, const void* word, uint64_t newest,
                          std::memory_order order) {
  Word& at = WordAt(word, newest);
  const uint64_t last = at.first + at.changes.size() - 1;
  const auto options =
      static_cast<uint32_t>(last - OldestFor(at, thread, order) + 1);
  const uint64_t change = last - (options == 1 ? 0 : choose_(options));
  const uint64_t value = at.changes[change - at.first].value;
  See(&at, change, thread, order);
  return value;
}

void WeakMemory::ReadNewest(uint32_t thread, const void* word, uint64_t newest,
                            std::memory_order order) {
  Word& at = WordAt(word, newest);
  See(&at, at.first + at.changes.size() - 1, thread, order);
}

void WeakMemory::Change(uint32_t thread, const void* word, uint64_t before,
                        uint64_t after, std::memory_order order, bool reads) {
  Word& at = WordAt(word, before);
  if (reads) See(&at, at.first + at.changes.size() - 1, thread, order);
  WordChange change{.value = after,
                    .step = NextStep(thread),
                    .in_one_order = order == std::memory_order_seq_cst,
                    .released = {}};
  if (Releases(order)) change.released = clocks_[thread];
  // What follows a release by read-modify-writes publishes it, too.
  if (reads) testing::Join(at.changes.back().released, &change.released);
  at.changes.push_back(change);
  if (at.changes.size() > kMostChanges) {
    at.changes.pop_front();
    ++at.first;
  }
}

void WeakMemory::Begin(const void* place) {
  words_.erase(place);
  data_.erase(place);
}

bool WeakMemory::ReadData(uint32_t thread, const void* place) {
  Data& data = data_[place];
  data.read[thread] = NextStep(thread).number;
  return IsBefore(data.written, thread);
}

bool WeakMemory::WriteData(uint32_t thread, const void* place) {
  Data& data = data_[place];
  bool alone = IsBefore(data.written, thread);
  for (uint32_t other = 0; other < kMostThreads; ++other) {
    alone = alone && IsBefore({other, data.read[other]}, thread);
  }
  data = {.written = NextStep(thread)};
  return alone;
}

}  // namespace ashlar::testing
