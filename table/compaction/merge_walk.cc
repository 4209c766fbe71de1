// Merge operands: the walk from the newest operand of a stripe to the older
// entries of its user key.
//
//   entry on the walk                            what becomes of it
//   ------------------------------------------   ----------------------------
//   operand that no snapshot sees                shown to the filter
//   operand under a range deletion of its        dropped
//     stripe
//   any other operand                            collected
//   another entry of the stripe: the base        all that was collected is
//                                                merged with it, and one entry
//                                                is written: a full merge. A
//                                                deletion, or a base under a
//                                                range deletion, is no value
//   begin of a range deletion                    passed over, whatever its key
//
//   end of the walk without a base
//   ------------------------------------------   ----------------------------
//   another key, at the bottom; with             a full merge without a value
//     timestamps: the entry looked at last is
//     below
//   an older stripe, or not at the bottom        a partial merge: one operand;
//                                                if refused, all as they were
//
// The result has key and sequence number of the newest collected operand. If
// nothing was collected, or operands were written, the entry where the walk
// ended begins its key again: the filter sees it, and it is not hidden. A full
// merge that fails ends the compaction, unless its scope is kMustMerge: then
// the operands are written, and the base begins the key again.
//
// With timestamps, the walk goes on to an older timestamp if that is below.

#include <algorithm>
#include <utility>

#include "ashlar/table/entry/timed_value.h"
#include "table/compaction/iterator_state.h"

