// Every interleaving of threads on one slot, with the same steps as in the
// cache (cache/clock/slot_word.h).

#include "cache/clock/slot_word.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cache/clock/admission/probation_steps.h"
#include "test/model/slot_world.h"

namespace ashlar::internal {
namespace {

// --- What threads do ---

// Looks up the entry that was there first, and releases it.
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

// Holds the handle of the inserted entry, and releases it.
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

void InsertOnProbation(Scene* scene) {
  if (!slot::ClaimEmpty(scene)) return;
  scene->Fill(4);
  CountOnProbation(scene, 4);
  slot::Publish(scene, slot::VisibleWord(0, slot::kOnProbation));
}

void AfterPromotion(Scene* scene) {
  const int entry = scene->Entry();
  Scene::Must(entry > 0, "a reference to an entry that is ended");
  CountOnProbation(scene, -entry);
  if (slot::Give(scene, slot::kRef) == slot::Given::kOwned) EndOwned(scene);
}

void Judge(Scene* scene) {
  uint64_t before;
  switch (slot::Judge(scene, false, &before)) {
    case slot::Judged::kLeft:
      return;
    case slot::Judged::kPromoted:
      AfterPromotion(scene);
      return;
    case slot::Judged::kOwned:
      EndOwned(scene);
  }
}

void Promote(Scene* scene) {
  if (slot::Promote(scene)) AfterPromotion(scene);
}

void Cool(Scene* scene) { slot::Cool(scene); }

void TwoLookups(Scene* scene) {
  Lookup(scene);
  Lookup(scene);
}

using Programs = std::vector<std::pair<const char*, Program>>;
// The programs of the threads, and the states of the slot at the start.
struct Game {
  Programs programs;
  std::vector<SlotContents> starts;
};

const Programs& UsualPrograms() {
  static const Programs programs = {
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

const Programs& ProbationPrograms() {
  static const Programs programs = {
      {"InsertOnProbation", InsertOnProbation},
      {"Judge", Judge},
      {"Promote", Promote},
      {"Cool", Cool},
      {"Lookup", Lookup},
      {"LookupAndEraseIfLast", LookupAndEraseIfLast},
      {"Erase", Erase},
      {"Sweep", Sweep},
      {"EraseUnreferenced", EraseUnreferenced},
  };
  return programs;
}

// --- Exploration ---

Game Usual() {
  Game game = {UsualPrograms(), {{slot::kEmptyWord, 0, false}}};
  std::vector<SlotContents>& starts = game.starts;
  // References left by Takes that came too late.
  starts.push_back({slot::kTake * 2, 0, false});
  for (const CachePriority priority :
       {CachePriority::kBottom, CachePriority::kHigh}) {
    starts.push_back({slot::VisibleWord(0, priority), 1, true});
  }
  starts.push_back({slot::kStateMask, 1, true});  // its countdown is at its end
  starts.push_back(
      {slot::kStateMask | (~uint64_t{0} << slot::kHitsShift), 1, true});
  return game;
}

Game OnProbation() {
  Game game = {ProbationPrograms(), {{slot::kEmptyWord, 0, false}}};
  for (const uint64_t hits : {0, 2}) {
    game.starts.push_back(
        {.word = slot::VisibleWord(0, slot::kOnProbation) + hits * slot::kHit,
         .entry = 1,
         .alive = true,
         .on_probation = 1});
  }
  return game;
}

size_t ExploreAll(const Game& game, const std::vector<size_t>& chosen) {
  std::vector<Program> threads;
  std::string names;
  for (const size_t c : chosen) {
    threads.push_back(game.programs[c].second);
    names += std::string(game.programs[c].first) + " ";
  }
  size_t worlds = 0;
  for (const SlotContents& start : game.starts) {
    Explorer explorer(threads);
    EXPECT_EQ(explorer.Explore(start), "") << names << std::hex << start.word;
    worlds += explorer.worlds();
  }
  return worlds;
}

TEST(SlotWord, TwoThreadsInEveryOrder) {
  size_t worlds = 0;
  for (const Game& game : {Usual(), OnProbation()}) {
    for (size_t a = 0; a < game.programs.size(); ++a) {
      for (size_t b = a; b < game.programs.size(); ++b) {
        worlds += ExploreAll(game, {a, b});
      }
    }
  }
  EXPECT_GT(worlds, 5000U);
}

TEST(SlotWord, ThreeThreadsInEveryOrder) {
  const Game game = Usual();
  // The last program only repeats the first.
  const size_t n = game.programs.size() - 1;
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a; b < n; ++b) {
      for (size_t c = b; c < n; ++c) ExploreAll(game, {a, b, c});
    }
  }
}

// At least one of the three inserts, judges or promotes.
TEST(SlotWord, ThreeThreadsInEveryOrderOnProbation) {
  constexpr size_t kFirst = 3;
  const Game game = OnProbation();
  const size_t n = game.programs.size();
  for (size_t a = 0; a < kFirst; ++a) {
    for (size_t b = a; b < n; ++b) {
      for (size_t c = b; c < n; ++c) ExploreAll(game, {a, b, c});
    }
  }
}

// --- Seeded defects: each must be found ---

std::string FaultOf(const Program& defect, const Game& game = Usual()) {
  for (const auto& a : game.programs) {
    for (const auto& b : game.programs) {
      for (const SlotContents& start : game.starts) {
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

// The subtracted charge may be that of a later entry.
TEST(SlotWord, FindsAPromotionWithoutAReference) {
  EXPECT_NE(FaultOf(
                [](Scene* scene) {
                  uint64_t seen = scene->LoadRelaxed();
                  if (!slot::IsOnProbation(seen) || !slot::IsVisible(seen))
                    return;
                  const int entry = scene->Entry();
                  if (scene->CompareExchangeAcquire(&seen,
                                                    slot::PromotedWord(seen))) {
                    CountOnProbation(scene, -entry);
                  }
                },
                OnProbation()),
            "");
}

TEST(SlotWord, FindsAnEndThatForgetsProbation) {
  EXPECT_EQ(FaultOf(
                [](Scene* scene) {
                  uint64_t seen = scene->LoadRelaxed();
                  if (!slot::IsOnProbation(seen) || slot::Refs(seen) != 0)
                    return;
                  if (scene->CompareExchangeAcquire(&seen, slot::kOwnedWord)) {
                    EndOwned(scene);
                  }
                },
                OnProbation()),
            "another sum than is on probation");
}

// Another thread undoes its mistaken Take after the promotion.
TEST(SlotWord, WhatIsInUseKeepsItsHits) {
  uint64_t word = slot::VisibleWord(0, slot::kOnProbation) + slot::kTake;
  EXPECT_EQ(slot::PromotedWord(word) - slot::kTake,
            slot::VisibleWord(0, slot::StartAt(0)));
}

TEST(SlotWord, AnEntryOnProbationIsJudgedByItsUse) {
  struct Word {
    uint64_t value;
    uint64_t LoadRelaxed() const { return value; }
    bool CompareExchangeAcquire(uint64_t* expected, uint64_t desired) {
      if (*expected != value) return false;
      value = desired;
      return true;
    }
  };
  const uint64_t unused = slot::VisibleWord(0, slot::kOnProbation);
  uint64_t before = 0;
  Word word = {unused};
  EXPECT_EQ(slot::Sweep(&word, &before), slot::Swept::kIsOnProbation);
  EXPECT_EQ(slot::Judge(&word, false, &before), slot::Judged::kOwned);
  EXPECT_EQ(before, unused);
  EXPECT_EQ(word.value, slot::kOwnedWord | slot::kOnProbation);

  word = {unused + 3 * slot::kHit};
  EXPECT_EQ(slot::Judge(&word, false, &before), slot::Judged::kPromoted);
  EXPECT_EQ(word.value, slot::VisibleWord(1, slot::kWasHit));

  word = {unused + 3 * slot::kHit};
  EXPECT_EQ(slot::Judge(&word, true, &before), slot::Judged::kOwned);
  word = {unused + slot::kRef};
  EXPECT_EQ(slot::Judge(&word, true, &before), slot::Judged::kPromoted);

  word = {unused + 3 * slot::kHit};
  slot::Cool(&word);
  EXPECT_EQ(word.value, unused) << "as if it had not been hit";
  word = {(unused | slot::kWasHit) + 3 * slot::kHit};
  slot::Cool(&word);
  EXPECT_EQ(word.value, unused | slot::kWasHit) << "since its key came back";
  EXPECT_EQ(slot::Judge(&word, false, &before), slot::Judged::kOwned);
  EXPECT_TRUE(slot::WasHit(before));
}

// --- Single steps ---

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
