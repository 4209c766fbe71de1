// Built-in prefix extractors: names, domains, prefixes.

#include "ashlar/util/prefix_extractor.h"

#include <gtest/gtest.h>

namespace ashlar::testing {
namespace {

TEST(PrefixExtractor, Fixed) {
  const auto fixed = NewFixedPrefixExtractor(3);
  EXPECT_EQ(fixed->Name(), "rocksdb.FixedPrefix.3");
  EXPECT_FALSE(fixed->InDomain("ab"));
  EXPECT_TRUE(fixed->InDomain("abc"));
  EXPECT_EQ(fixed->Transform("abcd"), Slice("abc"));
}

TEST(PrefixExtractor, Capped) {
  const auto capped = NewCappedPrefixExtractor(3);
  EXPECT_EQ(capped->Name(), "rocksdb.CappedPrefix.3");
  EXPECT_TRUE(capped->InDomain(""));
  EXPECT_EQ(capped->Transform("ab"), Slice("ab"));
  EXPECT_EQ(capped->Transform("abcd"), Slice("abc"));
}

TEST(PrefixExtractor, Noop) {
  const auto noop = NewNoopPrefixExtractor();
  EXPECT_EQ(noop->Name(), "rocksdb.Noop");
  EXPECT_TRUE(noop->InDomain(""));
  EXPECT_EQ(noop->Transform("abcd"), Slice("abcd"));
}

TEST(PrefixExtractor, ByName) {
  for (const char* name : {"rocksdb.FixedPrefix.0", "rocksdb.FixedPrefix.12",
                           "rocksdb.CappedPrefix.7", "rocksdb.Noop"}) {
    const auto found = FindBuiltinPrefixExtractor(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->Name(), name);
  }
  for (const char* name :
       {"", "nullptr", "rocksdb.FixedPrefix", "rocksdb.FixedPrefix.",
        "rocksdb.FixedPrefix.3x", "rocksdb.FixedPrefix.-3",
        "rocksdb.FixedPrefix.99999999999999999999", "rocksdb.Noop.1",
        "rocksdb.CappedPrefix. 3", "mine"}) {
    EXPECT_EQ(FindBuiltinPrefixExtractor(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace ashlar::testing
