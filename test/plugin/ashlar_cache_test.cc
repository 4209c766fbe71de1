#include <gtest/gtest.h>
#include "ashlar_cache.h"
TEST(X, Y) {
  std::shared_ptr<rocksdb::Cache> c;
  ASSERT_TRUE(ashlar_rocksdb::NewAshlarCache({}, &c).ok());
  EXPECT_NE(ashlar_rocksdb::UnderlyingCache(c.get()), nullptr);
}
