#include "test/schedules/controlled_threads.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "test/schedules/weak_memory.h"

namespace ashlar::testing {

namespace {

enum class ThreadState : uint8_t { kReady, kSleeping, kEnded };

struct ControlledThread {
  ThreadState state = ThreadState::kReady;
  bool timed = false;
  const void* sleeps_on = nullptr;  // a word, or a ControlledThread
  uint64_t asleep_since = 0;        // the number of a point
  pthread_t handle{};
  void* (*run)(void*) = nullptr;
  void* argument = nullptr;
  std::atomic<uint32_t> turn = 0;
};

struct Execution {
  Strategy* strategy = nullptr;
  ExecutionLog* log = nullptr;
  uint64_t most_points = 0;
  uint32_t num_threads = 0;
  uint32_t current = 0;
  uint32_t idle_wakes = 0;  // timed sleeps in a row that nothing else ended
  std::array<ControlledThread, kMostThreads> threads;
  std::optional<WeakMemory> weak;
};

// One execution at a time.
Execution* execution = nullptr;
thread_local ControlledThread* self = nullptr;

uint32_t* TurnWord(ControlledThread* thread) {
  return reinterpret_cast<uint32_t*>(&thread->turn);
}

void GiveTurn(ControlledThread* thread) {
  thread->turn.store(1, std::memory_order_release);
  ::syscall(SYS_futex, TurnWord(thread), FUTEX_WAKE_PRIVATE, 1, nullptr,
            nullptr, 0);
}

void AwaitTurn(ControlledThread* thread) {
  while (thread->turn.exchange(0, std::memory_order_acquire) == 0) {
    ::syscall(SYS_futex, TurnWord(thread), FUTEX_WAIT_PRIVATE, 0, nullptr,
              nullptr, 0);
  }
}

uint32_t ReadyThreads() {
  uint32_t ready = 0;
  for (uint32_t i = 0; i < execution->num_threads; ++i) {
    if (execution->threads[i].state == ThreadState::kReady) ready |= 1U << i;
  }
  return ready;
}

std::string NamesOfThreads() {
  std::string text;
  for (uint32_t i = 0; i < execution->num_threads; ++i) {
    const ControlledThread& thread = execution->threads[i];
    text += "; thread " + std::to_string(i);
    switch (thread.state) {
      case ThreadState::kReady:
        text += " is ready";
        break;
      case ThreadState::kSleeping:
        text += " sleeps since point " + std::to_string(thread.asleep_since);
        break;
      case ThreadState::kEnded:
        text += " has ended";
    }
  }
  return text;
}

// Ends the timed sleep that began first. Returns false if there is none.
bool LetTimePass() {
  // The watchdog of a pool ends the process before this (util/sync/watchdog.h).
  constexpr uint32_t kMostIdleWakes = 2000;
  ControlledThread* first = nullptr;
  for (uint32_t i = 0; i < execution->num_threads; ++i) {
    ControlledThread& thread = execution->threads[i];
    if (thread.state != ThreadState::kSleeping || !thread.timed) continue;
    if (first == nullptr || thread.asleep_since < first->asleep_since) {
      first = &thread;
    }
  }
  if (first == nullptr) return false;
  if (++execution->idle_wakes > kMostIdleWakes) {
    ReportFault("nothing but timed sleeps goes on" + NamesOfThreads());
  }
  first->state = ThreadState::kReady;
  return true;
}

void LogDeviation(const SchedulePlace& place, uint32_t next) {
  ExecutionLog* const log = execution->log;
  if (next == DefaultNext(place)) return;
  if (log->num_deviations == ExecutionLog::kMostDeviations) {
    log->lost_deviations = true;
    return;
  }
  log->deviations[log->num_deviations++] = {place.number, next};
}

uint32_t Choose(const SchedulePlace& place) {
  const uint32_t next = execution->strategy->Next(place);
  const bool does_not_sleep =
      place.kind == PointKind::kSleep && next == place.current;
  const bool may =
      next < kMostThreads && ((place.ready >> next & 1) != 0 || does_not_sleep);
  return may ? next : DefaultNext(place);
}

void HashChoice(uint64_t choice) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  ExecutionLog* const log = execution->log;
  log->schedule =
      (log->schedule ^ (log->points * kMostThreads + choice)) * kOdd;
  log->schedule ^= log->schedule >> 29;
}

// Counts a point, which an execution has a limited number of.
void CountPoint() {
  ExecutionLog* const log = execution->log;
  if (++log->points <= execution->most_points) return;
  ReportFault("no end after " + std::to_string(log->points) + " points" +
              NamesOfThreads());
}

// Returns which of `options` values a load sees.
uint32_t ChooseSeen(uint32_t options) {
  CountPoint();
  const SchedulePlace place{execution->log->points, PointKind::kLook, 0,
                            (1U << options) - 1};
  const uint32_t chosen = Choose(place);
  LogDeviation(place, chosen);
  if (chosen != 0) HashChoice(chosen);
  return chosen;
}

// Gives the turn to the thread that the strategy chooses. Returns when the
// calling thread has it again, or at once if it has ended.
void PassTurn(PointKind kind) {
  CountPoint();
  const uint32_t me = execution->current;
  uint32_t ready = ReadyThreads();
  if (kind == PointKind::kStep) execution->idle_wakes = 0;
  const bool waits_alone = kind == PointKind::kPause && ready == 1U << me;
  if (ready == 0 || waits_alone) {
    if (!LetTimePass() && ready == 0) {
      ReportFault("deadlock" + NamesOfThreads());
    }
    ready = ReadyThreads();
  }
  const SchedulePlace place{execution->log->points, kind, me, ready};
  const uint32_t next = Choose(place);
  LogDeviation(place, next);
  if (next == me) return;
  HashChoice(next);
  execution->current = next;
  ControlledThread* const mine = &execution->threads[me];
  GiveTurn(&execution->threads[next]);
  if (kind != PointKind::kEnd) AwaitTurn(mine);
}

void MakeReady(ControlledThread* thread) {
  thread->state = ThreadState::kReady;
  thread->sleeps_on = nullptr;
}

// The destructor of the key below, which runs after those of thread_local
// objects.
void EndThread(void* thread) {
  auto* const ended = static_cast<ControlledThread*>(thread);
  ended->state = ThreadState::kEnded;
  for (uint32_t i = 0; i < execution->num_threads; ++i) {
    ControlledThread& other = execution->threads[i];
    if (other.state == ThreadState::kSleeping && other.sleeps_on == ended) {
      MakeReady(&other);
    }
  }
  self = nullptr;
  PassTurn(PointKind::kEnd);
}

pthread_key_t EndKey() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    ::pthread_key_create(&made, &EndThread);
    return made;
  }();
  return key;
}

