// Tests SeekInternal and SeekForPrevInternal: they find their place in the
// order of internal keys, in any table and whatever the options hide.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "test/support/random_table.h"
#include "test/support/small_table.h"
#include "test/support/tables.h"
#include "util/coding/coding.h"

namespace ashlar::testing {
namespace {

// Returns whether a comes before b in the order of internal keys.
bool Before(const Comparator& order, const Slice& a, const Slice& b) {
  const int user_keys = order.Compare(UserKeyOf(a), UserKeyOf(b));
  return user_keys != 0 ? user_keys < 0 : TailOf(a) > TailOf(b);
}

std::vector<std::string> ShownKeys(const TableReader& reader,
                                   const ReadOptions& options) {
  std::vector<std::string> keys;
  Iterator it = reader.NewIterator(options);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    keys.push_back(it.key().ToString());
  }
  Require(it.status());
  return keys;
}

// Returns an internal key of the table, or one that is close to one.
std::string RandomPosition(const std::vector<std::string>& keys,
                           size_t timestamp_size, Random* random) {
  if (keys.empty()) return MakeInternalKey("12345678", 3, {});
  std::string key = keys[random->Below(keys.size())];
  uint64_t tail = TailOf(key);
  std::string user_key = UserKeyOf(key).ToString();
  switch (random->Below(6)) {
    case 0:
      return key;
    case 1:
      tail += random->Below(5);
      break;
    case 2:
      tail -= std::min<uint64_t>(tail, random->Below(5));
      break;
    case 3:
      tail = random->OneIn(2) ? 0 : ~uint64_t{0};
      break;
    case 4:
      if (timestamp_size != 0) {
        user_key.replace(user_key.size() - timestamp_size, timestamp_size,
                         EncodeU64Ts(random->Below(6)));
      }
      break;
    default:
      user_key.insert(user_key.size() - timestamp_size, "\x01");
      break;
  }
  internal::AppendFixed64(&user_key, tail);
  return user_key;
}

void CheckSeeks(const TableReader& reader, Random* random) {
  const Comparator& order = *reader.comparator();
  const size_t size = order.timestamp_size();
  ReadOptions options;
  options.ignore_range_deletions = random->OneIn(2);
  options.pin_data = random->OneIn(4);
  options.allow_unprepared_value = random->OneIn(4);
  if (random->OneIn(3)) options.snapshot = random->Below(250);
  const std::string timestamp = EncodeU64Ts(random->Below(5));
  if (size != 0 && random->OneIn(3)) options.timestamp = timestamp;
  std::vector<std::string> keys = ShownKeys(reader, options);
  std::string bounds[2];
  Slice bound_slices[2];
  if (random->OneIn(3) && keys.size() > 3) {
    for (size_t i = 0; i < 2; ++i) {
      const std::string& key = keys[random->Below(keys.size())];
      bounds[i] = WithoutTimestamp(UserKeyOf(key), size).ToString();
      bound_slices[i] = bounds[i];
    }
    options.iterate_lower_bound = &bound_slices[0];
    options.iterate_upper_bound = &bound_slices[1];
    keys = ShownKeys(reader, options);
  }
  const std::vector<std::string> all = ShownKeys(reader, {});
  const auto before = [&](const std::string& a, const std::string& b) {
    return Before(order, a, b);
  };
  Iterator it = reader.NewIterator(options);
  for (int i = 0; i < 40; ++i) {
    const std::string target = RandomPosition(all, size, random);
    const auto at = std::lower_bound(keys.begin(), keys.end(), target, before);
    it.SeekInternal(target);
    Require(it.status());
    ASSERT_EQ(it.Valid(), at != keys.end());
    if (it.Valid()) {
      ASSERT_EQ(it.key(), Slice(*at)) << Hex(target);
    }
    const auto after =
        std::upper_bound(keys.begin(), keys.end(), target, before);
    it.SeekForPrevInternal(target);
    Require(it.status());
    ASSERT_EQ(it.Valid(), after != keys.begin()) << Hex(target);
    if (it.Valid()) {
      ASSERT_EQ(it.key(), Slice(*(after - 1))) << Hex(target);
    }
  }
}

TEST(InternalSeeks, FindTheirPlaceInTheOrderOfInternalKeys) {
  ForEachSeed(1, 200, [&](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    SCOPED_TRACE(table.description);
    ReaderOptions options;
    options.comparator = table.options.comparator;
    options.block_cache = AnyBlockCache(random.Next());
    const auto reader =
        OpenTable(BuildTable(table.options, table.model.entries()), options);
    CheckSeeks(*reader, &random);
  });
}

// Timestamps, range deletions, and global sequence numbers.
TEST(InternalSeeks, InTablesOfEveryForm) {
  ForEachSeed(1, 800, [&](uint64_t seed) {
    Random random(seed);
    const SmallTable table = MakeSmallTable(&random);
    SCOPED_TRACE(table.description);
    ReaderOptions options;
    auto reader = OpenBytes(table.bytes, options);
    if (reader.status().IsNotSupported()) {
      options.comparator = ShorterFirstComparator();
      reader = OpenBytes(table.bytes, options);
    }
    Require(reader.status());
    CheckSeeks(**reader, &random);
  });
}

TEST(InternalSeeks, MayUseTheKeyOfTheIterator) {
  const auto reader = OpenTable(BuildTable({}, SomeEntries(100)));
  Iterator it = reader->NewIterator();
  it.SeekToLast();
  const std::string last = it.key().ToString();
  it.SeekInternal(it.key());
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.key(), Slice(last));
}

TEST(InternalSeeks, AKeyWithoutATailIsAnError) {
  const auto reader = OpenTable(BuildTable({}, SomeEntries(3)));
  Iterator it = reader->NewIterator();
  for (const bool forward : {true, false}) {
    it.SeekToFirst();
    ASSERT_TRUE(it.Valid());
    forward ? it.SeekInternal("1234567") : it.SeekForPrevInternal("1234567");
    EXPECT_FALSE(it.Valid());
    EXPECT_TRUE(it.status().IsInvalidArgument()) << it.status().ToString();
  }
  it.SeekToFirst();
  EXPECT_TRUE(it.Valid());
}

}  // namespace
}  // namespace ashlar::testing
