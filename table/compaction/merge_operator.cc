// The parts of merge operators that no operator needs to write.

#include "ashlar/table/merge_operator.h"

namespace ashlar {

bool MergeOperator::PartialMergeMulti(const Slice& key,
                                      std::span<const Slice> operands,
                                      std::string* new_operand) const {
  if (operands.size() < 2) return false;
  std::string folded;
  Slice older = operands[0];
  for (const Slice& newer : operands.subspan(1)) {
    std::string next;
    if (!PartialMerge(key, older, newer, &next)) return false;
    folded.swap(next);
    older = folded;
  }
  new_operand->swap(folded);
  return true;
}

bool MergeOperator::PartialMerge(const Slice& key, const Slice& older,
                                 const Slice& newer,
                                 std::string* new_operand) const {
  static_cast<void>(key);
  static_cast<void>(older);
  static_cast<void>(newer);
  static_cast<void>(new_operand);
  return false;
}

bool PlainMergeOperator::FullMerge(const MergeInput& input,
                                   MergeOutput* output) const {
  OpFailureScope* const scope = &output->op_failure_scope;
  const auto* columns =
      std::get_if<std::span<const WideColumn>>(&input.existing_value);
  std::string result;
  if (columns == nullptr) {
    if (!MergePlain(input.key, std::get_if<Slice>(&input.existing_value),
                    input.operands, &result, scope)) {
      return false;
    }
    output->new_value = std::move(result);
    return true;
  }
  Slice default_value;
  NewColumns merged;
  merged.emplace_back();
  for (const WideColumn& column : *columns) {
    if (column.name.empty()) {
      default_value = column.value;
    } else {
      merged.emplace_back(column.name.ToString(), column.value.ToString());
    }
  }
  if (!MergePlain(input.key, &default_value, input.operands,
                  &merged.front().second, scope)) {
    return false;
  }
  output->new_value = std::move(merged);
  return true;
}

bool AssociativeMergeOperator::MergePlain(const Slice& key,
                                          const Slice* existing_value,
                                          std::span<const Slice> operands,
                                          std::string* new_value,
                                          OpFailureScope* scope) const {
  static_cast<void>(scope);
  std::string folded;
  Slice existing;
  for (const Slice& operand : operands) {
    std::string next;
    if (!Merge(key, existing_value, operand, &next)) return false;
    folded.swap(next);
    existing = folded;
    existing_value = &existing;
  }
  new_value->swap(folded);
  return true;
}

bool AssociativeMergeOperator::PartialMerge(const Slice& key,
                                            const Slice& older,
                                            const Slice& newer,
                                            std::string* new_operand) const {
  return Merge(key, &older, newer, new_operand);
}

}  // namespace ashlar
