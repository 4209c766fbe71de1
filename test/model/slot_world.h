// All states that threads on one slot of the clock cache can reach: every
// interleaving of their steps, in the code that the cache runs.
//
// replay.h explains how. Used by the tests of slot_word.h and spread.h.
#ifndef ASHLAR_TEST_MODEL_SLOT_WORLD_H_
#define ASHLAR_TEST_MODEL_SLOT_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cache/clock/slot_word.h"
#include "cache/clock/spread.h"
#include "test/model/replay.h"

namespace ashlar::internal {

inline constexpr uint64_t kModelSlot = 5;  // its number
inline constexpr size_t kModelLines = 2;
// The numbers of the words.
inline constexpr size_t kSlotWord = 0;
inline constexpr size_t kOwnerWord = 1;
inline constexpr size_t kFirstLine = 2;

struct SlotContents {
  uint64_t word = slot::kEmptyWord;
  int entry = 0;       // number of the entry filled in last; 0: none
  uint32_t alive = 0;  // 1: the entry was not ended yet
  // The sum of charges on probation. The charge of an entry is its number.
  int64_t on_probation = 0;
  // The set of lines that the slot may have.
  uint64_t owner = 0;
  std::array<uint64_t, kModelLines> lines{};

  uint64_t* At(size_t i) {
    return i == kSlotWord    ? &word
           : i == kOwnerWord ? &owner
                             : &lines[i - kFirstLine];
  }
  std::string FaultAtEnd() const;
};

using Steps = ReplaySteps<SlotContents>;

// One of the words.
class Place {
 public:
  Place(Steps* steps, size_t at) : steps_(steps), at_(at) {}

  uint64_t LoadRelaxed() {
    return Change([](uint64_t word) { return word; });
  }
  uint64_t FetchAddAcquire(uint64_t n) {
    return Change([n](uint64_t word) { return word + n; });
  }
  uint64_t FetchSubRelease(uint64_t n) { return FetchAddAcquire(0 - n); }
  uint64_t FetchOrAcquire(uint64_t bits) {
    return Change([bits](uint64_t word) { return word | bits; });
  }
  uint64_t FetchOrRelease(uint64_t bits) { return FetchOrAcquire(bits); }
  uint64_t FetchAndRelaxed(uint64_t bits) {
    return Change([bits](uint64_t word) { return word & bits; });
  }
  uint64_t FetchAndAcquire(uint64_t bits) { return FetchAndRelaxed(bits); }
  uint64_t ExchangeAcquire(uint64_t value) {
    return Change([value](uint64_t) { return value; });
  }
  // Does not return the old value.
  void StoreRelease(uint64_t value) {
    steps_->Step([at = at_, value](SlotContents* s) {
      *s->At(at) = value;
      return uint64_t{0};
    });
  }
  bool CompareExchangeAcquire(uint64_t* expected, uint64_t desired) {
    const uint64_t wanted = *expected;
    *expected = Change([wanted, desired](uint64_t word) {
      return word == wanted ? desired : word;
    });
    return *expected == wanted;
  }
  bool CompareExchangeRelease(uint64_t* expected, uint64_t desired) {
    return CompareExchangeAcquire(expected, desired);
  }

 private:
  // Returns the old value.
  template <typename Function>
  uint64_t Change(const Function& change) {
    return steps_->Step([at = at_, change](SlotContents* s) {
      uint64_t* const word = s->At(at);
      return std::exchange(*word, change(*word));
    });
  }

  Steps* const steps_;
  const size_t at_;
};

// The argument of a program: the slot's word, its set of lines, its entry.
class Scene : public Steps, public Place {
 public:
  explicit Scene(const std::vector<uint64_t>& answers)
      : Steps(answers), Place(this, kSlotWord) {}

  Place owner() { return {this, kOwnerWord}; }
  Place line(size_t i) { return {this, kFirstLine + i}; }
  static constexpr size_t size() { return kModelLines; }

  // Each of these is one step on the entry, which is outside the word.
  int Entry() {
    return static_cast<int>(Step([](SlotContents* s) {
      return static_cast<uint64_t>(s->alive != 0 ? s->entry : -1);
    }));
  }
  void Fill(int entry) {
    const uint64_t was_alive = Step([entry](SlotContents* s) {
      s->entry = entry;
      return uint64_t{std::exchange(s->alive, 1)};
    });
    Must(was_alive == 0, "an entry is filled in over one that is there");
  }
  void End() {
    const uint64_t was_alive = Step(
        [](SlotContents* s) { return uint64_t{std::exchange(s->alive, 0)}; });
    Must(was_alive == 1, "an entry is ended twice");
  }
};

using Program = std::function<void(Scene*)>;

// Counts the charge on probation, as the table does.
inline void CountOnProbation(Scene* scene, int change) {
  scene->Step([change](SlotContents* s) {
    s->on_probation += change;
    return uint64_t{0};
  });
}

// The owner of a slot ends its entry and frees the slot.
inline void EndOwned(Scene* scene) {
  if (slot::IsOnProbation(scene->LoadRelaxed())) {
    CountOnProbation(scene, -scene->Entry());
  }
  scene->End();
  slot::Vacate(scene);
}

using Explorer = ReplayExplorer<SlotContents, Scene>;

inline std::string SlotContents::FaultAtEnd() const {
  const SlotContents& s = *this;
  std::string fault;
  const bool empty = slot::IsEmpty(s.word);
  const bool spread = !empty && slot::IsSpread(s.word);
  uint64_t refs = slot::Refs(s.word) - (spread ? slot::kSpreadRefs : 0);
  for (const uint64_t line : s.lines) {
    if (spread != (line != slot::kClosedLine)) fault = "a line is left open";
    refs += line >> slot::kLineRefsShift;
  }
  if (spread != (s.owner != 0)) fault = "nobody's set of lines";
  if (!empty && !slot::IsShareable(s.word)) fault = "owned by nobody";
  // The references of lines have fewer bits, so only these bits are compared.
  if (!empty && refs << slot::kLineRefsShift != 0) {
    fault = "references are left";
  }
  if (!empty && !slot::IsVisible(s.word)) fault = "erased, and still there";
  if (empty == (s.alive != 0))
    fault = "an entry without an end, or without a slot";
  const bool counts = !empty && slot::IsOnProbation(s.word);
  if (s.on_probation != (counts ? s.entry : 0)) {
    fault = "another sum than is on probation";
  }
  return fault;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TEST_MODEL_SLOT_WORLD_H_
