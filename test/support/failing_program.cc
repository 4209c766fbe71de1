// For a program that has failing_memory.cc too: which allocation fails, by the
// environment. ASHLAR_FAIL_ALLOCATION=<n> has the n-th one fail, =<n>+ all from
// there on; ASHLAR_SIGNAL_AT_ALLOCATION=<n> raises SIGTERM there instead.
// Counted are those of the program's own static objects and all that come
// after. ASHLAR_COUNT_ALLOCATIONS=<path> has their number written there.
// ASHLAR_SIGNAL_AT_WAIT raises SIGTERM just before the first wait by poll.

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "test/support/failing_memory.h"

namespace {

using ashlar::testing::FailingMemory;
using ashlar::testing::FailureMode;

// Before the constructors that have no number.
[[gnu::constructor(200)]] void ArmByEnvironment() {
  const char* const failing = std::getenv("ASHLAR_FAIL_ALLOCATION");
  const char* const signal = std::getenv("ASHLAR_SIGNAL_AT_ALLOCATION");
  char* end = nullptr;
  if (signal != nullptr) {
    FailingMemory::Arm(std::strtoull(signal, &end, 10), FailureMode::kSignal);
  } else if (failing != nullptr) {
    const unsigned long long n = std::strtoull(failing, &end, 10);
    FailingMemory::Arm(
        n, *end == '+' ? FailureMode::kFromThere : FailureMode::kOnce);
  } else {
    FailingMemory::Arm(~uint64_t{0}, FailureMode::kOnce);  // it counts only
  }
}

[[gnu::destructor(200)]] void Count() {
  FailingMemory::Disarm();
  const char* const path = std::getenv("ASHLAR_COUNT_ALLOCATIONS");
  if (path == nullptr) return;
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) std::abort();
  dprintf(fd, "%llu\n",
          static_cast<unsigned long long>(FailingMemory::Count()));
  close(fd);
}

}  // namespace

extern "C" {
// By another name, for the library declares its own.
int OurPoll(pollfd* watched, nfds_t n, int milliseconds) asm("poll");
int OurPoll(pollfd* watched, nfds_t n, int milliseconds) {
  static bool is_first = true;
  if (is_first && std::getenv("ASHLAR_SIGNAL_AT_WAIT") != nullptr) {
    is_first = false;
    std::raise(SIGTERM);
  }
  timespec timeout = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  return static_cast<int>(syscall(SYS_ppoll, watched, n,
                                  milliseconds < 0 ? nullptr : &timeout,
                                  nullptr, 0));
}
}
