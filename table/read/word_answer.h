// Answers that the entry words of a cached block give
// (table/block/entry_words.h).
//
// There are two steps, so that a batch can wait for the entries of all its keys
// together. The first searches the words of the block, and prefetches the entry
// that they name. The second compares the entry, and pins its value. The words
// can decide two cases: a plain value that the read may see, or a key that is
// not there. In all other cases (deletions, operands, older versions, blocks
// without words) they decide nothing, and the block is to be searched as it is.
//
// For keys without timestamps that no range deletion covers.
#ifndef ASHLAR_TABLE_READ_WORD_ANSWER_H_
#define ASHLAR_TABLE_READ_WORD_ANSWER_H_

#include "ashlar/table/table_reader.h"
#include "table/block/entry_words.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// Does the first step.
inline WordPlace LookAtWords(const OpenedTable& table, const PinnedBlock& block,
                             const Slice& user_key) {
  // Readers of one file may have different comparators of the same name: words
  // that were made for one by bytes mean nothing to the other.
  if (block.cached() == nullptr || !table.order.IsOfBytes()) return {};
  const EntryWords words = block.Words(table.order);
  return words.any() ? words.Find(block.view(), table.order, user_key)
                     : WordPlace();
}

// Does the second step. Returns false if the words do not decide; *result is
// then unchanged.
bool AnswerByWords(const WordPlace& place, const Slice& user_key,
                   SequenceNumber snapshot, bool shared, PinnedBlock* block,
                   GetResult* result);

// Makes the result's value point into the block, and keep it alive. `shared`:
// other keys use the block too, so the value shares it; else the value takes it
// over.
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
