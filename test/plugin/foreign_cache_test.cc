#include "foreign_cache.h"

#include <gtest/gtest.h>
TEST(Z, Y) { EXPECT_FALSE(ashlar_rocksdb::NewForeignCache(nullptr).ok()); }
