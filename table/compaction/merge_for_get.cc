// MergeForGet: operands and the value beneath them, as a user reads them.

#include <algorithm>

#include "ashlar/table/merge_operator.h"

namespace ashlar {

namespace {

void CopyTo(const Slice& from, std::string* to) {
  to->assign(from.data(), from.size());
}

Status CopyExisting(const MergeOperator::ExistingValue& existing,
                    std::string* value) {
  value->clear();
  if (std::holds_alternative<std::monostate>(existing)) {
    return Status::NotFound();
  }
  if (const auto* plain = std::get_if<Slice>(&existing)) {
    CopyTo(*plain, value);
    return {};
  }
  for (const WideColumn& column :
       std::get<std::span<const WideColumn>>(existing)) {
    if (column.name.empty()) CopyTo(column.value, value);
  }
  return {};
}

}  // namespace

Status MergeForGet(const MergeOperator* merge_operator, const Slice& user_key,
                   const MergeOperator::ExistingValue& existing,
                   std::span<const std::string> newest_first,
                   std::string* value) {
  if (newest_first.empty()) return CopyExisting(existing, value);
  if (merge_operator == nullptr) {
    return Status::InvalidArgument(
        "a key has merge operands, but merge_operator is null");
  }
  const std::vector<Slice> oldest_first(newest_first.rbegin(),
                                        newest_first.rend());
  MergeOperator::MergeOutput output;
  if (!merge_operator->FullMerge({user_key, existing, oldest_first}, &output)) {
    return Status::Corruption("merge operator " +
                              std::string(merge_operator->Name()) + " failed");
  }
  if (auto* bytes = std::get_if<std::string>(&output.new_value)) {
    *value = std::move(*bytes);
    return {};
  }
  if (const auto* slice = std::get_if<Slice>(&output.new_value)) {
    CopyTo(*slice, value);
    return {};
  }
  const auto& columns = std::get<MergeOperator::NewColumns>(output.new_value);
  const auto plain =
      std::find_if(columns.begin(), columns.end(),
                   [](const auto& column) { return column.first.empty(); });
  *value = plain == columns.end() ? std::string() : plain->second;
  return {};
}

}  // namespace ashlar
