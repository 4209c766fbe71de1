// Lets environment variables choose the failing allocation of a program that
// also has failing_memory.cc among its sources:
//
//   ASHLAR_FAIL_ALLOCATION=<n>          the n-th allocation fails
//   ASHLAR_FAIL_ALLOCATION=<n>+         the n-th and all later ones fail
//   ASHLAR_SIGNAL_AT_ALLOCATION=<n>     the n-th allocation raises SIGTERM
//   ASHLAR_COUNT_ALLOCATIONS=<path>     writes the number of allocations there
//   ASHLAR_SIGNAL_AT_WAIT               raises SIGTERM before the first poll
//
// The count begins with the allocations of the program's own static objects.

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

// Runs before the constructors without a priority.
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
    FailingMemory::Arm(~uint64_t{0}, FailureMode::kOnce);  // only counts
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
// This function has a C++ name of its own because the C library declares poll.
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
