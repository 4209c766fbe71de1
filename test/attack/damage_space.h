// The forms of small tables that the damage attack goes through: every
// combination of format version, checksum, index, filter, codec and alignment
// that the builder accepts.
#ifndef ASHLAR_TEST_ATTACK_DAMAGE_SPACE_H_
#define ASHLAR_TEST_ATTACK_DAMAGE_SPACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/table/options.h"
#include "test/support/tables.h"

namespace ashlar::testing {

struct TableForm {
  TableOptions options;
  std::string name;  // "version 6, CRC32c, two-level index, ..."
};

// All forms, in an order that is the same in every run.
std::vector<TableForm> AllTableForms();

// The entries of every table: several versions of keys, deletions, merge
// operands and a range deletion, enough for several blocks.
std::vector<Entry> AttackedEntries();

// Entries of an older version of the same file: the same keys, whose values
// have other bytes and the same sizes.
std::vector<Entry> OlderEntries();

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_ATTACK_DAMAGE_SPACE_H_
