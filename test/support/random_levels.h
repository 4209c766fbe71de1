// Random levels of tables, and the model of what they hold, for tests of reads
// over several tables.
//
// Writes get ascending sequence numbers, and go to a level by their age, as an
// engine's do: the newest to tables that may overlap, older ones to sorted
// levels, whose tables have disjoint ranges. The model answers from the list of
// all writes, in the simplest way.
#ifndef ASHLAR_TEST_SUPPORT_RANDOM_LEVELS_H_
#define ASHLAR_TEST_SUPPORT_RANDOM_LEVELS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/multi_table_get.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {

// The answer for a key.
struct LevelsAnswer {
  GetResult::State state = GetResult::State::kNotFound;
  std::string value;
  SequenceNumber sequence = 0;
  std::string timestamp;
  std::vector<std::string> operands;  // newest first

  friend bool operator==(const LevelsAnswer&, const LevelsAnswer&) = default;
};

class RandomLevels {
 public:
  explicit RandomLevels(Random* random);

  // The bytes of a table, and its keys.
  struct Table {
    std::string bytes;
    std::string smallest;
    std::string largest;
    bool excludes_largest = false;
  };
  struct Level {
    std::vector<Table> tables;
    bool sorted = false;
  };
  const std::vector<Level>& levels() const { return levels_; }
  const Comparator& comparator() const { return *comparator_; }
  size_t timestamp_size() const { return comparator_->timestamp_size(); }
  SequenceNumber last_sequence() const { return last_sequence_; }
  // Returns a key that may have been written.
  std::string AnyKey(Random* random) const;
  // Returns a timestamp for a read, which is empty if keys have none.
  std::string AnyTimestamp(Random* random) const;
  LevelsAnswer Expected(const Slice& user_key, SequenceNumber snapshot,
                        const Slice& timestamp,
                        bool ignore_range_deletions) const;

 private:
  struct Write {
    std::string key;  // without timestamp
    std::string end;  // of a range deletion
    SequenceNumber sequence;
    ValueType type;
    std::string value;
    std::string timestamp;
    // If present, the bounds of a range deletion as the table stores them,
    // which go beyond the range of the table.
    std::optional<std::pair<std::string, std::string>> stored = std::nullopt;
  };

  bool Less(const Slice& a, const Slice& b) const {
    return comparator_->CompareWithoutTimestamp(a, b) < 0;
  }
  bool Covers(const Write& write, const Slice& key) const;
  std::string TimestampAt(SequenceNumber sequence) const;
  void MakeWrites(Random* random);
  Table BuildOf(const std::vector<Write>& writes, Random* random);
  void AddSortedLevel(const std::vector<Write>& writes, Random* random);

  const Comparator* comparator_;
  bool has_merges_;
  bool has_range_deletions_;
  SequenceNumber last_sequence_ = 0;
  uint64_t tables_ = 0;
  std::vector<Write> writes_;  // ascending
  std::vector<Level> levels_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_RANDOM_LEVELS_H_
