// Scenarios of util/sync and of what hands entries from thread to thread.
#include <algorithm>
#include <array>
#include <memory>

#include "ashlar/cache/concurrent_write_buffer.h"
#include "ashlar/util/status.h"
#include "ashlar/util/sync/reader_gate.h"
#include "test/schedules/controlled_threads.h"
#include "test/schedules/scenario.h"
#include "test/schedules/shared_data.h"
#include "util/sync/atomic.h"
#include "util/sync/bell.h"
#include "util/sync/claims.h"
#include "util/sync/late_part.h"
#include "util/sync/semaphore.h"

namespace ashlar::testing {

namespace {

using internal::AcqRelAtomic;
using internal::Claims;
using internal::CountingSemaphore;
using internal::LatePart;
using internal::ReaderGate;

void Late(uint64_t form) {
  LatePart<SharedData<int>> part;
  int loads = 0;
  int loading = 0;
  const auto load = [&](std::unique_ptr<SharedData<int>>* made) {
    Expect(++loading == 1, "two threads load at once");
    internal::LookPoint();
    --loading;
    if (++loads == 1 && form % 2 != 0) return Status::IOError("the first load");
    *made = std::make_unique<SharedData<int>>(7);
    return Status();
  };
  const auto need = [&] {
    SharedData<int>* seen = nullptr;
    for (int i = 0; i < 2; ++i) {
      const Status status = part.Need(load, &seen);
      Expect(status.ok() == (seen != nullptr), "neither part nor error");
      if (seen != nullptr) Expect(seen->Get() == 7, "a part is not complete");
    }
    Expect(seen != nullptr, "two loads failed");
  };
  ScenarioThreads threads;
  threads.Start(need);
  threads.Start(need);
  need();
  threads.Join();
  Expect(loads == 1 + static_cast<int>(form % 2), "a part is loaded twice");
}

// One thread does a thing. The other threads wait until it is done.
void ClaimThings(uint64_t form) {
  std::unique_ptr<Claims> claims;
  WithoutPoints([&] { claims = std::make_unique<Claims>(); });
  struct Thing {
    SharedData<int> doing{0};
    AcqRelAtomic<uint32_t> done{0};
  };
  std::array<Thing, 2> things;
  const auto work = [&](uint64_t first) {
    for (uint64_t i = 0; i < things.size(); ++i) {
      const uint64_t number = (first + i) % things.size();
      Thing& thing = things[number];
      while (thing.done.Load() == 0) {
        switch (claims->Claim(number)) {
          case Claims::Turn::kMine:
          case Claims::Turn::kMineAgain:
            Expect(thing.doing.Get() == 0, "two threads have one claim");
            thing.doing.Set(1);
            thing.done.Store(1);
            thing.doing.Set(0);
            claims->Finish(number);
            break;
          case Claims::Turn::kAnothers:
            claims->Await(number);
            break;
          case Claims::Turn::kNoPlace:
            Expect(false, "there is no place for a claim");
        }
      }
    }
  };
  ScenarioThreads threads;
  threads.Start([&] { work(form % 2); });
  threads.Start([&] { work(form / 2 % 2); });
  work(0);
}

// A writer replaces what readers read, and ends it when they are out.
void Gate(uint64_t form) {
  ReaderGate gate;
  std::array<SharedData<bool>, 3> ended{SharedData(false), SharedData(false),
                                        SharedData(false)};
  AcqRelAtomic<uint32_t> current{0};
  const auto read = [&] {
    for (uint64_t i = 0; i < 1 + form % 2; ++i) {
      const ReaderGate::Pass pass(&gate);
      const SharedData<bool>& shown = ended[current.Load()];
      internal::LookPoint();
      Expect(!shown.Get(), "what a reader reads has ended");
    }
  };
  ScenarioThreads threads;
  threads.Start(read);
  threads.Start(read);
  for (uint32_t i = 1; i < ended.size(); ++i) {
    current.Store(i);
    gate.WaitForReaders();
    ended[i - 1].Set(true);
  }
}

void Semaphore(uint64_t form) {
  CountingSemaphore semaphore;
  AcqRelAtomic<uint32_t> given{0};
  AcqRelAtomic<uint32_t> taken{0};
  const auto count = [](AcqRelAtomic<uint32_t>* word) {
    uint32_t seen = word->Load();
    while (!word->CompareExchange(&seen, seen + 1)) {
    }
    return seen + 1;
  };
  const auto take = [&] {
    semaphore.Acquire();
    const uint32_t mine = count(&taken);
    Expect(mine <= given.Load(), "more is taken than was given");
  };
  ScenarioThreads threads;
  threads.Start([&] {
    take();
    if (form % 2 != 0) take();
  });
  threads.Start(take);
  threads.Start([&] {
    count(&given);
    semaphore.Release();
  });
  count(&given);
  if (form % 2 != 0) count(&given);
  semaphore.Release(1 + static_cast<uint32_t>(form % 2));
}

void Bell(uint64_t form) {
  internal::Bell bell;
  AcqRelAtomic<uint32_t> news{0};
  const auto wait = [&] {
    for (;;) {
      const uint32_t seen = bell.Count();
      if (news.Load() == 1) return;
      if (form % 2 == 0) {
        bell.Wait(seen);
      } else {
        bell.WaitFor(seen, 1);
      }
    }
  };
  ScenarioThreads threads;
  threads.Start(wait);
  threads.Start(wait);
  news.Store(1);
  bell.Ring();
}

// Entries so large that a block has room for two.
struct LargeEntry {
  uint32_t number = 0;
  std::array<char, 1900> rest;
};

void WriteBuffer(uint64_t form) {
  using Buffer = ConcurrentWriteBuffer<LargeEntry>;
  using WhenFull = WriteBufferOptions::WhenFull;
  constexpr uint32_t kThreads = 3;
  constexpr uint32_t kEach = 3;
  static_assert(Buffer::kBlockEntries == 2);
  std::array<int, kThreads * kEach> came{};
  int inside = 0;
  const auto sink = [&](std::span<const LargeEntry> entries) {
    Expect(++inside == 1, "two threads are in the sink");
    internal::LookPoint();
    ChangesData(&inside);
    for (const LargeEntry& entry : entries) {
      ChangesData(&came[entry.number]);
      ++came[entry.number];
    }
    --inside;
  };
  const bool waits = form % 2 == 0;
  std::unique_ptr<Buffer> buffer;
  WithoutPoints([&] {
    buffer =
        Buffer::Make({.shards = 1 + static_cast<uint32_t>(form / 2 % 2),
                      .when_full = waits ? WhenFull::kWait : WhenFull::kDrop},
                     sink)
            .value();
  });
  std::array<int, came.size()> kept{};
  const auto record = [&](uint32_t thread) {
    for (uint32_t i = thread * kEach; i < (thread + 1) * kEach; ++i) {
      kept[i] = buffer->Record({.number = i, .rest = {}}) ? 1 : 0;
      Expect(kept[i] == 1 || !waits, "an entry is dropped");
    }
    if (form % 8 < 4) buffer->Flush();
    for (uint32_t i = thread * kEach; form % 8 < 4 && i < (thread + 1) * kEach;
         ++i) {
      ReadsData(&came[i]);
      Expect(came[i] == kept[i], "what was recorded is not flushed");
    }
  };
  ScenarioThreads threads;
  threads.Start([&] { record(1); });
  threads.Start([&] { record(2); });
  record(0);
  threads.Join();
  buffer->Flush();
  Expect(came == kept, "an entry is lost, or came twice");
  Expect(buffer->dropped() == came.size() - static_cast<size_t>(std::count(
                                                kept.begin(), kept.end(), 1)),
         "the wrong number of dropped entries");
}

constexpr std::array kScenarios = {
    Scenario{"late", &Late}, Scenario{"claims", &ClaimThings},
    Scenario{"gate", &Gate}, Scenario{"semaphore", &Semaphore},
    Scenario{"bell", &Bell}, Scenario{"buffer", &WriteBuffer},
};

}  // namespace

std::span<const Scenario> SyncScenarios() { return kScenarios; }

}  // namespace ashlar::testing
