// What the compaction filter sees, and what its decisions do: the table is in
// ashlar/table/compaction_filter.h.

#include <utility>

#include "table/compaction/iterator_state.h"

namespace ashlar {

Status EncodeNewColumns(const MergeOperator::NewColumns& columns,
                        std::string* entity) {
  std::vector<WideColumn> list;
  list.reserve(columns.size());
  for (const auto& [name, value] : columns) list.push_back({name, value});
  return EncodeWideColumns(std::move(list), entity);
}

// Asks the filter. A key to skip to that is not above the entry's is kKeep.
CompactionFilter::Decision CompactionIterator::State::AskFilter(
    const CompactionFilter::Entry& shown_to) {
  using Decision = CompactionFilter::Decision;
  change.Clear();
  const Decision decision =
      options.compaction_filter->Filter(shown_to, &change);
  if (decision == Decision::kRemoveAndSkipUntil &&
      order.WithoutTimestamps().CompareUserKeys(change.skip_until,
                                                Plain(shown_to.key)) <= 0) {
    return Decision::kKeep;
  }
  return decision;
}

// Sets *out to what the filter is shown of an entry.
Status CompactionIterator::State::ShowToFilter(const Entry& entry,
                                               std::vector<WideColumn>* columns,
                                               CompactionFilter::Entry* out) {
  *out = {options.level,
          entry.user_key,
          CompactionFilter::ValueType::kValue,
          entry.value,
          {}};
  if (entry.type() == ValueType::kTypeWideColumnEntity) {
    out->type = CompactionFilter::ValueType::kWideColumnEntity;
    out->value = Slice();
    Status decoded = DecodeWideColumns(entry.value, columns);
    out->columns = *columns;
    return decoded;
  }
  if (entry.type() != ValueType::kTypeBlobIndex) return {};
  if (!options.fetch_blob) {
    out->type = CompactionFilter::ValueType::kBlobIndex;
    return {};
  }
  Status fetched =
      options.fetch_blob(entry.user_key, entry.value, &value_buffer);
  out->value = value_buffer;
  return fetched;
}

// Shows the first version of a key to the filter, if it is of a type that the
// filter sees, and changes it as the filter says. Returns false if the entry is
// gone, or after an error.
bool CompactionIterator::State::FilterEntry(Entry* entry) {
  using Decision = CompactionFilter::Decision;
  if (entry->type() != ValueType::kTypeValue &&
      entry->type() != ValueType::kTypeBlobIndex &&
      entry->type() != ValueType::kTypeWideColumnEntity) {
    return true;
  }
  CompactionFilter::Entry shown_to;
  std::vector<WideColumn> columns;
  Status status_of_show = ShowToFilter(*entry, &columns, &shown_to);
  if (!status_of_show.ok()) {
    return Fail(status_of_show.WithPrefix(Describe(*entry)));
  }
  switch (AskFilter(shown_to)) {
    case Decision::kKeep:
      return true;
    case Decision::kRemove:
      entry->SetType(ValueType::kTypeDeletion);
      entry->value = Slice();
      ++counts.dropped_by_filter;
      return true;
    case Decision::kPurge:
      entry->SetType(ValueType::kTypeSingleDeletion);
      entry->value = Slice();
      ++counts.dropped_by_filter;
      return true;
    case Decision::kChangeValue:
      entry->SetType(ValueType::kTypeValue);
      entry->value = change.new_value;
      return true;
    case Decision::kChangeWideColumnEntity: {
      Status encoded = EncodeNewColumns(change.new_columns, &value_buffer);
      if (!encoded.ok()) return Fail(std::move(encoded));
      entry->SetType(ValueType::kTypeWideColumnEntity);
      entry->value = value_buffer;
      return true;
    }
    case Decision::kRemoveAndSkipUntil:
      ++counts.dropped_by_filter;
      input.SkipTo(change.skip_until);
      return false;
  }
  return Fail(
      Status::InvalidArgument(std::string(options.compaction_filter->Name()) +
                              " returned a decision that is none"));
}

}  // namespace ashlar
