#include "port/random_word.h"

#include <sys/types.h>
#include <unistd.h>

// Where getentropy is, on some systems.
#if __has_include(<sys/random.h>)
#include <sys/random.h>
#endif

#include <ctime>
#include <utility>

namespace ashlar::port {

namespace {

RandomWordSource random_word_source = nullptr;

// For systems that forbid the call.
uint64_t WordOfTimeAndPlace() {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  static uint64_t count = 0;
  const uint64_t number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto seconds = static_cast<uint64_t>(now.tv_sec);
  const auto nanoseconds = static_cast<uint64_t>(now.tv_nsec);
  const auto process = static_cast<uint64_t>(::getpid());
  const auto place = reinterpret_cast<uintptr_t>(&now);
  uint64_t word = (seconds ^ nanoseconds << 34 ^ process << 48) * kOdd;
  word = (word ^ word >> 29 ^ place ^ number << 32) * kOdd;
  return word ^ word >> 32;
}

bool GetSystemWord(uint64_t* word) {
  return ::getentropy(word, sizeof *word) == 0;
}

}  // namespace

uint64_t RandomWord() {
  if (random_word_source != nullptr) return random_word_source();
  uint64_t word = 0;
  return GetSystemWord(&word) ? word : WordOfTimeAndPlace();
}

RandomWordSource SetRandomWordSource(RandomWordSource source) {
  return std::exchange(random_word_source, source);
}

}  // namespace ashlar::port
