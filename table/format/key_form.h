// KeyForm: how the keys stored in a file differ from the keys that they stand
// for.
//
// Most files store keys as they are. A file that was ingested may have one
// sequence number that replaces all others, and a file may have been written
// without the timestamps of its user keys. What is read from any block goes
// through this, so that everything above sees whole keys. A small value:
// thread-safe to read.
#ifndef ASHLAR_TABLE_FORMAT_KEY_FORM_H_
#define ASHLAR_TABLE_FORMAT_KEY_FORM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

struct KeyForm {
  // Replaces every sequence number in data blocks, range deletions and first
  // keys. Separators keep theirs.
  std::optional<SequenceNumber> sequence = std::nullopt;
  // Size in bytes of the timestamp that was left out of every user key. It
  // reads as zeros, the oldest timestamp.
  size_t stripped_timestamp = 0;

  friend bool operator==(const KeyForm&, const KeyForm&) = default;

  bool IsAsStored() const {
    return !sequence.has_value() && stripped_timestamp == 0;
  }

  // Makes *whole the user key that the stored one stands for.
  void RestoreUserKey(const Slice& stored, std::string* whole) const {
    whole->assign(stored.data(), stored.size());
    whole->append(stripped_timestamp, '\0');
  }
  // The same for an internal key. Requires: at least 8 bytes.
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