namespace ashlar {

// Collects an operand, unless the filter or a range deletion removes it. Sets
// *skipped if the filter has moved the input on.
void CompactionIterator::State::TakeOperand(Entry entry, bool* skipped) {
  if (options.compaction_filter != nullptr &&
      entry.sequence() > stripes.newest()) {
    switch (AskFilter({options.level,
                       entry.user_key,
                       CompactionFilter::ValueType::kMergeOperand,
                       entry.value,
                       {}})) {
      case CompactionFilter::Decision::kKeep:
        break;
      case CompactionFilter::Decision::kChangeValue:
        entry.value = change.new_value;
        break;
      case CompactionFilter::Decision::kRemoveAndSkipUntil:
        *skipped = true;
        ++counts.dropped_by_filter;
        input.SkipTo(change.skip_until);
        return;
      default:
        ++counts.dropped_by_filter;
        return;
    }
  }
  if (IsRangeDeleted(entry)) {
    ++counts.dropped_range_deleted;
    return;
  }
  operands.push_back(
      {entry.user_key.ToString(), entry.tail, entry.value.ToString()});
}

bool CompactionIterator::State::TakeOperands(const Entry& first) {
  if (options.merge_operator == nullptr) {
    return Fail(Status::InvalidArgument(
        Describe(first) + " is a merge operand, but merge_operator is null"));
  }
  operands.clear();
  const SequenceNumber below = stripes.Below(first.sequence());
  bool is_below = IsBelowOrPlain(first.user_key);
  bool at_other_key = false;
  for (bool is_first = true;; is_first = false) {
    while (input.at_begin()) input.Next();
    if (!input.valid()) {
      if (!input.status().ok()) return Fail(input.status());
      at_other_key = true;
      break;
    }
    const Entry entry{input.user_key(), input.tail(), input.value()};
    if (!is_first) {
      is_below = IsBelowOrPlain(entry.user_key);
      at_other_key =
          !InputHasCurrentKey() ||
          (timestamp_size != 0 && !is_below && entry.user_key != CurrentKey());
      if (at_other_key || (below != 0 && entry.sequence() <= below)) break;
      if (entry.type() != ValueType::kTypeMerge) return TakeBase(entry);
      CountInput();
    }
    bool skipped = false;
    TakeOperand(entry, &skipped);
    if (skipped) {
      ForgetKey();
      return false;
    }
    input.Next();
  }
  return EndWithoutBase(at_other_key && at_bottom && is_below);
}

bool CompactionIterator::State::KeepOperands() {
  ForgetKey();
  pending = std::move(operands);
  operands = {};
  next_pending = 0;
  return ShowPending();
}

bool CompactionIterator::State::EndWithoutBase(bool full) {
  if (operands.empty()) {
    ForgetKey();
    return false;
  }
  MergeOperator::MergeInput merge;
  if (full) {
    bool merged = false;
    if (!FullMerge(&merge, &merged)) return false;
    return merged ? Emit({operands.front().user_key, operands.front().tail,
                          value_buffer})
                  : KeepOperands();
  }
  const MergeOperator& op = *options.merge_operator;
  if (operands.size() < 2 && !op.AllowSingleOperand()) return KeepOperands();
  std::vector<Slice> oldest_first;
  for (auto at = operands.rbegin(); at != operands.rend(); ++at) {
    oldest_first.emplace_back(at->value);
  }
  value_buffer.clear();
  if (!op.PartialMergeMulti(operands.front().user_key, oldest_first,
                            &value_buffer)) {
    return KeepOperands();
  }
  counts.merged_operands += operands.size();
  ++counts.merge_results;
  ForgetKey();
  return Emit({operands.front().user_key, operands.front().tail, value_buffer});
}

// Sets merge->existing_value to that of the base.
Status CompactionIterator::State::ReadBase(
    const Entry& base, std::deque<std::string>* fetched,
    std::vector<WideColumn>* columns, MergeOperator::MergeInput* merge) const {
  const auto fetch = [&](const Slice& index, Slice* value) {
    if (!options.fetch_blob) {
      return Status::NotSupported(
          Describe(base) +
          " is a blob index beneath merge operands, but "
          "fetch_blob is empty");
    }
    std::string& blob = fetched->emplace_back();
    Status got = options.fetch_blob(base.user_key, index, &blob);
    *value = blob;
    return got;
  };
  TimedValue timed;
  Slice value;
  Status read;
  switch (base.type()) {
    case ValueType::kTypeValuePreferredSeqno:
      read = DecodeTimedValue(base.value, &timed);
      merge->existing_value = timed.value;
      break;
    case ValueType::kTypeBlobIndex:
      read = fetch(base.value, &value);
      merge->existing_value = value;
      break;
    case ValueType::kTypeWideColumnEntity:
      read = DecodeWideColumns(base.value, columns);
      for (WideColumn& column : *columns) {
        if (!read.ok() || !column.is_blob_index) continue;
        read = fetch(column.value, &column.value);
        column.is_blob_index = false;
      }
      merge->existing_value = std::span<const WideColumn>(*columns);
      break;
    default:
      merge->existing_value = base.value;
      break;
  }
  return read.ok() ? read : read.WithPrefix(Describe(base));
}

bool CompactionIterator::State::TakeBase(const Entry& base) {
  if (operands.empty()) {
    ForgetKey();
    return false;
  }
  MergeOperator::MergeInput merge;
  std::deque<std::string> fetched;
  std::vector<WideColumn> columns;
  const bool is_deletion = base.type() == ValueType::kTypeDeletion ||
                           base.type() == ValueType::kTypeSingleDeletion ||
                           base.type() == ValueType::kTypeDeletionWithTimestamp;
  if (!is_deletion && !IsRangeDeleted(base)) {
    Status read = ReadBase(base, &fetched, &columns, &merge);
    if (!read.ok()) return Fail(std::move(read));
  }
  bool merged = false;
  if (!FullMerge(&merge, &merged)) return false;
  // The base is taken again, as the first version of its key.
  if (!merged) return KeepOperands();
  CountInput();
  input.Next();
  return Emit({operands.front().user_key, operands.front().tail, value_buffer});
}

// Puts the result into value_buffer, and its type into the newest operand.
bool CompactionIterator::State::TakeResult(MergeOperator::MergeOutput* output) {
  uint64_t& tail = operands.front().tail;
  const auto set_type = [&tail](ValueType type) {
    tail = (tail & ~uint64_t{0xff}) | static_cast<uint64_t>(type);
  };
  set_type(ValueType::kTypeValue);
  if (auto* bytes = std::get_if<std::string>(&output->new_value)) {
    value_buffer = std::move(*bytes);
  } else if (const auto* slice = std::get_if<Slice>(&output->new_value)) {
    value_buffer.assign(slice->data(), slice->size());
  } else {
    set_type(ValueType::kTypeWideColumnEntity);
    Status encoded = EncodeNewColumns(
        std::get<MergeOperator::NewColumns>(output->new_value), &value_buffer);
    if (!encoded.ok()) return Fail(std::move(encoded));
  }
  counts.merged_operands += operands.size();
  ++counts.merge_results;
  return true;
}

// Returns false after an error. Sets *merged to false if the operands must be
// kept.
bool CompactionIterator::State::FullMerge(MergeOperator::MergeInput* merge,
                                          bool* merged) {
  std::vector<Slice> oldest_first;
  for (auto at = operands.rbegin(); at != operands.rend(); ++at) {
    oldest_first.emplace_back(at->value);
  }
  merge->key = operands.front().user_key;
  merge->operands = oldest_first;
  MergeOperator::MergeOutput output;
  *merged = options.merge_operator->FullMerge(*merge, &output);
  if (*merged) return TakeResult(&output);
  if (output.op_failure_scope == MergeOperator::OpFailureScope::kMustMerge) {
    return true;
  }
  return Fail(Status::Corruption(
      "merge operator " + std::string(options.merge_operator->Name()) +
      " failed for " +
      Describe({operands.front().user_key, operands.front().tail, Slice()})));
}

}  // namespace ashlar
