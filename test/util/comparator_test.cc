// The built-in orders, and the separators between two keys.

#include "ashlar/util/comparator.h"

#include <gtest/gtest.h>

#include <string>

#include "test/support/random.h"

namespace ashlar::testing {
namespace {

std::string Separator(const Comparator* comparator, const std::string& start,
                      const std::string& limit) {
  std::string separator = start;
  comparator->FindShortestSeparator(&separator, limit);
  return separator;
}

TEST(Comparator, NamesAndOrder) {
  const Comparator* const up = BytewiseComparator();
  const Comparator* const down = ReverseBytewiseComparator();
  EXPECT_EQ(up->Name(), "leveldb.BytewiseComparator");
  EXPECT_EQ(down->Name(), "rocksdb.ReverseBytewiseComparator");
  EXPECT_EQ(FindBuiltinComparator(up->Name()), up);
  EXPECT_EQ(FindBuiltinComparator(down->Name()), down);
  EXPECT_EQ(FindBuiltinComparator("cockroach_comparator"), nullptr);
  EXPECT_EQ(FindBuiltinComparator(""), nullptr);
  // Bytes compare as unsigned, and a prefix is smaller than a longer key.
  EXPECT_LT(up->Compare("a", "\xff"), 0);
  EXPECT_LT(up->Compare("a", "aa"), 0);
  EXPECT_LT(up->Compare("", std::string(1, '\0')), 0);
  EXPECT_EQ(up->Compare("a", "a"), 0);
  EXPECT_GT(down->Compare("a", "\xff"), 0);
  EXPECT_GT(down->Compare("a", "aa"), 0);
}

TEST(Comparator, SeparatorVectors) {
  struct Vector {
    std::string start;
    std::string limit;
    std::string separator;
  };
  const Vector vectors[] = {
      {"abc", "abd", "abc"},         {"abc", "abe", "abd"},
      {"abc1", "abd1", "abd"},       {"abc\xff\xffz", "abd", "abc\xff\xff{"},
      {"abc", "abcd", "abc"},        {"a", "c", "b"},
      {"abc\xff", "abd", "abc\xff"}, {"", "a", ""},
  };
  for (const Vector& v : vectors) {
    EXPECT_EQ(Separator(BytewiseComparator(), v.start, v.limit), v.separator)
        << v.start << ' ' << v.limit;
  }
  const Vector reversed[] = {
      {"abd", "abc", "abd"}, {"abdxyz", "abcq", "abd"}, {"abcd", "abc", "abcd"},
      {"b", "a", "b"},       {"bxx", "a", "b"},         {"ab", "", "ab"},
  };
  for (const Vector& v : reversed) {
    EXPECT_EQ(Separator(ReverseBytewiseComparator(), v.start, v.limit),
              v.separator)
        << v.start << ' ' << v.limit;
  }
}

// Few different bytes, so that keys are close together.
TEST(Comparator, SeparatorsSeparate) {
  constexpr char kBytes[] = {'\0', '\1', 'a', 'b', '\xfe', '\xff'};
  Random random(31);
  const auto key = [&] {
    std::string bytes;
    for (uint64_t n = random.Below(6); n > 0; --n) {
      bytes.push_back(random.Pick(kBytes));
    }
    return bytes;
  };
  for (int i = 0; i < 200000; ++i) {
    const Comparator* const comparator =
        random.OneIn(2) ? BytewiseComparator() : ReverseBytewiseComparator();
    std::string start = key();
    std::string limit = key();
    const int order = comparator->Compare(start, limit);
    if (order == 0) continue;
    if (order > 0) std::swap(start, limit);
    const std::string separator = Separator(comparator, start, limit);
    ASSERT_LE(separator.size(), start.size());
    ASSERT_LE(comparator->Compare(start, separator), 0);
    ASSERT_LT(comparator->Compare(separator, limit), 0);
  }
}

}  // namespace
}  // namespace ashlar::testing
