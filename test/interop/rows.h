// The entries that the interop tests put into files, and what a database that
// holds nothing else must answer for them.
//
// Used by the programs of this folder. Plain values and pure functions of
// their seed: thread-safe.
#ifndef ASHLAR_TEST_INTEROP_ROWS_H_
#define ASHLAR_TEST_INTEROP_ROWS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "test/interop/plan.h"

namespace ashlar::interop {

struct Row {
  std::string user_key;
  SequenceNumber sequence = 0;
  ValueType type = ValueType::kTypeValue;
  std::string value;

  bool operator==(const Row&) const = default;
};

// In the order of internal keys. kVersions: sequence numbers 1 to n, each
// once, as a database that took the writes one by one hands them out.
std::vector<Row> MakeRows(Shape shape, uint64_t seed);

// The same with plain deletions instead. RocksDB's SstFileWriter cannot write
// single deletions, and builds of RocksDB with assertions (Debian's) stop at
// the first one in an external file.
std::vector<Row> WithoutSingleDeletions(std::vector<Row> rows);

// User keys that are in no row, of the rows' own kind.
std::vector<std::string> AbsentKeys(const std::vector<Row>& rows,
                                    uint64_t seed);

// What a reader of the newest state sees when `rows` came on top of `state`.
// Merge operands are joined as RocksDB's "stringappend" operator does it:
// oldest first, with commas.
std::map<std::string, std::string> VisibleState(
    const std::vector<Row>& rows,
    std::map<std::string, std::string> state = {});

// "<hex user key> <sequence> <type> <hex value>", upper case, and a newline.
std::string CanonicalDump(const std::vector<Row>& rows);

// "key007"; below 1000.
std::string NumberedKey(uint64_t number);

std::string ToHex(const std::string& bytes);

// Empty when equal; else where the two differ first.
std::string DescribeDifference(const std::vector<Row>& expected,
                               const std::vector<Row>& found);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_ROWS_H_
