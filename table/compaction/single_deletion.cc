// Single deletions. A single deletion and the version that it deletes, the next
// older one, go together.
//
//   next older entry of the user key             what becomes of the two
//   ------------------------------------------   ----------------------------
//   any, and the newer version of the key        both dropped
//     got sequence number 0
//   in an older stripe                           written; next by its own rules
//   in the same stripe:
//     single deletion                            dropped; next is taken
//     deletion                                   Corruption, or dropped and
//                                                next is hidden
//     any, not below full_history_ts_low         written; next by its own rules
//     any, and something was written of the      both dropped
//       key before, or no write-conflict
//       snapshot can tell
//     any, else                                  written; next written empty
//   none, q <= earliest, lowest, below;          dropped
//     not in a flush, not ingest-behind
//   none, else                                   written
//
// No write-conflict snapshot can tell if the earliest of them sees the single
// deletion. Range deletions have no part in this. After a pair that was
// dropped, the rest of its stripe is hidden.

#include <utility>

#include "table/compaction/iterator_state.h"

namespace ashlar {

bool CompactionIterator::State::TakeLoneSingleDeletion(uint64_t tail) {
  ForgetKey();
  const Slice key = CurrentKey();
  const bool hides_nothing = drops_deletions && tail >> 8 <= earliest &&
                             IsLowestOf(key) && IsBelowOrPlain(key);
  if (hides_nothing) {
    ++counts.dropped_single_deletions;
    return false;
  }
  return Emit({key, tail, Slice()});
}

bool CompactionIterator::State::TakeSingleDeletion(const Entry& entry) {
  const uint64_t tail = entry.tail;
  const SequenceNumber q = tail >> 8;
  do {
    input.Next();
  } while (input.at_begin() && InputHasCurrentKey());
  if (input.at_begin() || !InputHasCurrentKey()) {
    if (!input.valid() && !input.status().ok()) return Fail(input.status());
    return TakeLoneSingleDeletion(tail);
  }
  const auto next_type = static_cast<ValueType>(input.tail() & 0xff);
  const auto drop_both = [&] {
    CountInput();
    ++counts.dropped_single_deletions;
    if (next_type != ValueType::kTypeValue) {
      ++counts.single_deletion_mismatches;
    }
    return Drop(&counts.dropped_single_deleted);
  };
  if (zeroed) return drop_both();
  const Entry single_deletion{CurrentKey(), tail, Slice()};
  const SequenceNumber below = stripes.Below(q);
  if (below != 0 && input.tail() >> 8 <= below) return Emit(single_deletion);
  if (next_type == ValueType::kTypeSingleDeletion) {
    ++counts.dropped_single_deletions;
    ++counts.single_deletion_mismatches;
    return false;
  }
  if (next_type == ValueType::kTypeDeletion) {
    ++counts.single_deletion_mismatches;
    if (options.enforce_single_del_contracts) {
      return Fail(Status::Corruption(
          Describe(single_deletion) +
          " is a single deletion above a deletion: a key must be deleted by "
          "one kind of deletion only"));
    }
    ++counts.dropped_single_deletions;
    return false;
  }
  if (!IsBelowOrPlain(CurrentKey())) return Emit(single_deletion);
  if (outputted || q <= options.earliest_write_conflict_snapshot) {
    return drop_both();
  }
  empties_next = true;
  return Emit(single_deletion);
}

}  // namespace ashlar
