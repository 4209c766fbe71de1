// Key encodings: the order of the bytes is the order of the values, every value
// is read back, and damaged bytes are refused.
#include "ashlar/table/entry/key_encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace ashlar::testing {
namespace {

constexpr const char* kNames[] = {
    "bytes",
    "bytes:terminated",
    "bytes:terminated:desc",
    "bytes:length",
    "bytes:length:desc",
    "u32be",
    "u32be:desc",
    "u64be",
    "u64be:desc",
    "i32be",
    "i32be:desc",
    "i64be",
    "i64be:desc",
    "f32be",
    "f32be:desc",
    "f64be",
    "f64be:desc",
};

// A value that owns its bytes.
struct Value {
  std::string bytes;
  ColumnValue number;

  ColumnValue Get(ColumnType type) const {
    return type == ColumnType::kBytes ? ColumnValue(Slice(bytes)) : number;
  }
};

uint64_t AnyBits(std::mt19937_64* draw) {
  // Small numbers, powers of two, and numbers of any size.
  const uint64_t bits = (*draw)();
  const auto kind = static_cast<unsigned>((*draw)() % 4);
  if (kind == 0) return bits % 4 - 2;
  if (kind == 1) return (uint64_t{1} << (bits % 64)) - (bits >> 63);
  return kind == 2 ? bits >> (bits % 64) : bits;
}

template <typename Float, typename Word>
double AnyFloat(std::mt19937_64* draw) {
  constexpr Float kSome[] = {0,
                             -Float{0},
                             std::numeric_limits<Float>::infinity(),
                             -std::numeric_limits<Float>::infinity(),
                             std::numeric_limits<Float>::denorm_min(),
                             std::numeric_limits<Float>::max(),
                             std::numeric_limits<Float>::lowest()};
  while (true) {
    const uint64_t bits = AnyBits(draw);
    if (bits % 5 == 0) return double{kSome[(bits >> 8) % std::size(kSome)]};
    const auto word = static_cast<Word>(bits);
    Float number;
    std::memcpy(&number, &word, sizeof number);
    if (!std::isnan(number)) return double{number};
  }
}

std::string AnyString(std::mt19937_64* draw) {
  // Bytes that the encodings use for themselves, mostly.
  constexpr char kBytes[] = {'\0', '\1', '\xff', '\xfe', 'a'};
  std::string text((*draw)() % 5, ' ');
  for (char& c : text) c = kBytes[(*draw)() % sizeof kBytes];
  return text;
}

Value AnyValue(ColumnType type, std::mt19937_64* draw) {
  Value value;
  switch (type) {
    case ColumnType::kBytes:
      value.bytes = AnyString(draw);
      break;
    case ColumnType::kUint32:
      value.number = AnyBits(draw) & 0xffffffff;
      break;
    case ColumnType::kUint64:
      value.number = AnyBits(draw);
      break;
    case ColumnType::kInt32:
      value.number = int64_t{static_cast<int32_t>(AnyBits(draw))};
      break;
    case ColumnType::kInt64:
      value.number = static_cast<int64_t>(AnyBits(draw));
      break;
    case ColumnType::kFloat:
      value.number = AnyFloat<float, uint32_t>(draw);
      break;
    case ColumnType::kDouble:
      value.number = AnyFloat<double, uint64_t>(draw);
      break;
  }
  return value;
}

int Sign(bool less, bool greater) { return less ? -1 : greater ? 1 : 0; }

// Compares values as the header says that columns sort.
int Compare(const ColumnEncoding& encoding, const Value& a, const Value& b) {
  int order = 0;
  if (encoding.type == ColumnType::kBytes) {
    if (encoding.end == ColumnEnd::kLength) {
      order = Sign(a.bytes.size() < b.bytes.size(),
                   a.bytes.size() > b.bytes.size());
    }
    if (order == 0) order = Sign(a.bytes<b.bytes, a.bytes> b.bytes);
  } else if (const auto* const real = std::get_if<double>(&a.number)) {
    const double other = std::get<double>(b.number);
    order = Sign(*real<other, *real> other);
    // -0.0 comes before 0.0.
    if (order == 0) {
      order = Sign(std::signbit(*real) && !std::signbit(other),
                   !std::signbit(*real) && std::signbit(other));
    }
  } else {
    order = Sign(a.number<b.number, a.number> b.number);
  }
  return encoding.descending ? -order : order;
}

bool Equal(const ColumnEncoding& encoding, const Value& a,
           const ColumnValue& b) {
  Value other;
  if (const auto* const bytes = std::get_if<Slice>(&b)) {
    other.bytes = bytes->ToString();
  }
  other.number = b;
  return Compare(encoding, a, other) == 0;
}

TEST(KeyEncoding, NamesAreParsed) {
  for (const char* const name : kNames) {
    const auto encoding = ParseColumnEncoding(name);
    ASSERT_TRUE(encoding.ok()) << name;
    EXPECT_EQ(ColumnEncodingName(*encoding), name);
  }
  for (const char* const name :
       {"", "u64", "u64be:", "u64be:length", "u64be:desc:desc", "bytes:desc",
        "bytes:desc:length", "bytes:length:terminated", ":desc", "text"}) {
    const Status status = ParseColumnEncoding(name).status();
    EXPECT_TRUE(status.IsInvalidArgument()) << name;
  }
}

TEST(KeyEncoding, BytesSortAsValuesDo) {
  std::mt19937_64 draw(24);
  for (const char* const name : kNames) {
    const ColumnEncoding encoding = *ParseColumnEncoding(name);
    for (int i = 0; i < 4000; ++i) {
      const Value a = AnyValue(encoding.type, &draw);
      const Value b = AnyValue(encoding.type, &draw);
      std::string keys[2];
      ASSERT_TRUE(AppendColumn(encoding, a.Get(encoding.type), &keys[0]).ok());
      ASSERT_TRUE(AppendColumn(encoding, b.Get(encoding.type), &keys[1]).ok());
      const int order = Slice(keys[0]).compare(keys[1]);
      ASSERT_EQ(Sign(order<0, order> 0), Compare(encoding, a, b)) << name;
      Slice rest = keys[0];
      ColumnValue read;
      std::string bytes;
      ASSERT_TRUE(ReadColumn(encoding, &rest, &read, &bytes).ok()) << name;
      ASSERT_TRUE(rest.empty());
      ASSERT_TRUE(Equal(encoding, a, read)) << name;
    }
  }
}

// A key of several columns sorts by the first that differs, and each column is
// found again.
TEST(KeyEncoding, ColumnsJoin) {
  std::mt19937_64 draw(7);
  for (int round = 0; round < 300; ++round) {
    constexpr size_t kColumns = 3;
    std::vector<ColumnEncoding> plan;
    plan.reserve(kColumns);
    for (size_t i = 0; i < kColumns; ++i) {
      // A column that ends with the key can only be the last.
      plan.push_back(
          *ParseColumnEncoding(kNames[1 + draw() % (std::size(kNames) - 1)]));
    }
    if (draw() % 2 == 0) plan.back() = ColumnEncoding();
    std::vector<Value> values[2];
    std::string keys[2];
    for (int side = 0; side < 2; ++side) {
      for (size_t i = 0; i < plan.size(); ++i) {
        // The two keys often share their first columns.
        values[side].push_back(side == 1 && draw() % 2 == 0
                                   ? values[0][i]
                                   : AnyValue(plan[i].type, &draw));
        ASSERT_TRUE(AppendColumn(plan[i], values[side][i].Get(plan[i].type),
                                 &keys[side])
                        .ok());
      }
    }
    int expected = 0;
    Slice rest = keys[0];
    for (size_t i = 0; i < plan.size(); ++i) {
      if (expected == 0) {
        expected = Compare(plan[i], values[0][i], values[1][i]);
      }
      ColumnValue read;
      std::string bytes;
      ASSERT_TRUE(ReadColumn(plan[i], &rest, &read, &bytes).ok());
      ASSERT_TRUE(Equal(plan[i], values[0][i], read));
    }
    ASSERT_TRUE(rest.empty());
    const int order = Slice(keys[0]).compare(keys[1]);
    ASSERT_EQ(Sign(order<0, order> 0), expected);
  }
}

TEST(KeyEncoding, ValuesThatDoNotFitAreRefused) {
  const std::string before = "key";
  const struct {
    const char* name;
    ColumnValue value;
  } cases[] = {
      {"u32be", uint64_t{1} << 32},
      {"u32be", int64_t{1}},
      {"u64be", Slice("1")},
      {"i32be", int64_t{1} << 31},
      {"i32be", -(int64_t{1} << 31) - 1},
      {"i64be", uint64_t{1}},
      {"f32be", 0.1},
      {"f32be", 1e300},
      {"f32be", std::nan("")},
      {"f64be", std::nan("")},
      {"f64be", uint64_t{1}},
      {"bytes", uint64_t{1}},
  };
  for (const auto& row : cases) {
    std::string key = before;
    const Status status =
        AppendColumn(*ParseColumnEncoding(row.name), row.value, &key);
    EXPECT_TRUE(status.IsInvalidArgument()) << row.name;
    EXPECT_EQ(key, before);
  }
  ColumnEncoding encoding;
  encoding.descending = true;
  std::string key = before;
  EXPECT_TRUE(AppendColumn(encoding, Slice("a"), &key).IsInvalidArgument());
  EXPECT_EQ(key, before);
}

TEST(KeyEncoding, DamagedColumnsAreRefused) {
  using std::string_literals::operator""s;
  const struct {
    const char* name;
    std::string key;
  } cases[] = {
      {"u32be", "123"},
      {"u64be:desc", "1234567"},
      {"f32be", "\xff\xc0\0\0"s},
      {"f64be", "\xff\xff\xff\xff\xff\xff\xff\xff"},
      {"bytes:terminated", ""},
      {"bytes:terminated", "abc"},
      {"bytes:terminated", "abc\0"s},
      {"bytes:terminated", "abc\0\2"s},
      {"bytes:terminated:desc", "abc\xff\1"},
      {"bytes:length", "\0\0\0"s},
      {"bytes:length", "\0\0\0\4abc"s},
      {"bytes:length", "\xff\xff\xff\xff"},
      {"bytes:length:desc", "\0\0\0\0"s},
  };
  for (const auto& row : cases) {
    Slice key = row.key;
    ColumnValue value;
    std::string bytes;
    EXPECT_TRUE(ReadColumn(*ParseColumnEncoding(row.name), &key, &value, &bytes)
                    .IsCorruption())
        << row.name;
    EXPECT_EQ(key, Slice(row.key));
  }
}

// Any bytes are read without a crash, and what is read is written as it was.
TEST(KeyEncoding, AnyBytesAreReadOrRefused) {
  std::mt19937_64 draw(3);
  for (int i = 0; i < 20000; ++i) {
    const ColumnEncoding encoding =
        *ParseColumnEncoding(kNames[draw() % std::size(kNames)]);
    const std::string key = AnyString(&draw) + AnyString(&draw);
    Slice rest = key;
    ColumnValue value;
    std::string bytes;
    const Status status = ReadColumn(encoding, &rest, &value, &bytes);
    if (!status.ok()) {
      ASSERT_TRUE(status.IsCorruption());
      continue;
    }
    std::string again;
    ASSERT_TRUE(AppendColumn(encoding, value, &again).ok());
    ASSERT_EQ(again, key.substr(0, key.size() - rest.size()));
  }
}

}  // namespace
}  // namespace ashlar::testing
