// EditFields: takes the fields of a VersionEdit off untrusted bytes.
//
// After the first field that is malformed, all calls return zeros and empty
// bytes, and status() says what was wrong. So callers take all parts of a field
// and then look once. Used by one thread at a time.
#ifndef ASHLAR_TABLE_DATABASE_EDIT_FIELDS_H_
#define ASHLAR_TABLE_DATABASE_EDIT_FIELDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

class EditFields {
 public:
  explicit EditFields(const Slice& bytes) : bytes_(bytes) {}

  bool AtEnd() const { return !status_.ok() || bytes_.empty(); }
  const Status& status() const { return status_; }

  // `what` names the value in messages.
  uint32_t Number32(std::string_view what) {
    uint32_t v = 0;
    if (status_.ok() && !bytes_.Varint32(&v)) Fail(what);
    return status_.ok() ? v : 0;
  }
  uint64_t Number64(std::string_view what) {
    uint64_t v = 0;
    if (status_.ok() && !bytes_.Varint64(&v)) Fail(what);
    return status_.ok() ? v : 0;
  }
  // Bytes behind their number.
  Slice Bytes(std::string_view what) {
    const uint32_t size = Number32(what);
    Slice bytes;
    if (status_.ok() && !bytes_.Bytes(size, &bytes)) Fail(what);
    return bytes;
  }
  std::string InternalKey(std::string_view what) {
    const Slice key = Bytes(what);
    if (status_.ok() && key.size() < kInternalKeyTailBytes) Fail(what);
    return key.ToString();
  }

  void Fail(std::string_view what) {
    if (status_.ok()) {
      status_ = Status::Corruption(what).WithPrefix("malformed field");
    }
  }
  void Refuse(std::string_view what, uint32_t tag) {
    if (!status_.ok()) return;
    status_ =
        Status::NotSupported(std::string(what) + " " + std::to_string(tag) +
                             " is unknown and must not be ignored");
  }

 private:
  Decoder bytes_;
  Status status_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DATABASE_EDIT_FIELDS_H_
