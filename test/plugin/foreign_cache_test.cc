#include <gtest/gtest.h>
#include "foreign_cache.h"
TEST(X, Y) { EXPECT_FALSE(ashlar_rocksdb::NewForeignCache(nullptr).ok()); }
