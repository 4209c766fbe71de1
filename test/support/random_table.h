// Random tables and the model that they are compared with.
//
// A RandomTable is options and entries, in order; Model answers every question
// that a reader answers, from the sorted entries alone and in the plainest way.
#ifndef ASHLAR_TEST_SUPPORT_RANDOM_TABLE_H_
#define ASHLAR_TEST_SUPPORT_RANDOM_TABLE_H_

#include <string>
#include <vector>

#include "ashlar/table/options.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {

// Shorter keys first, then bytewise: an order that is neither of the built-in
// ones, and in which no prefix says anything. "test.ShorterFirst".
const Comparator* ShorterFirstComparator();

// What Get is to find.
struct ModelAnswer {
  GetResult::State state = GetResult::State::kNotFound;
  std::string value;
  SequenceNumber sequence = 0;
  std::vector<std::string> operands;  // newest first
};

class Model {
 public:
  // Sorts the entries and drops those whose keys come twice.
  Model(const Comparator* comparator, std::vector<Entry> entries);

  const std::vector<Entry>& entries() const { return entries_; }
  bool Less(const Slice& a, const Slice& b) const;
  // Position of the first entry at or behind an internal key; past the end
  // where there is none.
  size_t LowerBound(const Slice& internal_key) const;
  // Where Iterator::Seek and SeekForPrev stand; the latter is -1 for "before
  // the first entry".
  size_t Seek(const Slice& user_key, SequenceNumber snapshot) const;
  int64_t SeekForPrev(const Slice& user_key, SequenceNumber snapshot) const;
  ModelAnswer Get(const Slice& user_key, SequenceNumber snapshot) const;

 private:
  const Comparator* comparator_;
  std::vector<Entry> entries_;
};

struct RandomTable {
  TableOptions options;
  Model model;
  std::string description;
};

// Any format version, codec, checksum, block form and comparator, with keys of
// one of several shapes.
RandomTable MakeRandomTable(Random* random);

// A key of the table, or one close to it.
std::string RandomTarget(const Model& model, Random* random);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_RANDOM_TABLE_H_
