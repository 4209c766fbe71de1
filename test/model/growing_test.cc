// Every interleaving of threads on a growing index, with the same steps as in
// the cache (cache/clock/growing_steps.h): splits against lookups, inserts,
// erasures, evictions and the reuse of a slot.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "cache/clock/growing_steps.h"
#include "cache/clock/slot_word.h"
#include "test/model/replay.h"

namespace ashlar::internal {
namespace {

constexpr uint32_t kGroups = 2;
constexpr uint32_t kSegments = 4;
constexpr uint32_t kSlots = 4;  // slot 0 is never used

// A hash, from the low bit: 8 bits of tag, 4 bits of home group, segment bits.
constexpr uint64_t HashOf(uint64_t tag, uint64_t home, uint64_t segment_bits) {
  return tag | home << 8 | segment_bits << 12;
}
// A split moves the keys with odd segment bits. Three keys share a tag, three a
// home group.
constexpr uint64_t kMoves = HashOf(7, 0, 1);
constexpr uint64_t kStays = HashOf(7, 0, 2);
constexpr uint64_t kMovesToo = HashOf(7, 1, 3);
constexpr uint64_t kAlsoMoves = HashOf(9, 0, 5);

struct Contents {
  struct Slot {
    uint64_t word = slot::kEmptyWord;
    uint64_t key = 0;    // a hash
    uint64_t alive = 0;  // 0 or 1
  };
  struct Group {
    uint32_t word = growing::kNoWord;
    uint32_t tag = 0;  // 0: the word is not shown
    uint32_t passed = 0;
    uint32_t filling = 0;  // 0 or 1
  };
  uint32_t segments = 1;
  uint32_t hidden = 0;  // 1: an entry found no free word
  std::array<Group, kGroups * kSegments> groups{};
  std::array<Slot, kSlots> slots{};

  std::string FaultAtEnd() const;
};

class Scene;
using Program = std::function<void(Scene*)>;

// The word of one slot.
class SlotPlace {
 public:
  SlotPlace(ReplaySteps<Contents>* steps, uint32_t number)
      : steps_(steps), number_(number) {}

  uint64_t LoadRelaxed() {
    return Change([](uint64_t w) { return w; });
  }
  uint64_t FetchAddAcquire(uint64_t n) {
    return Change([n](uint64_t w) { return w + n; });
  }
  uint64_t FetchSubRelease(uint64_t n) { return FetchAddAcquire(0 - n); }
  uint64_t FetchAndRelaxed(uint64_t bits) {
    return Change([bits](uint64_t w) { return w & bits; });
  }
  void StoreRelease(uint64_t value) {
    steps_->Step([n = number_, value](Contents* c) {
      c->slots[n].word = value;
      return uint64_t{0};
    });
  }
  bool CompareExchangeRelease(uint64_t* expected, uint64_t desired) {
    return CompareExchangeAcquire(expected, desired);
  }
  bool CompareExchangeAcquire(uint64_t* expected, uint64_t desired) {
    const uint64_t wanted = *expected;
    *expected = Change(
        [wanted, desired](uint64_t w) { return w == wanted ? desired : w; });
    return *expected == wanted;
  }

 private:
  template <typename Function>
  uint64_t Change(const Function& change) {
    return steps_->Step([n = number_, change](Contents* c) {
      return std::exchange(c->slots[n].word, change(c->slots[n].word));
    });
  }

  ReplaySteps<Contents>* const steps_;
  const uint32_t number_;
};

// A thread's view, with the operations that growing_steps.h needs.
class Scene : public ReplaySteps<Contents> {
 public:
  using ReplaySteps<Contents>::ReplaySteps;
  static constexpr uint32_t kGroups = internal::kGroups;

  static uint32_t SegmentBits(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 12);
  }
  static uint32_t HomeInSegment(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 8) & 15;
  }
  static uint8_t TagOf(uint64_t hash) { return static_cast<uint8_t>(hash); }

