// Scenarios of the block caches: threads that insert, look up, hold, erase and
// evict entries of few keys. Where nothing is evicted, the history of their
// calls must be linearizable (history.h).
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/cache/cache.h"
#include "test/cache/cache_makers.h"
#include "test/cache/counted_values.h"
#include "test/schedules/controlled_threads.h"
#include "test/schedules/history.h"
#include "test/schedules/scenario.h"
#include "test/schedules/strategies.h"

namespace ashlar::testing {

namespace {

constexpr size_t kThreads = 3;
constexpr size_t kCalls = 4;  // of a thread
constexpr uint64_t kKeys = 2;
constexpr size_t kCharge = 10;

// As kCountedOps. The end of a value comes after all that its holders did.
void EndValue(void* value, MemoryAllocator* allocator) {
  ChangesData(value);
  EndCounted(value, allocator);
}
constexpr CacheItemOps kOps = {CacheEntryRole::kDataBlock, EndValue,
                               CountedSize};

// What one thread does: a call, and how long it holds what it gets.
struct PlannedCall {
  enum class Kind : uint8_t {
    kInsert,
    kInsertAndHold,
    kLookup,
    kErase,
    kEraseUnreferenced,
    kResize,
  };
  Kind kind = Kind::kLookup;
  uint64_t key = 0;
  CountedValue* value = nullptr;  // to insert
  bool erases_last = false;       // when it gives its reference back
};

// The work of some threads on one cache. A form decides what they do.
class CacheWork {
 public:
  CacheWork(uint64_t form, bool ample, bool strict)
      : ample_(ample), strict_(strict) {
    ScheduleDice dice(form);
    for (auto& thread : plan_) {
      for (PlannedCall& call : thread) call = Draw(&dice);
    }
  }

  // `others` are threads that use the cache, too.
  void RunOn(Cache* cache, ScenarioThreads* others = nullptr) {
    {
      ScenarioThreads threads;
      for (size_t t = 1; t < kThreads; ++t) {
        threads.Start([this, cache, t] { Work(cache, plan_[t]); });
      }
      Work(cache, plan_[0]);
    }
    if (others != nullptr) others->Join();
    for (uint64_t key = 0; key < kKeys; ++key) {
      CacheHandle* const found = Make(cache, {.key = key});
      if (found != nullptr) GiveBack(cache, found, false);
    }
    Expect(cache->GetPinnedUsage() == 0, "a reference is left");
    size_t charges = 0;
    for (const CountedValue& value : values_.all()) {
      const bool there = value.times_ended == 0 && !IsRefused(value);
      if (there && WasInserted(value)) charges += value.charge;
    }
    Expect(cache->GetUsage() == charges + before_,
           "usage " + std::to_string(cache->GetUsage()) + " is not that of " +
               std::to_string(charges + before_));
    if (ample_) {
      const std::string text = Unexplained(history_);
      Expect(text.empty(), text);
    }
  }

  // Usage by entries that are not of this work.
  void set_usage_before(size_t usage) { before_ = usage; }

  // Requires: the cache is gone.
  void CheckAllEnded() const {
    for (const CountedValue& value : values_.all()) {
      if (!WasInserted(value)) continue;
      const int expected = IsRefused(value) ? 0 : 1;
      Expect(value.times_ended == expected,
             "value " + std::to_string(value.id) + " is ended " +
                 std::to_string(value.times_ended) + " times");
    }
  }

 private:
  using Kind = PlannedCall::Kind;

  struct Begin {
    uint64_t time;
    std::optional<WeakMoment> moment;
  };

