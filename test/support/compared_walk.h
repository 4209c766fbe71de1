// What the tests of MergingIterator share: entries that are dealt to several
// children, and a walk that is compared with the sorted list of all of them.
//
// One thread at a time.
#ifndef ASHLAR_TEST_SUPPORT_COMPARED_WALK_H_
#define ASHLAR_TEST_SUPPORT_COMPARED_WALK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ashlar/table/merging_iterator.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {

// Deals the entries to n children. A child gets them one by one, or about 20 in
// a row. About a tenth of the values goes to a second child too, with a value
// that names it.
std::vector<std::vector<Entry>> DealEntries(const std::vector<Entry>& entries,
                                            size_t n, Random* random);

struct PlacedEntry {
  Entry entry;
  size_t child;
};

// Returns all entries of the children, in the order of a walk forward.
std::vector<PlacedEntry> SortEntries(
    const std::vector<std::vector<Entry>>& children, const Model& model);

// A walk, and the position where it must be.
class ComparedWalk {
 public:
  // `shown` has what the iterator shows, in order. Targets are near the entries
  // of the model, which must outlive this.
  ComparedWalk(const Model& model, std::vector<PlacedEntry> shown,
               MergingIterator it);

  // Moves to an end, or seeks a random target in one of both directions.
  void Begin(Random* random);
  void Step(bool forward);
  // Expects the iterator to be where it must be, and without an error.
  void ExpectRight() const;
  const MergingIterator& it() const { return it_; }

 private:
  // Returns the position of the first entry at or after an internal key, or
  // after it.
  int64_t FirstFrom(const std::string& key) const;
  int64_t FirstAfter(const std::string& key) const;

  const Model& model_;
  const std::vector<PlacedEntry> shown_;
  MergingIterator it_;
  int64_t position_ = 0;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_COMPARED_WALK_H_
