// Values as text: what docs/arrow.md promises, at the ends of each range.
// test/tools/ashlar_arrow_test.py compares random values with pyarrow.

#include "tools/arrow/value_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "test/tools/arrow/made_array.h"
#include "tools/arrow/calendar_text.h"

namespace ashlar::arrow {
namespace {

using testing::MadeArray;
using testing::MadeSchema;

// Returns the text of the only value, or the reason.
std::string Text(const std::string& format, MadeArray& array) {
  MadeSchema schema(format);
  ArrowType type;
  EXPECT_TRUE(ParseArrowType(*schema.get(), &type).ok()) << format;
  Column column;
  EXPECT_TRUE(column.Bind(type, *array.get(), 0, 1).ok()) << format;
  std::string text;
  std::string reason;
  return AppendText(column.At(0), &text, &reason) ? text : reason;
}

template <typename Number>
std::string TextOf(const std::string& format, Number number) {
  MadeArray array(1);
  array.NoBuffer().template Numbers<Number>({number});
  return Text(format, array);
}

TEST(ValueText, Floats) {
  EXPECT_EQ(TextOf<uint16_t>("e", 0x3555), "0.33325195");
  EXPECT_EQ(TextOf<uint16_t>("e", 0x0001), "5.9604645e-08");
  EXPECT_EQ(TextOf<uint16_t>("e", 0x7bff), "65504.0");
  EXPECT_EQ(TextOf<uint16_t>("e", 0x8000), "-0.0");
  EXPECT_EQ(TextOf<uint16_t>("e", 0xfc00), "-Infinity");
  EXPECT_EQ(TextOf<uint16_t>("e", 0x7e01), "NaN");
  EXPECT_EQ(TextOf<float>("f", 0.1F), "0.1");
  EXPECT_EQ(TextOf<double>("g", 0.1), "0.1");
  EXPECT_EQ(TextOf<double>("g", 1e300), "1e+300");
  EXPECT_EQ(TextOf<double>("g", 3), "3.0");
}

TEST(ValueText, Decimals) {
  EXPECT_EQ(TextOf<int32_t>("d:7,2,32", 5), "0.05");
  EXPECT_EQ(TextOf<int32_t>("d:7,2,32", -12345), "-123.45");
  EXPECT_EQ(TextOf<int64_t>("d:18,0,64", INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(TextOf<int64_t>("d:18,-3,64", 12), "12000");
  EXPECT_EQ(TextOf<int64_t>("d:18,-3,64", 0), "0");
  EXPECT_EQ(TextOf<int64_t>("d:18,3,64", 0), "0.000");
  MadeArray array(1);
  array.NoBuffer().Bytes(std::string(15, '\0') + '\x80');
  EXPECT_EQ(Text("d:38,0", array), "-170141183460469231731687303715884105728");
  EXPECT_EQ(Text("d:38,39", array),
            "-0.170141183460469231731687303715884105728");
}

TEST(ValueText, Times) {
  EXPECT_EQ(TextOf<int32_t>("tdD", 0), "1970-01-01");
  EXPECT_EQ(TextOf<int32_t>("tdD", -719528), "0000-01-01");
  EXPECT_EQ(TextOf<int32_t>("tdD", -719529), "-0001-12-31");
  EXPECT_EQ(TextOf<int32_t>("tdD", INT32_MAX), "5881580-07-11");
  EXPECT_EQ(TextOf<int64_t>("tdm", -1), "1969-12-31");
  EXPECT_EQ(TextOf<int64_t>("tsn:", -1), "1969-12-31T23:59:59.999999999");
  EXPECT_EQ(TextOf<int64_t>("tsu:UTC", 951782400000001),
            "2000-02-29T00:00:00.000001Z");
  EXPECT_EQ(TextOf<int64_t>("tss:", INT64_MIN), "-292277022657-01-27T08:29:52");
  EXPECT_EQ(TextOf<int32_t>("ttm", 86399999), "23:59:59.999");
  EXPECT_EQ(TextOf<int32_t>("tts", 86400), "86400 is no time of a day");
  EXPECT_EQ(TextOf<int64_t>("ttn", -1), "-1 is no time of a day");
  EXPECT_EQ(TextOf<int64_t>("tDm", -1500), "-PT1.500S");
  EXPECT_EQ(TextOf<int64_t>("tDs", INT64_MIN), "-PT9223372036854775808S");
  EXPECT_EQ(TextOf<int64_t>("tDn", INT64_MIN), "-PT9223372036.854775808S");
}

TEST(ValueText, JsonRefusesBytesThatAreNoText) {
  MadeSchema schema("u");
  ArrowType type;
  ASSERT_TRUE(ParseArrowType(*schema.get(), &type).ok());
  MadeArray array(1);
  array.NoBuffer().Numbers<int32_t>({0, 3}).Bytes("ab\xff");
  Column column;
  ASSERT_TRUE(column.Bind(type, *array.get(), 0, 1).ok());
  std::string json;
  std::string reason;
  EXPECT_FALSE(AppendJson(column.At(0), &json, &reason));
  EXPECT_EQ(reason, "byte 3 of it is not UTF-8");
}

}  // namespace
}  // namespace ashlar::arrow
