// Workload: the keys and values of a benchmark, the same for every engine.
//
// Keys have a fixed width, and ascend with their number. Key i, and an absent
// key right after it, can be made from i alone. Values are views into a pool of
// bytes, one after the other, so that making them costs nothing. The pool is a
// file, or is made to compress to about the given ratio. A Workload is made
// once and then read-only, and so thread-safe.
#ifndef ASHLAR_TOOLS_BENCH_WORKLOAD_H_
#define ASHLAR_TOOLS_BENCH_WORKLOAD_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::bench {

struct WorkloadOptions {
  uint64_t num = 1000000;
  int key_size = 16;
  int value_size = 100;
  double compression_ratio = 0.5;
  // "digits": key i is the decimal number 2 * i. "random": keys are sorted
  // random bytes.
  std::string key_kind = "digits";
  uint64_t seed = 1;
  // A file that values come from. If empty, or if the file is missing or too
  // small, values are made by compression_ratio.
  std::string values_from;
};

// A small random generator (xorshift64*), the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}
  uint64_t Next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  uint64_t Below(uint64_t n) { return Next() % n; }

 private:
  uint64_t state_;
};

class Workload {
 public:
  explicit Workload(const WorkloadOptions& options);

  const WorkloadOptions& options() const { return options_; }
  uint64_t num() const { return options_.num; }
  size_t key_size() const { return static_cast<size_t>(options_.key_size); }
  uint64_t raw_bytes() const {
    return num() * (key_size() + static_cast<size_t>(options_.value_size));
  }

  // Writes key i, or the absent key after it, to `to`.
  void Key(uint64_t i, char* to) const { MakeKey(i, 0, to); }
  void MissingKey(uint64_t i, char* to) const { MakeKey(i, 1, to); }

  // Returns the value of key i: the same bytes as a Cursor returns.
  std::string_view Value(uint64_t i) const {
    const auto size = static_cast<size_t>(options_.value_size);
    return {pool_.data() + i * size % pool_range_, size};
  }

  // Walks over all keys in order. Keys are made some hundreds ahead, so that
  // they have left the processor's store buffer when they are used, like the
  // keys of a memtable.
  class Cursor {
   public:
    explicit Cursor(const Workload& workload);
    std::string_view key() const {
      return {batch_.data() + i_ % kBatch * workload_.key_size(),
              workload_.key_size()};
    }
    std::string_view value() const { return workload_.Value(i_); }
    void Next() {
      if (++i_ % kBatch == 0) Refill();
    }

   private:
    static constexpr size_t kBatch = 256;
    void Refill();

    const Workload& workload_;
    uint64_t i_ = 0;
    std::vector<char> batch_;
  };

 private:
  void MakeKey(uint64_t i, int addend, char* to) const;

  WorkloadOptions options_;
  std::string pool_;
  uint64_t pool_range_;
  std::vector<char> random_keys_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_WORKLOAD_H_
