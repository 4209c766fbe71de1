#include "test/attack/held_resources.h"

#include <fcntl.h>
#include <pthread.h>

#include <atomic>

#include "test/support/failing_memory.h"

namespace ashlar::testing {

namespace {

constinit std::atomic<int64_t> live_threads = 0;

int64_t OpenDescriptors() {
  // The tests have few files open, and Linux gives the lowest number.
  constexpr int kMost = 100;
  int64_t open = 0;
  for (int fd = 0; fd < kMost; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) ++open;
  }
  return open;
}

void AddMore(const char* what, int64_t now, int64_t before, std::string* text) {
  if (now <= before) return;
  if (!text->empty()) *text += ", ";
  *text += std::to_string(now - before) + " " + what;
}

}  // namespace

HeldResources HeldResources::Now() {
  return {OpenDescriptors(), live_threads.load(), FailingMemory::Live()};
}

std::string HeldResources::Beyond(const HeldResources& before) const {
  std::string text;
  AddMore("descriptors", descriptors, before.descriptors, &text);
  AddMore("threads", threads, before.threads, &text);
  AddMore("blocks of memory", blocks, before.blocks, &text);
  return text;
}

}  // namespace ashlar::testing

// The linker's --wrap sends the calls of the library here.
extern "C" {
int RealCreate(pthread_t*, const pthread_attr_t*, void* (*)(void*),
               void*) asm("__real_pthread_create");
int RealJoin(pthread_t, void**) asm("__real_pthread_join");
int WrappedCreate(pthread_t* thread, const pthread_attr_t* attributes,
                  void* (*run)(void*),
                  void* argument) asm("__wrap_pthread_create");
int WrappedJoin(pthread_t thread, void** result) asm("__wrap_pthread_join");

int WrappedCreate(pthread_t* thread, const pthread_attr_t* attributes,
                  void* (*run)(void*), void* argument) {
  const int error = RealCreate(thread, attributes, run, argument);
  if (error == 0) ++ashlar::testing::live_threads;
  return error;
}
int WrappedJoin(pthread_t thread, void** result) {
  const int error = RealJoin(thread, result);
  if (error == 0) --ashlar::testing::live_threads;
  return error;
}
}
