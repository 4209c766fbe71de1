// Pieces of work that are right where all threads see one order of all steps,
// and wrong where memory is weaker, each beside one with the orders that it
// needs. The campaign must tell them apart (weak_memory_test.cc).
#include <array>

#include "test/schedules/controlled_threads.h"
#include "test/schedules/scenario.h"
#include "test/schedules/shared_data.h"
#include "util/sync/atomic.h"
#include "util/sync/one_order_atomic.h"

namespace ashlar::testing {

namespace {

using internal::AcqRelAtomic;
using internal::OneOrderAtomic;
using internal::RelaxedAtomic;

void Raise(RelaxedAtomic<uint32_t>* word) { word->Store(1); }
void Raise(AcqRelAtomic<uint32_t>* word) { word->Store(1); }
void Raise(OneOrderAtomic<uint32_t>* word) { word->Exchange(1); }

// One thread writes data and then says so.
template <template <typename> typename Flag>
void Publish(uint64_t /*form*/) {
  SharedData<int> data(0);
  Flag<uint32_t> flag{0};
  ScenarioThreads threads;
  threads.Start([&] {
    data.Set(7);
    Raise(&flag);
  });
  if (flag.Load() == 1) Expect(data.Get() == 7, "the data is not there");
}

// The same with a word in place of the data.
template <template <typename> typename Flag>
void PublishWord(uint64_t /*form*/) {
  RelaxedAtomic<uint32_t> data{0};
  Flag<uint32_t> flag{0};
  ScenarioThreads threads;
  threads.Start([&] {
    data.Store(7);
    Raise(&flag);
  });
  if (flag.Load() == 1) Expect(data.Load() == 7, "the word is not there");
}

// Each of two threads raises its flag, and enters if the other's is down.
template <template <typename> typename Flag>
void Enter(uint64_t /*form*/) {
  std::array<Flag<uint32_t>, 2> flags{Flag<uint32_t>(0), Flag<uint32_t>(0)};
  std::array<RelaxedAtomic<uint32_t>, 2> inside;
  const auto enter = [&](size_t me) {
    Raise(&flags[me]);
    if (flags[1 - me].Load() == 0) inside[me].Store(1);
  };
  ScenarioThreads threads;
  threads.Start([&] { enter(1); });
  enter(0);
  threads.Join();
  Expect(inside[0].Load() + inside[1].Load() < 2, "both are inside");
}

// Two readers see two changes in two orders.
template <template <typename> typename Word>
void TwoReaders(uint64_t /*form*/) {
  std::array<Word<uint32_t>, 2> words{Word<uint32_t>(0), Word<uint32_t>(0)};
  std::array<bool, 2> first_only{};
  const auto read = [&](size_t first) {
    first_only[first] =
        words[first].Load() == 1 && words[1 - first].Load() == 0;
  };
  ScenarioThreads threads;
  threads.Start([&] { Raise(&words[0]); });
  threads.Start([&] { Raise(&words[1]); });
  threads.Start([&] { read(1); });
  read(0);
  threads.Join();
  Expect(!first_only[0] || !first_only[1], "two orders of two changes");
}

constexpr std::array kScenarios = {
    Scenario{"publish", &Publish<RelaxedAtomic>},
    Scenario{"publish_kept", &Publish<AcqRelAtomic>},
    Scenario{"publish_stronger_kept", &Publish<OneOrderAtomic>},
    Scenario{"publish_word", &PublishWord<RelaxedAtomic>},
    Scenario{"publish_word_kept", &PublishWord<AcqRelAtomic>},
    Scenario{"enter", &Enter<AcqRelAtomic>},
    Scenario{"enter_kept", &Enter<OneOrderAtomic>},
    Scenario{"two_readers", &TwoReaders<AcqRelAtomic>},
    Scenario{"two_readers_kept", &TwoReaders<OneOrderAtomic>},
};

}  // namespace

std::span<const Scenario> WeakScenarios() { return kScenarios; }

}  // namespace ashlar::testing
