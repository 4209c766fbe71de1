// Runs the threads of the real library one at a time, in an order that a
// Strategy chooses.
//
// A program that links controlled_calls.cc, with the linker's --wrap
// (CMakeLists.txt), calls this at every point of util/sync/schedule_point.h and
// for every function of port/threads.h. So builders, pools and caches run
// unchanged, and what they do depends only on the order of their threads. With
// a WeakMemory, loads may also see older values of words, which the Strategy
// chooses. Otherwise all threads see one order of all steps.
//
// States of a thread, and who changes them:
//   ready     it may be given the turn. A new thread is ready.
//   sleeping  on a word, or until a thread ends. The thread itself goes to
//             sleep. The one that wakes the word, or ends, makes it ready. A
//             timed sleep also ends when nothing else can go on: time passes
//             only then.
//   ended     by the thread itself, after the destructors of its thread_local
//             objects.
//
// Exactly one thread has the turn. It alone runs, and touches what is here. It
// gives the turn away by setting the `turn` word of another thread (release),
// and waits for its own (acquire). So each thread sees what all others did.
//
// A fault is a deadlock, an execution that does not end, or what a scenario
// says. The threads are then in the middle of their work, so a fault ends the
// process. Only for processes that have no other threads.
#ifndef ASHLAR_TEST_SCHEDULES_CONTROLLED_THREADS_H_
#define ASHLAR_TEST_SCHEDULES_CONTROLLED_THREADS_H_

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

namespace ashlar::testing {

inline constexpr uint32_t kMostThreads = 16;
inline constexpr int kFaultExit = 77;  // the exit code after a fault

enum class PointKind : uint8_t {
  kStep,   // the thread is about to touch a word
  kPause,  // it waits for another thread, and would look again
  kSleep,  // it sleeps; it may also be woken for no reason
  kJoin,   // it waits for the end of a thread
  kEnd,    // it has ended
  kLook,   // it loads a word: `current` and `ready` are not threads, but what
           // the load may see, of which 0 is the newest
};

struct SchedulePlace {
  uint64_t number = 0;  // of the point in this execution, from 1
  PointKind kind = PointKind::kStep;
  uint32_t current = 0;
  uint32_t ready = 0;  // a bit for each thread that can go on
};

// The thread that goes on if no strategy interferes: the current one if it can,
// else the next one that is ready. A load sees the newest value.
uint32_t DefaultNext(const SchedulePlace& place);

// A choice that is not the default one.
struct Deviation {
  uint64_t point;
  uint32_t thread;
};

class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  // A thread was started. The first one is 0.
  virtual void Started(uint32_t /*thread*/) {}
  // Returns the thread that goes on: one that is ready, or the current one,
  // which then does not sleep. For any other answer, the default one goes on.
  virtual uint32_t Next(const SchedulePlace& place) = 0;
};

// What is known about an execution. It lies in memory that another process can
// read after a fault.
struct ExecutionLog {
  static constexpr uint32_t kMostDeviations = 1 << 15;

  uint64_t seed = 0;
  uint64_t points = 0;
  uint64_t schedule = 0;  // a hash of who ran when
  uint32_t num_deviations = 0;
  bool lost_deviations = false;
  std::array<Deviation, kMostDeviations> deviations;
  std::array<char, 2048> fault;

  void Clear();
  void SetFault(std::string_view text);
};

// Calls body() as thread 0. All threads that it starts must have ended when it
// returns. `weak`: with a WeakMemory.
void RunControlled(Strategy* strategy, uint64_t most_points, ExecutionLog* log,
                   bool weak, const std::function<void()>& body);

// Logs a fault, and ends the process. To be called in a controlled thread.
[[noreturn]] void ReportFault(std::string_view text);
void Expect(bool holds, std::string_view otherwise);

// Calls work() without points: for what a scenario prepares. Requires: work()
// waits for no thread.
void WithoutPoints(const std::function<void()>& work);

// Note that the calling thread reads or changes data that is not atomic. A
// fault if another access is not ordered before it, and one of the two changes
// the data. Do nothing without a WeakMemory, or outside of controlled threads.
void ReadsData(const void* place);
void ChangesData(const void* place);

// Where a thread stands in a WeakMemory: how many steps of each thread come
// before.
struct WeakMoment {
  uint32_t thread = 0;
  std::array<uint32_t, kMostThreads> steps{};
};
// Whether all that the first thread had done then happens before the second
// moment.
bool ComesBefore(const WeakMoment& first, const WeakMoment& second);
// That of the calling thread. Empty without a WeakMemory, or outside of
// controlled threads.
std::optional<WeakMoment> CurrentMoment();

// Whether the calling thread is a controlled one. If not, the calls of
// controlled_calls.cc go to the real functions.
bool IsControlled();

// What controlled_calls.cc calls. Requires: IsControlled().
void ReachPoint(PointKind kind);
int StartControlled(void* (*run)(void*), void* argument, pthread_t* thread);
void JoinControlled(pthread_t thread);
void SleepControlled(const uint32_t* word, uint32_t expected, bool timed);
void WakeControlled(const uint32_t* word, uint32_t n);
void LockControlled(std::mutex* mutex);
void UnlockControlled(std::mutex* mutex);
uint64_t LoadControlled(const void* word, uint64_t newest,
                        std::memory_order order);
void ChangeControlled(const void* word, uint64_t before, uint64_t after,
                      std::memory_order order, bool reads);
void ReadNewestControlled(const void* word, uint64_t newest,
                          std::memory_order order);
// Also outside of controlled threads.
void BeginWord(const void* word);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SCHEDULES_CONTROLLED_THREADS_H_
