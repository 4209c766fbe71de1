#include "test/support/failing_memory.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "port/sanitizers.h"

namespace ashlar::testing {
namespace {

constinit std::atomic<bool> armed = false;
constinit std::atomic<bool> held = false;
constinit std::atomic<uint64_t> failing_number = 0;
constinit std::atomic<FailureMode> failure_mode = FailureMode::kOnce;
constinit std::atomic<uint64_t> count = 0;
constinit std::atomic<bool> failed = false;
constinit std::atomic<int64_t> live = 0;

// True while this thread is in a call that must not see a failed allocation.
constinit thread_local bool is_spared = false;

bool FailsNow() {
  if (!armed.load() || held.load() || is_spared) return false;
  const uint64_t number = ++count;
  const uint64_t failing = failing_number.load();
  const FailureMode mode = failure_mode.load();
  const bool is_due =
      mode == FailureMode::kFromThere ? number >= failing : number == failing;
  if (!is_due) return false;
  failed = true;
  if (mode == FailureMode::kSignal) {
    // The signal goes to the process. A signal to this thread would be lost
    // with the thread if the thread blocks the signal, as the library's threads
    // do.
    kill(getpid(), SIGTERM);
    return false;
  }
  errno = ENOMEM;
  return true;
}

}  // namespace

void FailingMemory::Arm(uint64_t n, FailureMode mode) {
  failing_number = n;
  failure_mode = mode;
  count = 0;
  failed = false;
  armed = true;
}

void FailingMemory::Hold() { held = true; }
void FailingMemory::Resume() { held = false; }

bool FailingMemory::Disarm() {
  armed = false;
  return failed.load();
}

uint64_t FailingMemory::Count() { return count.load(); }

int64_t FailingMemory::Live() { return live.load(); }

namespace {

#if !ASHLAR_UNDER_ADDRESS_SANITIZER && !ASHLAR_UNDER_THREAD_SANITIZER
void* Counted(void* memory) {
  if (memory != nullptr) live.fetch_add(1, std::memory_order_relaxed);
  return memory;
}
void Uncount(const void* memory) {
  if (memory != nullptr) live.fetch_sub(1, std::memory_order_relaxed);
}
#else
// What is not freed here may have been allocated elsewhere.
void* Counted(void* memory) { return memory; }
#endif

}  // namespace

}  // namespace ashlar::testing

using ashlar::testing::Counted;
using ashlar::testing::FailsNow;
#if !ASHLAR_UNDER_ADDRESS_SANITIZER && !ASHLAR_UNDER_THREAD_SANITIZER
using ashlar::testing::Uncount;
#endif

namespace {
template <typename Call>
auto Spared(const Call& call) {
  ashlar::testing::is_spared = true;
  const auto result = call();
  ashlar::testing::is_spared = false;
  return result;
}
}  // namespace

// glibc aborts the process if it has no memory to register the destructor of a
// thread_local object.
extern "C" {
int RealThreadAtExit(void (*)(void*), void*,
                     void*) asm("__real___cxa_thread_atexit");
int WrappedThreadAtExit(void (*)(void*), void*,
                        void*) asm("__wrap___cxa_thread_atexit");
int WrappedThreadAtExit(void (*destroy)(void*), void* object, void* library) {
  return Spared([&] { return RealThreadAtExit(destroy, object, library); });
}
}

#if ASHLAR_HAVE_ZSTD
namespace {

// The last training and its result. Training takes most of the time of a small
// build, and a test repeats the same build once for each of its allocations.
struct Training {
  std::mutex mutex;
  std::string given;  // capacity, sizes and samples
  std::string out;
  size_t result = 0;
};

std::string BytesOf(size_t capacity, const void* samples, const size_t* sizes,
                    unsigned count) {
  size_t total = 0;
  for (unsigned i = 0; i < count; ++i) total += sizes[i];
  std::string bytes(reinterpret_cast<const char*>(&capacity), sizeof capacity);
  bytes.append(reinterpret_cast<const char*>(sizes), count * sizeof *sizes);
  return bytes.append(static_cast<const char*>(samples), total);
}

}  // namespace

// zstd before 1.5.6 crashes if one of its own allocations fails in these two
// calls (facebook/zstd#3847). The library makes sure that it has memory before
// it calls them.
extern "C" {
void* RealCreate(const void*, size_t, int) asm("__real_ZSTD_createCDict");
size_t RealTrain(void*, size_t, const void*, const size_t*,
                 unsigned) asm("__real_ZDICT_trainFromBuffer");
void* WrappedCreate(const void*, size_t, int) asm("__wrap_ZSTD_createCDict");
void* WrappedCreate(const void* bytes, size_t size, int level) {
  return Spared([&] { return RealCreate(bytes, size, level); });
}
size_t WrappedTrain(void*, size_t, const void*, const size_t*,
                    unsigned) asm("__wrap_ZDICT_trainFromBuffer");
size_t WrappedTrain(void* out, size_t capacity, const void* samples,
                    const size_t* sizes, unsigned count) {
  return Spared([&] {
    static Training last;
    std::string given = BytesOf(capacity, samples, sizes, count);
    const std::lock_guard lock(last.mutex);
    if (last.given != given) {
      last.result = RealTrain(out, capacity, samples, sizes, count);
      last.out.assign(static_cast<const char*>(out), capacity);
      last.given = std::move(given);
    } else {
      std::memcpy(out, last.out.data(), capacity);
    }
    return last.result;
  });
}
}
#endif

