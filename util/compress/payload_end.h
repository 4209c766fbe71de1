// PayloadEnds: where a compressed payload ends, without knowing its size.
//
// For walks over a damaged file, which know where a block may begin and nothing
// else. Each codec frames itself: a ZSTD frame has the sizes of its parts; an
// LZ4 or Snappy block ends where it has made as many bytes as it announced, so
// a walk over its tags finds the end without making them; deflate and bzip2 end
// with a mark that only decoding finds.
//
// An answer is a guess: the bytes may be no payload at all. The bytes are
// untrusted, and each search takes a bounded number of steps. One thread at a
// time.
#ifndef ASHLAR_UTIL_COMPRESS_PAYLOAD_END_H_
#define ASHLAR_UTIL_COMPRESS_PAYLOAD_END_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ashlar/util/compression.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

// What a search found. kMore: the bytes given end before the payload does.
enum class EndSearch : uint8_t { kNone, kMore, kFound };

struct PayloadEnd {
  EndSearch result = EndSearch::kNone;
  size_t size = 0;  // of the payload in bytes, if it was found
};

struct PayloadSearch {
  // 1 or 2, as FormatTraits::compress_format.
  int compress_format = 2;
  // Whether the payload may refer to bytes of a dictionary, which need not be
  // known.
  bool with_dictionary = false;
  // A payload that announces more bytes than this is none.
  uint64_t most_raw_bytes = 0;
};

class PayloadEnds {
 public:
  PayloadEnds();
  PayloadEnds(const PayloadEnds&) = delete;
  PayloadEnds& operator=(const PayloadEnds&) = delete;
  ~PayloadEnds();

  // Looks for the end of a payload of this type that begins with `bytes`.
  // Subtracts the steps it takes from *steps, and finds nothing once they are
  // used up. A step is about a nanosecond's work.
  PayloadEnd Find(CompressionType type, const PayloadSearch& search,
                  const Slice& bytes, int64_t* steps);

 private:
  struct Streams;

  std::unique_ptr<Streams> streams_;  // made when they are needed
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_PAYLOAD_END_H_
