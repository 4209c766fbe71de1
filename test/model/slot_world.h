// What threads on one slot of the clock cache can bring about: every
// interleaving of their steps, run on the code that the cache runs.
//
// A thread is a program that makes its steps on words of the model's. To take a
// thread one step on, its program runs again from the start: the steps that it
// has taken answer as they did then, the next one is taken, and the rest is
// left for another time. So the world is what the slot is and what each thread
// was answered, and all worlds that can be reached are visited once. Used by
// the tests of slot_word.h and spread.h.
#ifndef ASHLAR_TEST_MODEL_SLOT_WORLD_H_
#define ASHLAR_TEST_MODEL_SLOT_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cache/clock/slot_word.h"
#include "cache/clock/spread.h"

namespace ashlar::internal {

inline constexpr uint64_t kModelSlot = 5;  // its number
inline constexpr size_t kModelLines = 2;
// The words that there are.
inline constexpr size_t kSlotWord = 0;
inline constexpr size_t kOwnerWord = 1;
inline constexpr size_t kFirstLine = 2;

struct SlotContents {
  uint64_t word = slot::kEmptyWord;
  int entry = 0;       // which entry was last filled in; 0: none
  bool alive = false;  // and not ended
  // Of the set of lines that the slot may have.
  uint64_t owner = 0;
  std::array<uint64_t, kModelLines> lines{};
  auto operator<=>(const SlotContents&) const = default;

  uint64_t* At(size_t i) {
    return i == kSlotWord    ? &word
           : i == kOwnerWord ? &owner
                             : &lines[i - kFirstLine];
  }
};

struct World {
  SlotContents slot;
  std::vector<std::vector<uint64_t>> answers;  // of each thread
  auto operator<=>(const World&) const = default;
};

struct NotYet {};  // a step that is left for another time

// The world as one thread sees it.
class Steps {
 public:
  Steps(World* world, size_t thread) : world_(world), thread_(thread) {}

  uint64_t Step(const std::function<uint64_t(SlotContents*)>& step) {
    std::vector<uint64_t>& answers = world_->answers[thread_];
    if (next_ < answers.size()) return answers[next_++];
    if (taken_) throw NotYet();
    taken_ = true;
    answers.push_back(step(&world_->slot));
    return answers[next_++];
  }

 private:
  World* const world_;
  const size_t thread_;
  size_t next_ = 0;
  bool taken_ = false;
};

// One of its words.
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
  // Nobody is told what was there.
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
  // The word before.
  uint64_t Change(const std::function<uint64_t(uint64_t)>& change) {
    return steps_->Step([at = at_, &change](SlotContents* s) {
      uint64_t* const word = s->At(at);
      return std::exchange(*word, change(*word));
    });
  }

  Steps* const steps_;
  const size_t at_;
};

// What a program is given: the slot's word, its set of lines, its entry.
class Scene : public Steps, public Place {
 public:
  Scene(World* world, size_t thread)
      : Steps(world, thread), Place(this, kSlotWord) {}

  Place owner() { return {this, kOwnerWord}; }
  Place line(size_t i) { return {this, kFirstLine + i}; }
  static constexpr size_t size() { return kModelLines; }

  // A step on what is beside the word; `fault` where it must not be so.
  int Entry() {
    return static_cast<int>(Step([](SlotContents* s) {
      return static_cast<uint64_t>(s->alive ? s->entry : -1);
    }));
  }
  void Fill(int entry) {
    const uint64_t was_alive = Step([entry](SlotContents* s) {
      const bool alive = s->alive;
      s->entry = entry;
      s->alive = true;
      return static_cast<uint64_t>(alive);
    });
    Must(was_alive == 0, "an entry is filled in over one that is there");
  }
  void End() {
    const uint64_t was_alive = Step([](SlotContents* s) {
      const bool alive = s->alive;
      s->alive = false;
      return static_cast<uint64_t>(alive);
    });
    Must(was_alive == 1, "an entry is ended twice");
  }
  static void Must(bool holds, const char* fault) {
    if (!holds) throw std::string(fault);
  }
};

using Program = std::function<void(Scene*)>;

// Who owns a slot ends what is in it.
inline void EndOwned(Scene* scene) {
  scene->End();
  slot::Vacate(scene);
}

// Empty when every world that can be reached is as it must be.
class Explorer {
 public:
  explicit Explorer(std::vector<Program> threads)
      : threads_(std::move(threads)) {}

  std::string Explore(const SlotContents& start) {
    World world;
    world.slot = start;
    world.answers.resize(threads_.size());
    fault_.clear();
    Visit(world);
    return fault_;
  }
  size_t worlds() const { return seen_.size(); }

 private:
  void Visit(const World& world) {
    if (!fault_.empty() || !seen_.insert(world).second) return;
    bool all_done = true;
    for (size_t t = 0; t < threads_.size() && fault_.empty(); ++t) {
      World next = world;
      TakeStep(&next, t);
      if (next == world) continue;  // the thread has come to its end
      all_done = false;
      Visit(next);
    }
    if (all_done && fault_.empty()) CheckEnd(world.slot);
  }

  void TakeStep(World* world, size_t thread) {
    Scene scene(world, thread);
    try {
      threads_[thread](&scene);
    } catch (const NotYet&) {  // the rest of it, another time
    } catch (const std::string& fault) {
      fault_ = fault;
    }
  }

  void CheckEnd(const SlotContents& s) {
    const bool empty = slot::IsEmpty(s.word);
    const bool spread = !empty && slot::IsSpread(s.word);
    uint64_t refs = slot::Refs(s.word) - (spread ? slot::kSpreadRefs : 0);
    for (const uint64_t line : s.lines) {
      if (spread != (line != slot::kClosedLine)) fault_ = "a line is left open";
      refs += line >> slot::kLineRefsShift;
    }
    if (spread != (s.owner != 0)) fault_ = "nobody's set of lines";
    if (!empty && !slot::IsShareable(s.word)) fault_ = "owned by nobody";
    // Those of a line are so many bits.
    if (!empty && refs << slot::kLineRefsShift != 0) {
      fault_ = "references are left";
    }
    if (!empty && !slot::IsVisible(s.word)) fault_ = "erased, and still there";
    if (empty == s.alive) fault_ = "an entry without an end, or without a slot";
  }

  std::vector<Program> threads_;
  std::set<World> seen_;
  std::string fault_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TEST_MODEL_SLOT_WORLD_H_
