// What untrusted bytes may cost: memory and time, measured while a fuzz target
// runs.
//
//   {
//     const Cost cost(kCostOfOpen, table.size());
//     ... calls of the library ...
//   }
//
// The process aborts if the calls took more than the limit allows. Memory is
// the most that was allocated at any one moment, beyond what was allocated
// before. It is known only under a sanitizer that tells of allocations, as in
// `make fuzz` and `make asan`. Time is that of processors, of all threads. Its
// limits are for inputs of a few KiB, and so generous that a busy machine does
// not reach them. Only the programs of libFuzzer judge it, since tests must not
// depend on time.
//
// When the process ends, it prints the dearest cost of each limit. SECURITY.md
// states the limits of memory.
#ifndef ASHLAR_TEST_FUZZ_COST_H_
#define ASHLAR_TEST_FUZZ_COST_H_

#include <cstdint>

namespace ashlar::fuzz {

struct CostLimit {
  const char* what;         // what costs that, for messages; a literal
  uint64_t bytes;           // of memory, whatever the input is
  uint64_t bytes_per_byte;  // of memory, for each byte of the input
  uint64_t seconds;
};

// Of a decoder of one block or record, which decompresses nothing. All that the
// target keeps of the answers counts, too.
inline constexpr CostLimit kCostOfDecoder = {
    .what = "decode", .bytes = 256 << 10, .bytes_per_byte = 256, .seconds = 2};

class Cost {
 public:
  // `input_bytes`: the bytes that are not trusted. One thread at a time may
  // have such objects, and one of them at a time.
  Cost(const CostLimit& limit, uint64_t input_bytes);
  ~Cost();
  Cost(const Cost&) = delete;
  Cost& operator=(const Cost&) = delete;

 private:
  const CostLimit& limit_;
  const uint64_t input_bytes_;
  const int64_t allocated_before_;
  const uint64_t begun_;  // nanoseconds of processors
};

}  // namespace ashlar::fuzz

#endif  // ASHLAR_TEST_FUZZ_COST_H_
