// Every interleaving of threads on one slot, run on the steps that the cache
// runs (cache/clock/slot_word.h).
//
// A thread is a program that makes its steps on a word of the model's. To take
// a thread one step on, its program runs again from the start: the steps that
// it has taken answer as they did then, the next one is taken, and the rest is
// left for another time. So the world is what the slot is and what each thread
// was answered, and all worlds that can be reached are visited once.

#include "cache/clock/slot_word.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ashlar::internal {
namespace {

// What the slot holds beside its word.
struct SlotContents {
  uint64_t word = slot::kEmptyWord;
  int entry = 0;       // which entry was last filled in; 0: none
  bool alive = false;  // and not ended
  auto operator<=>(const SlotContents&) const = default;
};

struct World {
  SlotContents slot;
  std::vector<std::vector<uint64_t>> answers;  // of each thread
  auto operator<=>(const World&) const = default;
};

struct NotYet {};  // a step that is left for another time

// The word, and the world, as one thread sees them.
class Scene {
 public:
  Scene(World* world, size_t thread) : world_(world), thread_(thread) {}

  uint64_t LoadRelaxed() {
    return Step([](SlotContents* s) { return s->word; });
  }
  uint64_t FetchAddAcquire(uint64_t n) {
    return Step([n](SlotContents* s) {
      const uint64_t before = s->word;
      s->word += n;
      return before;
    });
  }
  uint64_t FetchSubRelease(uint64_t n) { return FetchAddAcquire(0 - n); }
  uint64_t FetchOrAcquire(uint64_t bits) {
    return Step([bits](SlotContents* s) {
      const uint64_t before = s->word;
      s->word |= bits;
      return before;
    });
  }
  uint64_t FetchAndRelaxed(uint64_t bits) {
    return Step([bits](SlotContents* s) {
      const uint64_t before = s->word;
      s->word &= bits;
      return before;
    });
  }
  void StoreRelease(uint64_t value) {
    Step([value](SlotContents* s) {
      s->word = value;
      return uint64_t{0};
    });
  }
  bool CompareExchangeAcquire(uint64_t* expected, uint64_t desired) {
    const uint64_t wanted = *expected;
    const uint64_t seen = Step([wanted, desired](SlotContents* s) {
      const uint64_t before = s->word;
      if (before == wanted) s->word = desired;
      return before;
    });
    *expected = seen;
    return seen == wanted;
  }

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

 private:
  uint64_t Step(const std::function<uint64_t(SlotContents*)>& step) {
    std::vector<uint64_t>& answers = world_->answers[thread_];
    if (next_ < answers.size()) return answers[next_++];
    if (taken_) throw NotYet();
    taken_ = true;
    answers.push_back(step(&world_->slot));
    return answers[next_++];
  }

