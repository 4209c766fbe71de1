// The keys that filterquery asks a filter for. Half of them are in the filter,
// and they come in random order.
//
// They are made before time is measured, and are the same for every engine.
// Read-only afterwards, and so thread-safe.
#ifndef ASHLAR_TOOLS_BENCH_FILTER_QUESTIONS_H_
#define ASHLAR_TOOLS_BENCH_FILTER_QUESTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/bench/workload.h"

namespace ashlar::bench {

class FilterQuestions {
 public:
  // Rounded up to whole batches.
  FilterQuestions(const Workload& workload, uint64_t count, size_t batch)
      : key_size_(workload.key_size()), size_(count / batch * batch) {
    keys_.resize(size_ * key_size_);
    Random random(workload.options().seed + 7);
    for (size_t i = 0; i < size_; ++i) {
      char* const to = keys_.data() + i * key_size_;
      const uint64_t number = random.Below(workload.num());
      if (random.Below(2) == 0) {
        workload.Key(number, to);
      } else {
        workload.MissingKey(number, to);
      }
    }
  }

  size_t size() const { return size_; }
  std::string_view operator[](size_t i) const {
    return {keys_.data() + i * key_size_, key_size_};
  }

 private:
  size_t key_size_;
  size_t size_;
  std::vector<char> keys_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_FILTER_QUESTIONS_H_
