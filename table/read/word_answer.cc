#include "table/read/word_answer.h"

namespace ashlar::internal {

bool AnswerByWords(const WordPlace& place, const Slice& user_key,
                   SequenceNumber snapshot, bool shared, PinnedBlock* block,
                   GetResult* result) {
  if (place.tells == WordPlace::Tells::kUnknown) return false;
  if (place.tells == WordPlace::Tells::kEntry) {
    constexpr auto kPut = static_cast<uint8_t>(ValueType::kTypeValue);
    EntryMatch match;
    if (!block->cached()->words().Matches(block->view(), place.entry, user_key,
                                          &match)) {
      return false;
    }
    const SequenceNumber sequence = match.tail >> 8;
    if (static_cast<uint8_t>(match.tail) != kPut || sequence > snapshot) {
      return false;
    }
    result->type = ValueType::kTypeValue;
    result->sequence = sequence;
    PinValue(match.value, shared, block, result);
  }
  ++result->data_blocks_read;
  return true;
}

}  // namespace ashlar::internal