  uint32_t Segments() {
    return Number([](Contents* c) { return c->segments; });
  }
  void SetSegments(uint32_t n) {
    Do([n](Contents* c) { c->segments = n; });
  }
  uint32_t Matches(uint64_t g, uint8_t tag) {
    return Number(
        [g, tag](Contents* c) { return c->groups[g].tag == tag ? 1U : 0U; });
  }
  uint32_t Empty(uint64_t g) { return Matches(g, 0); }
  uint32_t Filled(uint64_t g) { return 1 - Empty(g); }
  uint32_t Word(uint64_t g, uint32_t) {
    return Number([g](Contents* c) { return c->groups[g].word; });
  }
  bool Change(uint64_t g, uint32_t, uint32_t seen, uint32_t desired) {
    return Number([=](Contents* c) {
             uint32_t& word = c->groups[g].word;
             if (word != seen) return 0U;
             word = desired;
             return 1U;
           }) != 0;
  }
  void Put(uint64_t g, uint32_t, uint32_t word) {
    Do([=](Contents* c) { c->groups[g].word = word; });
  }
  // Show must find no tag, and Unshow must find its own tag.
  void Show(uint64_t g, uint32_t, uint8_t tag) {
    Must(ExchangeTag(g, tag) == 0, "a tag is shown on top of another");
  }
  void Unshow(uint64_t g, uint32_t, uint8_t tag) {
    Must(ExchangeTag(g, 0) == tag, "another's tag is taken back");
  }
  uint32_t Passed(uint64_t g) {
    return Number([g](Contents* c) { return c->groups[g].passed; });
  }
  void AddPassed(uint64_t g) {
    Do([g](Contents* c) { ++c->groups[g].passed; });
  }
  void SubPassed(uint64_t g) {
    Do([g](Contents* c) { --c->groups[g].passed; });
  }
  bool IsFilling(uint64_t g) {
    return Number([g](Contents* c) { return c->groups[g].filling; }) != 0;
  }
  void SetFilling(uint64_t g) {
    Do([g](Contents* c) { c->groups[g].filling = 1; });
  }
  void ClearFilling(uint64_t g) {
    Do([g](Contents* c) { c->groups[g].filling = 0; });
  }
  void SpreadToo(const growing::Position&, const growing::Position&) {}

  // --- Entries ---
  SlotPlace SlotAt(uint32_t number) { return {this, number}; }
  void Prefetch(uint64_t) {}
  uint64_t HashOf(uint32_t number) {
    return Step([number](Contents* c) { return c->slots[number].key; });
  }
  bool Hold(uint32_t number) {
    SlotPlace word = SlotAt(number);
    uint64_t before;
    return slot::TakeUncounted(&word, slot::kShareable, &before) !=
           slot::Taken::kNothing;
  }
  void Hide(uint32_t number) {
    SlotPlace word = SlotAt(number);
    slot::Hide(&word);
    Do([](Contents* c) { c->hidden = 1; });
  }
  void LetGo(uint32_t number) { Give(number, slot::kRef); }
  void Give(uint32_t number, uint64_t units) {
    SlotPlace word = SlotAt(number);
    if (slot::Give(&word, units) == slot::Given::kOwned) End(number);
  }
  // Called by the owner.
  void End(uint32_t number) {
    growing::Unlink(this, HashOf(number), number);
    const uint64_t was_alive = Step([number](Contents* c) {
      return uint64_t{std::exchange(c->slots[number].alive, 0)};
    });
    Must(was_alive != 0, "an entry is ended twice");
    SlotPlace word = SlotAt(number);
    slot::Vacate(&word);
  }
  bool Take(uint32_t number, uint64_t key) {
    SlotPlace word = SlotAt(number);
    const slot::Taken taken = slot::Take(&word);
    if (taken == slot::Taken::kNothing) return false;
    if (taken == slot::Taken::kReference && HashOf(number) == key) return true;
    Give(number, slot::kTake);
    return false;
  }
  // Requires that the calling thread owns the slot. Leaves it one reference.
  void Fill(uint32_t number, uint64_t key) {
    Do([=](Contents* c) {
      c->slots[number].key = key;
      c->slots[number].alive = 1;
    });
    SlotPlace word = SlotAt(number);
    slot::Publish(&word, slot::ComingWord(1, slot::StartAt(1)));
    if (!growing::Link(this, key, number)) Hide(number);
  }
  bool Show(uint32_t number, uint64_t given_back) {
    SlotPlace word = SlotAt(number);
    return slot::Show(&word, given_back);
  }

