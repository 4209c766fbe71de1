// Integers as they are stored, and the comparison of keys word by word.

#include "util/coding/coding.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/support/random.h"
#include "util/coding/word_compare.h"
#include "util/mem/copy.h"

namespace ashlar::testing {
namespace {

using namespace internal;

std::string Varint(uint64_t value) {
  std::string bytes;
  AppendVarint64(&bytes, value);
  return bytes;
}

TEST(Coding, VarintVectors) {
  const std::pair<uint64_t, std::string> vectors[] = {
      {0, std::string(1, '\0')},
      {127, "\x7f"},
      {128, "\x80\1"},
      {300, "\xac\2"},
      {0xffffffff, "\xff\xff\xff\xff\x0f"},
      {~uint64_t{0}, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"}};
  for (const auto& [value, bytes] : vectors) {
    EXPECT_EQ(Varint(value), bytes);
    EXPECT_EQ(VarintLength(value), bytes.size());
    Decoder decoder(bytes);
    uint64_t decoded;
    ASSERT_TRUE(decoder.Varint64(&decoded));
    EXPECT_EQ(decoded, value);
    EXPECT_TRUE(decoder.empty());
  }
}

TEST(Coding, VarintsAroundEveryPowerOfTwo) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t value : {(uint64_t{1} << bit) - 1, uint64_t{1} << bit,
                                 (uint64_t{1} << bit) + 1}) {
      const std::string bytes = Varint(value);
      ASSERT_EQ(VarintLength(value), bytes.size());
      uint64_t v64;
      ASSERT_EQ(DecodeVarint64(bytes.data(), bytes.data() + bytes.size(), &v64),
                bytes.data() + bytes.size());
      ASSERT_EQ(v64, value);
      uint32_t v32;
      const char* const end =
          DecodeVarint32(bytes.data(), bytes.data() + bytes.size(), &v32);
      // DecodeVarint32 accepts five bytes even if the value exceeds 32 bits,
      // but never more bytes.
      ASSERT_EQ(end != nullptr, bytes.size() <= kMaxVarint32Bytes);
      if (value <= std::numeric_limits<uint32_t>::max()) {
        ASSERT_EQ(v32, value);
      }
      for (size_t size = 0; size < bytes.size(); ++size) {
        ASSERT_EQ(DecodeVarint64(bytes.data(), bytes.data() + size, &v64),
                  nullptr);
        ASSERT_EQ(DecodeVarint32(bytes.data(), bytes.data() + size, &v32),
                  nullptr);
      }
    }
  }
}

TEST(Coding, VarintsThatAreTooLong) {
  const std::string endless(20, '\x80');
  uint64_t v64;
  uint32_t v32;
  EXPECT_EQ(DecodeVarint64(endless.data(), endless.data() + 20, &v64), nullptr);
  EXPECT_EQ(DecodeVarint32(endless.data(), endless.data() + 20, &v32), nullptr);
}

TEST(Coding, ZigzagVectors) {
  const std::pair<int64_t, uint64_t> vectors[] = {
      {0, 0},
      {-1, 1},
      {1, 2},
      {-64, 127},
      {64, 128},
      {300, 600},
      {-300, 599},
      {std::numeric_limits<int64_t>::max(), ~uint64_t{0} - 1},
      {std::numeric_limits<int64_t>::min(), ~uint64_t{0}}};
  for (const auto& [value, coded] : vectors) {
    EXPECT_EQ(ZigzagEncode(value), coded);
    EXPECT_EQ(ZigzagDecode(coded), value);
  }
}

TEST(Coding, FixedIsLittleEndian) {
  std::string bytes;
  AppendFixed32(&bytes, 0x04030201);
  AppendFixed64(&bytes, 0x0c0b0a0908070605);
  EXPECT_EQ(bytes, "\1\2\3\4\5\6\7\10\11\12\13\14");
  EXPECT_EQ(LoadFixed16(bytes.data()), 0x0201);
  EXPECT_EQ(LoadFixed32(bytes.data()), 0x04030201u);
  EXPECT_EQ(LoadFixed64(bytes.data() + 4), 0x0c0b0a0908070605u);
}

TEST(Coding, DecoderTakesNothingOnFailure) {
  const std::string bytes = "\1\2\x80";
  Decoder decoder(bytes);
  uint32_t value;
  Slice slice;
  ASSERT_TRUE(decoder.Varint32(&value));
  EXPECT_FALSE(decoder.Bytes(3, &slice));
  EXPECT_EQ(decoder.rest().size(), 2u);
  ASSERT_TRUE(decoder.Bytes(1, &slice));
  EXPECT_EQ(slice, Slice("\2"));
  EXPECT_FALSE(decoder.Varint32(&value));
  EXPECT_FALSE(decoder.empty());
  EXPECT_TRUE(decoder.Bytes(1, &slice));
  EXPECT_TRUE(decoder.empty());
  EXPECT_TRUE(decoder.Bytes(0, &slice));
}

// The allocations have exactly these sizes. Covers every length and every
// position of the difference.
TEST(WordCompare, FindsTheFirstDifference) {
  for (size_t n = 0; n <= 40; ++n) {
    const std::unique_ptr<char[]> a(new char[n]);
    const std::unique_ptr<char[]> b(new char[n]);
    for (size_t at = 0; at <= n; ++at) {
      for (size_t i = 0; i < n; ++i) {
        a[i] = static_cast<char>(i);
        // The bytes after the first difference do not matter.
        b[i] = static_cast<char>(i >= at ? 0x80 + i : i);
      }
      ASSERT_EQ(CommonPrefix(Slice(a.get(), n), Slice(b.get(), n)), at);
      if (n >= 8) {
        ASSERT_EQ(CommonPrefixOfWords(a.get(), b.get(), n), at);
      }
    }
  }
  EXPECT_EQ(CommonPrefix("abcdefghij", "abcdefghijkl"), 10u);
  EXPECT_EQ(CommonPrefix("abcdefghijkl", "abcdefghij"), 10u);
  EXPECT_EQ(CommonPrefix("", "x"), 0u);
}

TEST(CopyShort, CopiesExactlyThatMuch) {
  Random random(1);
  for (size_t n = 0; n <= 600; ++n) {
    const std::string from = random.Bytes(n);
    // Exact allocations, so the sanitizer sees accesses beyond both ends.
    const std::unique_ptr<char[]> exact(new char[n]);
    std::copy(from.begin(), from.end(), exact.get());
    const std::unique_ptr<char[]> to(new char[n]);
    ASSERT_EQ(CopyShort(to.get(), exact.get(), n), to.get() + n);
    ASSERT_TRUE(std::equal(from.begin(), from.end(), to.get())) << n;
  }
}

}  // namespace
}  // namespace ashlar::testing
