// How log and manifest store numbers and strings: numbers as 8 bytes in the
// machine's order, and strings after their size.
#ifndef ASHLAR_TOOLS_EXAMPLES_MINI_LSM_CODING_H_
#define ASHLAR_TOOLS_EXAMPLES_MINI_LSM_CODING_H_

#include <string>

#include "ashlar/util/file.h"
#include "ashlar/util/file_checksum.h"

namespace mini_lsm {

using ashlar::Slice;
using ashlar::Status;

inline void PutNumber(uint64_t number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof number);
}
inline void PutString(const Slice& bytes, std::string* out) {
  PutNumber(bytes.size(), out);
  out->append(bytes.data(), bytes.size());
}

// These take a value off the front of *bytes. They return false if too few are
// left, as in a damaged file.
inline bool TakeNumber(Slice* bytes, uint64_t* number) {
  if (bytes->size() < sizeof *number) return false;
  std::memcpy(number, bytes->data(), sizeof *number);
  bytes->remove_prefix(sizeof *number);
  return true;
}
inline bool TakeString(Slice* bytes, Slice* string) {
  uint64_t size = 0;
  if (!TakeNumber(bytes, &size) || size > bytes->size()) return false;
  *string = {bytes->data(), size};
  bytes->remove_prefix(size);
  return true;
}

inline Status ReadWhole(const std::string& path, std::string* bytes) {
  auto file = ashlar::OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  bytes->resize((*file)->Size());
  Slice data;
  Status status = (*file)->Read(0, bytes->size(), bytes->data(), &data);
  if (status.ok()) bytes->resize(data.size());
  return status;
}

}  // namespace mini_lsm

#endif  // ASHLAR_TOOLS_EXAMPLES_MINI_LSM_CODING_H_
