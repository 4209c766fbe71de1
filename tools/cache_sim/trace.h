// Trace: the keys that were accessed, in order.
//
// Keys are numbered from 0, in the order in which they first appear, so that
// models can keep their data of a key in an array. A TraceBuilder makes a
// trace. Afterwards it is read-only, and so thread-safe.
#ifndef ASHLAR_TOOLS_CACHE_SIM_TRACE_H_
#define ASHLAR_TOOLS_CACHE_SIM_TRACE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ashlar/util/status.h"

namespace ashlar::sim {

struct Trace {
  std::string name;
  std::vector<uint32_t> accesses;
  uint32_t distinct_keys = 0;
  // For each key, whether it belongs to the hot load, which scans disturb.
  // Empty if the trace does not distinguish this.
  std::vector<bool> is_hot;
};

class TraceBuilder {
 public:
  // Positions in a trace are 32-bit numbers, of which a few have special
  // meanings.
  static constexpr uint64_t kMostAccesses = UINT32_MAX - 16;

  // The trace is full after `most_accesses` accesses.
  explicit TraceBuilder(uint64_t most_accesses)
      : most_accesses_(std::min(most_accesses, kMostAccesses)) {}

  [[nodiscard]] uint64_t size() const { return trace_.accesses.size(); }
  [[nodiscard]] bool full() const { return size() >= most_accesses_; }
  void Add(uint64_t key);
  // For a trace that knows which of its keys are hot. To be used either for
  // every access or for none.
  void Add(uint64_t key, bool is_hot);
  // Returns an error if there is no access.
  Status Finish(std::string name, Trace* trace);

 private:
  const uint64_t most_accesses_;
  Trace trace_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_TRACE_H_