  World* const world_;
  const size_t thread_;
  size_t next_ = 0;
  bool taken_ = false;
};

// Who owns a slot ends what is in it.
void EndOwned(Scene* scene) {
  scene->End();
  slot::Vacate(scene);
}

// --- What threads do
// ----------------------------------------------------------

using Program = std::function<void(Scene*)>;

// Lookup of the entry that was there first, and release.
void Lookup(Scene* scene) {
  const slot::Taken taken = slot::Take(scene);
  if (taken == slot::Taken::kReference) {
    const int entry = scene->Entry();
    Scene::Must(entry > 0, "a reference to an entry that is ended");
    const bool is_mine = entry == 1;
    if (is_mine) {
      Scene::Must(scene->Entry() == 1, "an entry changes while it is held");
    }
    if (slot::Give(scene, is_mine ? slot::kRef : slot::kTake) ==
        slot::Given::kOwned) {
      EndOwned(scene);
    }
  } else if (taken == slot::Taken::kTakeBack) {
    if (slot::Give(scene, slot::kTake) == slot::Given::kOwned) EndOwned(scene);
  }
}

void LookupAndEraseIfLast(Scene* scene) {
  const slot::Taken taken = slot::Take(scene);
  if (taken == slot::Taken::kNothing) return;
  if (taken == slot::Taken::kReference) {
    Scene::Must(scene->Entry() > 0, "a reference to an entry that is ended");
    if (slot::ClaimOnlyRef(scene)) {
      EndOwned(scene);
      return;
    }
  }
  const uint64_t units =
      taken == slot::Taken::kReference ? slot::kRef : slot::kTake;
  if (slot::Give(scene, units) == slot::Given::kOwned) EndOwned(scene);
}

void Erase(Scene* scene) {
  uint64_t before;
  const slot::Taken taken = slot::TakeUncounted(scene, slot::kVisible, &before);
  if (taken == slot::Taken::kNothing) return;
  if (taken == slot::Taken::kReference) {
    Scene::Must(scene->Entry() > 0, "a reference to an entry that is ended");
    slot::Hide(scene);
  }
  if (slot::Give(scene, slot::kRef) == slot::Given::kOwned) EndOwned(scene);
}

void Sweep(Scene* scene) {
  uint64_t before;
  if (slot::Sweep(scene, &before) == slot::Swept::kOwned) EndOwned(scene);
}

void EraseUnreferenced(Scene* scene) {
  if (slot::ClaimUnreferenced(scene)) EndOwned(scene);
}

// Keeps a handle, and releases it.
void Insert(Scene* scene) {
  if (!slot::ClaimEmpty(scene)) return;
  scene->Fill(2);
  slot::Publish(scene, slot::VisibleWord(1, CachePriority::kBottom));
  Scene::Must(scene->Entry() == 2, "an entry is not there while it is held");
  if (slot::Give(scene, slot::kRef) == slot::Given::kOwned) EndOwned(scene);
}

void InsertBlindly(Scene* scene) {
  if (!slot::ClaimEmpty(scene)) return;
  scene->Fill(3);
  slot::Publish(scene, slot::VisibleWord(0, CachePriority::kBottom));
}

void WalkOver(Scene* scene) {
  uint64_t before;
  const slot::Taken taken =
      slot::TakeUncounted(scene, slot::kShareable, &before);
  if (taken == slot::Taken::kNothing) return;
  Scene::Must(scene->Entry() > 0, "a reference to an entry that is ended");
  if (slot::Give(scene, slot::kRef) == slot::Given::kOwned) EndOwned(scene);
}

void TwoLookups(Scene* scene) {
  Lookup(scene);
  Lookup(scene);
}

const std::vector<std::pair<const char*, Program>>& Programs() {
  static const std::vector<std::pair<const char*, Program>> programs = {
      {"Lookup", Lookup},
      {"LookupAndEraseIfLast", LookupAndEraseIfLast},
      {"Erase", Erase},
      {"Sweep", Sweep},
      {"EraseUnreferenced", EraseUnreferenced},
      {"Insert", Insert},
      {"InsertBlindly", InsertBlindly},
      {"WalkOver", WalkOver},
      {"TwoLookups", TwoLookups},
  };
  return programs;
}

// --- Exploring
// ----------------------------------------------------------------

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
    if (!empty && !slot::IsShareable(s.word)) fault_ = "owned by nobody";
    if (!empty && slot::Refs(s.word) != 0) fault_ = "references are left";
    if (!empty && !slot::IsVisible(s.word)) fault_ = "erased, and still there";
    if (empty == s.alive) fault_ = "an entry without an end, or without a slot";
  }

  std::vector<Program> threads_;
  std::set<World> seen_;
  std::string fault_;
};

std::vector<SlotContents> Starts() {
  std::vector<SlotContents> starts = {{slot::kEmptyWord, 0, false}};
  // What a Take left that came too late.
  starts.push_back({slot::kTake * 2, 0, false});
  for (const CachePriority priority :
       {CachePriority::kBottom, CachePriority::kHigh}) {
    starts.push_back({slot::VisibleWord(0, priority), 1, true});
  }
  starts.push_back({slot::kStateMask, 1, true});  // its countdown at its end
  starts.push_back(
      {slot::kStateMask | (~uint64_t{0} << slot::kHitsShift), 1, true});
  return starts;
}

size_t ExploreAll(const std::vector<size_t>& chosen) {
  std::vector<Program> threads;
  std::string names;
  for (const size_t c : chosen) {
    threads.push_back(Programs()[c].second);
    names += std::string(Programs()[c].first) + " ";
  }
  size_t worlds = 0;
  for (const SlotContents& start : Starts()) {
    Explorer explorer(threads);
    EXPECT_EQ(explorer.Explore(start), "") << names << std::hex << start.word;
    worlds += explorer.worlds();
  }
  return worlds;
}

TEST(SlotWord, TwoThreadsInEveryOrder) {
  size_t worlds = 0;
  for (size_t a = 0; a < Programs().size(); ++a) {
    for (size_t b = a; b < Programs().size(); ++b) worlds += ExploreAll({a, b});
  }
  EXPECT_GT(worlds, 5000U);
}

TEST(SlotWord, ThreeThreadsInEveryOrder) {
  // The last program only repeats the first.
  const size_t n = Programs().size() - 1;
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a; b < n; ++b) {
      for (size_t c = b; c < n; ++c) ExploreAll({a, b, c});
    }
  }
}

// --- Seeded defects: each must be found
// ---------------------------------------

std::string FaultOf(const Program& defect) {
  for (const auto& a : Programs()) {
    for (const auto& b : Programs()) {
      for (const SlotContents& start : Starts()) {
        Explorer explorer({defect, a.second, b.second});
        std::string fault = explorer.Explore(start);
        if (!fault.empty()) return fault;
      }
    }
  }
  return "";
}

