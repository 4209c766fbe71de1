// Random tables, and the model that they are compared with.
//
// A RandomTable has options and sorted entries. Model answers every question
// that a reader answers, from the sorted entries alone and in the simplest way.
#ifndef ASHLAR_TEST_SUPPORT_RANDOM_TABLE_H_
#define ASHLAR_TEST_SUPPORT_RANDOM_TABLE_H_

#include <string>
#include <vector>

#include "ashlar/table/options.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {

// Orders shorter keys first, then bytewise. It differs from both built-in
// orders, and a common prefix does not keep keys together. Its name is
// "test.ShorterFirst".
const Comparator* ShorterFirstComparator();

// The expected result of Get.
struct ModelAnswer {
  GetResult::State state = GetResult::State::kNotFound;
  std::string value;
  SequenceNumber sequence = 0;
  std::vector<std::string> operands;  // newest first
};

class Model {
 public:
  // Sorts the entries and keeps one entry of each internal key.
  Model(const Comparator* comparator, std::vector<Entry> entries);

  const std::vector<Entry>& entries() const { return entries_; }
  bool Less(const Slice& a, const Slice& b) const;
  // Returns the index of the first entry at or after an internal key, or the
  // number of entries if there is none.
  size_t LowerBound(const Slice& internal_key) const;
  // Return the index of the entry where Iterator::Seek and SeekForPrev must be
  // positioned. SeekForPrev returns -1 for "before the first entry".
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

// Returns a table of any format version, codec, checksum, block form and
// comparator, with keys of one random shape.
RandomTable MakeRandomTable(Random* random);

// Returns a key of the table, or a key close to one.
std::string RandomTarget(const Model& model, Random* random);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_RANDOM_TABLE_H_
