// More helpers than a cache of NewAshlarCache has numbers for. Takes all
// numbers of the process, so it is a program of its own.

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>

#include "ashlar_cache.h"
#include "ashlar_cache_ops.h"
#include "test/plugin/rocksdb_values.h"

namespace ashlar::testing {
namespace {

using ashlar_rocksdb::HelperOf;
using ashlar_rocksdb::kMostHelpers;
using ashlar_rocksdb::OpsOf;

TEST(AshlarCacheHelpers, EachHasItsOwnFunctionsUntilNumbersRunOut) {
  std::shared_ptr<rocksdb::Cache> cache;
  ASSERT_TRUE(ashlar_rocksdb::NewAshlarCache({}, &cache).ok());
  RocksDbValues values;
  constexpr CacheItemOps kOurs;
  EXPECT_EQ(HelperOf(&kOurs), nullptr);

  // A new helper at the address of another one that was freed.
  RocksDbItemHelper reused(rocksdb::CacheEntryRole::kDataBlock, EndValue);
  const CacheItemOps* const before = OpsOf(&reused);
  EXPECT_EQ(before->role, CacheEntryRole::kDataBlock);
  EXPECT_EQ(before->create, nullptr);
  EXPECT_EQ(OpsOf(&reused), before);
  reused = kDataValue;
  const CacheItemOps* const after = OpsOf(&reused);
  EXPECT_NE(after, before);
  EXPECT_NE(after->create, nullptr);
  EXPECT_EQ(HelperOf(after), &reused);

  std::deque<RocksDbItemHelper> helpers;
  for (size_t i = 2; i < kMostHelpers; ++i) {
    const RocksDbItemHelper& helper = helpers.emplace_back(
        static_cast<rocksdb::CacheEntryRole>(i % rocksdb::kNumCacheEntryRoles),
        EndValue);
    rocksdb::Cache::Handle* handle = nullptr;
    ASSERT_TRUE(
        cache->Insert(RocksDbKey(i), values.Make(i), &helper, 1, &handle).ok());
    EXPECT_EQ(cache->GetCacheItemHelper(handle), &helper);
    cache->Release(handle);
  }
  for (const RocksDbItemHelper& helper : helpers) {
    EXPECT_EQ(HelperOf(OpsOf(&helper)), &helper);
  }
  // RocksDB then keeps the value itself.
  const RocksDbItemHelper& one_too_many = helpers.emplace_back(kPlainValue);
  RocksDbValue* const value = values.Make(1);
  const rocksdb::Status s =
      cache->Insert(RocksDbKey(1), value, &one_too_many, 1);
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_EQ(value->times_ended, 0);
  EXPECT_EQ(
      cache->CreateStandalone(RocksDbKey(1), value, &one_too_many, 1, true),
      nullptr);
  EndValue(value, nullptr);
  cache.reset();
  EXPECT_TRUE(values.EachEndedOnce());
}

}  // namespace
}  // namespace ashlar::testing
