// Numbers and strings as bytes.
#include "ashlar/util/byte_strings.h"

#include <gtest/gtest.h>

#include <string>

namespace ashlar::testing {
namespace {

TEST(ByteStrings, AreReadAsTheyWereAppended) {
  std::string bytes;
  AppendFixed64(0x0102030405060708, &bytes);
  EXPECT_EQ(bytes, "\x08\x07\x06\x05\x04\x03\x02\x01");
  AppendLengthPrefixed("name", &bytes);
  AppendLengthPrefixed("", &bytes);
  bytes += "rest";
  ByteReader reader(bytes);
  EXPECT_EQ(reader.Fixed64(), 0x0102030405060708u);
  EXPECT_EQ(reader.LengthPrefixed(), Slice("name"));
  EXPECT_EQ(reader.LengthPrefixed(), Slice());
  EXPECT_EQ(reader.Bytes(3), Slice("res"));
  EXPECT_EQ(reader.rest(), Slice("t"));
  EXPECT_TRUE(reader.ok());
}

// However the bytes are cut, nothing behind them is read.
TEST(ByteStrings, TooFewBytesAreAnErrorThatStays) {
  std::string bytes;
  AppendFixed64(1, &bytes);
  AppendLengthPrefixed("name", &bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    ByteReader reader(cut);
    EXPECT_EQ(reader.Fixed64(), size < 8 ? 0u : 1u);
    EXPECT_EQ(reader.LengthPrefixed(), Slice());
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.Bytes(0), Slice());
    EXPECT_FALSE(reader.ok());
  }
  std::string huge;
  AppendFixed64(~uint64_t{0}, &huge);
  ByteReader reader(huge);
  EXPECT_EQ(reader.LengthPrefixed(), Slice());
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace ashlar::testing
