// Compares block checksums with the values in FORMAT.md, and CRC-32C with
// published values.
#include "util/hash/checksum.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "port/cpu.h"
#include "test/support/hash_vectors.h"
#include "util/hash/crc32c.h"

namespace ashlar::internal {
namespace {

using testing::Pattern;

constexpr ChecksumType kAllTypes[] = {
    ChecksumType::kNoChecksum, ChecksumType::kCRC32c, ChecksumType::kxxHash,
    ChecksumType::kxxHash64, ChecksumType::kXXH3};

TEST(Checksum, HasTheListedValues) {
  for (const auto& vector : testing::kChecksumVectors) {
    const std::string block = Pattern(vector.n);
    for (const ChecksumType type : kAllTypes) {
      EXPECT_EQ(ChecksumWithLastByte(type, block.data(), block.size(),
                                     vector.last_byte),
                vector.by_type[static_cast<size_t>(type)])
          << ChecksumTypeName(type) << ", length " << vector.n;
    }
  }
}

TEST(Checksum, OfAStringIsThatOfItsFrontWithItsLastByte) {
  for (size_t n = 1; n < 600; ++n) {
    const std::string bytes = Pattern(n);
    for (const ChecksumType type : kAllTypes) {
      EXPECT_EQ(Checksum(type, bytes.data(), n),
                ChecksumWithLastByte(type, bytes.data(), n - 1,
                                     static_cast<uint8_t>(bytes[n - 1])))
          << ChecksumTypeName(type) << ", length " << n;
    }
  }
}

TEST(Checksum, OfNothing) {
  EXPECT_EQ(Checksum(ChecksumType::kNoChecksum, "", 0), 0u);
  EXPECT_EQ(Checksum(ChecksumType::kXXH3, "", 0), 0u);
  EXPECT_EQ(Checksum(ChecksumType::kCRC32c, "", 0), MaskCrc32c(0));
  EXPECT_EQ(Checksum(ChecksumType::kxxHash, "", 0), 0x02cc5d05u);
  EXPECT_EQ(Checksum(ChecksumType::kxxHash64, "", 0), 0x51d8e999u);
}

// The footer of FORMAT.md's example file, with its checksum field set to zero.
TEST(Checksum, OfAFooter) {
  std::string footer(53, '\0');
  const unsigned char front[] = {0x04, 0x3e, 0x00, 0x7a, 0x00, 0,    0,
                                 0,    0,    0x04, 0x03, 0x02, 0x01, 0x36};
  const unsigned char back[] = {0x07, 0x00, 0x00, 0x00, 0xf7, 0xcf,
                                0xf4, 0x85, 0xb7, 0x41, 0xe2, 0x88};
  std::memcpy(footer.data(), front, sizeof front);
  std::memcpy(footer.data() + 41, back, sizeof back);
  constexpr uint32_t kStored = 0x5946db33;
  constexpr uint32_t kContext = 0x01020304 ^ 0x180;
  EXPECT_EQ(Checksum(ChecksumType::kXXH3, footer.data(), footer.size()),
            kStored - kContext);
}

TEST(Checksum, FoldsAHighLastByteUnsigned) {
  const std::string block = Pattern(50);
  const uint32_t of_zero =
      ChecksumWithLastByte(ChecksumType::kXXH3, block.data(), block.size(), 0);
  EXPECT_EQ(ChecksumWithLastByte(ChecksumType::kXXH3, block.data(),
                                 block.size(), 0xff),
            of_zero ^ (uint32_t{0xff} * 0x6b9083d9u));
}

TEST(Crc32c, HasThePublishedValues) {
  const std::string zeros(32, '\0');
  const std::string ones(32, '\xff');
  std::string ascending(32, '\0');
  for (size_t i = 0; i < 32; ++i) ascending[i] = static_cast<char>(i);
  for (const auto extend : {&Crc32cExtend, &Crc32cExtendPortable}) {
    EXPECT_EQ(extend(0, "123456789", 9), 0xe3069283u);
    EXPECT_EQ(extend(0, zeros.data(), 32), 0x8a9136aau);
    EXPECT_EQ(extend(0, ones.data(), 32), 0x62a8ab43u);
    EXPECT_EQ(extend(0, ascending.data(), 32), 0x46dd794eu);
    EXPECT_EQ(extend(0, "", 0), 0u);
  }
}

TEST(Crc32c, MaskRotatesAndAdds) {
  EXPECT_EQ(MaskCrc32c(0), 0xa282ead8u);
  EXPECT_EQ(MaskCrc32c(0x00008001), 0xa282ead8u + 0x00020001u);
}

TEST(Crc32c, ExtendsInPieces) {
  const std::string bytes = Pattern(7000);
  const uint32_t whole = Crc32c(bytes.data(), bytes.size());
  for (size_t cut = 0; cut <= bytes.size(); cut += 61) {
    EXPECT_EQ(Crc32cExtend(Crc32c(bytes.data(), cut), bytes.data() + cut,
                           bytes.size() - cut),
              whole);
  }
}

TEST(Crc32c, ReadsNothingElse) {
  for (size_t n = 0; n <= 4000; n += n < 500 ? 1 : 13) {
    const std::string bytes = Pattern(n);
    const auto exact = std::make_unique<char[]>(n + 1);
    if (n != 0) std::memcpy(exact.get() + 1, bytes.data(), n);
    EXPECT_EQ(Crc32cExtend(0, exact.get() + 1, n),
              Crc32cExtendPortable(0, bytes.data(), n));
  }
}

TEST(Crc32c, PathSaysWhatTheCpuHas) {
  if (Cpu().sse42) {
    EXPECT_EQ(Crc32cPath(), "sse4.2");
  } else if (Cpu().arm_crc) {
    EXPECT_EQ(Crc32cPath(), "armv8");
  } else {
    EXPECT_EQ(Crc32cPath(), "portable");
  }
}

TEST(ChecksumType, NamesAndNumbersParse) {
  for (const ChecksumType type : kAllTypes) {
    const std::string name(ChecksumTypeName(type));
    std::string shouted = name;
    for (char& c : shouted) c = static_cast<char>(std::toupper(c));
    const std::string number(1,
                             static_cast<char>('0' + static_cast<int>(type)));
    for (const std::string& text : {name, shouted, name.substr(1), number}) {
      const Result<ChecksumType> parsed = ParseChecksumType(text);
      ASSERT_TRUE(parsed.ok()) << text;
      EXPECT_EQ(*parsed, type) << text;
    }
  }
  EXPECT_EQ(ChecksumTypeName(ChecksumType::kXXH3), "kXXH3");
  EXPECT_EQ(ChecksumTypeName(static_cast<ChecksumType>(5)), "kUnknown");
}

TEST(ChecksumType, OtherTextIsRefused) {
  for (const char* text : {"", "5", "kXXH", "XXH33", "04", "crc32", "k"}) {
    const Result<ChecksumType> parsed = ParseChecksumType(text);
    EXPECT_TRUE(parsed.status().IsInvalidArgument()) << text;
  }
  EXPECT_EQ(ParseChecksumType("md5").status().message(),
            "checksum type 'md5': expected kNoChecksum, kCRC32c, kxxHash, "
            "kxxHash64, kXXH3 or 0 to 4");
}

}  // namespace
}  // namespace ashlar::internal
