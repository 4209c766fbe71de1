#include "port/huge_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <new>

namespace ashlar::port {

namespace {

constexpr uint16_t kFirstPause = 64;
constexpr uint16_t kLongestPause = 4096;
// 512 small pages cost 300 to 1000 us, a huge page that is ready 100 to 300.
constexpr int32_t kSmallPagesUs = 500;
constexpr int32_t kMostLossUs = 16'000;

struct Account {
  int32_t loss_us = 0;      // negative: a gain
  uint16_t pause_left = 0;  // huge pages that will not be requested
  uint16_t last_pause = 0;  // how long it was; 0 after a gain
};
thread_local Account account;

Account After(Account now, int64_t took_us) {
  const int64_t loss = now.loss_us + took_us - kSmallPagesUs;
  now.loss_us = static_cast<int32_t>(
      std::clamp<int64_t>(loss, -kMostLossUs, kMostLossUs));
  if (now.loss_us < 0) now.last_pause = 0;
  if (now.loss_us < kMostLossUs) return now;
  const auto pause = static_cast<uint16_t>(
      std::clamp<int>(now.last_pause * 2, kFirstPause, kLongestPause));
  return {0, pause, pause};
}

// CPU time, because waiting for a core does not mean that the kernel is slow.
int64_t ThreadMicroseconds() {
  timespec t{};
  static_cast<void>(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
  return int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1000;
}

// Requests huge pages for [memory, memory + n). Returns false where there are
// none.
bool Request([[maybe_unused]] void* memory, [[maybe_unused]] size_t n) {
#if defined(MADV_HUGEPAGE)
  return ::madvise(memory, n, MADV_HUGEPAGE) == 0;
#else
  return false;
#endif
}

size_t BytesToHugePage(const char* p) {
  const auto beyond = reinterpret_cast<uintptr_t>(p) % kHugePageBytes;
  return beyond == 0 ? 0 : kHugePageBytes - beyond;
}

void TouchOne(char* page) {
  if (account.pause_left > 0) {
    --account.pause_left;
    return;
  }
  const int64_t begin = ThreadMicroseconds();
  if (!Request(page, kHugePageBytes)) return;
  *static_cast<volatile char*>(page) = 0;
  account = After(account, ThreadMicroseconds() - begin);
}

}  // namespace

// Maps more than is needed, and gives back what is outside of the huge pages.
HugePageRegion::HugePageRegion(size_t size) : data_(nullptr), size_(size) {
  void* const mapped =
      ::mmap(nullptr, size + kHugePageBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<char*>(mapped);
  const size_t before = BytesToHugePage(begin);
  if (before != 0) static_cast<void>(::munmap(begin, before));
  data_ = begin + before;
  static_cast<void>(::munmap(begin + before + size, kHugePageBytes - before));
}

HugePageRegion::~HugePageRegion() {
  if (data_ != nullptr) static_cast<void>(::munmap(data_, size_));
}

void UseHugePages(void* memory, size_t n) {
  auto* const begin = static_cast<char*>(memory);
  size_t at = BytesToHugePage(begin);
  for (; at + kHugePageBytes <= n; at += kHugePageBytes) TouchOne(begin + at);
}

void PreferHugePages(void* memory, size_t n) {
  auto* const begin = static_cast<char*>(memory);
  const size_t at = BytesToHugePage(begin);
  if (at >= n) return;
  const size_t whole = (n - at) / kHugePageBytes * kHugePageBytes;
  if (whole != 0) static_cast<void>(Request(begin + at, whole));
}

}  // namespace ashlar::port
