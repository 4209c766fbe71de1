// The library reports the version in CMakeLists.txt.

#include "ashlar/util/version.h"

#include <gtest/gtest.h>

namespace ashlar {
namespace {

TEST(VersionTest, IsMajorMinorPatch) { EXPECT_EQ(LibraryVersion(), "0.2.0"); }

}  // namespace
}  // namespace ashlar
