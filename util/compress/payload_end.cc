#include "util/compress/payload_end.h"

#include <algorithm>
#include <vector>

#include "util/coding/coding.h"

#if ASHLAR_HAVE_ZSTD
#include "third-party/zstd_lib.h"
#endif
#if ASHLAR_HAVE_ZLIB
#include "third-party/zlib_lib.h"
#endif
#if ASHLAR_HAVE_BZIP2
#include "third-party/bzip2_lib.h"
#endif

namespace ashlar::internal {

namespace {

constexpr PayloadEnd kNoEnd = {EndSearch::kNone, 0};
constexpr PayloadEnd kNeedsMore = {EndSearch::kMore, 0};

// A payload whose announced size was read.
struct Announced {
  const char* body = nullptr;  // null: no size is there
  uint64_t raw_size = 0;
};

Announced ReadAnnounced(const PayloadSearch& search, const Slice& bytes) {
  uint32_t raw_size = 0;
  const char* const body = DecodeVarint32(bytes.data(), bytes.end(), &raw_size);
  if (raw_size == 0 || raw_size > search.most_raw_bytes) return {};
  return {body, raw_size};
}

// Bytes that are walked over.
class Tags {
 public:
  Tags(const char* p, const char* limit) : p_(p), limit_(limit) {}

  size_t left() const { return static_cast<size_t>(limit_ - p_); }
  const char* position() const { return p_; }
  uint8_t Byte() { return static_cast<uint8_t>(*p_++); }
  // Reads n bytes, least significant first. Requires: they are left.
  uint32_t Number(size_t n) {
    uint32_t number = 0;
    for (size_t i = 0; i < n; ++i) number |= uint32_t{Byte()} << (8 * i);
    return number;
  }
  // Moves on by n bytes, of which fewer may be left.
  bool Skip(uint64_t n) {
    if (n > left()) return false;
    p_ += n;
    return true;
  }

 private:
  const char* p_;
  const char* limit_;
};

// Adds the bytes that continue a length of LZ4. Returns false if they end.
bool AddLz4Length(Tags* tags, uint64_t* length, int64_t* steps) {
  uint8_t byte = 255;
  while (byte == 255) {
    if (tags->left() == 0) return false;
    byte = tags->Byte();
    *length += byte;
    --*steps;
  }
  return true;
}

// A block of LZ4 ends with literals, after which all is there.
PayloadEnd Lz4End(const Announced& announced, bool with_dictionary,
                  const Slice& bytes, int64_t* steps) {
  constexpr uint64_t kNotInToken = 15;
  constexpr uint64_t kLeastMatch = 4;
  Tags tags(announced.body, bytes.end());
  uint64_t made = 0;
  while ((*steps -= 2) > 0) {
    if (tags.left() == 0) return kNeedsMore;
    const uint8_t token = tags.Byte();
    uint64_t literals = token >> 4;
    if (literals == kNotInToken && !AddLz4Length(&tags, &literals, steps)) {
      return kNeedsMore;
    }
    made += literals;
    if (made > announced.raw_size) return kNoEnd;
    if (!tags.Skip(literals)) return kNeedsMore;
    if (made == announced.raw_size) {
      return {EndSearch::kFound,
              static_cast<size_t>(tags.position() - bytes.data())};
    }
    if (tags.left() < 2) return kNeedsMore;
    const uint32_t distance = tags.Number(2);
    if (distance == 0 || (!with_dictionary && distance > made)) return kNoEnd;
    uint64_t match = token & kNotInToken;
    if (match == kNotInToken && !AddLz4Length(&tags, &match, steps)) {
      return kNeedsMore;
    }
    made += match + kLeastMatch;
    if (made >= announced.raw_size) return kNoEnd;
  }
  return kNoEnd;
}

// Reads the rest of a Snappy tag. Returns false if the bytes end before it.
bool ReadSnappyTag(Tags* tags, uint64_t* length, uint32_t* distance) {
  constexpr uint32_t kLongestShort = 60;
  const uint8_t tag = tags->Byte();
  const uint32_t upper = tag >> 2;
  *distance = 0;
  switch (tag & 3) {
    case 0: {
      const size_t more = upper < kLongestShort ? 0 : upper - kLongestShort + 1;
      if (tags->left() < more) return false;
      *length = uint64_t{more == 0 ? upper : tags->Number(more)} + 1;
      return true;
    }
    case 1:
      if (tags->left() < 1) return false;
      *length = (upper & 7) + 4;
      *distance = ((upper >> 3) << 8) | tags->Byte();
      return true;
    default: {
      const size_t bytes = (tag & 3) == 2 ? 2 : 4;
      if (tags->left() < bytes) return false;
      *length = upper + 1;
      *distance = tags->Number(bytes);
      return true;
    }
  }
}

PayloadEnd SnappyEnd(const Announced& announced, const Slice& bytes,
                     int64_t* steps) {
  Tags tags(announced.body, bytes.end());
  uint64_t made = 0;
  while ((*steps -= 2) > 0) {
    if (tags.left() == 0) return kNeedsMore;
    const bool literal = (static_cast<uint8_t>(*tags.position()) & 3) == 0;
    uint64_t length = 0;
    uint32_t distance = 0;
    if (!ReadSnappyTag(&tags, &length, &distance)) return kNeedsMore;
    if (!literal && (distance == 0 || distance > made)) return kNoEnd;
    made += length;
    if (made > announced.raw_size) return kNoEnd;
    if (literal && !tags.Skip(length)) return kNeedsMore;
    if (made == announced.raw_size) {
      return {EndSearch::kFound,
              static_cast<size_t>(tags.position() - bytes.data())};
    }
  }
  return kNoEnd;
}

PayloadEnd ZstdEnd([[maybe_unused]] const char* body,
                   [[maybe_unused]] const Slice& bytes,
                   [[maybe_unused]] int64_t* steps) {
#if ASHLAR_HAVE_ZSTD
  constexpr uint32_t kMagic = 0xFD2FB528;
  const auto left = static_cast<size_t>(bytes.end() - body);
  if (left < sizeof(kMagic)) return kNeedsMore;
  if (LoadFixed32(body) != kMagic) return kNoEnd;
  constexpr int64_t kCost = 50;
  *steps -= kCost;
  const size_t size = ZSTD_findFrameCompressedSize(body, left);
  if (!ZSTD_isError(size)) {
    return {EndSearch::kFound, static_cast<size_t>(body - bytes.data()) + size};
  }
  return ZSTD_getErrorCode(size) == ZSTD_error_srcSize_wrong ? kNeedsMore
                                                             : kNoEnd;
#else
  return kNoEnd;
#endif
}

}  // namespace

struct PayloadEnds::Streams {
  Streams() : output(kOutputBytes), zeros(kWindowBytes) {}
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() {
#if ASHLAR_HAVE_ZLIB
    if (has_zlib) inflateEnd(&zlib);
#endif
  }

