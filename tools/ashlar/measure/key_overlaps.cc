#include "tools/ashlar/measure/key_overlaps.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ashlar::tool {
namespace {

// Walks over the tables in the order of their beginnings, and keeps those that
// have not ended yet.
class Sweep {
 public:
  Sweep(const Comparator& comparator, uint64_t most_pairs, KeyOverlaps* found)
      : comparator_(comparator),
        most_pairs_(most_pairs),
        found_(found),
        open_(EndsFirst{this}) {}

  void Run() {
    for (size_t i = 0; i < found_->tables.size(); ++i) {
      CloseBefore(Bounds(i).smallest);
      if (open_.empty()) {
        found_->groups.push_back({i, i, Bounds(i)});
      }
      Extend(&found_->groups.back(), i);
      AddPairs(i);
      open_.insert(i);
    }
  }

 private:
  struct EndsFirst {
    const Sweep* sweep;
    bool operator()(size_t a, size_t b) const {
      const int order =
          CompareEnds(sweep->Bounds(a), sweep->Bounds(b), sweep->comparator_);
      return order != 0 ? order < 0 : a < b;
    }
  };

  const KeyBounds& Bounds(size_t i) const { return found_->tables[i].bounds; }

  void CloseBefore(const std::string& key) {
    while (!open_.empty()) {
      const KeyBounds& first = Bounds(*open_.begin());
      const int order = comparator_.CompareWithoutTimestamp(first.largest, key);
      if (order > 0 || (order == 0 && !first.largest_is_exclusive)) return;
      open_.erase(open_.begin());
    }
  }

  void Extend(KeyOverlaps::Group* group, size_t i) {
    group->end = i + 1;
    const KeyBounds& bounds = Bounds(i);
    if (CompareEnds(group->bounds, bounds, comparator_) >= 0) return;
    group->bounds.largest = bounds.largest;
    group->bounds.largest_is_exclusive = bounds.largest_is_exclusive;
  }

  // Adds a pair with each open table. All of these began before this one.
  void AddPairs(size_t second) {
    found_->pairs_total += open_.size();
    for (const size_t first : open_) {
      if (most_pairs_ != 0 && found_->pairs.size() >= most_pairs_) return;
      KeyBounds common = Bounds(second);
      if (CompareEnds(Bounds(first), common, comparator_) < 0) {
        common.largest = Bounds(first).largest;
        common.largest_is_exclusive = Bounds(first).largest_is_exclusive;
      }
      found_->pairs.push_back({first, second, std::move(common)});
    }
  }

  const Comparator& comparator_;
  const uint64_t most_pairs_;
  KeyOverlaps* const found_;
  std::set<size_t, EndsFirst> open_;
};

}  // namespace

int CompareEnds(const KeyBounds& a, const KeyBounds& b,
                const Comparator& comparator) {
  const int order = comparator.CompareWithoutTimestamp(a.largest, b.largest);
  if (order != 0) return order;
  return static_cast<int>(b.largest_is_exclusive) -
         static_cast<int>(a.largest_is_exclusive);
}

KeyOverlaps FindKeyOverlaps(std::vector<BoundedTable> tables,
                            const Comparator& comparator, uint64_t most_pairs) {
  KeyOverlaps found;
  found.tables = std::move(tables);
  std::stable_sort(found.tables.begin(), found.tables.end(),
                   [&comparator](const BoundedTable& a, const BoundedTable& b) {
                     return comparator.CompareWithoutTimestamp(
                                a.bounds.smallest, b.bounds.smallest) < 0;
                   });
  Sweep(comparator, most_pairs, &found).Run();
  return found;
}

}  // namespace ashlar::tool
