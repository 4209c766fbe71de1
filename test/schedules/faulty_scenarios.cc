// Pieces of work that are wrong in some schedules only. The campaign must find
// each of them (campaign_test.cc).
#include <array>
#include <memory>

#include "ashlar/util/sync/mutex.h"
#include "port/threads.h"
#include "test/schedules/controlled_threads.h"
#include "test/schedules/scenario.h"
#include "util/sync/atomic.h"

namespace ashlar::testing {

namespace {

using internal::AcqRelAtomic;

void AddOne(AcqRelAtomic<uint32_t>* word) { word->Store(word->Load() + 1); }

// Adds without a compare-exchange.
void LostUpdate(uint64_t /*form*/) {
  AcqRelAtomic<uint32_t> word{0};
  {
    ScenarioThreads threads;
    threads.Start([&] { AddOne(&word); });
    AddOne(&word);
  }
  Expect(word.Load() == 2, "an addition is lost");
}

// Needs three switches at the right places.
void DeepOrder(uint64_t /*form*/) {
  AcqRelAtomic<uint32_t> a{0};
  AcqRelAtomic<uint32_t> b{0};
  bool met = false;
  {
    ScenarioThreads threads;
    threads.Start([&] {
      a.Store(1);
      if (b.Load() == 1) a.Store(2);
    });
    if (a.Load() == 1) b.Store(1);
    met = b.Load() == 1 && a.Load() == 2;
  }
  Expect(!met, "the rare order");
}

// Sleeps on a word that was woken before.
void LostWake(uint64_t /*form*/) {
  static uint32_t word;
  __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
  AcqRelAtomic<uint32_t> ready{0};
  ScenarioThreads threads;
  threads.Start([&] {
    ready.Store(1);
    port::FutexWake(&word, 1);
  });
  if (ready.Load() == 0) port::FutexWait(&word, 0);
}

// Does not look again after it was woken.
void EarlyWake(uint64_t /*form*/) {
  static uint32_t word;
  __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
  ScenarioThreads threads;
  threads.Start([&] {
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    port::FutexWake(&word, 1);
  });
  port::FutexWait(&word, 0);
  Expect(__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 1, "woken for nothing");
}

// Two locks in two orders.
void TwoLocks(uint64_t /*form*/) {
  internal::Mutex first;
  internal::Mutex second;
  const auto lock_both = [](internal::Mutex* a, internal::Mutex* b) {
    const internal::MutexLock lock_a(a);
    const internal::MutexLock lock_b(b);
  };
  ScenarioThreads threads;
  threads.Start([&] { lock_both(&first, &second); });
  lock_both(&second, &first);
}

// Waits for what no thread does.
void NoEnd(uint64_t /*form*/) {
  AcqRelAtomic<uint32_t> word{0};
  ScenarioThreads threads;
  threads.Start([&] {
    if (word.Load() == 1) word.Store(2);
  });
  word.Store(1);
  uint32_t seen = 1;
  static_cast<void>(word.CompareExchange(&seen, 0));
  while (word.Load() == 2) port::YieldThread();
}

constexpr std::array kScenarios = {
    Scenario{"lost_update", &LostUpdate}, Scenario{"deep_order", &DeepOrder},
    Scenario{"lost_wake", &LostWake},     Scenario{"early_wake", &EarlyWake},
    Scenario{"two_locks", &TwoLocks},     Scenario{"no_end", &NoEnd},
};

}  // namespace

std::span<const Scenario> FaultyScenarios() { return kScenarios; }

}  // namespace ashlar::testing