  PayloadEnd ZlibEnd(const char* body, uint64_t raw_size, bool sized,
                     const PayloadSearch& search, const Slice& bytes,
                     int64_t* steps);
  PayloadEnd Bzip2End(const char* body, uint64_t raw_size, bool sized,
                      const PayloadSearch& search, const Slice& bytes,
                      int64_t* steps);

  static constexpr size_t kOutputBytes = size_t{1} << 14;
  static constexpr size_t kWindowBytes = size_t{1} << 15;
  // What is decoded goes here, and is not looked at.
  std::vector<char> output;
  // In place of a dictionary that is not known: lengths are then right.
  std::vector<char> zeros;
#if ASHLAR_HAVE_ZLIB
  z_stream zlib{};
  bool has_zlib = false;
#endif
};

PayloadEnd PayloadEnds::Streams::ZlibEnd(
    [[maybe_unused]] const char* body, [[maybe_unused]] uint64_t raw_size,
    [[maybe_unused]] bool sized, [[maybe_unused]] const PayloadSearch& search,
    [[maybe_unused]] const Slice& bytes, [[maybe_unused]] int64_t* steps) {
#if ASHLAR_HAVE_ZLIB
  constexpr int64_t kCost = 100;
  *steps -= kCost;
  if (!has_zlib) {
    if (inflateInit2(&zlib, -MAX_WBITS) != Z_OK) return kNoEnd;
    has_zlib = true;
  } else if (inflateReset(&zlib) != Z_OK) {
    return kNoEnd;
  }
  if (search.with_dictionary) {
    *steps -= static_cast<int64_t>(kWindowBytes / 16);
    if (inflateSetDictionary(&zlib,
                             reinterpret_cast<const Bytef*>(zeros.data()),
                             static_cast<uInt>(kWindowBytes)) != Z_OK) {
      return kNoEnd;
    }
  }
  constexpr int64_t kMostBytes = 0x7fffffff;
  const auto given = std::min<int64_t>(bytes.end() - body, kMostBytes);
  zlib.next_in = reinterpret_cast<const Bytef*>(body);
  zlib.avail_in = static_cast<uInt>(given);
  uint64_t made = 0;
  while (*steps > 0) {
    zlib.next_out = reinterpret_cast<Bytef*>(output.data());
    zlib.avail_out = static_cast<uInt>(kOutputBytes);
    const int result = inflate(&zlib, Z_SYNC_FLUSH);
    const size_t now = kOutputBytes - zlib.avail_out;
    made += now;
    *steps -= static_cast<int64_t>(now) + kCost;
    if (made > (sized ? raw_size : search.most_raw_bytes)) return kNoEnd;
    if (result == Z_STREAM_END) {
      if (made == 0 || (sized && made != raw_size)) return kNoEnd;
      return {EndSearch::kFound, static_cast<size_t>(body - bytes.data()) +
                                     static_cast<size_t>(given) -
                                     zlib.avail_in};
    }
    if (result != Z_OK && result != Z_BUF_ERROR) return kNoEnd;
    if (zlib.avail_in == 0 && now < kOutputBytes) return kNeedsMore;
  }
#endif
  return kNoEnd;
}

PayloadEnd PayloadEnds::Streams::Bzip2End(
    [[maybe_unused]] const char* body, [[maybe_unused]] uint64_t raw_size,
    [[maybe_unused]] bool sized, [[maybe_unused]] const PayloadSearch& search,
    [[maybe_unused]] const Slice& bytes, [[maybe_unused]] int64_t* steps) {
#if ASHLAR_HAVE_BZIP2
  constexpr char kMagic[] = {'B', 'Z', 'h'};
  if (bytes.end() - body < 10) return kNeedsMore;
  if (!std::equal(kMagic, kMagic + sizeof(kMagic), body)) return kNoEnd;
  // The decoder allocates up to 4 MB.
  constexpr int64_t kCost = 20000;
  *steps -= kCost;
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) return kNoEnd;
  constexpr int64_t kMostBytes = 0x7fffffff;
  const auto given = std::min<int64_t>(bytes.end() - body, kMostBytes);
  stream.next_in = const_cast<char*>(body);
  stream.avail_in = static_cast<unsigned>(given);
  uint64_t made = 0;
  PayloadEnd end = kNoEnd;
  while (*steps > 0) {
    stream.next_out = output.data();
    stream.avail_out = static_cast<unsigned>(kOutputBytes);
    const int result = BZ2_bzDecompress(&stream);
    const size_t now = kOutputBytes - stream.avail_out;
    made += now;
    *steps -= static_cast<int64_t>(now) * 4 + 100;
    if (made > (sized ? raw_size : search.most_raw_bytes)) break;
    if (result == BZ_STREAM_END) {
      if (made != 0 && (!sized || made == raw_size)) {
        end = {EndSearch::kFound, static_cast<size_t>(body - bytes.data()) +
                                      static_cast<size_t>(given) -
                                      stream.avail_in};
      }
      break;
    }
    if (result != BZ_OK) break;
    if (stream.avail_in == 0 && now < kOutputBytes) {
      end = kNeedsMore;
      break;
    }
  }
  BZ2_bzDecompressEnd(&stream);
  return end;
#else
  return kNoEnd;
#endif
}

