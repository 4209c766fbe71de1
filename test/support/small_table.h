// Small sound tables of every form, for tests that change their bytes.
#ifndef ASHLAR_TEST_SUPPORT_SMALL_TABLE_H_
#define ASHLAR_TEST_SUPPORT_SMALL_TABLE_H_

#include <string>

#include "test/support/random.h"

namespace ashlar::testing {

struct SmallTable {
  std::string bytes;
  std::string description;
};

// Returns a table of any index type, data block form, filter, format version,
// checksum and comparator. It has up to some dozens of entries of any type, and
// range deletions. External files occur too.
SmallTable MakeSmallTable(Random* random);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SMALL_TABLE_H_
