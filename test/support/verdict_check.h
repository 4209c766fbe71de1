// What a passing verdict of InspectTable promises, held against the readers.
//
// If an inspection of a whole table finds no fault, every reader opens it;
// walks forward and backward show the same entries; a seek to each key, forward
// and backward, stands on it; Get and MultiGet find each key, at every one of
// its sequence numbers; and where prefixes can be sought, a seek to a key's
// prefix finds the first key that has it. All of that without a block cache,
// with one, and with one that has index and filter too.
#ifndef ASHLAR_TEST_SUPPORT_VERDICT_CHECK_H_
#define ASHLAR_TEST_SUPPORT_VERDICT_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::testing {

struct VerdictLimits {
  uint64_t max_uncompressed_block_bytes = uint64_t{1} << 30;
  // A table of more entries, as the inspection counts them, is not read.
  uint64_t most_entries = 1 << 20;
};

struct VerdictCheck {
  // Whether the inspection came to its end and found no fault.
  bool passes = false;
  std::string fault;  // the first one, if not
  // What a reader did that such a verdict forbids; empty: all is as promised.
  std::string broken_promise;
};

VerdictCheck CheckVerdict(const std::string& table,
                          const VerdictLimits& limits = {});

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_VERDICT_CHECK_H_
