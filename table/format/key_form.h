// KeyForm: how the keys in a file differ from the keys they stand for.
//
// Most files store keys as they are. Ingested ones may carry one sequence
// number that replaces all others, and files may have the timestamps of their
// user keys taken off. What is read from any block goes through this, so that
// everything above sees whole keys. A small value; thread-safe to read.
#ifndef ASHLAR_TABLE_FORMAT_KEY_FORM_H_
#define ASHLAR_TABLE_FORMAT_KEY_FORM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

struct KeyForm {
  // Stands in place of every sequence number of data blocks, range deletions
  // and first keys; separators keep theirs.
  std::optional<SequenceNumber> sequence = std::nullopt;
  // Bytes of the timestamp that was taken off every user key. Zeros, the oldest
  // timestamp, stand for it.
  size_t stripped_timestamp = 0;

  friend bool operator==(const KeyForm&, const KeyForm&) = default;

  bool IsAsStored() const {
    return !sequence.has_value() && stripped_timestamp == 0;
  }

  // Each makes *whole what the stored key stands for.
  void RestoreUserKey(const Slice& stored, std::string* whole) const {
    whole->assign(stored.data(), stored.size());
    whole->append(stripped_timestamp, '\0');
  }
  // Of an internal key, at least 8 bytes long.
  void Restore(const Slice& stored, std::string* whole) const {
    RestoreUserKey(UserKeyOf(stored), whole);
    const uint64_t tail = sequence.has_value()
                              ? PackTail(*sequence, TypeOf(stored))
                              : TailOf(stored);
    whole->append(reinterpret_cast<const char*>(&tail), sizeof tail);
  }
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_KEY_FORM_H_
