// OrderedRows: passes rows to the sink, applies the rule for duplicate keys,
// and explains rows that are out of order.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_ORDERED_ROWS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_ORDERED_ROWS_H_

#include <cstdint>
#include <string>

#include "ashlar/util/comparator.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/table_output.h"
#include "tools/columns/row.h"

namespace ashlar::tool {

enum class DuplicateRule : uint8_t { kError, kFirst, kLast };

// Compares two rows in the order of a table: by user key, and for internal keys
// (`external` is false) the newest first. Returns < 0, 0 or > 0.
int CompareRows(const Comparator& comparator, bool external, const Slice& a,
                uint64_t a_tail, const Slice& b, uint64_t b_tail);

// Refuses rows that do not come after the previous row in the order. Does
// nothing else.
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
  // `options` and `sink` must outlive this.
  OrderedRows(const SinkOptions* options, DuplicateRule rule, RowSink* sink)
      : options_(options), rule_(rule), sink_(sink) {}

  // Adds a row. If an error is the fault of a row, bad_place() names it.
  Status Add(const Row& row);
  // To be called after the last row.
  Status Flush();
  const RowPlace& bad_place() const { return bad_place_; }
  // Returns the number of rows that the rule left out.
  uint64_t duplicates() const { return duplicates_; }

 private:
  int CompareWithPrevious(const Row& row) const;
  Status AddToSink(const Row& row);
  // Returns an error that says why the row cannot follow the previous one.
  Status Explain(const Row& row, int order) const;
  void Remember(const Row& row);
  Row Previous() const;

  const SinkOptions* const options_;
  const DuplicateRule rule_;
  RowSink* const sink_;
  // The last row. With DuplicateRule::kLast it has not been passed on yet:
  // another row of the same key may replace it.
  bool has_previous_ = false;
  std::string key_;
  std::string value_;
  SequenceNumber sequence_ = 0;
  ValueType type_ = ValueType::kTypeValue;
  RowPlace place_;
  RowPlace bad_place_;
  uint64_t duplicates_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_ORDERED_ROWS_H_
