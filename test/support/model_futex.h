// A futex made of a mutex, which can be told to lose a wake-up.
//
// A program that links with `--wrap` of the three functions of port/threads.h
// sleeps and wakes here instead of in the kernel, so that a test knows for sure
// who sleeps, and can take a wake-up away. Timed waits are the kernel's, until
// a test ends them. All threads of the program share it.
#ifndef ASHLAR_TEST_SUPPORT_MODEL_FUTEX_H_
#define ASHLAR_TEST_SUPPORT_MODEL_FUTEX_H_

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

namespace ashlar::testing {

class ModelFutex {
 public:
  enum class Fault : uint8_t {
    kNone,
    kLosesWake,  // the token stands there, its sleeper sleeps on
    kDropsToken  // there is no token either
  };

  static ModelFutex& Instance();

  // Every wake-up of that thread, from now on.
  void Spoil(std::thread::id sleeper, Fault fault);
  void WaitUntilAsleep(std::thread::id sleeper);
  // Until it would have been woken.
  void WaitUntilSpoiled();
  // From now on timed waits take no time; returns after so many of them, or
  // after a minute if there are none.
  void EndTimedWaits(int n);

  void Wait(const uint32_t* word, uint32_t expected);
  void Wake(const uint32_t* word, uint32_t n);
  // Whether a timed wait is over at once.
  bool SkipsTimedWait();

 private:
  struct Sleeper {
    const uint32_t* word;
    std::thread::id thread;
    bool woken = false;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Sleeper*> sleepers_;
  std::thread::id victim_;
  Fault fault_ = Fault::kNone;
  int spoiled_ = 0;
  bool ends_timed_waits_ = false;
  int timed_waits_ = 0;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_MODEL_FUTEX_H_
