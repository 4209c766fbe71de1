// OrderedRows: passes rows on to the sink, sees to duplicates, and explains
// what is out of order.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_ORDERED_ROWS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_ORDERED_ROWS_H_

#include <string>

#include "ashlar/util/comparator.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/ashlar/rows/row.h"

namespace ashlar::tool {

enum class DuplicateRule : uint8_t { kError, kFirst, kLast };

// The order of a table: by user key, then, where rows are internal keys, the
// newest first. < 0, 0 or > 0.
int CompareRows(const Comparator& comparator, bool external, const Slice& a,
                uint64_t a_tail, const Slice& b, uint64_t b_tail);

// Refuses rows that are not behind the one before, and does nothing else.
class OrderCheck final : public RowSink {
 public:
  explicit OrderCheck(const SinkOptions* options) : options_(options) {}
  Status Add(const Row& row) override;

 private:
  const SinkOptions* const options_;
  bool has_previous_ = false;
  std::string key_;
  uint64_t tail_ = 0;
};

class OrderedRows {
 public:
  // Both must outlive this.
  OrderedRows(const SinkOptions* options, DuplicateRule rule, RowSink* sink)
      : options_(options), rule_(rule), sink_(sink) {}

  // Where an error is of a row, `bad_place` names it.
  Status Add(const Row& row);
  // After the last row.
  Status Flush();
  const RowPlace& bad_place() const { return bad_place_; }

 private:
  int CompareWithPrevious(const Row& row) const;
  Status AddToSink(const Row& row);
  // Why the row cannot follow the previous one.
  Status Explain(const Row& row, int order) const;
  void Remember(const Row& row);
  Row Previous() const;

  const SinkOptions* const options_;
  const DuplicateRule rule_;
  RowSink* const sink_;
  // The last row. With kLast it has not been added yet: another of the same
  // key may take its place.
  bool has_previous_ = false;
  std::string key_;
  std::string value_;
  SequenceNumber sequence_ = 0;
  ValueType type_ = ValueType::kTypeValue;
  RowPlace place_;
  RowPlace bad_place_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_ORDERED_ROWS_H_
