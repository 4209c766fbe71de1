// Holds readers to what a passing verdict of InspectTable promises.
//
// If the inspection of a whole table finds no fault, then:
// - every reader opens the table;
// - iteration forward and backward shows the same entries;
// - a seek to each key, forward and backward, finds it;
// - Get and MultiGet find each key at every one of its sequence numbers;
// - if prefix seeks are possible, a seek to a key's prefix finds the first key
//   with that prefix.
//
// All of this is checked without a block cache, with one, and with one that
// also holds index and filter blocks.
#ifndef ASHLAR_TEST_SUPPORT_VERDICT_CHECK_H_
#define ASHLAR_TEST_SUPPORT_VERDICT_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::testing {

struct VerdictLimits {
  uint64_t max_uncompressed_block_bytes = uint64_t{1} << 30;
  // Tables with more entries, by the inspection's count, are not read.
  uint64_t most_entries = 1 << 20;
};

struct VerdictCheck {
  // True if the inspection finished and found no fault.
  bool passes = false;
  std::string fault;  // the first one, if any
  // What a reader did that the verdict forbids. Empty: nothing.
  std::string broken_promise;
};

VerdictCheck CheckVerdict(const std::string& table,
                          const VerdictLimits& limits = {});

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_VERDICT_CHECK_H_
