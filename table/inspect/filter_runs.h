// FilterRuns: whether neighbouring partitions of a filter know the key where
// each of them ends.
//
// A read of a key may ask several partitions: each that ends with a version of
// the key (or, for a seek, with a key of the same prefix), and the one after
// them. A partition is asked about its end once, when it is added, however many
// keys go by it later. Thread-safe to read.
#ifndef ASHLAR_TABLE_INSPECT_FILTER_RUNS_H_
#define ASHLAR_TABLE_INSPECT_FILTER_RUNS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/util/slice.h"

namespace ashlar::internal {

class FilterRuns {
 public:
  size_t size() const { return ends_.size(); }

  // Adds the next partition, by the user key where it ends and the prefix of
  // that. `bool knows(Slice)` asks the partition. whole_keys: whether the
  // filter holds user keys too.
  template <typename Knows>
  void Add(const Slice& user_key, const std::optional<Slice>& prefix,
           bool whole_keys, const Knows& knows) {
    Part part{user_key.ToString(), std::nullopt, {}, {}};
    if (prefix.has_value()) part.prefix = prefix->ToString();
    const size_t i = size();
    const Part* const last = i == 0 ? nullptr : &ends_.back();
    part.keys = {i, 0};
    if (last != nullptr && last->user_key == part.user_key) {
      part.keys = last->keys;
    }
    if (whole_keys && !knows(user_key)) part.keys.behind_denied = i + 1;
    part.prefixes = {i, 0};
    if (last != nullptr && last->prefix == part.prefix) {
      part.prefixes = last->prefixes;
    }
    if (prefix.has_value() && !knows(*prefix)) {
      part.prefixes.behind_denied = i + 1;
    }
    ends_.push_back(std::move(part));
  }

  // Returns whether partitions [first, end), which all end with this user key,
  // know it. Returns nothing if one of them ends with another key.
  std::optional<bool> KnowKey(const Slice& user_key, size_t first,
                              size_t end) const {
    if (first >= end) return true;
    const Part& last = ends_[end - 1];
    if (Slice(last.user_key) != user_key || last.keys.first > first) {
      return std::nullopt;
    }
    return last.keys.behind_denied <= first;
  }
  // The same for a prefix.
  std::optional<bool> KnowPrefix(const Slice& prefix, size_t first,
                                 size_t end) const {
    if (first >= end) return true;
    const Part& last = ends_[end - 1];
    if (!EndsWithPrefix(end - 1, prefix) || last.prefixes.first > first) {
      return std::nullopt;
    }
    return last.prefixes.behind_denied <= first;
  }
  // Returns the first partition of the row before `part` that all end with a
  // key of the prefix; `part` if there is none.
  size_t FirstBefore(size_t part, const Slice& prefix) const {
    return part != 0 && EndsWithPrefix(part - 1, prefix)
               ? ends_[part - 1].prefixes.first
               : part;
  }

 private:
  // Neighbouring partitions that end with the same key, or the same prefix.
  struct Run {
    size_t first = 0;
    // One more than the number of the last of them that does not know it; 0:
    // all know it.
    size_t behind_denied = 0;
  };
  struct Part {
    std::string user_key;
    std::optional<std::string> prefix;
    Run keys;
    Run prefixes;
  };

  bool EndsWithPrefix(size_t i, const Slice& prefix) const {
    return ends_[i].prefix.has_value() && Slice(*ends_[i].prefix) == prefix;
  }

  std::vector<Part> ends_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_FILTER_RUNS_H_