 private:
  uint32_t ExchangeTag(uint64_t g, uint32_t tag) {
    return Number(
        [=](Contents* c) { return std::exchange(c->groups[g].tag, tag); });
  }
  template <typename Function>
  uint32_t Number(const Function& step) {
    return static_cast<uint32_t>(
        Step([step](Contents* c) { return uint64_t{step(c)}; }));
  }
  template <typename Function>
  void Do(const Function& step) {
    Step([step](Contents* c) {
      step(c);
      return uint64_t{0};
    });
  }
};

// --- Conditions at the end ---

std::string Contents::FaultAtEnd() const {
  std::array<uint32_t, kGroups * kSegments> passed{};
  std::array<int, kSlots> words{};
  for (uint32_t g = 0; g < groups.size(); ++g) {
    if (groups[g].filling != 0) return "a segment is left to be filled";
    const uint32_t word = groups[g].word;
    if (word == growing::kNoWord) {
      if (groups[g].tag != 0) return "a tag without a word";
      continue;
    }
    if (growing::IsBusy(word)) return "a word is left busy";
    const uint32_t number = growing::NumberOf(word);
    ++words[number];
    if (slots[number].alive == 0) return "a word without an entry";
    const uint64_t key = slots[number].key;
    if (groups[g].tag != Scene::TagOf(key)) return "a word by another tag";
    const uint32_t segment =
        growing::SegmentOf(Scene::SegmentBits(key), segments);
    if (g / kGroups != segment) return "a word in another segment";
    for (uint32_t at = Scene::HomeInSegment(key); at != g % kGroups;
         at = (at + 1) % kGroups) {
      ++passed[segment * kGroups + at];
    }
  }
  for (uint32_t g = 0; g < groups.size(); ++g) {
    if (groups[g].passed != passed[g]) return "a wrong count of passed words";
  }
  for (uint32_t n = 1; n < kSlots; ++n) {
    const uint64_t word = slots[n].word;
    if (slot::IsEmpty(word)) {
      if (slots[n].alive != 0) return "an entry without a slot";
      continue;
    }
    if (!slot::IsShareable(word)) return "owned by nobody";
    if (slot::Refs(word) != 0) return "references are left";
    const bool must_be_found = hidden == 0 || slot::IsVisible(word);
    if (must_be_found && words[n] != 1) return "an entry without a word";
  }
  return "";
}

// --- What threads do ---

bool LookUp(Scene* scene, uint64_t key) {
  const uint32_t found = growing::Find(
      scene, key, [&](uint32_t number) { return scene->Take(number, key); });
  if (found == growing::kNoSlot) return false;
  Scene::Must(scene->HashOf(found) == key, "another's entry");
  scene->Give(found, slot::kRef);
  return true;
}

// Looks up a key that was there before the threads began and stays.
Program Finds(uint64_t key) {
  return [key](Scene* scene) {
    Scene::Must(LookUp(scene, key), "an entry is hidden from a lookup");
  };
}

Program LooksFor(uint64_t key) {
  return [key](Scene* scene) { static_cast<void>(LookUp(scene, key)); };
}

// Whoever has found a key finds it again, even if it is only being put in.
Program FindsAgain(uint64_t key) {
  return [key](Scene* scene) {
    if (!LookUp(scene, key)) return;
    Scene::Must(LookUp(scene, key), "an entry is hidden from who found it");
  };
}

// Inserts into a free slot of its own. Any lookup that begins afterwards must
// find the entry.
Program Inserts(uint64_t key, uint32_t number) {
  return [key, number](Scene* scene) {
    scene->Fill(number, key);
    if (scene->Show(number, 0)) {
      Scene::Must(LookUp(scene, key), "an entry is hidden from who put it in");
    }
    scene->Give(number, slot::kRef);
  };
}

