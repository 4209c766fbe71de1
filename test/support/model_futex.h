// A futex made from a mutex. A test can make it lose a wake-up.
//
// A program that links with `--wrap` of the three functions of port/threads.h
// sleeps and wakes here instead of in the kernel. So a test knows for certain
// which threads sleep, and can suppress a wake-up. Timed waits stay in the
// kernel until EndTimedWaits. All threads of the program share one ModelFutex.
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
    kLosesWake,  // the token is there, but the sleeper sleeps on
    kDropsToken  // the token is taken away as well
  };

  static ModelFutex& Instance();

  // Applies `fault` to every wake-up of that thread from now on.
  void Spoil(std::thread::id sleeper, Fault fault);
  void WaitUntilAsleep(std::thread::id sleeper);
  // Waits until the first wake-up was spoiled.
  void WaitUntilSpoiled();
  // Makes timed waits return at once from now on. Returns after n of them, or
  // after one minute if there are fewer.
  void EndTimedWaits(int n);

  void Wait(const uint32_t* word, uint32_t expected);
  void Wake(const uint32_t* word, uint32_t n);
  // Returns true if a timed wait must return at once.
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
