#include "tools/cache_sim/trace.h"

#include <utility>

namespace ashlar::sim {

void TraceBuilder::Add(uint64_t key) {
  const auto [found, is_new] = numbers_.try_emplace(key, trace_.distinct_keys);
  if (is_new) ++trace_.distinct_keys;
  trace_.accesses.push_back(found->second);
}

void TraceBuilder::Add(uint64_t key, bool is_hot) {
  Add(key);
  if (trace_.is_hot.size() < trace_.distinct_keys) {
    trace_.is_hot.push_back(is_hot);
  }
}

Status TraceBuilder::Finish(std::string name, Trace* trace) {
  if (trace_.accesses.empty()) {
    return Status::InvalidArgument(name + ": the file has no accesses");
  }
  *trace = std::exchange(trace_, {});
  trace->name = std::move(name);
  numbers_.clear();
  return Status::OK();
}

}  // namespace ashlar::sim
