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

// Any index type, form of data blocks, filter, format version, checksum and
// comparator, with none to some dozens of entries of any type, and range
// deletions; and external files.
SmallTable MakeSmallTable(Random* random);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SMALL_TABLE_H_
