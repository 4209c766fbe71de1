// New pages: what memory holds does not change, whatever pages there are.

#include "port/new_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace ashlar::port {
namespace {

TEST(NewPages, KeepWhatTheyHold) {
  constexpr size_t kBytes = size_t{1} << 20;
  // Only the first bytes are touched: the last page is new.
  const std::unique_ptr<char[]> memory(new char[kBytes]);
  std::fill_n(memory.get(), 10000, 'x');
  TouchNewPages(memory.get(), kBytes);
  EXPECT_EQ(std::count(memory.get(), memory.get() + 10000, 'x'), 10000);
  std::vector<char> old(kBytes, 'y');
  TouchNewPages(old.data() + 1, old.size() - 1);
  EXPECT_EQ(std::count(old.begin(), old.end(), 'y'),
            static_cast<ptrdiff_t>(kBytes));
}

TEST(NewPages, MayBeNone) {
  char byte = 'x';
  TouchNewPages(&byte, 1);
  TouchNewPages(&byte, 0);
  EXPECT_EQ(byte, 'x');
}

}  // namespace
}  // namespace ashlar::port
