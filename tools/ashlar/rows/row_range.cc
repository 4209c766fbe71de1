#include "tools/ashlar/rows/row_range.h"

namespace ashlar::tool {

std::string RowRange::Parse(const CommandLine& line) {
  return range_.ParseEnds(line);
}

std::string RowRange::Check(const Comparator& comparator) const {
  const auto& from = range_.from();
  const auto& to = range_.to();
  if (!from || !to || comparator.CompareWithoutTimestamp(*from, *to) < 0) {
    return {};
  }
  return "--from is not before --to";
}

const Row* RowRange::Narrow(const Row& row, const Comparator& comparator) {
  const size_t timestamp = comparator.timestamp_size();
  if (range_.IsAll() || row.key.size() < timestamp) return &row;
  const Row* narrowed = &row;
  if (row.type == ValueType::kTypeRangeDeletion) {
    // The output refuses a range that does not end after its begin.
    const bool is_range = row.value.size() >= timestamp &&
                          comparator.CompareWithoutTimestamp(
                              WithoutTimestamp(row.key, timestamp),
                              WithoutTimestamp(row.value, timestamp)) < 0;
    narrowed = is_range ? Cut(row, comparator) : &row;
  } else if (!range_.Contains(WithoutTimestamp(row.key, timestamp),
                              comparator)) {
    narrowed = nullptr;
  }
  if (narrowed == nullptr) ++rows_outside_;
  return narrowed;
}

const Row* RowRange::Cut(const Row& row, const Comparator& comparator) {
  if (!range_.Meets(row.key, row.value, comparator)) return nullptr;
  const size_t size = comparator.timestamp_size();
  const Slice timestamp = TimestampOf(row.key, size);
  const auto is_before = [&](const Slice& a, const Slice& b) {
    return comparator.CompareWithoutTimestamp(WithoutTimestamp(a, size), b) < 0;
  };
  cut_ = row;
  const auto& from = range_.from();
  if (from && is_before(row.key, *from)) {
    begin_ = *from + timestamp.ToString();
    cut_.key = begin_;
  }
  const auto& to = range_.to();
  if (to && !is_before(row.value, *to)) {
    end_ = *to + TimestampOf(row.value, size).ToString();
    cut_.value = end_;
  }
  return &cut_;
}

}  // namespace ashlar::tool