void* RunThread(void* thread) {
  auto* const mine = static_cast<ControlledThread*>(thread);
  ::pthread_setspecific(EndKey(), mine);
  AwaitTurn(mine);
  self = mine;
  return mine->run(mine->argument);
}

}  // namespace

uint32_t DefaultNext(const SchedulePlace& place) {
  const uint32_t mine = 1U << place.current;
  if (place.kind == PointKind::kStep || place.kind == PointKind::kLook) {
    return place.current;
  }
  const uint32_t others = place.ready & ~mine;
  if (others == 0) return place.current;
  const uint32_t later = others & ~(mine - 1);
  return static_cast<uint32_t>(__builtin_ctz(later != 0 ? later : others));
}

void ExecutionLog::Clear() {
  points = 0;
  schedule = 0;
  num_deviations = 0;
  lost_deviations = false;
  fault[0] = '\0';
}

void ExecutionLog::SetFault(std::string_view text) {
  const size_t size = std::min(text.size(), fault.size() - 1);
  std::memcpy(fault.data(), text.data(), size);
  fault[size] = '\0';
}

void RunControlled(Strategy* strategy, uint64_t most_points, ExecutionLog* log,
                   bool weak, const std::function<void()>& body) {
  EndKey();
  const auto made = std::make_unique<Execution>();
  if (weak) made->weak.emplace(&ChooseSeen);
  made->strategy = strategy;
  made->log = log;
  made->most_points = most_points;
  made->num_threads = 1;
  log->Clear();
  execution = made.get();
  self = made->threads.data();
  strategy->Started(0);
  body();
  for (uint32_t i = 1; i < made->num_threads; ++i) {
    Expect(made->threads[i].state == ThreadState::kEnded,
           "a thread runs on after the scenario");
  }
  self = nullptr;
  execution = nullptr;
}

void ReportFault(std::string_view text) {
  execution->log->SetFault(text);
  ::_exit(kFaultExit);
}

void Expect(bool holds, std::string_view otherwise) {
  if (!holds) ReportFault(otherwise);
}

