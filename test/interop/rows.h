// The entries that the interop tests put into files, and the answers of a
// database that holds nothing else.
//
// Plain values and pure functions of their seed: thread-safe. Used by the
// programs of this folder.
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

// Returns rows in the order of internal keys. kVersions has sequence numbers 1
// to n, each once, as a database assigns them to single writes.
std::vector<Row> MakeRows(Shape shape, uint64_t seed);

// Returns the rows with plain deletions in place of single deletions. RocksDB's
// SstFileWriter cannot write single deletions, and RocksDB with assertions
// (Debian's build) aborts at the first one in an external file.
std::vector<Row> WithoutSingleDeletions(std::vector<Row> rows);

// Returns user keys that no row has, but like those of the rows.
std::vector<std::string> AbsentKeys(const std::vector<Row>& rows,
                                    uint64_t seed);

// Returns the newest visible state after `rows` were written on top of `state`.
// Merge operands are joined as RocksDB's "stringappend" operator joins them:
// oldest first, with commas.
std::map<std::string, std::string> VisibleState(
    const std::vector<Row>& rows,
    std::map<std::string, std::string> state = {});

// Returns "<hex user key> <sequence> <type> <hex value>" in upper case and a
// newline, for each row.
std::string CanonicalDump(const std::vector<Row>& rows);

// Returns "key007" for 7. Requires a number below 1000.
std::string NumberedKey(uint64_t number);

std::string ToHex(const std::string& bytes);

// Returns an empty string if equal, else the first difference.
std::string DescribeDifference(const std::vector<Row>& expected,
                               const std::vector<Row>& found);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_ROWS_H_
