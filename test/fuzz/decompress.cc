// Fuzz target: payloads of every codec, with and without a dictionary. Also
// compresses and decompresses the same bytes.
#include <algorithm>
#include <bitset>
#include <optional>
#include <string>

#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"
#include "util/compress/codec.h"
#include "util/compress/dictionary.h"

namespace ashlar {

namespace {

using internal::Buffer;
using internal::DecompressLimits;
using internal::Decompressor;

constexpr DecompressLimits kLimits{fuzz::kMaxBlockBytes};
constexpr char kBefore[] = "before";
constexpr fuzz::CostLimit kCost = {.what = "decompress",
                                   .bytes = 8 * fuzz::kMaxBlockBytes,
                                   .bytes_per_byte = 64,
                                   .seconds = 2};

// Null: none.
using Dictionary = std::optional<internal::DecompressionDictionary>;

void CheckDecompress(CompressionType type, int compress_format,
                     const Slice& payload, const Dictionary& dictionary,
                     Decompressor* decompressor) {
  Buffer out;
  out.Append(Slice(kBefore));
  const size_t before = out.size();
  const Status status =
      decompressor->Decompress(type, compress_format, payload, kLimits, &out,
                               dictionary.has_value() ? &*dictionary : nullptr);
  FUZZ_CHECK(out.slice().starts_with(kBefore));
  FUZZ_CHECK(status.ok() || out.size() == before);
  FUZZ_CHECK(out.size() - before <= kLimits.max_uncompressed_bytes);
}

void CheckRoundTrip(CompressionType type, const Slice& raw, size_t capacity,
                    const Dictionary& dictionary, Decompressor* decompressor) {
  const auto range = CompressionLevels(type);
  CompressionOptions options;
  options.level = std::clamp(1, range.min, range.max);
  options.checksum = capacity % 2 == 0;
  const Slice bytes = dictionary.has_value() ? dictionary->bytes() : Slice();
  auto compressor = internal::NewCompressor(type, options, bytes);
  if (!compressor.status().ok()) return;
  std::string payload(capacity, '\0');
  const size_t size = (*compressor)->Compress(raw, payload.data(), capacity);
  FUZZ_CHECK(size <= capacity);
  if (size == 0) return;
  Buffer out;
  FUZZ_CHECK(decompressor
                 ->Decompress(type, 2, Slice(payload.data(), size), kLimits,
                              &out,
                              dictionary.has_value() ? &*dictionary : nullptr)
                 .ok());
  FUZZ_CHECK(out.slice() == raw);
}

}  // namespace

}  // namespace ashlar

// Input: codec, plus 0x80 with a dictionary; format and capacity of the
// compressed form; size and bytes of the dictionary, if any; the payload.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ashlar;
  // Kept between inputs, as in a reader: no payload may affect the next one.
  static Decompressor decompressor;
  const fuzz::Cost cost(kCost, size);
  fuzz::FuzzInput input(data, size);
  const uint8_t codec = input.Byte();
  const auto type = static_cast<CompressionType>(codec & 0x7f);
  const uint8_t flags = input.Byte();
  Dictionary dictionary;
  if ((codec & 0x80) != 0) {
    dictionary.emplace(input.Bytes(input.Byte()), std::bitset<256>().set());
  }
  const Slice payload = input.rest();
  CheckDecompress(type, 1 + (flags & 1), payload, dictionary, &decompressor);
  if ((flags & 2) != 0) {
    CheckRoundTrip(type, payload, payload.size() * (flags >> 2) / 32,
                   dictionary, &decompressor);
  }
  return 0;
}
