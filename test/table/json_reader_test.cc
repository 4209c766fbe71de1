// The reader of manifests, over texts that no writer of a manifest makes.

#include "table/set/json_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ashlar::testing {
namespace {

using internal::JsonReader;

// Returns the string that the text is, or nothing if it is none.
std::optional<std::string> StringOf(std::string_view text) {
  JsonReader reader(text);
  std::string value;
  if (!reader.String(&value) || !reader.AtEnd()) return std::nullopt;
  return value;
}

std::optional<uint64_t> NumberOf(std::string_view text) {
  JsonReader reader(text);
  uint64_t value = 0;
  if (!reader.Number(&value) || !reader.AtEnd()) return std::nullopt;
  return value;
}

bool Skips(std::string_view text) {
  JsonReader reader(text);
  return reader.Skip() && reader.AtEnd();
}

TEST(JsonReader, EscapesStandForTheirCharacters) {
  EXPECT_EQ(StringOf(R"( "\"\\\/\b\f\n\r\t" )"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(StringOf(R"("\u0041\u00e9\u20AC")"), "A\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(StringOf(R"("\ud83d\ude00")"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(StringOf("\"\xc3\xa9\""), "\xc3\xa9");
  EXPECT_EQ(StringOf("\"\""), "");
}

TEST(JsonReader, RefusesStringsThatAreNone) {
  for (const std::string_view text :
       {"", "x", "\"", "\"a", "\"\\\"", "\"\\", R"("\x")", R"("\u12")",
        R"("\u12g4")", R"("\u-123")",
        // Surrogates that are alone, or in the wrong order.
        R"("\ude00")", R"("\ud83d")", R"("\ud83dabcdef")", R"("\ud83d\u12")",
        R"("\ud83d\u0041")", R"("\ud83d\ud83d")", R"("\ud83d\ue000")",
        // Control characters, and bytes that are not UTF-8.
        "\"\n\"", "\"\x01\"", "\"\xff\"", "\"\xc3\""}) {
    EXPECT_EQ(StringOf(text), std::nullopt) << text;
  }
}

TEST(JsonReader, NumbersAreWholeAndFit) {
  EXPECT_EQ(NumberOf(" 0"), 0u);
  EXPECT_EQ(NumberOf("18446744073709551615"), ~uint64_t{0});
  for (const std::string_view text :
       {"", "x", "-1", "+1", "1.0", "1e3", "1E3", "18446744073709551616"}) {
    EXPECT_EQ(NumberOf(text), std::nullopt) << text;
  }
}

TEST(JsonReader, TrueAndFalse) {
  bool value = false;
  EXPECT_TRUE(JsonReader(" true").Bool(&value));
  EXPECT_TRUE(value);
  EXPECT_TRUE(JsonReader("false").Bool(&value));
  EXPECT_FALSE(value);
  EXPECT_FALSE(JsonReader("maybe").Bool(&value));
}

TEST(JsonReader, SkipsAnyValue) {
  for (const std::string_view text :
       {"{}", "[]", "\"a\"", "true", "false", "null", "-1.5e+3", "0",
        R"({"a": [1, {"b": null}, "c"], "d": {"e": [true, false]}})"}) {
    EXPECT_TRUE(Skips(text)) << text;
  }
  for (const std::string_view text :
       {"", "x", "nul", "tru", "fals", "{", "[", "[1", "[1,", "[1,]", "{1}",
        "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "[1}", "\"a"}) {
    EXPECT_FALSE(Skips(text)) << text;
  }
}

// A text of brackets must not use up the stack.
TEST(JsonReader, NestingHasALimit) {
  constexpr size_t kMostDepth = 32;
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(Skips(nested(kMostDepth)));
  EXPECT_FALSE(Skips(nested(kMostDepth + 1)));
  EXPECT_FALSE(Skips(nested(1'000'000)));
}

}  // namespace
}  // namespace ashlar::testing