Program PutsIn(uint64_t key, uint32_t number) {
  return [key, number](Scene* scene) {
    scene->Fill(number, key);
    if (!scene->Show(number, slot::kRef)) scene->Give(number, slot::kRef);
  };
}

void Splits(Scene* scene) { growing::Split(scene, scene); }

// Returns how many entries it hid.
int Erase(Scene* scene, uint64_t key) {
  int hidden = 0;
  static_cast<void>(growing::Find(scene, key, [&](uint32_t number) {
    if (!scene->Take(number, key)) return false;
    SlotPlace word = scene->SlotAt(number);
    slot::Hide(&word);
    scene->Give(number, slot::kRef);
    ++hidden;
    return false;
  }));
  return hidden;
}

Program Erases(uint64_t key) {
  return [key](Scene* scene) {
    static_cast<void>(Erase(scene, key));
    Scene::Must(!LookUp(scene, key), "an erased entry is found");
  };
}

// Whoever has found a key can erase it, even if it is only being put in.
Program ErasesWhatItFinds(uint64_t key) {
  return [key](Scene* scene) {
    if (!LookUp(scene, key)) return;
    Scene::Must(Erase(scene, key) == 1, "an entry is hidden from an erasure");
  };
}

// Evicts the entry in that slot, if possible, and then inserts another one
// there.
Program Evicts(uint32_t number, uint64_t next_key) {
  return [number, next_key](Scene* scene) {
    SlotPlace word = scene->SlotAt(number);
    if (!slot::ClaimUnreferenced(&word)) return;
    scene->End(number);
    if (next_key == 0) return;
    Inserts(next_key, number)(scene);
  };
}

// --- Exploration ---

// Returns an index with these keys in slots 1, 2 and so on, linked in this
// order.
Contents With(const std::vector<uint64_t>& keys) {
  Contents c;
  uint32_t number = 0;
  for (const uint64_t key : keys) {
    c.slots[++number] = {slot::VisibleWord(0, CachePriority::kBottom), key, 1};
    uint32_t at = Scene::HomeInSegment(key);
    while (c.groups[at].word != growing::kNoWord) {
      ++c.groups[at].passed;
      at = (at + 1) % kGroups;
    }
    c.groups[at].word = growing::WordOf(number);
    c.groups[at].tag = Scene::TagOf(key);
  }
  return c;
}

std::string Fault(const Contents& start, const std::vector<Program>& threads) {
  ReplayExplorer<Contents, Scene> explorer(threads);
  std::string fault = explorer.Explore(start);
  EXPECT_GT(explorer.worlds(), 50U);

  return fault;
}

TEST(Growing, ASplitHidesNothingFromLookups) {
  for (const auto& keys :
       std::vector<std::vector<uint64_t>>{{kMoves},
                                          {kStays, kMoves},
                                          {kMoves, kMovesToo},
                                          {kMovesToo, kMoves},
                                          {kMoves, kStays}}) {
    for (const uint64_t key : keys) {
      EXPECT_EQ(Fault(With(keys), {Splits, Finds(key)}), "");
    }
    EXPECT_EQ(Fault(With(keys), {Splits, LooksFor(kAlsoMoves)}), "");
  }
}

TEST(Growing, WhatIsPutInWhileASegmentSplitsIsThere) {
  for (const auto& keys : std::vector<std::vector<uint64_t>>{
           {}, {kStays}, {kMoves}, {kMovesToo}}) {
    for (const uint64_t key : {kAlsoMoves, kMovesToo, kStays}) {
      EXPECT_EQ(Fault(With(keys), {Splits, Inserts(key, 3)}), "");
    }
  }
}

TEST(Growing, WhatIsFoundBeforeItsInsertHasEndedIsFoundAgain) {
  EXPECT_EQ(
      Fault(With({}), {Splits, PutsIn(kAlsoMoves, 3), FindsAgain(kAlsoMoves)}),
      "");
  EXPECT_EQ(
      Fault(With({kStays}), {Splits, PutsIn(kMoves, 3), FindsAgain(kMoves)}),
      "");
}

