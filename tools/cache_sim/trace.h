// Trace: which keys were asked for, in order.
//
// Keys are numbered from 0 in the order in which they first appear, so that
// models may keep what they know of a key in an array. Made by TraceBuilder,
// read-only afterwards: thread-safe.
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
  // Of each key, whether it belongs to the load that a scan disturbs. Empty:
  // there is no such difference.
  std::vector<bool> is_hot;
};

class TraceBuilder {
 public:
  // Places in a trace are numbers of 32 bits, a few of which mean other things.
  static constexpr uint64_t kMostAccesses = UINT32_MAX - 16;

  // After so many accesses the trace is full.
  explicit TraceBuilder(uint64_t most_accesses)
      : most_accesses_(std::min(most_accesses, kMostAccesses)) {}

  [[nodiscard]] uint64_t size() const { return trace_.accesses.size(); }
  [[nodiscard]] bool full() const { return size() >= most_accesses_; }
  void Add(uint64_t key);
  // For a trace that knows which of its keys are hot; then of every access.
  void Add(uint64_t key, bool is_hot);
  // An error where there is no access.
  Status Finish(std::string name, Trace* trace);

 private:
  const uint64_t most_accesses_;
  Trace trace_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_TRACE_H_