TEST(SlotWord, FindsATakeThatIsNotTakenBack) {
  EXPECT_NE(FaultOf([](Scene* scene) {
              const slot::Taken taken = slot::Take(scene);
              if (taken != slot::Taken::kReference) return;
              if (slot::Give(scene, slot::kRef) == slot::Given::kOwned) {
                EndOwned(scene);
              }
            }),
            "");
}

TEST(SlotWord, FindsATakeBackOfWhatWasNotTaken) {
  EXPECT_NE(FaultOf([](Scene* scene) {
              static_cast<void>(slot::Take(scene));
              if (slot::Give(scene, slot::kTake) == slot::Given::kOwned) {
                EndOwned(scene);
              }
            }),
            "");
}

TEST(SlotWord, FindsALastReferenceThatEndsNothing) {
  EXPECT_EQ(FaultOf([](Scene* scene) {
              if (slot::Take(scene) != slot::Taken::kReference) return;
              slot::Hide(scene);
              scene->FetchSubRelease(slot::kRef);
            }),
            "erased, and still there");
}

TEST(SlotWord, FindsAnEndWithoutOwning) {
  EXPECT_NE(FaultOf([](Scene* scene) {
              if (slot::Take(scene) != slot::Taken::kReference) return;
              const uint64_t before = scene->FetchSubRelease(slot::kRef);
              if (slot::Refs(before) == 1) EndOwned(scene);
            }),
            "");
}

TEST(SlotWord, FindsAnEntryPublishedBeforeItIsFilled) {
  EXPECT_NE(FaultOf([](Scene* scene) {
              if (!slot::ClaimEmpty(scene)) return;
              slot::Publish(scene,
                            slot::VisibleWord(0, CachePriority::kBottom));
              scene->Fill(2);
            }),
            "");
}

TEST(SlotWord, FindsTheOnlyReferenceGivenBackBeforeTheClaim) {
  EXPECT_NE(FaultOf([](Scene* scene) {
              if (slot::Take(scene) != slot::Taken::kReference) return;
              const uint64_t before = scene->FetchSubRelease(slot::kRef);
              uint64_t seen = before - slot::kRef;
              if (slot::Refs(before) == 1 &&
                  scene->CompareExchangeAcquire(&seen, slot::kOwnedWord)) {
                Scene::Must(scene->Entry() == 1, "another entry is erased");
                EndOwned(scene);
              }
            }),
            "");
}

// --- Single steps
// -------------------------------------------------------------

TEST(SlotWord, TheSweepCountsDownAndHitsCountUp) {
  uint64_t word = slot::VisibleWord(0, CachePriority::kHigh);
  for (uint64_t left = slot::kMaxCountdown; left > 0; --left) {
    EXPECT_EQ(slot::Countdown(word), left);
    word = slot::SweptWord(word);
    EXPECT_TRUE(slot::IsVisible(word));
    EXPECT_FALSE(slot::WasHit(word));
  }
  EXPECT_EQ(slot::SweptWord(word), slot::kOwnedWord);

  word = slot::SweptWord(word + slot::kHit);
  EXPECT_EQ(slot::Countdown(word), 0U);
  EXPECT_EQ(slot::Hits(word), 0U);
  EXPECT_TRUE(slot::WasHit(word));
  word = slot::SweptWord(word + slot::kHit * 1000);
  EXPECT_EQ(slot::Countdown(word), slot::kMaxCountdown - 1);
  EXPECT_EQ(slot::SweptWord(slot::InvisibleWord(0) + slot::kHit),
            slot::kOwnedWord);
}

TEST(SlotWord, HitsThatOverflowTouchNothingElse) {
  for (const uint64_t state :
       {slot::VisibleWord(3, CachePriority::kLow), slot::InvisibleWord(3)}) {
    const uint64_t full = state | (~uint64_t{0} << slot::kHitsShift);
    const uint64_t over = full + slot::kTake;
    EXPECT_EQ(slot::Hits(over), 0U);
    EXPECT_EQ(slot::Refs(over), 4U);
    EXPECT_EQ(over & slot::kStateMask, state & slot::kStateMask);
    EXPECT_EQ(slot::Countdown(over), slot::Countdown(state));
    EXPECT_EQ(over - slot::kTake, full);
  }
}

TEST(SlotWord, NoMoreReferencesThanCanBeCounted) {
  const uint64_t visible = slot::VisibleWord(0, CachePriority::kLow);
  EXPECT_EQ(slot::WhatWasTaken(visible + slot::kMaxRefs - 1, slot::kVisible),
            slot::Taken::kReference);
  EXPECT_EQ(slot::WhatWasTaken(visible + slot::kMaxRefs, slot::kVisible),
            slot::Taken::kTakeBack);
  EXPECT_EQ(slot::WhatWasTaken(visible + slot::kRefsMask - 1, slot::kVisible),
            slot::Taken::kTakeBack);
}

}  // namespace
}  // namespace ashlar::internal
