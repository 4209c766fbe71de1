// TimedValue: the value of an entry of type kTypeValuePreferredSeqno.
//
// RocksDB writes such entries for its "TimedPut": a value, and the sequence
// number that matches the write time that the caller gave. That number may be
// smaller than the entry's own. TableReader::Get returns the value alone. An
// Iterator shows the bytes as stored, and TableBuilder takes them in this form.
// These functions convert them.
//
// Plain values and pure functions: thread-safe.
#ifndef ASHLAR_TABLE_ENTRY_TIMED_VALUE_H_
#define ASHLAR_TABLE_ENTRY_TIMED_VALUE_H_

#include <cstdint>
#include <cstring>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// Stored as: value || fixed64(preferred_sequence)
struct TimedValue {
  Slice value;
  SequenceNumber preferred_sequence = 0;
};

// Decodes the value of a timed put into *timed, whose slice points into
// `bytes` and lives as long as they do. Returns Corruption, and leaves *timed
// alone, if there are fewer than 8 bytes.
inline Status DecodeTimedValue(const Slice& bytes, TimedValue* timed) {
  uint64_t sequence;
  if (bytes.size() < sizeof sequence) {
    return Status::Corruption(
        "bad value with preferred sequence number: expected 8 bytes or more, "
        "found " +
        std::to_string(bytes.size()));
  }
  const size_t size = bytes.size() - sizeof sequence;
  std::memcpy(&sequence, bytes.data() + size, sizeof sequence);
  *timed = {Slice(bytes.data(), size), sequence};
  return {};
}

// Appends the stored form of `timed` to *out.
inline void AppendTimedValue(const TimedValue& timed, std::string* out) {
  const uint64_t sequence = timed.preferred_sequence;
  out->append(timed.value.data(), timed.value.size());
  out->append(reinterpret_cast<const char*>(&sequence), sizeof sequence);
}

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_TIMED_VALUE_H_
