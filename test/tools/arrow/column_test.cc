// Columns read what arrays say, and refuse arrays that say what cannot be. The
// buffers have no byte too many, so that ASan sees each read outside of them.

#include "tools/arrow/column.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "test/support/random.h"
#include "test/tools/arrow/made_array.h"
#include "tools/arrow/value_text.h"

namespace ashlar::arrow {
namespace {

using testing::MadeArray;
using testing::MadeSchema;

std::unique_ptr<MadeSchema> Schema(const std::string& format,
                                   const std::string& name = "c") {
  return std::make_unique<MadeSchema>(format, name);
}

std::unique_ptr<MadeArray> Array(int64_t length, int64_t offset = 0) {
  return std::make_unique<MadeArray>(length, offset);
}

std::unique_ptr<MadeArray> Int32s(const std::vector<int32_t>& numbers) {
  auto array = Array(static_cast<int64_t>(numbers.size()));
  array->NoBuffer().Numbers(numbers);
  return array;
}

constexpr size_t kMostBytes = size_t{1} << 16;

// Returns the JSON of all values, or what is wrong.
std::string Read(MadeSchema& schema, MadeArray& array) {
  ArrowType type;
  Status status = ParseArrowType(*schema.get(), &type);
  if (!status.ok()) return std::string(status.message());
  Column column;
  status = column.Bind(type, *array.get(), 0, array.get()->length);
  if (!status.ok()) return std::string(status.message());
  std::string json;
  std::string reason;
  for (int64_t row = 0; row < column.length(); ++row) {
    if (row > 0) json += ' ';
    if (!AppendJson(column.At(row), &json, &reason, kMostBytes)) return reason;
  }
  return json;
}

std::string Read(const std::string& format, MadeArray& array) {
  MadeSchema schema(format);
  return Read(schema, array);
}

TEST(Column, ReadsWhatFollowsTheOffset) {
  MadeArray array(3, 2);
  array.Bytes(std::string(1, 0b10111)).Numbers<int16_t>({9, 9, 5, -6, 7});
  EXPECT_EQ(Read("s", array), "5 null 7");

  MadeArray bits(3, 7);
  bits.NoBuffer().Bytes(std::string("\x80\x01", 2));
  EXPECT_EQ(Read("b", bits), "true true false");

  MadeArray text(2, 1);
  text.NoBuffer().Numbers<int32_t>({0, 1, 1, 3}).Bytes("abc");
  EXPECT_EQ(Read("u", text), "\"\" \"bc\"");

  MadeArray large(1, 1);
  large.NoBuffer().Numbers<int64_t>({4, 4, 6}).Bytes("......");
  EXPECT_EQ(Read("U", large), "\"..\"");

  MadeArray fixed(1, 1);
  fixed.NoBuffer().Bytes("abcdef");
  EXPECT_EQ(Read("w:3", fixed), "\"ZGVm\"");
}

TEST(Column, ReadsParts) {
  auto list = Schema("+l");
  list->Child(Schema("i", "item"));
  MadeArray lists(2, 1);
  lists.NoBuffer().Numbers<int32_t>({0, 1, 1, 3}).Child(Int32s({7, 8, 9}));
  EXPECT_EQ(Read(*list, lists), "[] [8,9]");

  // The offset of a struct counts for its fields too.
  auto pair = Schema("+s");
  pair->Child(Schema("i", "a")).Child(Schema("i", "b"));
  MadeArray pairs(1, 1);
  pairs.NoBuffer().Child(Int32s({1, 2})).Child(Int32s({3, 4}));
  EXPECT_EQ(Read(*pair, pairs), "{\"a\":2,\"b\":4}");

  auto three = Schema("+w:2");
  three->Child(Schema("i", "item"));
  MadeArray threes(1, 1);
  threes.NoBuffer().Child(Int32s({1, 2, 3, 4}));
  EXPECT_EQ(Read(*three, threes), "[3,4]");

  auto view = Schema("+vl");
  view->Child(Schema("i", "item"));
  MadeArray views(2);
  views.NoBuffer().Numbers<int32_t>({1, 0}).Numbers<int32_t>({2, 1}).Child(
      Int32s({1, 2, 3}));
  EXPECT_EQ(Read(*view, views), "[2,3] [1]");

  auto coded = Schema("C");
  coded->Dictionary(Schema("i"));
  MadeArray codes(3);
  codes.NoBuffer()
      .Bytes(std::string("\x01\x00\x01", 3))
      .Dictionary(Int32s({5, 6}));
  EXPECT_EQ(Read(*coded, codes), "6 5 6");
}

TEST(Column, RefusesOffsetsThatDoNotRise) {
  for (const std::vector<int32_t>& offsets : {std::vector<int32_t>{-1, 0, 1},
                                              {0, 2, 1},
                                              {3, 1, 1},
                                              {0, INT32_MIN, 1}}) {
    MadeArray text(2);
    text.NoBuffer().Numbers(offsets).Bytes("abc");
    EXPECT_EQ(Read("u", text), "offsets that do not rise");
    auto list = Schema("+l");
    list->Child(Schema("i", "item"));
    MadeArray lists(2);
    lists.NoBuffer().Numbers(offsets).Child(Int32s({1, 2, 3}));
    EXPECT_EQ(Read(*list, lists), "offsets that do not rise");
  }
}

// Of three texts, the struct has two. A producer has the bytes that the last
// offset asks for, and that is not the largest one.
TEST(Column, ChecksWhatRowsLeaveOut) {
  auto pair = Schema("+s");
  pair->Child(Schema("u", "a"));
  auto text = Array(3);
  text->NoBuffer().Numbers<int32_t>({0, 1, 90, 3}).Bytes("abc");
  MadeArray rows(2);
  rows.NoBuffer().Child(std::move(text));
  EXPECT_EQ(Read(*pair, rows), "offsets that do not rise");
}

TEST(Column, RefusesListsOutsideOfTheirValues) {
  auto list = Schema("+l");
  list->Child(Schema("i", "item"));
  MadeArray lists(1);
  lists.NoBuffer().Numbers<int32_t>({0, 4}).Child(Int32s({1, 2, 3}));
  EXPECT_EQ(Read(*list, lists), "lists that end after their values");

  auto fixed = Schema("+w:2");
  fixed->Child(Schema("i", "item"));
  MadeArray pairs(1, 1);
  pairs.NoBuffer().Child(Int32s({1, 2, 3}));
  EXPECT_EQ(Read(*fixed, pairs), "lists that end after their values");

  auto view = Schema("+vL");
  view->Child(Schema("i", "item"));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const auto& [offset, size] : std::vector<std::pair<int64_t, int64_t>>{
           {3, 1}, {-1, 1}, {0, -1}, {kMost, kMost}, {1, kMost}}) {
    MadeArray views(1);
    views.NoBuffer().Numbers<int64_t>({offset}).Numbers<int64_t>({size}).Child(
        Int32s({1, 2, 3}));
    EXPECT_EQ(Read(*view, views), "a list view outside of its values");
  }
}

TEST(Column, RefusesAnIndexThatTheDictionaryLacks) {
  for (const int8_t index : {-1, 2, -128}) {
    auto coded = Schema("c");
    coded->Dictionary(Schema("i"));
    MadeArray codes(1);
    codes.NoBuffer().Numbers<int8_t>({index}).Dictionary(Int32s({5, 6}));
    EXPECT_EQ(Read(*coded, codes),
              "row 1 of a batch has an index that its dictionary lacks");
  }
}

// Returns an array of one view of 16 bytes.
std::unique_ptr<MadeArray> OneView(int32_t size, int32_t buffer,
                                   int32_t offset) {
  auto views = Array(1);
  views->NoBuffer()
      .Numbers<int32_t>({size, 0, buffer, offset})
      .Bytes("0123456789abcdefghij")
      .Numbers<int64_t>({20});
  return views;
}

TEST(Column, RefusesViewsOutsideOfTheirBuffers) {
  EXPECT_EQ(Read("vu", *OneView(13, 0, 7)), "\"789abcdefghij\"");
  for (const auto& views :
       {OneView(13, 0, 8), OneView(13, 1, 0), OneView(13, -1, 0),
        OneView(13, 0, -1), OneView(-1, 0, 0), OneView(INT32_MAX, 0, 20)}) {
    EXPECT_EQ(Read("vu", *views),
              "row 1 of a batch views bytes that are not there");
  }
}

TEST(Column, RefusesCountsThatAreNotThoseOfTheType) {
  MadeArray one_buffer(1);
  one_buffer.NoBuffer();
  EXPECT_EQ(Read("i", one_buffer), "an array with 1 buffers; expected 2");
  MadeArray no_values(1);
  no_values.NoBuffer().NoBuffer();
  EXPECT_EQ(Read("i", no_values), "an array without values");
  MadeArray negative(-1);
  negative.NoBuffer().NoBuffer();
  EXPECT_NE(Read("i", negative).find("an array of -1 values"),
            std::string::npos);
  MadeArray huge(1, INT64_MAX);
  huge.NoBuffer().NoBuffer();
  EXPECT_NE(Read("i", huge).find("an array of 1 values after"),
            std::string::npos);
  MadeArray nulls(1);
  nulls.NoBuffer().Numbers<int32_t>({1}).get()->null_count = 1;
  EXPECT_NE(Read("i", nulls).find("no buffer that marks them"),
            std::string::npos);
  auto pair = Schema("+s");
  pair->Child(Schema("i", "a"));
  MadeArray without(2);
  without.NoBuffer();
  EXPECT_EQ(Read(*pair, without), "an array with 0 fields; expected 1");
  MadeArray shorter(2);
  shorter.NoBuffer().Child(Int32s({1}));
  EXPECT_EQ(Read(*pair, shorter), "an array of 1 values; expected 2 after 0");
  MadeArray text(1);
  text.NoBuffer().Numbers<int32_t>({0, 1}).NoBuffer();
  EXPECT_EQ(Read("u", text), "an array of bytes without its bytes");
  // An empty array needs no buffers.
  MadeArray empty(0);
  empty.NoBuffer().NoBuffer().NoBuffer();
  EXPECT_EQ(Read("u", empty), "");
}

TEST(Column, RefusesWidthsThatNoBufferHasRoomFor) {
  MadeArray array(1, int64_t{1} << 48);
  array.NoBuffer().Bytes("");
  EXPECT_EQ(Read("w:1073741824", array),
            "an array of 1 values after 281474976710656, of 1073741824 bytes "
            "each");
  // Values without bytes can be that many.
  EXPECT_EQ(Read("w:0", array), "\"\"");
}

TEST(Column, RefusesTypesThatAreNotServed) {
  MadeArray array(0);
  for (const char* const format :
       {"+us:0", "+r", "tiM", "d:76,3,256", "q", "", "w:", "w:-1",
        "w:99999999999", "w:2147483647", "tsx:", "d:5", "+w:x"}) {
    EXPECT_NE(Read(format, array).find("cannot be read"), std::string::npos)
        << format;
  }
  auto deep = Schema("i");
  for (int i = 0; i < 40; ++i) {
    auto list = Schema("+l");
    list->Child(std::move(deep));
    deep = std::move(list);
  }
  EXPECT_EQ(Read(*deep, array), "types within each other more than 32 times");
  EXPECT_EQ(Read("+l", array), "type list with 0 fields");
  auto coded = Schema("u");
  coded->Dictionary(Schema("i"));
  EXPECT_EQ(Read(*coded, array), "a dictionary with indexes of type utf8");
  auto map = Schema("+m");
  map->Child(Schema("i"));
  EXPECT_EQ(Read(*map, array), "a map whose entries are not pairs");
}

// A few bytes of views can stand for more values than there is memory.
TEST(Column, JsonOfListsHasAMostSize) {
  std::unique_ptr<MadeSchema> schema = Schema("n");
  auto array = Array(1000);
  constexpr int kDepth = 5;
  for (int depth = 0; depth < kDepth; ++depth) {
    auto list = Schema("+vl");
    list->Child(std::move(schema));
    schema = std::move(list);
    const int64_t length = depth == kDepth - 1 ? 1 : 1000;
    auto lists = Array(length);
    const auto count = static_cast<size_t>(length);
    lists->NoBuffer()
        .Numbers(std::vector<int32_t>(count, 0))
        .Numbers(std::vector<int32_t>(count, 1000))
        .Child(std::move(array));
    array = std::move(lists);
  }
  EXPECT_EQ(Read(*schema, *array), "its JSON has more than 65536 bytes");
}

// Lists of the numbers from 0 to below `child`, and what Read gives for them.
struct RandomLists {
  // Returns what Read is to return.
  std::string Expected() const {
    if (!is_view && length > 0) {
      const auto first = begins.begin() + offset;
      if (*first < 0 || !std::is_sorted(first, begins.end())) {
        return "offsets that do not rise";
      }
      if (begins.back() > child) return "lists that end after their values";
    }
    std::string json;
    for (int64_t row = offset; row < offset + length; ++row) {
      if (row > offset) json += ' ';
      const auto at = static_cast<size_t>(row);
      if ((kValid >> (row % 8) & 1) == 0) {
        json += "null";
        continue;
      }
      const int32_t begin = begins[at];
      const int32_t end = is_view ? begin + sizes[at] : begins[at + 1];
      if (begin < 0 || begin > child || end < begin || end > child) {
        return "a list view outside of its values";
      }
      json += '[';
      for (int32_t i = begin; i < end; ++i) {
        json += (i > begin ? "," : "") + std::to_string(i);
      }
      json += ']';
    }
    return json;
  }
  std::string Found() const {
    auto list = Schema(is_view ? "+vl" : "+l");
    list->Child(Schema("c", "item"));
    MadeArray lists(length, offset);
    lists.Bytes(std::string(static_cast<size_t>(length + offset) / 8 + 1,
                            static_cast<char>(kValid)));
    lists.Numbers(begins);
    if (is_view) lists.Numbers(sizes);
    std::vector<int8_t> numbers(static_cast<size_t>(child));
    std::iota(numbers.begin(), numbers.end(), int8_t{0});
    auto items = Array(child);
    items->NoBuffer().Numbers(numbers);
    lists.Child(std::move(items));
    return Read(*list, lists);
  }