  PlannedCall Draw(ScheduleDice* dice) {
    PlannedCall call;
    call.key = dice->Below(kKeys);
    switch (dice->Below(8)) {
      case 0:
      case 1:
        call.kind = Kind::kInsert;
        break;
      case 2:
        call.kind = Kind::kInsertAndHold;
        break;
      case 3:
        call.kind = Kind::kErase;
        break;
      case 4:
        call.kind = ample_ ? Kind::kErase : Kind::kResize;
        break;
      case 5:
        call.kind = ample_ ? Kind::kLookup : Kind::kEraseUnreferenced;
        break;
      default:
        call.kind = Kind::kLookup;
    }
    // A reference that erases its entry is an Erase at some other moment.
    call.erases_last = !ample_ && dice->Below(4) == 0;
    if (call.kind == Kind::kInsert || call.kind == Kind::kInsertAndHold) {
      call.value = values_.Make(KeyOf(call.key), kCharge);
    }
    return call;
  }

  // Keys of these tests are apart from those that fill a table.
  static CacheKey KeyOf(uint64_t key) { return TestKey(1000000 + key); }

  void Work(Cache* cache, const std::array<PlannedCall, kCalls>& calls) {
    CacheHandle* held = nullptr;
    for (const PlannedCall& call : calls) {
      CacheHandle* const got = Make(cache, call);
      if (held != nullptr) GiveBack(cache, std::exchange(held, nullptr), false);
      if (got == nullptr) continue;
      CheckHeld(got, call.key);
      if (call.erases_last) {
        GiveBack(cache, got, true);
      } else {
        held = got;
      }
    }
    if (held != nullptr) GiveBack(cache, held, false);
  }

  // Returns a reference that the thread now has, or null.
  CacheHandle* Make(Cache* cache, const PlannedCall& call) {
    const CacheKey key = KeyOf(call.key);
    const Begin begin{++clock_, CurrentMoment()};
    CacheHandle* handle = nullptr;
    switch (call.kind) {
      case Kind::kInsert:
      case Kind::kInsertAndHold: {
        const bool holds = call.kind == Kind::kInsertAndHold;
        inserted_[call.value->id] = true;
        ChangesData(call.value);  // as one that is made here
        const Status status = cache->Insert(key, call.value, &kOps, kCharge,
                                            holds ? &handle : nullptr);
        Expect(status.ok() || (strict_ && holds), "an insert fails");
        refused_[call.value->id] = !status.ok();
        Log(CacheCall::Kind::kInsert, call, static_cast<int>(call.value->id),
            begin);
        break;
      }
      case Kind::kLookup: {
        handle = cache->Lookup(key);
        const int found = handle == nullptr
                              ? -1
                              : static_cast<int>(CountedValue::Of(handle)->id);
        Log(CacheCall::Kind::kLookup, call, found, begin);
        break;
      }
      case Kind::kErase:
        cache->Erase(key);
        Log(CacheCall::Kind::kErase, call, -1, begin);
        break;
      case Kind::kEraseUnreferenced:
        cache->EraseUnRefEntries();
        break;
      case Kind::kResize:
        cache->SetCapacity(cache->GetCapacity() == kCharge ? 2 * kCharge
                                                           : kCharge);
    }
    return handle;
  }

  void Log(CacheCall::Kind kind, const PlannedCall& call, int value,
           const Begin& begin) {
    history_.push_back({kind, call.key, value, begin.time, ++clock_,
                        begin.moment, CurrentMoment()});
  }

  static void CheckHeld(const CacheHandle* handle, uint64_t key) {
    const CountedValue* const value = CountedValue::Of(handle);
    ReadsData(value);
    Expect(value->key == KeyOf(key), "a lookup finds the value of another key");
    Expect(value->times_ended == 0, "a value has ended that a thread holds");
  }

  static void GiveBack(Cache* cache, CacheHandle* handle, bool erases) {
    const CountedValue* const value = CountedValue::Of(handle);
    ReadsData(value);
    Expect(value->times_ended == 0, "a value ended while a thread held it");
    cache->Release(handle, erases);
  }

  bool WasInserted(const CountedValue& value) const {
    return inserted_[value.id];
  }
  bool IsRefused(const CountedValue& value) const { return refused_[value.id]; }

