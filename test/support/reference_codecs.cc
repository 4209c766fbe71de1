// Section numbers in these comments refer to table/FORMAT.md.
#include "test/support/reference_codecs.h"

#include <bzlib.h>
#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <optional>
#include <stdexcept>

namespace ashlar::testing {
namespace {

constexpr uint64_t kLargestBlock = (uint64_t{1} << 31) - 1;
// Output capacity for a stream that does not store its size.
constexpr uint64_t kUnknownRoom = uint64_t{1} << 24;

void Check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}
void Check(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

uint8_t TakeByte(std::string_view* from) {
  Check(!from->empty(), "payload ends before its size does");
  auto byte = static_cast<uint8_t>(from->front());
  from->remove_prefix(1);
  return byte;
}

uint64_t TakeVarint(std::string_view* from) {
  uint64_t number = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    uint8_t byte = TakeByte(from);
    number |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return number;
  }
  throw std::runtime_error("size of more than five bytes");
}

uint64_t TakeFixed64(std::string_view* from) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 8) {
    number |= uint64_t{TakeByte(from)} << shift;
  }
  return number;
}

std::string Snappy(std::string_view body) {
  size_t size = 0;
  std::string raw;
  Check(snappy::GetUncompressedLength(body.data(), body.size(), &size) &&
            size <= kLargestBlock,
        "bad Snappy size");
  Check(snappy::Uncompress(body.data(), body.size(), &raw), "bad Snappy block");
  return raw;
}

// `raw` has the capacity for the output and is cut to its actual size.
void Deflate(std::string_view body, std::string_view dictionary,
             std::string* raw) {
  z_stream stream{};
  Check(inflateInit2(&stream, -15) == Z_OK, "no memory");
  if (!dictionary.empty()) {
    inflateSetDictionary(&stream,
                         reinterpret_cast<const Bytef*>(dictionary.data()),
                         static_cast<uInt>(dictionary.size()));
  }
  std::string input(body);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(raw->data());
  stream.avail_out = static_cast<uInt>(raw->size());
  int result = inflate(&stream, Z_FINISH);
  bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  raw->resize(raw->size() - stream.avail_out);
  inflateEnd(&stream);
  Check(whole, "bad deflate stream");
}

void BZip2(std::string_view body, std::string* raw) {
  auto size = static_cast<unsigned>(raw->size());
  std::string input(body);
  Check(BZ2_bzBuffToBuffDecompress(raw->data(), &size, input.data(),
                                   static_cast<unsigned>(input.size()), 0,
                                   0) == BZ_OK,
        "bad bzip2 stream");
  raw->resize(size);
}

void Lz4(std::string_view body, std::string_view dictionary, std::string* raw) {
  int n = LZ4_decompress_safe_usingDict(
      body.data(), raw->data(), static_cast<int>(body.size()),
      static_cast<int>(raw->size()), dictionary.data(),
      static_cast<int>(dictionary.size()));
  Check(n >= 0, "bad LZ4 block");
  raw->resize(static_cast<size_t>(n));
}

void Zstd(std::string_view body, std::string_view dictionary,
          std::string* raw) {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  size_t n = ZSTD_decompress_usingDict(context, raw->data(), raw->size(),
                                       body.data(), body.size(),
                                       dictionary.data(), dictionary.size());
  ZSTD_freeDCtx(context);
  Check(ZSTD_isError(n) == 0, "bad ZSTD block");
  raw->resize(n);
}

// Reads what is stored before the codec's own bytes (sections 7.1 and 14.2).
std::optional<uint64_t> TakeSize(uint8_t type, uint32_t version,
                                 std::string_view* payload) {
  bool is_stream = type == 2 || type == 3;
  bool is_lz4 = type == 4 || type == 5;
  if (version < 2 && is_stream) return std::nullopt;
  uint64_t size =
      version < 2 && is_lz4 ? TakeFixed64(payload) : TakeVarint(payload);
  Check(size <= kLargestBlock, "uncompressed size too large");
  return size;
}

}  // namespace

std::string ReferenceDecompress(uint8_t type, std::string_view stored,
                                uint32_t version, std::string_view dictionary) {
  if (type == 0) return std::string(stored);
  if (type == 1) return Snappy(stored);
  bool known = (type >= 2 && type <= 5) || type == 7 || type == 0x40;
  Check(known, "not supported: compression type " + std::to_string(type));
  std::optional<uint64_t> size = TakeSize(type, version, &stored);
  std::string raw(size.value_or(kUnknownRoom), '\0');
  if (type == 2) {
    Deflate(stored, dictionary, &raw);
  } else if (type == 3) {
    BZip2(stored, &raw);
  } else if (type == 4 || type == 5) {
    Lz4(stored, dictionary, &raw);
  } else {
    Zstd(stored, dictionary, &raw);
  }
  Check(raw.size() == size.value_or(raw.size()), "another size than declared");
  return raw;
}

}  // namespace ashlar::testing