  static constexpr int kValid = 0x5a;  // the bits of each byte
  bool is_view;
  int64_t length;
  int64_t offset;
  int32_t child;
  std::vector<int32_t> begins;
  std::vector<int32_t> sizes;
};

TEST(Column, RandomListsAreReadOrRefused) {
  int read = 0;
  int seeds = 0;
  ashlar::testing::ForEachSeed(1, 600, [&](uint64_t seed) {
    ++seeds;
    ashlar::testing::Random random(seed);
    const auto numbers = [&](size_t count) {
      std::vector<int32_t> made(count);
      for (int32_t& number : made) {
        number = static_cast<int32_t>(random.Below(12)) -
                 (random.Below(30) == 0 ? 3 : 0);
      }
      if (random.Below(2) == 0) std::sort(made.begin(), made.end());
      return made;
    };
    RandomLists lists;
    lists.is_view = random.Below(2) == 0;
    lists.length = static_cast<int64_t>(random.Below(5));
    lists.offset = static_cast<int64_t>(random.Below(3));
    lists.child = static_cast<int32_t>(random.Below(24));
    const auto all = static_cast<size_t>(lists.length + lists.offset);
    lists.begins = numbers(lists.is_view ? all : all + 1);
    lists.sizes = numbers(all);
    const std::string expected = lists.Expected();
    EXPECT_EQ(lists.Found(), expected);
    read += expected.find('[') != std::string::npos ? 1 : 0;
  });
  // A replay has one seed.
  if (seeds > 1) {
    EXPECT_GT(read, 50);
  }
}

}  // namespace
}  // namespace ashlar::arrow