  const bool ample_;
  const bool strict_;
  size_t before_ = 0;
  CountedValues values_;
  std::array<std::array<PlannedCall, kCalls>, kThreads> plan_;
  // By the numbers of values. One thread runs at a time.
  std::array<bool, kThreads * kCalls> inserted_{};
  std::array<bool, kThreads * kCalls> refused_{};
  std::vector<CacheCall> history_;
  uint64_t clock_ = 0;
};

void WorkOn(CacheMaker::Make make, uint64_t form) {
  constexpr size_t kAmple = 100 * kCharge;
  const bool ample = form % 2 == 0;
  const bool strict = form % 4 == 3;
  CacheWork work(form, ample, strict);
  std::shared_ptr<Cache> cache;
  WithoutPoints([&] {
    cache = make({.capacity = ample ? kAmple : 2 * kCharge,
                  .strict = strict,
                  .entry_charge = kCharge},
                 0)
                .value();
  });
  work.RunOn(cache.get());
  WithoutPoints([&] { cache.reset(); });
  work.CheckAllEnded();
}

void Lru(uint64_t form) { WorkOn(MakeLru, form); }
void Clock(uint64_t form) { WorkOn(MakeClock, form); }
void Growing(uint64_t form) { WorkOn(MakeAutoClock, form); }
void Admission(uint64_t form) { WorkOn(MakeAdmission, form); }
void GrowingAdmission(uint64_t form) { WorkOn(MakeAutoAdmission, form); }

// The table of a growing cache splits while the threads work. One thread does
// nothing but insert: what it begins by the old number of segments, it ends by
// the new one. About half of what it inserts belongs to the new segment.
void Splitting(uint64_t form) {
  constexpr uint64_t kMore = 6;
  constexpr uint64_t kLooks = 16;
  constexpr CacheItemOps kNoOps{};
  constexpr size_t kFull = 1 << 20;
  CacheWork work(form, true, false);
  std::shared_ptr<Cache> cache;
  uint64_t filled = 0;
  const auto insert = [&](uint64_t n) {
    return cache->Insert(TestKey(n), nullptr, &kNoOps, 1).ok();
  };
  WithoutPoints([&] {
    // Just before a split: the table of another cache that is filled the same
    // way says when.
    const auto make = [&] {
      cache = MakeAutoClock({.capacity = kFull, .entry_charge = 1}, 0).value();
      return cache->GetTableAddressCount();
    };
    const size_t slots = make();
    while (cache->GetTableAddressCount() == slots) {
      Expect(insert(filled++), "an insert fails");
    }
    make();
    filled -= 1 + form % 3;
    for (uint64_t n = 0; n < filled; ++n) Expect(insert(n), "an insert fails");
  });
  work.set_usage_before(filled + kMore);
  const auto expect_there = [&](uint64_t n, const char* otherwise) {
    CacheHandle* const found = cache->Lookup(TestKey(n));
    Expect(found != nullptr, otherwise);
    cache->Release(found);
  };
  ScenarioThreads threads;
  threads.Start([&] {
    for (uint64_t n = form; n < filled; n += filled / kLooks) {
      expect_there(n, "a split hides an entry");
    }
  });
  threads.Start([&] {
    for (uint64_t n = filled; n < filled + kMore; ++n) {
      Expect(insert(n), "an insert fails");
      expect_there(n, "a split hides what was just inserted");
    }
  });
  work.RunOn(cache.get(), &threads);
  WithoutPoints([&] {
    for (uint64_t n = 0; n < filled + kMore; ++n) {
      expect_there(n, "a split has lost an entry");
    }
    cache.reset();
  });
  work.CheckAllEnded();
}

constexpr std::array kScenarios = {
    Scenario{"lru", &Lru},
    Scenario{"clock", &Clock},
    Scenario{"growing", &Growing},
    Scenario{"splitting", &Splitting},
    Scenario{"admission", &Admission},
    Scenario{"growing_admission", &GrowingAdmission},
};

}  // namespace

std::span<const Scenario> CacheScenarios() { return kScenarios; }

}  // namespace ashlar::testing
