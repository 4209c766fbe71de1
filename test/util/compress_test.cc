// The codecs: what they write, what they read back, and how they treat
// malicious payloads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ashlar/util/compression.h"
#include "util/coding/coding.h"
#include "util/compress/codec.h"
#include "util/compress/registry.h"

namespace ashlar::internal {
namespace {

using std::string_literals::operator""s;

std::vector<CompressionType> TypesThatCompress() {
  std::vector<CompressionType> types;
  for (const Codec& codec : BuiltInCodecs()) {
    if (codec.new_compressor != nullptr) types.push_back(codec.type);
  }
  return types;
}

std::unique_ptr<Compressor> MakeCompressor(
    CompressionType type, const CompressionOptions& options = {}) {
  Result<std::unique_ptr<Compressor>> made = NewCompressor(type, options);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return std::move(made).value();
}

std::string RandomBytes(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes(n, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Returns words of a small vocabulary.
std::string Text(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < n) {
    text += "word" + std::to_string(random() % 50) + " ";
  }
  text.resize(n);
  return text;
}

std::string Payload(Compressor* compressor, const std::string& raw,
                    size_t capacity) {
  constexpr char kCanary = 0x5a;
  std::string out(capacity + 64, kCanary);
  const size_t length = compressor->Compress(raw, out.data(), capacity);
  EXPECT_LE(length, capacity);
  EXPECT_EQ(out.find_first_not_of(kCanary, capacity), std::string::npos)
      << "wrote beyond the capacity of " << capacity;
  out.resize(length);
  return out;
}

std::string Payload(Compressor* compressor, const std::string& raw) {
  return Payload(compressor, raw, 2 * raw.size() + 1000);
}

// Does what Decompress did, in two steps, to an allocation of exactly the size
// that is announced. Requires the same outcome.
void ExpectTheSameInTwoSteps(Decompressor* decompressor, CompressionType type,
                             int format, const Slice& payload,
                             const DecompressLimits& limits,
                             const Status& expected, const Slice& raw) {
  Decompressor::Begun begun;
  Status s = decompressor->Begin(type, format, payload, limits, &begun);
  if (s.ok()) {
    if (!begun.is_sized) return;
    ASSERT_LE(begun.raw_size(), limits.max_uncompressed_bytes);
    const auto to =
        std::make_unique<char[]>(std::max<size_t>(begun.raw_size(), 1));
    s = Decompressor::DecodeTo(begun, nullptr, to.get());
    if (s.ok()) {
      EXPECT_TRUE(Slice(to.get(), begun.raw_size()) == raw);
    }
  }
  EXPECT_EQ(s.ToString(), expected.ToString());
}

// Decompresses a copy of the payload in an allocation of exactly its size, for
// the address sanitizer. Checks that an error appends nothing.
Status Decompress(Decompressor* decompressor, CompressionType type, int format,
                  const std::string& payload, std::string* raw,
                  const DecompressLimits& limits = {}) {
  const auto exact = std::make_unique<char[]>(payload.size());
  std::memcpy(exact.get(), payload.data(), payload.size());
  Buffer out;
  Status s = decompressor->Decompress(
      type, format, Slice(exact.get(), payload.size()), limits, &out);
  if (!s.ok()) {
    EXPECT_TRUE(out.empty());
    EXPECT_FALSE(s.message().empty());
  }
  EXPECT_LE(out.capacity(), std::max<size_t>(limits.max_uncompressed_bytes, 1));
  *raw = out.slice().ToString();
  ExpectTheSameInTwoSteps(decompressor, type, format,
                          Slice(exact.get(), payload.size()), limits, s, *raw);
  return s;
}

TEST(Codecs, RoundTrip) {
  Decompressor decompressor;
  for (const CompressionType type : TypesThatCompress()) {
    const auto compressor = MakeCompressor(type);
    uint32_t seed = 1;
    for (const size_t n : std::initializer_list<size_t>{
             0, 1, 2, 3, 12, 13, 100, 127, 128, 4096, 4097, 65535, 65536, 70000,
             262144, 3000001}) {
      for (const std::string& raw :
           {RandomBytes(n, seed), Text(n, seed), std::string(n, 'z')}) {
        const std::string payload = Payload(compressor.get(), raw);
        ASSERT_FALSE(payload.empty());
        std::string back;
        const Status s = Decompress(&decompressor, type, 2, payload, &back);
        ASSERT_TRUE(s.ok()) << s.ToString();
        ASSERT_TRUE(back == raw)
            << CompressionTypeName(type) << ", " << n << " bytes";
      }
      ++seed;
    }
  }
}

TEST(Codecs, DecompressAppends) {
  Decompressor decompressor;
  Buffer out;
  std::string expected = "front";
  out.Append(expected);
  for (const CompressionType type : TypesThatCompress()) {
    const std::string raw = Text(5000, 9);
    const std::string payload = Payload(MakeCompressor(type).get(), raw);
    ASSERT_TRUE(decompressor.Decompress(type, 2, payload, {}, &out).ok());
    expected += raw;
    ASSERT_FALSE(
        decompressor.Decompress(type, 2, payload.substr(1), {}, &out).ok());
  }
  EXPECT_EQ(out.slice().ToString(), expected);
}

TEST(Codecs, CapacityIsKept) {
  Decompressor decompressor;
  for (const CompressionType type : TypesThatCompress()) {
    const auto compressor = MakeCompressor(type);
    const std::string raw = Text(3000, 5);
    const size_t whole = Payload(compressor.get(), raw).size();
    ASSERT_LT(whole, raw.size());
    for (size_t capacity = 0; capacity < whole + 40; ++capacity) {
      const std::string payload = Payload(compressor.get(), raw, capacity);
      if (capacity >= whole + 16) {
        EXPECT_EQ(payload.size(), whole);
      }
      if (payload.empty()) continue;
      std::string back;
      ASSERT_TRUE(Decompress(&decompressor, type, 2, payload, &back).ok());
      ASSERT_EQ(back, raw);
    }
    EXPECT_EQ(Payload(compressor.get(), raw, whole / 2), "");
    // Incompressible bytes do not fit into 7/8 of their size.
    const std::string noise = RandomBytes(4096, 8);
    EXPECT_EQ(Payload(compressor.get(), noise, 4096 * 7 / 8), "");
  }
}

TEST(Codecs, ExactCapacityIsEnoughForSnappyAndLz4) {
  for (const CompressionType type : {CompressionType::kSnappyCompression,
                                     CompressionType::kLZ4Compression}) {
    if (!IsCompressionSupported(type)) continue;
    const auto compressor = MakeCompressor(type);
    for (uint32_t seed = 0; seed < 50; ++seed) {
      const std::string raw = Text(500 + 97 * seed, seed);
      const std::string whole = Payload(compressor.get(), raw);
      EXPECT_EQ(Payload(compressor.get(), raw, whole.size()), whole);
      EXPECT_EQ(Payload(compressor.get(), raw, whole.size() - 1), "");
    }
  }
}

TEST(Codecs, PayloadDoesNotDependOnEarlierBlocks) {
  for (const CompressionType type : TypesThatCompress()) {
    const std::string raw = Text(4096, 3);
    const std::string fresh = Payload(MakeCompressor(type).get(), raw);
    const auto used = MakeCompressor(type);
    for (uint32_t seed = 0; seed < 20; ++seed) {
      Payload(used.get(), Text(1000 * seed, seed));
      Payload(used.get(), Text(1000 * seed, seed), 100);
      EXPECT_EQ(Payload(used.get(), raw), fresh) << CompressionTypeName(type);
    }
  }
}

// Payloads written by hand from the codecs' own format descriptions.
TEST(Codecs, ReadHandMadePayloads) {
  struct Sample {
    CompressionType type;
    int format;
    std::string payload;
  };
  const std::string zstd =
      "\x05"
      "\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello"s;
  // The last block, stored: length, its complement, bytes.
  const std::string deflate = "\x01\x05\x00\xfa\xffhello"s;
  const Sample samples[] = {
      {CompressionType::kNoCompression, 1, "hello"},
      {CompressionType::kNoCompression, 2, "hello"},
      {CompressionType::kSnappyCompression, 1, "\x05\x10hello"},
      {CompressionType::kSnappyCompression, 2, "\x05\x10hello"},
      {CompressionType::kLZ4Compression, 1, "\x05\0\0\0\0\0\0\0\x50hello"s},
      {CompressionType::kLZ4Compression, 2, "\x05\x50hello"},
      {CompressionType::kLZ4HCCompression, 1, "\x05\0\0\0\0\0\0\0\x50hello"s},
      {CompressionType::kLZ4HCCompression, 2, "\x05\x50hello"},
      {CompressionType::kZlibCompression, 1, deflate},
      {CompressionType::kZlibCompression, 2, "\x05" + deflate},
      // LevelDB: a zstd frame with the type byte of zlib.
      {CompressionType::kZlibCompression, 1, zstd.substr(1)},
      {CompressionType::kZSTD, 1, zstd},
      {CompressionType::kZSTD, 2, zstd},
      {CompressionType::kZSTDNotFinalCompression, 1, zstd},
      {CompressionType::kZSTDNotFinalCompression, 2, zstd},
  };
  Decompressor decompressor;
  for (const Sample& sample : samples) {
    if (FindCodec(sample.type) == nullptr) continue;
    std::string raw;
    const Status s = Decompress(&decompressor, sample.type, sample.format,
                                sample.payload, &raw);
    EXPECT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(raw, "hello");
  }
}

// Format versions 0 and 1 hold the same payload as today, with another size
// prefix or none.
TEST(Codecs, ReadWithoutSizePrefix) {
  Decompressor decompressor;
  for (const CompressionType type : {CompressionType::kZlibCompression,
                                     CompressionType::kBZip2Compression}) {
    if (!IsCompressionSupported(type)) continue;
    const auto compressor = MakeCompressor(type);
    for (const size_t n : std::initializer_list<size_t>{
             0, 1, 2, 4096, 16383, 16384, 16385, 32768, 70000, 3000001}) {
      for (const std::string& raw :
           {RandomBytes(n, 31), Text(n, 31), std::string(n, 'z')}) {
        std::string payload = Payload(compressor.get(), raw);
        payload.erase(0, VarintLength(n));
        std::string back;
        Buffer out;
        out.Append(Slice("front"));
        const DecompressLimits exact{n};
        Status s = decompressor.Decompress(type, 1, payload, exact, &out);
        ASSERT_TRUE(s.ok()) << s.ToString() << ", " << n << " bytes";
        ASSERT_TRUE(out.slice().ToString() == "front" + raw);
        // A limit that is one byte lower is refused, as is a byte too many or
        // too few.
        for (const DecompressLimits& limits :
             {DecompressLimits{n - 1}, DecompressLimits{}}) {
          std::string damaged = payload;
          if (limits.max_uncompressed_bytes > n) damaged += 'x';
          if (n == 0 && damaged == payload) continue;
          out.clear();
          s = decompressor.Decompress(type, 1, damaged, limits, &out);
          ASSERT_TRUE(s.IsCorruption()) << n << " bytes";
          ASSERT_TRUE(out.empty());
        }
        payload.pop_back();
        EXPECT_TRUE(
            Decompress(&decompressor, type, 1, payload, &back).IsCorruption());
      }
    }
  }
}

// A few bytes of bzip2 may expand to a very large block. So memory for it grows
// with the output, not with the declared size.
TEST(Codecs, MemoryForBzip2ComesWithTheBytes) {
  const CompressionType type = CompressionType::kBZip2Compression;
  if (!IsCompressionSupported(type)) {
    GTEST_SKIP() << "bzip2 is left out of this build";
  }
  Decompressor decompressor;
  std::string payload = Payload(MakeCompressor(type).get(), "hello");
  payload.erase(0, 1);
  payload.insert(0, "\x80\x80\x80\x20");  // 64 MiB
  Buffer out;
  const Status s = decompressor.Decompress(type, 2, payload, {}, &out);
  EXPECT_EQ(s.message(), "declared 67108864 uncompressed bytes, produced 5");
  EXPECT_TRUE(s.IsCorruption());
  EXPECT_LT(out.capacity(), size_t{1} << 20);
}

// Checks that the settings take effect, not only that the payloads decompress.
TEST(Codecs, ZlibWindowStrategyAndLevelAreUsed) {
  const CompressionType type = CompressionType::kZlibCompression;
  if (!IsCompressionSupported(type)) {
    GTEST_SKIP() << "zlib is left out of this build";
  }
  Decompressor decompressor;
  // All repeats are more than 2^9 bytes apart.
  const std::string once = RandomBytes(2000, 4);
  const std::string raw = once + once + Text(3000, 3);
  std::vector<std::string> payloads;
  for (const CompressionOptions& options :
       {CompressionOptions{}, CompressionOptions{.level = 1},
        CompressionOptions{.window_bits = -9},
        CompressionOptions{.strategy = 2}}) {
    payloads.push_back(Payload(MakeCompressor(type, options).get(), raw));
    std::string back;
    ASSERT_TRUE(
        Decompress(&decompressor, type, 2, payloads.back(), &back).ok());
    EXPECT_EQ(back, raw);
    for (size_t i = 0; i + 1 < payloads.size(); ++i) {
      EXPECT_NE(payloads[i], payloads.back());
    }
  }
  EXPECT_GT(payloads[2].size(), payloads[0].size() + 1500);
  EXPECT_EQ(payloads[0],
            Payload(MakeCompressor(type, {.level = 6}).get(), raw));
}

TEST(Codecs, SizePrefixComesFirst) {
  const std::string raw(300, 'a');
  for (const CompressionType type : TypesThatCompress()) {
    const std::string payload = Payload(MakeCompressor(type).get(), raw);
    EXPECT_EQ(payload.substr(0, 2), "\xac\x02") << CompressionTypeName(type);
  }
}

TEST(Codecs, ZstdFrameHoldsSizeAndChecksumOnRequest) {
  if (!IsCompressionSupported(CompressionType::kZSTD)) {
    GTEST_SKIP() << "zstd is left out of this build";
  }
  const std::string raw = Text(1000, 1);
  constexpr size_t kPrefix = 2;
  for (const bool checksum : {false, true}) {
    const auto compressor =
        MakeCompressor(CompressionType::kZSTD, {.checksum = checksum});
    const std::string payload = Payload(compressor.get(), raw);
    EXPECT_EQ(payload.substr(kPrefix, 4), "\x28\xb5\x2f\xfd");
    const auto descriptor = static_cast<uint8_t>(payload[kPrefix + 4]);
    EXPECT_NE(descriptor >> 5, 0) << "content size";
    EXPECT_EQ((descriptor >> 2) & 1, checksum ? 1 : 0);
  }
}

TEST(Codecs, LevelsChangeThePayload) {
  const std::string raw = Text(100000, 2);
  Decompressor decompressor;
  struct Case {
    CompressionType type;
    int level;
  };
  for (const Case& c :
       {Case{CompressionType::kZSTD, -50}, Case{CompressionType::kZSTD, 19},
        Case{CompressionType::kZlibCompression, 1},
        Case{CompressionType::kLZ4HCCompression, 1},
        Case{CompressionType::kLZ4Compression, -40}}) {
    if (!IsCompressionSupported(c.type)) continue;
    const auto by_default = MakeCompressor(c.type);
    const auto by_level = MakeCompressor(c.type, {.level = c.level});
    const std::string payload = Payload(by_level.get(), raw);
    EXPECT_NE(payload, Payload(by_default.get(), raw));
    std::string back;
    ASSERT_TRUE(Decompress(&decompressor, c.type, 2, payload, &back).ok());
    EXPECT_EQ(back, raw);
  }
  if (IsCompressionSupported(CompressionType::kZSTD)) {
    EXPECT_EQ(
        Payload(MakeCompressor(CompressionType::kZSTD).get(), raw),
        Payload(MakeCompressor(CompressionType::kZSTD, {.level = 3}).get(),
                raw));
  }
}

TEST(NewCompressor, RefusesWithReasons) {
  const auto why = [](CompressionType type, int level) {
    return NewCompressor(type, {.level = level}).status().ToString();
  };
  constexpr int kDefault = CompressionOptions::kDefaultLevel;
  EXPECT_TRUE(NewCompressor(CompressionType::kNoCompression, {})
                  .status()
                  .IsInvalidArgument());
  EXPECT_TRUE(NewCompressor(CompressionType::kXpressCompression, {})
                  .status()
                  .IsNotSupported());
  EXPECT_NE(why(CompressionType::kXpressCompression, kDefault)
                .find("compression type xpress (0x06) is not built in"),
            std::string::npos);
  if (IsCompressionSupported(CompressionType::kZSTD)) {
    EXPECT_NE(why(CompressionType::kZSTDNotFinalCompression, kDefault)
                  .find("zstdnotfinal has no compressor"),
              std::string::npos);
  }
  if (IsCompressionSupported(CompressionType::kZlibCompression)) {
    EXPECT_NE(why(CompressionType::kZlibCompression, 10)
                  .find("compression level 10 for zlib: expected -1 to 9"),
              std::string::npos);
  }
  if (IsCompressionSupported(CompressionType::kLZ4HCCompression)) {
    EXPECT_NE(why(CompressionType::kLZ4HCCompression, 0)
                  .find("compression level 0 for lz4hc: expected 1 to 12"),
              std::string::npos);
  }
  if (IsCompressionSupported(CompressionType::kZSTD)) {
    EXPECT_NE(
        why(CompressionType::kZSTD, 23)
            .find("compression level 23 for zstd: expected -131072 to 22"),
        std::string::npos);
  }
  if (IsCompressionSupported(CompressionType::kLZ4Compression)) {
    EXPECT_NE(why(CompressionType::kLZ4Compression, 1)
                  .find("compression level 1 for lz4: expected -65537 to 0"),
              std::string::npos);
    EXPECT_TRUE(
        NewCompressor(CompressionType::kLZ4Compression, {.level = 0}).ok());
  }
  if (IsCompressionSupported(CompressionType::kSnappyCompression)) {
    EXPECT_TRUE(NewCompressor(CompressionType::kSnappyCompression, {.level = 5})
                    .status()
                    .IsInvalidArgument());
  }
}

TEST(Decompressor, NamesWhatItDoesNotHave) {
  Decompressor decompressor;
  std::string raw;
  struct Case {
    int byte;
    Status::Code code;
    std::string message;
    Status::SubCode subcode = Status::SubCode::kNone;
  };
  using Code = Status::Code;
  using SubCode = Status::SubCode;
  const Case cases[] = {
      {0x06, Code::kNotSupported,
       "compression type xpress (0x06) is not built in", SubCode::kNotBuiltIn},
      {0x80, Code::kNotSupported, "custom compression type 0x80",
       SubCode::kCustomCompression},
      {0x8a, Code::kNotSupported, "custom compression type 0x8A",
       SubCode::kCustomCompression},
      {0xfe, Code::kNotSupported, "custom compression type 0xFE",
       SubCode::kCustomCompression},
      {0xff, Code::kCorruption, "unknown compression type 0xFF"},
      {0x08, Code::kCorruption, "unknown compression type 0x08"},
      {0x7f, Code::kCorruption, "unknown compression type 0x7F"},
  };
  for (const Case& c : cases) {
    const Status s = Decompress(
        &decompressor, static_cast<CompressionType>(c.byte), 2, "data", &raw);
    EXPECT_EQ(s.code(), c.code) << c.byte;
    EXPECT_EQ(s.subcode(), c.subcode) << c.byte;
    EXPECT_EQ(s.message(), c.message);
  }
}

// An impossible size is refused before any memory is allocated.
TEST(Decompressor, RefusesHugeDeclaredSizesWithoutMemory) {
  struct Case {
    CompressionType type;
    int format;
    std::string payload;
    std::string reason;
    Status::SubCode subcode = Status::SubCode::kNone;
  };
  constexpr auto kAboveLimit = Status::SubCode::kAboveSizeLimit;
  const Case cases[] = {
      {CompressionType::kZSTD, 2, "\xff\xff\xff\xff\x0f" + std::string(50, 'x'),
       "zstd block declares 4294967295 uncompressed bytes, above the limit of "
       "1073741824",
       kAboveLimit},
      {CompressionType::kZSTD, 2, "\x80\x80\x80\x80\x02" + std::string(50, 'x'),
       "zstd block declares 536870912 uncompressed bytes, which take at least "
       "16384 compressed bytes; found 50"},
      {CompressionType::kZSTD, 2, std::string(9, '\xff') + "\x01xx",
       "zstd block declares 18446744073709551615 uncompressed bytes, above "
       "the limit of 1073741824",
       kAboveLimit},
      {CompressionType::kZSTD, 2,
       "\x04\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello"s,
       "zstd block: declared 4 uncompressed bytes, its frame says 5"},
      {CompressionType::kLZ4Compression, 2, "\x80\x20\x50hello",
       "lz4 block declares 4096 uncompressed bytes, which take at least 17 "
       "compressed bytes; found 6"},
      {CompressionType::kLZ4Compression, 1, "\x05\0\0\0\x01\0\0\0\x50hello"s,
       "lz4 block declares 4294967301 uncompressed bytes, above the limit of "
       "1073741824",
       kAboveLimit},
      {CompressionType::kLZ4HCCompression, 2, "\x80\x20\x50hello",
       "lz4hc block declares 4096 uncompressed bytes, which take at least 17 "
       "compressed bytes; found 6"},
      {CompressionType::kZlibCompression, 2,
       "\x80\x80\x40" + std::string(9, 'x'),
       "zlib block declares 1048576 uncompressed bytes, which take at least "
       "1017 compressed bytes; found 9"},
      {CompressionType::kBZip2Compression, 2,
       "\x80\x80\x80\x80\x04" + std::string(300, 'x'),
       "bzip2 block declares 1073741824 uncompressed bytes, which take at "
       "least 438 compressed bytes; found 300"},
      {CompressionType::kSnappyCompression, 2, "\x80\x80\x80\x01\x10hello",
       "snappy block declares 2097152 uncompressed bytes, which take at least "
       "95326 compressed bytes; found 10"},
  };
  Decompressor decompressor;
  for (const Case& c : cases) {
    if (!IsCompressionSupported(c.type)) continue;
    Buffer out;
    const Status s =
        decompressor.Decompress(c.type, c.format, c.payload, {}, &out);
    EXPECT_TRUE(s.IsCorruption());
    EXPECT_EQ(s.message(), c.reason);
    EXPECT_EQ(s.subcode(), c.subcode) << c.reason;
    EXPECT_EQ(out.capacity(), 0u);
  }
}

TEST(Decompressor, KeepsTheCallersLimit) {
  Decompressor decompressor;
  const std::string raw(5000, 'r');
  std::vector<CompressionType> types = TypesThatCompress();
  types.push_back(CompressionType::kNoCompression);
  for (const CompressionType type : types) {
    const std::string payload = type == CompressionType::kNoCompression
                                    ? raw
                                    : Payload(MakeCompressor(type).get(), raw);
    std::string back;
    EXPECT_TRUE(Decompress(&decompressor, type, 2, payload, &back,
                           {.max_uncompressed_bytes = 5000})
                    .ok());
    EXPECT_EQ(back, raw);
    const Status above = Decompress(&decompressor, type, 2, payload, &back,
                                    {.max_uncompressed_bytes = 4999});
    EXPECT_TRUE(above.IsCorruption());
    EXPECT_EQ(above.subcode(), Status::SubCode::kAboveSizeLimit);
  }
}

// The longest run that a codec can express must not be taken for an impossible
// size.
TEST(Decompressor, AcceptsTheHighestRatio) {
  Decompressor decompressor;
  const std::string raw(size_t{32} << 20, 'x');
  for (const CompressionType type : TypesThatCompress()) {
    const std::string payload = Payload(MakeCompressor(type).get(), raw);
    std::string back;
    const Status s = Decompress(&decompressor, type, 2, payload, &back);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_TRUE(back == raw);
  }
}

TEST(Decompressor, ReportsASizeThatIsNotTheDeclaredOne) {
  Decompressor decompressor;
  std::string back;
  for (const CompressionType type :
       {CompressionType::kZlibCompression, CompressionType::kBZip2Compression,
        CompressionType::kLZ4Compression, CompressionType::kZSTD}) {
    if (!IsCompressionSupported(type)) continue;
    const std::string raw = Text(100, 4);
    std::string payload = Payload(MakeCompressor(type).get(), raw);
    for (const int declared : {0, 1, 99, 101, 127}) {
      payload[0] = static_cast<char>(declared);
      const Status s = Decompress(&decompressor, type, 2, payload, &back);
      EXPECT_TRUE(s.IsCorruption()) << declared;
      // The size is a lie, and no limit of the caller.
      EXPECT_EQ(s.subcode(), Status::SubCode::kNone) << s.ToString();
      EXPECT_NE(s.message().find("declared " + std::to_string(declared)),
                std::string_view::npos)
          << s.ToString();
    }
    payload[0] = 101;
    EXPECT_NE(Decompress(&decompressor, type, 2, payload, &back)
                  .message()
                  .find("produced 100"),
              std::string_view::npos);
  }
}

TEST(Decompressor, RefusesEveryTruncation) {
  Decompressor decompressor;
  for (const CompressionType type : TypesThatCompress()) {
    const std::string payload =
        Payload(MakeCompressor(type).get(), Text(3000, 6));
    for (size_t n = 0; n < payload.size(); ++n) {
      std::string back;
      EXPECT_TRUE(
          Decompress(&decompressor, type, 2, payload.substr(0, n), &back)
              .IsCorruption())
          << CompressionTypeName(type) << " cut to " << n;
    }
  }
}

// Random bytes give the declared size or an error, and memory stays within the
// limit. The sanitizers check the rest.
TEST(Decompressor, SurvivesRandomBytes) {
  constexpr DecompressLimits kLimits = {.max_uncompressed_bytes = 1 << 16};
  Decompressor decompressor;
  std::mt19937 random(77);
  for (int i = 0; i < 20000; ++i) {
    std::string payload = RandomBytes(random() % 200, static_cast<uint32_t>(i));
    // With a valid size, the codec itself reads the random bytes.
    if (!payload.empty()) payload[0] = static_cast<char>(random() % 128);
    for (const CompressionType type : TypesThatCompress()) {
      for (const int format : {1, 2}) {
        std::string back;
        const Status s =
            Decompress(&decompressor, type, format, payload, &back, kLimits);
        if (s.ok() && format == 2) {
          ASSERT_EQ(back.size(), static_cast<uint8_t>(payload[0]));
        }
      }
    }
  }
}

TEST(Decompressor, SurvivesDamagedPayloads) {
  constexpr DecompressLimits kLimits = {.max_uncompressed_bytes = 1 << 16};
  Decompressor decompressor;
  std::mt19937 random(78);
  for (const CompressionType type : TypesThatCompress()) {
    const std::string good =
        Payload(MakeCompressor(type).get(), Text(2000, 11));
    for (int i = 0; i < 20000; ++i) {
      std::string payload = good;
      for (auto flips = 1 + random() % 3; flips > 0; --flips) {
        char& byte = payload[random() % payload.size()];
        byte = static_cast<char>(byte ^ (1 << random() % 8));
      }
      std::string back;
      Decompress(&decompressor, type, 2, payload, &back, kLimits).IgnoreError();
    }
    std::string back;
    EXPECT_TRUE(Decompress(&decompressor, type, 2, good, &back).ok());
    EXPECT_EQ(back, Text(2000, 11));
  }
}

// Tests the decoders directly, without the buffer's slack: they must not write
// beyond the declared size.
TEST(BlockDecoder, WritesNothingBeyondTheDeclaredSize) {
  constexpr char kCanary = 0x5a;
  std::mt19937 random(79);
  for (const Codec& codec : BuiltInCodecs()) {
    if (codec.new_compressor == nullptr) continue;
    const auto decoder = codec.new_decoder();
    const std::string good =
        Payload(MakeCompressor(codec.type).get(), Text(1000, 12));
    for (int i = 0; i < 5000; ++i) {
      std::string payload = good;
      payload[2 + random() % (payload.size() - 2)] =
          static_cast<char>(random());
      SizedPayload sized;
      if (!codec.read_size(2, payload, &sized).ok()) continue;
      ASSERT_EQ(sized.raw_size, 1000u);
      std::string out(1000 + 64, kCanary);
      decoder->Decode(sized.body, {}, out.data(), 1000).IgnoreError();
      ASSERT_EQ(out.find_first_not_of(kCanary, 1000), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace ashlar::internal

namespace ashlar {
namespace {

TEST(CompressionType, NamesParse) {
  struct Case {
    CompressionType type;
    const char* enumerator;
    const char* word;
    const char* property;
  };
  constexpr Case kCases[] = {
      {CompressionType::kNoCompression, "kNoCompression", "none",
       "NoCompression"},
      {CompressionType::kNoCompression, "kNoCompression", "no",
       "NoCompression"},
      {CompressionType::kSnappyCompression, "kSnappyCompression", "snappy",
       "Snappy"},
      {CompressionType::kZlibCompression, "kZlibCompression", "zlib", "Zlib"},
      {CompressionType::kBZip2Compression, "kBZip2Compression", "bzip2",
       "BZip2"},
      {CompressionType::kLZ4Compression, "kLZ4Compression", "lz4", "LZ4"},
      {CompressionType::kLZ4HCCompression, "kLZ4HCCompression", "lz4hc",
       "LZ4HC"},
      {CompressionType::kXpressCompression, "kXpressCompression", "xpress",
       "Xpress"},
      {CompressionType::kZSTD, "kZSTD", "zstd", "ZSTD"},
  };
  for (const Case& c : kCases) {
    std::string shouted = c.word;
    for (char& letter : shouted) {
      letter = static_cast<char>(std::toupper(letter));
    }
    for (const std::string& text :
         {std::string(c.enumerator), std::string(c.word), shouted}) {
      const Result<CompressionType> parsed = ParseCompressionType(text);
      ASSERT_TRUE(parsed.ok()) << text;
      EXPECT_EQ(*parsed, c.type) << text;
    }
    EXPECT_EQ(CompressionTypeEnumName(c.type), c.enumerator);
    EXPECT_EQ(CompressionTypeName(c.type), c.property);
  }
  EXPECT_EQ(*ParseCompressionType("ZSTDNotFinal"),
            CompressionType::kZSTDNotFinalCompression);
  EXPECT_EQ(CompressionTypeName(CompressionType::kZSTDNotFinalCompression),
            "ZSTDNotFinal");
  for (const int byte : {0x08, 0x41, 0x80, 0xff}) {
    const auto type = static_cast<CompressionType>(byte);
    EXPECT_EQ(CompressionTypeEnumName(type), "kUnknown");
    EXPECT_EQ(CompressionTypeName(type), "Unknown");
    EXPECT_FALSE(IsCompressionSupported(type));
  }
  EXPECT_EQ(ParseCompressionType("gzip").status().message(),
            "compression type 'gzip': expected one of none, snappy, zlib, "
            "bzip2, lz4, lz4hc, xpress, zstd, zstdnotfinal");
  EXPECT_TRUE(ParseCompressionType("").status().IsInvalidArgument());
}

TEST(CompressionType, SupportIsConsistent) {
  const std::vector<CompressionType> types = SupportedCompressionTypes();
  ASSERT_FALSE(types.empty());
  EXPECT_EQ(types.front(), CompressionType::kNoCompression);
  for (const CompressionType type : types) {
    EXPECT_TRUE(IsCompressionSupported(type));
  }
  EXPECT_TRUE(IsCompressionSupported(DefaultCompressionType()));
  EXPECT_FALSE(IsCompressionSupported(CompressionType::kXpressCompression));
  // This type can be read, but not written.
  EXPECT_FALSE(
      IsCompressionSupported(CompressionType::kZSTDNotFinalCompression));
#if ASHLAR_HAVE_ZLIB
  EXPECT_EQ(CompressionLevels(CompressionType::kZlibCompression).max, 9);
#endif
#if ASHLAR_HAVE_ZSTD
  EXPECT_EQ(DefaultCompressionType(), CompressionType::kZSTD);
  EXPECT_EQ(CompressionLevels(CompressionType::kZSTD).max, 22);
  EXPECT_LT(CompressionLevels(CompressionType::kZSTD).min, 0);
#elif ASHLAR_HAVE_LZ4
  EXPECT_EQ(DefaultCompressionType(), CompressionType::kLZ4Compression);
#endif
  EXPECT_EQ(CompressionLevels(CompressionType::kSnappyCompression).max, 0);
  EXPECT_EQ(CompressionLevels(CompressionType::kXpressCompression).min, 0);
}

}  // namespace
}  // namespace ashlar
