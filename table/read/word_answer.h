// Answers that the words of a cached block give (table/block/entry_words.h).
//
// In two steps, so that a batch can wait for the entries of all its keys
// together: the words of the block are searched, and the entry that they name
// is being fetched; then the entry is compared, and its value pinned. Words
// tell of a plain value that is seen, or that the key is not there. Whatever
// else there may be (deletions, operands, older versions, blocks without
// words), they tell nothing, and the block is to be searched as it is.
//
// For keys without timestamps that no range deletion covers.
#ifndef ASHLAR_TABLE_READ_WORD_ANSWER_H_
#define ASHLAR_TABLE_READ_WORD_ANSWER_H_

#include "ashlar/table/table_reader.h"
#include "table/block/entry_words.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// The first step.
inline WordPlace LookAtWords(const OpenedTable& table, const PinnedBlock& block,
                             const Slice& user_key) {
  // Readers of one file may have other comparators of one name: words that one
  // has made by its bytes say nothing to the other.
  if (block.cached() == nullptr || !table.order.IsOfBytes()) return {};
  const EntryWords words = block.Words(table.order);
  return words.any() ? words.Find(block.view(), table.order, user_key)
                     : WordPlace();
}

// The second one. False: the words do not tell all, and *result is as it was.
bool AnswerByWords(const WordPlace& place, const Slice& user_key,
                   SequenceNumber snapshot, bool shared, PinnedBlock* block,
                   GetResult* result);

// Has the result's value be a part of the block's bytes, and keep these alive.
// `shared`: others use the block too, and so the value shares it; else it takes
// it.
inline void PinValue(const Slice& value, bool shared, PinnedBlock* block,
                     GetResult* result) {
  result->state = GetResult::State::kFound;
  if (!shared) {
    result->value.Pin(value, block->Release());
    return;
  }
  Cleanable pin;
  block->Share(&pin);
  result->value.Pin(value, std::move(pin));
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_WORD_ANSWER_H_
