// What threads may see of words where memory is weaker than one order of all
// steps: the rules of C++20 for atomic objects, for executions that the
// controlled threads make (controlled_threads.h).
//
// Changes take effect in the order in which they are executed, so each word has
// its changes in one order. A load need not see the newest one:
//
//   - Not older than a change that happens before the load, and not older than
//     what a load has seen that happens before it.
//   - If it is sequentially consistent: not older than the newest change that
//     is, too, or that a load saw which is.
//   - A read-modify-write, also a compare-exchange that fails, sees the newest.
//
// A load that acquires, and sees a change that releases, or one of the
// read-modify-writes that follow it, comes after all that the releasing thread
// did before. Starting and joining a thread orders likewise, and so does a
// mutex. Nothing else does, so that a missing order shows.
//
// This is narrower than C++, so it may miss a fault:
//
//   - Changes of one word are ordered as they are executed, and no value is
//     read before it is written.
//   - A compare-exchange that fails sees the newest value, and a weak one does
//     not fail for no reason.
//   - A load sees none but the last 8 changes of a word. All threads may see
//     the first value of a word, also if nothing orders them after the thread
//     that made the word.
//   - A mutex in the memory of an older one orders what that one did.
//
// Data that is not atomic is seen as it is. SharedData says which accesses
// nothing keeps apart.
//
// For the thread that has the turn.
#ifndef ASHLAR_TEST_SCHEDULES_WEAK_MEMORY_H_
#define ASHLAR_TEST_SCHEDULES_WEAK_MEMORY_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "test/schedules/controlled_threads.h"

namespace ashlar::testing {

class WeakMemory {
 public:
  // Returns which of `options` values a load sees: 0 is the newest, 1 the one
  // before, and so on.
  using Choose = std::function<uint32_t(uint32_t options)>;

  explicit WeakMemory(Choose choose) : choose_(std::move(choose)) {}
  WeakMemory(const WeakMemory&) = delete;
  WeakMemory& operator=(const WeakMemory&) = delete;

  void Start(uint32_t thread, uint32_t started);
  void Join(uint32_t thread, uint32_t ended);
  void Lock(uint32_t thread, const void* mutex);
  void Unlock(uint32_t thread, const void* mutex);

  // Those of util/sync/shared_word.h, of a thread.
  uint64_t Load(uint32_t thread, const void* word, uint64_t newest,
                std::memory_order order);
  void Change(uint32_t thread, const void* word, uint64_t before,
              uint64_t after, std::memory_order order, bool reads);
  void ReadNewest(uint32_t thread, const void* word, uint64_t newest,
                  std::memory_order order);
  // Forgets what was in this memory before.
  void Begin(const void* place);

  WeakMoment MomentOf(uint32_t thread) const {
    return {thread, clocks_[thread]};
  }

  // Note an access of data that is not atomic. Return false if another one is
  // not ordered before it, and one of the two writes.
  bool ReadData(uint32_t thread, const void* place);
  bool WriteData(uint32_t thread, const void* place);

 private:
  // How many steps of each thread come before something.
  using Clock = std::array<uint32_t, kMostThreads>;
  // A step of a thread, by its number. Number 0 comes before everything.
  struct Step {
    uint32_t thread = 0;
    uint32_t number = 0;
  };
  struct WordChange {
    uint64_t value = 0;
    Step step;
    bool in_one_order = false;  // sequentially consistent
    Clock released{};           // what comes before a load that acquires it
  };
  struct Seen {
    uint32_t number = 0;  // of the thread's step
    uint64_t change = 0;
  };
  struct Word {
    uint64_t first = 0;  // the number of the first change that is kept
    std::deque<WordChange> changes;
    // What each thread has seen, in the order of its steps.
    std::array<std::vector<Seen>, kMostThreads> seen;
  };
  struct Data {
    Step written;
    Clock read{};  // the last step of each thread that has read it
  };

  Step NextStep(uint32_t thread);
  bool IsBefore(const Step& step, uint32_t thread) const;
  Word& WordAt(const void* place, uint64_t newest);
  uint64_t OldestFor(const Word& word, uint32_t thread,
                     std::memory_order order) const;
  void See(Word* word, uint64_t change, uint32_t thread,
           std::memory_order order);

  const Choose choose_;
  std::array<Clock, kMostThreads> clocks_{};
  std::unordered_map<const void*, Word> words_;
  std::unordered_map<const void*, Clock> mutexes_;
  std::unordered_map<const void*, Data> data_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SCHEDULES_WEAK_MEMORY_H_
