// Spread slots: every interleaving of threads that spread, look up, release,
// erase, sweep and gather, in the code that the cache runs
// (cache/clock/spread.h). slot_word_test.cc does the same for slots that are
// not spread.

#include "cache/clock/spread.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/model/slot_world.h"

namespace ashlar::internal {
namespace {

// --- What threads do ---

void Finish(Scene* scene, slot::Given given) {
  if (given == slot::Given::kOwned) EndOwned(scene);
}

// Takes a reference at the word. Changes nothing if none can be taken.
bool TakeAtWord(Scene* scene) {
  const slot::Taken taken = slot::Take(scene);
  if (taken == slot::Taken::kTakeBack) {
    Finish(scene, slot::Give(scene, slot::kTake));
  }
  if (taken != slot::Taken::kReference) return false;
  Scene::Must(scene->Entry() > 0, "a reference to an entry that is ended");
  return true;
}

void GatherIt(Scene* scene) {
  if (!slot::ClaimGather(scene)) return;
  Finish(scene, slot::Gather(scene, scene));
}

// Releases as ClockCache::Release does: on the line if the slot is spread.
void GiveBack(Scene* scene, size_t line) {
  if (slot::IsSpread(scene->LoadRelaxed())) {
    Place own = scene->line(line);
    Finish(scene, slot::GiveOnLine(scene, &own, kModelSlot));
  } else {
    Finish(scene, slot::Give(scene, slot::kRef));
  }
}

// Takes a reference on one line, or at the word, and releases it on another
// line.
void LookupOnLines(Scene* scene, size_t take_on, size_t give_on) {
  Place own = scene->line(take_on);
  switch (slot::TakeOnLine(scene, &own, kModelSlot)) {
    case slot::Taken::kReference:
      Scene::Must(scene->Entry() > 0, "a reference to an entry that is ended");
      GiveBack(scene, give_on);
      return;
    case slot::Taken::kTakeBack:
      Scene::Must(scene->Entry() > 0, "a reference to an entry that is ended");
      GiveBack(scene, take_on);
      return;
    case slot::Taken::kNothing:
      break;
  }
  if (TakeAtWord(scene)) GiveBack(scene, give_on);
}
void Lookup(Scene* scene) { LookupOnLines(scene, 0, 0); }
void LookupForAnother(Scene* scene) { LookupOnLines(scene, 0, 1); }

// Spreads as ClockTable::Spread does, with a reference of its own.
void SpreadIt(Scene* scene) {
  if (!TakeAtWord(scene)) return;
  if (slot::ClaimSet(scene, kModelSlot)) {
    slot::Spread(scene, scene, kModelSlot);
    if (!slot::IsVisible(scene->LoadRelaxed())) GatherIt(scene);
  }
  GiveBack(scene, 1);
}

void Erase(Scene* scene) {
  uint64_t before;
  const slot::Taken taken = slot::TakeUncounted(scene, slot::kVisible, &before);
  if (taken == slot::Taken::kNothing) return;
  if (taken == slot::Taken::kReference) {
    Scene::Must(scene->Entry() > 0, "a reference to an entry that is ended");
    slot::Hide(scene);
    if (slot::IsSpread(scene->LoadRelaxed())) GatherIt(scene);
  }
  Finish(scene, slot::Give(scene, slot::kRef));
}

void Sweep(Scene* scene) {
  uint64_t before;
  const slot::Swept swept = slot::Sweep(scene, &before);
  if (swept == slot::Swept::kOwned) EndOwned(scene);
  if (swept == slot::Swept::kIsSpread) GatherIt(scene);
}

void EraseUnreferenced(Scene* scene) {
  if (slot::IsSpread(scene->LoadRelaxed())) GatherIt(scene);
  if (slot::ClaimUnreferenced(scene)) EndOwned(scene);
}

void ReleaseAndErase(Scene* scene) {
  if (!TakeAtWord(scene)) return;
  if (slot::IsSpread(scene->LoadRelaxed())) GatherIt(scene);
  if (slot::ClaimOnlyRef(scene)) {
    EndOwned(scene);
  } else {
    Finish(scene, slot::Give(scene, slot::kRef));
  }
}

void Insert(Scene* scene) {
  if (!slot::ClaimEmpty(scene)) return;
  scene->Fill(2);
  slot::Publish(scene, slot::VisibleWord(0, CachePriority::kBottom));
}

// Uses the set of lines for another slot, which is spread too.
void AnotherSlot(Scene* scene) {
  constexpr uint64_t kOther = 9;
  if (!slot::ClaimSet(scene, kOther)) return;
  for (size_t i = 0; i < kModelLines; ++i) {
    scene->line(i).StoreRelease(slot::OpenLine(kOther));
  }
  for (size_t i = 0; i < kModelLines; ++i) {
    Scene::Must(scene->line(i).ExchangeAcquire(slot::kClosedLine) ==
                    slot::OpenLine(kOther),
                "another slot's references are changed");
  }
  scene->owner().StoreRelease(0);
}

const std::vector<std::pair<const char*, Program>>& Programs() {
  static const std::vector<std::pair<const char*, Program>> programs = {
      {"Lookup", Lookup},
      {"LookupForAnother", LookupForAnother},
      {"SpreadIt", SpreadIt},
      {"GatherIt", GatherIt},
      {"Erase", Erase},
      {"Sweep", Sweep},
      {"EraseUnreferenced", EraseUnreferenced},
      {"ReleaseAndErase", ReleaseAndErase},
      {"Insert", Insert},
      {"AnotherSlot", AnotherSlot},
  };
  return programs;
}

// --- Exploration ---

SlotContents SpreadSlot(uint64_t refs_of_a, uint64_t refs_of_b) {
  const uint64_t word = slot::VisibleWord(0, CachePriority::kBottom) +
                        slot::kSpreadRefs + slot::kSpread;
  const uint64_t open = slot::OpenLine(kModelSlot);
  return {.word = word,
          .entry = 1,
          .alive = true,
          .owner = kModelSlot + 1,
          .lines = {open + refs_of_a * slot::kLineRef,
                    open + refs_of_b * slot::kLineRef}};
}

std::vector<SlotContents> Starts() {
  return {
      {.word = slot::kStateMask, .entry = 1, .alive = true},
      SpreadSlot(0, 0),
      // Such counts arise when other threads release the handles.
      SpreadSlot(7, uint64_t{0} - 7),
  };
}

std::string FaultOf(const std::vector<Program>& threads) {
  for (const SlotContents& start : Starts()) {
    Explorer explorer(threads);
    std::string fault = explorer.Explore(start);
    if (!fault.empty()) return fault;
  }
  return "";
}

TEST(Spread, TwoThreadsInEveryOrder) {
  for (const auto& a : Programs()) {
    for (const auto& b : Programs()) {
      EXPECT_EQ(FaultOf({a.second, b.second}), "") << a.first << b.first;
    }
  }
}

// Triples in which each thread changes what the others rely on. All triples
// would take minutes.
TEST(Spread, ThreeThreadsInEveryOrder) {
  const std::vector<std::vector<Program>> triples = {
      {GatherIt, LookupForAnother, Erase},  {GatherIt, Lookup, Sweep},
      {GatherIt, AnotherSlot, Lookup},      {GatherIt, Erase, Sweep},
      {GatherIt, Erase, EraseUnreferenced}, {Lookup, Erase, ReleaseAndErase},
      {GatherIt, SpreadIt, Sweep},
  };
  for (size_t i = 0; i < triples.size(); ++i) {
    Explorer explorer(triples[i]);
    EXPECT_EQ(explorer.Explore(SpreadSlot(0, 0)), "") << i;
  }
}

// --- Seeded defects: each must be found ---

std::string FaultBeside(const Program& defect) {
  for (const auto& a : Programs()) {
    std::string fault = FaultOf({defect, a.second});
    if (!fault.empty()) return fault;
  }
  for (const auto& a : Programs()) {
    std::string fault = FaultOf({defect, a.second, GatherIt});
    if (!fault.empty()) return fault;
  }
  return "";
}

TEST(Spread, FindsAnEraseThatDoesNotGather) {
  EXPECT_NE(FaultBeside([](Scene* scene) {
              if (!TakeAtWord(scene)) return;
              slot::Hide(scene);
              Finish(scene, slot::Give(scene, slot::kRef));
            }),
            "");
}

TEST(Spread, FindsASpreadThatDoesNotLookWhetherItCameTooLate) {
  EXPECT_NE(FaultBeside([](Scene* scene) {
              if (!TakeAtWord(scene)) return;
              if (slot::ClaimSet(scene, kModelSlot)) {
                slot::Spread(scene, scene, kModelSlot);
              }
              GiveBack(scene, 0);
            }),
            "");
}

TEST(Spread, FindsASpreadWithoutReferencesOfItsOwn) {
  EXPECT_NE(FaultBeside([](Scene* scene) {
              if (!TakeAtWord(scene)) return;
              if (slot::ClaimSet(scene, kModelSlot)) {
                scene->line(0).StoreRelease(slot::OpenLine(kModelSlot));
                scene->line(1).StoreRelease(slot::OpenLine(kModelSlot));
                scene->FetchOrRelease(slot::kSpread);
              }
              GiveBack(scene, 0);
            }),
            "");
}

TEST(Spread, FindsTheBitBeforeTheLines) {
  EXPECT_NE(FaultBeside([](Scene* scene) {
              if (!TakeAtWord(scene)) return;
              if (slot::ClaimSet(scene, kModelSlot)) {
                scene->FetchAddAcquire(slot::kSpreadRefs);
                scene->FetchOrRelease(slot::kSpread);
                scene->line(0).StoreRelease(slot::OpenLine(kModelSlot));
                scene->line(1).StoreRelease(slot::OpenLine(kModelSlot));
                if (!slot::IsVisible(scene->LoadRelaxed())) GatherIt(scene);
              }
              GiveBack(scene, 0);
            }),
            "");
}

TEST(Spread, FindsTwoThatGather) {
  EXPECT_NE(FaultBeside([](Scene* scene) {
              if (!slot::IsSpread(scene->LoadRelaxed())) return;
              scene->FetchAndAcquire(~slot::kSpread);
              Finish(scene, slot::Gather(scene, scene));
            }),
            "");
}

TEST(Spread, FindsASetThatIsFreeBeforeItsLinesAreClosed) {
  EXPECT_NE(FaultBeside([](Scene* scene) {
              if (!slot::ClaimGather(scene)) return;
              scene->owner().StoreRelease(0);
              Finish(scene, slot::Gather(scene, scene));
            }),
            "");
}

TEST(Spread, FindsAReleaseThatDoesNotLookWhoseLineItIs) {
  EXPECT_NE(FaultBeside([](Scene* scene) {
              Place own = scene->line(0);
              if (slot::TakeOnLine(scene, &own, kModelSlot) !=
                  slot::Taken::kReference) {
                return;
              }
              own.FetchSubRelease(slot::kLineRef);
            }),
            "");
}

TEST(Spread, FindsALookupThatDoesNotLookWhetherTheEntryIsErased) {
  // A thread that has erased the entry must not find it afterwards.
  const auto lookup_after_erase = [](bool looks) {
    const Program defect = [looks](Scene* scene) {
      Erase(scene);
      Place own = scene->line(0);
      const slot::Taken taken = slot::TakeOnLine(scene, &own, kModelSlot);
      if (taken == slot::Taken::kNothing) return;
      const bool found = !looks || taken == slot::Taken::kReference;
      Scene::Must(!found || scene->Entry() == 2, "what was erased is found");
      GiveBack(scene, 0);
    };
    std::string fault;
    for (const auto& a : Programs()) fault += FaultOf({defect, a.second});
    return fault;
  };
  EXPECT_EQ(lookup_after_erase(true), "");
  EXPECT_NE(lookup_after_erase(false), "");
}

// --- Single steps ---

TEST(Spread, LinesThatOverflowTouchNothingElse) {
  const uint64_t open = slot::OpenLine(kModelSlot);
  const uint64_t full = open | ~uint64_t{0} << slot::kLineRefsShift;
  EXPECT_EQ(full + slot::kLineRef, open);
  EXPECT_EQ(open - slot::kLineRef, full);
  EXPECT_TRUE(slot::IsOpenFor(full, kModelSlot));
  EXPECT_FALSE(slot::IsOpenFor(full, kModelSlot + 1));
  EXPECT_FALSE(slot::IsOpenFor(slot::kClosedLine, 0));
}

TEST(Spread, ALineTakesNoMoreThanItMayCount) {
  const auto take = [](int64_t refs, uint64_t number) {
    const uint64_t open = slot::OpenLine(kModelSlot);
    SpreadSet::Word word{SpreadSlot(0, 0).word};
    SpreadSet::Word line{open + static_cast<uint64_t>(refs) * slot::kLineRef};
    const uint64_t before = line.LoadRelaxed();
    const slot::Taken taken = slot::TakeOnLine(&word, &line, number);
    const bool is_counted = line.LoadRelaxed() == before + slot::kLineRef;
    EXPECT_EQ(is_counted, taken == slot::Taken::kReference);
    return taken;
  };
  constexpr auto kMost = static_cast<int64_t>(slot::kMostRefsOnLine);
  for (const int64_t refs : {-kMost - 1, int64_t{-1}, int64_t{0}, kMost - 1}) {
    EXPECT_EQ(take(refs, kModelSlot), slot::Taken::kReference) << refs;
    EXPECT_EQ(take(refs, kModelSlot + 1), slot::Taken::kNothing) << refs;
  }
  for (const int64_t refs : {kMost, kMost + 1}) {
    EXPECT_EQ(take(refs, kModelSlot), slot::Taken::kNothing) << refs;
  }
}

}  // namespace
}  // namespace ashlar::internal