PayloadEnds::PayloadEnds() = default;
PayloadEnds::~PayloadEnds() = default;

PayloadEnd PayloadEnds::Find(CompressionType type, const PayloadSearch& search,
                             const Slice& bytes, int64_t* steps) {
  const bool sized = search.compress_format != 1;
  Announced announced = ReadAnnounced(search, bytes);
  switch (type) {
    case CompressionType::kSnappyCompression:
      return announced.body == nullptr ? kNoEnd
                                       : SnappyEnd(announced, bytes, steps);
    case CompressionType::kLZ4Compression:
    case CompressionType::kLZ4HCCompression:
      if (!sized) {
        if (bytes.size() < sizeof(uint64_t)) return kNeedsMore;
        announced = {bytes.data() + sizeof(uint64_t),
                     LoadFixed64(bytes.data())};
        if (announced.raw_size == 0 ||
            announced.raw_size > search.most_raw_bytes) {
          return kNoEnd;
        }
      }
      return announced.body == nullptr
                 ? kNoEnd
                 : Lz4End(announced, search.with_dictionary, bytes, steps);
    case CompressionType::kZSTD:
    case CompressionType::kZSTDNotFinalCompression:
      return announced.body == nullptr ? kNoEnd
                                       : ZstdEnd(announced.body, bytes, steps);
    case CompressionType::kZlibCompression:
    case CompressionType::kBZip2Compression:
      break;
    default:
      return kNoEnd;
  }
  const char* const body = sized ? announced.body : bytes.data();
  if (body == nullptr) return kNoEnd;
  if (streams_ == nullptr) streams_ = std::make_unique<Streams>();
  if (type == CompressionType::kBZip2Compression) {
    return streams_->Bzip2End(body, announced.raw_size, sized, search, bytes,
                              steps);
  }
  // LevelDB keeps ZSTD frames under the type of zlib.
  const PayloadEnd frame = sized ? kNoEnd : ZstdEnd(bytes.data(), bytes, steps);
  if (frame.result != EndSearch::kNone) return frame;
  return streams_->ZlibEnd(body, announced.raw_size, sized, search, bytes,
                           steps);
}

}  // namespace ashlar::internal