void WithoutPoints(const std::function<void()>& work) {
  ControlledThread* const me = std::exchange(self, nullptr);
  work();
  self = me;
}

bool IsControlled() { return self != nullptr; }

void ReachPoint(PointKind kind) { PassTurn(kind); }

int StartControlled(void* (*run)(void*), void* argument, pthread_t* thread) {
  Expect(execution->num_threads < kMostThreads, "too many threads");
  const uint32_t index = execution->num_threads;
  ControlledThread& made = execution->threads[index];
  made.run = run;
  made.argument = argument;
  const int error = ::pthread_create(&made.handle, nullptr, &RunThread, &made);
  if (error != 0) return error;
  ++execution->num_threads;
  *thread = made.handle;
  if (execution->weak) execution->weak->Start(execution->current, index);
  execution->strategy->Started(index);
  PassTurn(PointKind::kStep);
  return 0;
}

void JoinControlled(pthread_t thread) {
  for (uint32_t i = 0; i < execution->num_threads; ++i) {
    ControlledThread& other = execution->threads[i];
    if (i == 0 || ::pthread_equal(other.handle, thread) == 0) continue;
    if (other.state != ThreadState::kEnded) {
      self->state = ThreadState::kSleeping;
      self->timed = false;
      self->sleeps_on = &other;
      self->asleep_since = execution->log->points;
      PassTurn(PointKind::kJoin);
    }
    Expect(other.state == ThreadState::kEnded, "joined too early");
    if (execution->weak) execution->weak->Join(execution->current, i);
    other.handle = pthread_t();
    ::pthread_join(thread, nullptr);
    return;
  }
  ReportFault("a thread is joined that nobody has started");
}

void SleepControlled(const uint32_t* word, uint32_t expected, bool timed) {
  PassTurn(PointKind::kStep);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected) return;
  self->state = ThreadState::kSleeping;
  self->timed = timed;
  self->sleeps_on = word;
  self->asleep_since = execution->log->points;
  PassTurn(PointKind::kSleep);
  MakeReady(self);
}

// Wakes those that have slept longest.
void WakeControlled(const uint32_t* word, uint32_t n) {
  PassTurn(PointKind::kStep);
  for (; n > 0; --n) {
    ControlledThread* first = nullptr;
    for (uint32_t i = 0; i < execution->num_threads; ++i) {
      ControlledThread& thread = execution->threads[i];
      if (thread.state != ThreadState::kSleeping || thread.sleeps_on != word) {
        continue;
      }
      if (first == nullptr || thread.asleep_since < first->asleep_since) {
        first = &thread;
      }
    }
    if (first == nullptr) return;
    MakeReady(first);
  }
}

void LockControlled(std::mutex* mutex) {
  while (!mutex->try_lock()) PassTurn(PointKind::kPause);
  if (execution->weak) execution->weak->Lock(execution->current, mutex);
}

void UnlockControlled(std::mutex* mutex) {
  if (execution->weak) execution->weak->Unlock(execution->current, mutex);
  mutex->unlock();
}

uint64_t LoadControlled(const void* word, uint64_t newest,
                        std::memory_order order) {
  if (!execution->weak) return newest;
  return execution->weak->Load(execution->current, word, newest, order);
}

void ChangeControlled(const void* word, uint64_t before, uint64_t after,
                      std::memory_order order, bool reads) {
  if (!execution->weak) return;
  execution->weak->Change(execution->current, word, before, after, order,
                          reads);
}

void ReadNewestControlled(const void* word, uint64_t newest,
                          std::memory_order order) {
  if (!execution->weak) return;
  execution->weak->ReadNewest(execution->current, word, newest, order);
}

void BeginWord(const void* word) {
  if (execution != nullptr && execution->weak) execution->weak->Begin(word);
}

bool ComesBefore(const WeakMoment& first, const WeakMoment& second) {
  return first.steps[first.thread] <= second.steps[first.thread];
}

std::optional<WeakMoment> CurrentMoment() {
  if (!IsControlled() || !execution->weak) return std::nullopt;
  return execution->weak->MomentOf(execution->current);
}

void ReadsData(const void* place) {
  if (!IsControlled() || !execution->weak) return;
  Expect(execution->weak->ReadData(execution->current, place),
         "data is read that another thread may be changing");
}

void ChangesData(const void* place) {
  if (!IsControlled() || !execution->weak) return;
  Expect(execution->weak->WriteData(execution->current, place),
         "data is changed that another thread may be using");
}

}  // namespace ashlar::testing
