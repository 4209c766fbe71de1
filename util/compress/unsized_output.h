// Decompresses payloads that do not say their size, into a buffer that grows
// with the bytes that come, up to a limit.
//
// For the codecs of util/compress/ that work as streams. Not thread-safe.
#ifndef ASHLAR_UTIL_COMPRESS_UNSIZED_OUTPUT_H_
#define ASHLAR_UTIL_COMPRESS_UNSIZED_OUTPUT_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "ashlar/util/status.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

enum class StreamStep {
  kMore,  // all room is used, or the input ends too early
  kEnd,   // the stream ends here, and so does the input
  kDamaged,
  kNoMemory,  // for the library's own state
};

// Returns MemoryLimit: the codec's library has no memory. That is no fault of
// the block.
inline Status NoMemoryFor(std::string_view codec) {
  return Status::MemoryLimit("out of memory for the state of " +
                             std::string(codec));
}

// Calls step(char* to, size_t room, size_t* made) -> StreamStep, which writes
// what comes next, until the stream ends. Appends everything to *out, or fails
// and appends nothing. Returns Corruption for damage, Corruption with
// kAboveSizeLimit for more than `limit` bytes, MemoryLimit if there is no
// memory.
template <typename Step>
Status AppendStream(std::string_view codec, size_t limit, const Step& step,
                    Buffer* out) {
  constexpr size_t kFirstRoom = size_t{16} << 10;
  constexpr size_t kMostRoom = size_t{1} << 30;  // libraries count in int
  const size_t before = out->size();
  const auto fail = [&](const std::string& why, Status::SubCode subcode) {
    out->Truncate(before);
    return Status::Corruption(std::string(codec) + " block: " + why, subcode);
  };
  for (;;) {
    const size_t produced = out->size() - before;
    // At the limit, the end may still have to be read, but no byte more.
    const bool full = produced == limit;
    char beyond;
    const size_t room =
        full ? 1
             : std::min({limit - produced, std::max(kFirstRoom, produced),
                         kMostRoom});
    if (!full && !out->TryReserve(room)) {
      out->Truncate(before);
      return Status::MemoryLimit("out of memory for " +
                                 std::to_string(produced + room) + " bytes");
    }
    size_t made = 0;
    const StreamStep did = step(full ? &beyond : out->end(), room, &made);
    if (full && made != 0) {
      return fail(
          "holds more than " + std::to_string(limit) + " uncompressed bytes",
          Status::SubCode::kAboveSizeLimit);
    }
    if (!full) out->Advance(made);
    if (did == StreamStep::kNoMemory) {
      out->Truncate(before);
      return NoMemoryFor(codec);
    }
    if (did == StreamStep::kEnd) return Status::OK();
    if (did == StreamStep::kDamaged || made == 0) {
      return fail("cannot be decompressed beyond " +
                      std::to_string(out->size() - before) + " bytes",
                  Status::SubCode::kNone);
    }
  }
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_UNSIZED_OUTPUT_H_
