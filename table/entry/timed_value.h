// TimedValue: what an entry of type kTypeValuePreferredSeqno holds: a value,
// and the sequence number that it would rather have, by the time when it was
// written. Pure functions: thread-safe.
#ifndef ASHLAR_TABLE_ENTRY_TIMED_VALUE_H_
#define ASHLAR_TABLE_ENTRY_TIMED_VALUE_H_

#include <cstdint>
#include <cstring>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// value || fixed64 preferred sequence number
struct TimedValue {
  Slice value;
  SequenceNumber preferred_sequence = 0;
};

// *timed lives as long as `bytes`. Corruption when they are too short.
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

// Appends to *out.
inline void AppendTimedValue(const TimedValue& timed, std::string* out) {
  const uint64_t sequence = timed.preferred_sequence;
  out->append(timed.value.data(), timed.value.size());
  out->append(reinterpret_cast<const char*>(&sequence), sizeof sequence);
}

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_TIMED_VALUE_H_