// Sanitizers define malloc themselves. The linker's --wrap sends calls of
// malloc from our own code here.
#if ASHLAR_UNDER_ADDRESS_SANITIZER || ASHLAR_UNDER_THREAD_SANITIZER
#define ASHLAR_REAL(name) asm("__real_" name)
#define ASHLAR_ALIGNED_ALLOC "aligned_alloc"
#define ASHLAR_IN_FRONT_OF(name) asm("__wrap_" name)
#else
#define ASHLAR_REAL(name) asm("__libc_" name)
#define ASHLAR_ALIGNED_ALLOC "memalign"
#define ASHLAR_IN_FRONT_OF(name) asm(name)
#endif

extern "C" {
void* RealMalloc(size_t n) ASHLAR_REAL("malloc");
void* RealCalloc(size_t n, size_t size) ASHLAR_REAL("calloc");
void* RealRealloc(void* memory, size_t n) ASHLAR_REAL("realloc");
void* RealAlignedAlloc(size_t alignment, size_t n)
    ASHLAR_REAL(ASHLAR_ALIGNED_ALLOC);

// These functions have C++ names of their own because the C library declares
// malloc and its kin already.
void* OurMalloc(size_t n) ASHLAR_IN_FRONT_OF("malloc");
void* OurMalloc(size_t n) {
  return FailsNow() ? nullptr : Counted(RealMalloc(n));
}
void* OurCalloc(size_t n, size_t size) ASHLAR_IN_FRONT_OF("calloc");
void* OurCalloc(size_t n, size_t size) {
  return FailsNow() ? nullptr : Counted(RealCalloc(n, size));
}
void* OurRealloc(void* memory, size_t n) ASHLAR_IN_FRONT_OF("realloc");
void* OurRealloc(void* memory, size_t n) {
  if (FailsNow()) return nullptr;
  void* const moved = RealRealloc(memory, n);
  return memory == nullptr ? Counted(moved) : moved;
}
void* OurAlignedAlloc(size_t alignment, size_t n)
    ASHLAR_IN_FRONT_OF("aligned_alloc");
void* OurAlignedAlloc(size_t alignment, size_t n) {
  return FailsNow() ? nullptr : Counted(RealAlignedAlloc(alignment, n));
}
#if !ASHLAR_UNDER_ADDRESS_SANITIZER && !ASHLAR_UNDER_THREAD_SANITIZER
int OurMemalign(void** memory, size_t alignment,
                size_t n) asm("posix_memalign");
int OurMemalign(void** memory, size_t alignment, size_t n) {
  *memory = FailsNow() ? nullptr : Counted(RealAlignedAlloc(alignment, n));
  return *memory == nullptr ? ENOMEM : 0;
}
void RealFree(void* memory) ASHLAR_REAL("free");
void OurFree(void* memory) noexcept ASHLAR_IN_FRONT_OF("free");
void OurFree(void* memory) noexcept {
  Uncount(memory);
  RealFree(memory);
}
#endif
}

namespace {

// operator new must count an allocation once, so this does not call FailsNow:
// `malloc` does.
void* Allocate(size_t n) { return std::malloc(n == 0 ? 1 : n); }
void* Allocate(size_t n, std::align_val_t alignment) {
  const auto a = static_cast<size_t>(alignment);
  return std::aligned_alloc(a, (n + a - 1) / a * a);
}
// Tries again as operator new does: calls the new handler after each failure,
// and throws std::bad_alloc if there is no handler.
template <typename Try>
void* OrThrow(Try allocate) {
  for (;;) {
    if (void* const memory = allocate()) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
// Never inlined. Otherwise the compiler would see that memory from operator new
// is released by free, and would warn of the mismatch.
[[gnu::noinline]] void GiveBack(void* p) { std::free(p); }

}  // namespace

void* operator new(size_t n) {
  return OrThrow([n] { return Allocate(n); });
}
void* operator new[](size_t n) {
  return OrThrow([n] { return Allocate(n); });
}
void* operator new(size_t n, std::align_val_t a) {
  return OrThrow([n, a] { return Allocate(n, a); });
}
void* operator new[](size_t n, std::align_val_t a) {
  return OrThrow([n, a] { return Allocate(n, a); });
}
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return Allocate(n);
}
void* operator new[](size_t n, const std::nothrow_t&) noexcept {
  return Allocate(n);
}
void* operator new(size_t n, std::align_val_t a,
                   const std::nothrow_t&) noexcept {
  return Allocate(n, a);
}
void* operator new[](size_t n, std::align_val_t a,
                     const std::nothrow_t&) noexcept {
  return Allocate(n, a);
}
void operator delete(void* p) noexcept { GiveBack(p); }
void operator delete[](void* p) noexcept { GiveBack(p); }
void operator delete(void* p, size_t) noexcept { GiveBack(p); }
void operator delete[](void* p, size_t) noexcept { GiveBack(p); }
void operator delete(void* p, std::align_val_t) noexcept { GiveBack(p); }
void operator delete[](void* p, std::align_val_t) noexcept { GiveBack(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept {
  GiveBack(p);
}
void operator delete[](void* p, size_t, std::align_val_t) noexcept {
  GiveBack(p);
}
