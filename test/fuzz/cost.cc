#include "test/fuzz/cost.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <string_view>

// Of the runtime of the address sanitizer. Null without one.
// NOLINTBEGIN(bugprone-reserved-identifier): the runtime's names
extern "C" {
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void*, size_t),
    void (*free_hook)(const volatile void*));
[[gnu::weak]] size_t __sanitizer_get_allocated_size(const volatile void*);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace ashlar::fuzz {

namespace {

#if ASHLAR_FUZZ_JUDGES_TIME
constexpr bool kJudgesTime = true;
#else
constexpr bool kJudgesTime = false;
#endif

// Bytes that are allocated, of all threads. They go up and down from what was
// allocated when the hooks came.
std::atomic<int64_t> allocated{0};
std::atomic<int64_t> most_allocated{0};

void SawMalloc(const volatile void*, size_t bytes) {
  const auto n = static_cast<int64_t>(bytes);
  const int64_t now = allocated.fetch_add(n) + n;
  int64_t most = most_allocated.load();
  while (now > most && !most_allocated.compare_exchange_weak(most, now)) {
  }
}

void SawFree(const volatile void* memory) {
  if (memory == nullptr) return;
  allocated.fetch_sub(
      static_cast<int64_t>(__sanitizer_get_allocated_size(memory)));
}

bool InstallHooks() {
  return __sanitizer_install_malloc_and_free_hooks != nullptr &&
         __sanitizer_install_malloc_and_free_hooks(&SawMalloc, &SawFree) != 0;
}

bool SeesMemory() {
  static const bool sees = InstallHooks();
  return sees;
}

uint64_t NowOfProcessors() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(now.tv_nsec);
}

// The call that came closest to a limit.
struct DearestCall {
  uint64_t cost = 0;
  uint64_t input_bytes = 0;
  double share = 0;  // of the limit

  void Compare(uint64_t its_cost, uint64_t limit, uint64_t its_input_bytes) {
    const double its_share =
        static_cast<double>(its_cost) / static_cast<double>(limit);
    if (its_share > share) *this = {its_cost, its_input_bytes, its_share};
  }
};

struct Dearest {
  uint64_t times = 0;
  DearestCall bytes;
  DearestCall nanoseconds;
};

class Costs {
 public:
  Costs() { std::atexit(&Print); }
  static Costs& Get() {
    static Costs* const costs = new Costs();
    return *costs;
  }
  Dearest& Of(const char* what) { return dearest_[what]; }

 private:
  static void Print() {
    for (const auto& [what, of] : Get().dearest_) {
      std::fprintf(stderr, "cost: %s, %llu times: ", std::string(what).c_str(),
                   Long(of.times));
      if (SeesMemory()) {
        std::fprintf(stderr,
                     "at most %.0f %% of the memory (%llu for %llu "
                     "bytes), ",
                     100 * of.bytes.share, Long(of.bytes.cost),
                     Long(of.bytes.input_bytes));
      }
      std::fprintf(stderr, "%.1f %% of the time (%llu ns for %llu bytes)\n",
                   100 * of.nanoseconds.share, Long(of.nanoseconds.cost),
                   Long(of.nanoseconds.input_bytes));
    }
  }
  static unsigned long long Long(uint64_t n) { return n; }

  std::map<std::string_view, Dearest> dearest_;
};

void Exceeds(const CostLimit& limit, const char* resource, uint64_t cost,
             uint64_t allowed, uint64_t input_bytes) {
  std::fprintf(stderr, "%s: %s %llu for %llu bytes of input; at most %llu\n",
               limit.what, resource, static_cast<unsigned long long>(cost),
               static_cast<unsigned long long>(input_bytes),
               static_cast<unsigned long long>(allowed));
  std::abort();
}

}  // namespace

Cost::Cost(const CostLimit& limit, uint64_t input_bytes)
    : limit_(limit),
      input_bytes_(input_bytes),
      allocated_before_(SeesMemory() ? allocated.load() : 0),
      begun_(NowOfProcessors()) {
  most_allocated.store(allocated_before_);
}

Cost::~Cost() {
  const uint64_t nanoseconds = NowOfProcessors() - begun_;
  const auto bytes =
      static_cast<uint64_t>(most_allocated.load() - allocated_before_);
  const uint64_t most_bytes =
      limit_.bytes + limit_.bytes_per_byte * input_bytes_;
  const uint64_t most_nanoseconds = limit_.seconds * 1'000'000'000;
  Dearest& dearest = Costs::Get().Of(limit_.what);
  ++dearest.times;
  dearest.bytes.Compare(bytes, most_bytes, input_bytes_);
  dearest.nanoseconds.Compare(nanoseconds, most_nanoseconds, input_bytes_);
  if (bytes > most_bytes) {
    Exceeds(limit_, "bytes of memory", bytes, most_bytes, input_bytes_);
  }
  if (kJudgesTime && nanoseconds > most_nanoseconds) {
    Exceeds(limit_, "nanoseconds", nanoseconds, most_nanoseconds, input_bytes_);
  }
}

}  // namespace ashlar::fuzz