TEST(Growing, WhatIsFoundBeforeItsInsertHasEndedCanBeErased) {
  EXPECT_EQ(Fault(With({}), {Splits, PutsIn(kAlsoMoves, 3),
                             ErasesWhatItFinds(kAlsoMoves)}),
            "");
}

TEST(Growing, WhatIsErasedOrEvictedLeavesNothing) {
  EXPECT_EQ(Fault(With({kMoves}), {Splits, Erases(kMoves)}), "");
  EXPECT_EQ(Fault(With({kStays}), {Splits, Erases(kStays)}), "");
  for (const auto& keys : std::vector<std::vector<uint64_t>>{
           {kMoves}, {kStays, kMoves}, {kMoves, kMovesToo}}) {
    for (uint32_t n = 1; n <= keys.size(); ++n) {
      EXPECT_EQ(Fault(With(keys), {Splits, Evicts(n, 0)}), "");
    }
  }
}

// The slot's next entry has the same home group, tag or path as the old one.
TEST(Growing, ASlotThatIsUsedAgainIsTheNextEntrys) {
  for (const uint64_t first : {kMoves, kStays}) {
    for (const uint64_t next : {kMoves, kStays, kMovesToo, kAlsoMoves}) {
      EXPECT_EQ(Fault(With({first}), {Splits, Evicts(1, next)}), "");
    }
  }
}

// The segment has two words. The third entry finds no word, unless the split
// was first.
TEST(Growing, WhereASegmentIsFullAnEntryHasNoPlace) {
  EXPECT_EQ(Fault(With({kStays, kMoves}), {Splits, PutsIn(kAlsoMoves, 3)}), "");
}

// Two others take the words of the new segment. The split may have to leave the
// third entry without one before its insert has shown it.
TEST(Growing, AnEntryThatLosesItsPlaceIsNotShown) {
  EXPECT_EQ(Fault(With({kMoves}),
                  {Splits, PutsIn(kAlsoMoves, 2), PutsIn(kMovesToo, 3)}),
            "");
}

TEST(Growing, ThreeThreads) {
  EXPECT_EQ(Fault(With({kMoves}), {Splits, Finds(kMoves), Finds(kMoves)}), "");
  EXPECT_EQ(Fault(With({kMoves}), {Splits, Evicts(1, 0), LooksFor(kMoves)}),
            "");
}

// Split sees a filled word. Then that word is erased, and an insert that knows
// the old number of segments takes its place. Split may find the new word
// before its tag is shown, and must not move it.
TEST(Growing, AWordWhoseTagIsNotShownIsNotMoved) {
  for (const uint64_t next : {kMoves, kAlsoMoves}) {
    EXPECT_EQ(Fault(With({kMoves}), {Splits, Evicts(1, 0), PutsIn(next, 2)}),
              "");
  }
}

// An insert may place a word by an old number of segments. The split that finds
// the word there may be a later one than the split that makes its place wrong.
TEST(Growing, SplitsThatFollowEachOtherHideNothing) {
  const auto splits = [](Scene* scene) {
    Splits(scene);
    Splits(scene);
  };
  for (const uint64_t key : {kMoves, kMovesToo, kStays}) {
    EXPECT_EQ(Fault(With({}), {splits, Inserts(key, 3)}), "");
    EXPECT_EQ(Fault(With({key}), {splits, Finds(key)}), "");
    EXPECT_EQ(Fault(With({key}), {splits, Evicts(1, 0)}), "");
    EXPECT_EQ(Fault(With({key}), {splits, Evicts(1, kAlsoMoves)}), "");
  }
}

TEST(Growing, ASegmentIsItsParentsHalf) {
  for (uint32_t n = 1; n < 200; ++n) {
    for (uint32_t bits = 0; bits < 1024; ++bits) {
      const uint32_t before = growing::SegmentOf(bits, n);
      const uint32_t after = growing::SegmentOf(bits, n + 1);
      ASSERT_LT(before, n);
      if (after != before) {
        ASSERT_EQ(after, n);
        ASSERT_EQ(growing::ParentOf(n), before);
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::internal
