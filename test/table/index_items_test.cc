// Tests that IndexItems stays cheap, however many index blocks add their
// entries.

#include "table/inspect/index_items.h"

#include <gtest/gtest.h>

#include <string>

namespace ashlar::testing {
namespace {

using internal::IndexItem;
using internal::IndexItems;

TEST(IndexItems, ManyPartsMoveThemSeldom) {
  constexpr size_t kParts = 4000;
  constexpr size_t kPerPart = 5;
  IndexItems items;
  size_t moves = 0;
  const IndexItem* first = nullptr;
  for (size_t part = 0; part < kParts; ++part) {
    items.Expect(kPerPart);
    for (size_t i = 0; i < kPerPart; ++i) {
      const std::string key = std::to_string(items.size());
      items.Add({items.size(), 1}, key, {});
    }
    moves += first == &items[0] ? 0 : 1;
    first = &items[0];
  }
  EXPECT_LT(moves, 20u);
  ASSERT_EQ(items.size(), kParts * kPerPart);
  for (size_t i = 0; i < items.size(); ++i) {
    ASSERT_EQ(items[i].handle.offset, i);
    ASSERT_EQ(items[i].separator.ToString(), std::to_string(i));
  }
}

}  // namespace
}  // namespace ashlar::testing
