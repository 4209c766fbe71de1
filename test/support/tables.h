// Tables for tests: building them, reading all of them back, comparing.
//
// Everything here takes the short way: tables are strings, entries vectors.
// A failure of a step that a test takes for granted throws, and gtest reports
// what it says.
#ifndef ASHLAR_TEST_SUPPORT_TABLES_H_
#define ASHLAR_TEST_SUPPORT_TABLES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"

namespace ashlar::testing {

struct Entry {
  std::string key;  // internal
  std::string value;

  friend bool operator==(const Entry&, const Entry&) = default;
};

// Throws what the status says, unless it is ok.
void Require(const Status& status);

inline Entry Value(std::string_view user_key, SequenceNumber sequence,
                   std::string_view value) {
  return {MakeInternalKey(user_key, sequence, ValueType::kTypeValue),
          std::string(value)};
}
inline Entry Operand(std::string_view user_key, SequenceNumber sequence,
                     std::string_view value) {
  return {MakeInternalKey(user_key, sequence, ValueType::kTypeMerge),
          std::string(value)};
}
inline Entry Deletion(std::string_view user_key, SequenceNumber sequence) {
  return {MakeInternalKey(user_key, sequence, ValueType::kTypeDeletion), ""};
}
inline Entry RangeDeleted(std::string_view begin, SequenceNumber sequence,
                          std::string_view end) {
  return {MakeInternalKey(begin, sequence, ValueType::kTypeRangeDeletion),
          std::string(end)};
}

// Values "value<i>" of keys "key<i>", all with sequence number 7.
std::vector<Entry> SomeEntries(int count);

// An identity that is the same in every run.
BuildOptions FixedBuild(std::string_view seed = "test");

// The file that the builder makes of the entries.
std::string BuildTable(const TableOptions& options,
                       const std::vector<Entry>& entries,
                       const BuildOptions& build_options = FixedBuild());

// A reader of these bytes, under the name "test.sst".
Result<std::unique_ptr<TableReader>> OpenBytes(
    std::string bytes, const ReaderOptions& options = {});
// The same where opening cannot fail.
std::unique_ptr<TableReader> OpenTable(std::string bytes,
                                       const ReaderOptions& options = {});

// None, or one that is large, that has room for a block or two, or for none
// at all; alone or with a second tier, of which the same holds.
std::shared_ptr<Cache> AnyBlockCache(uint64_t random);

// Every entry from the first to the last, or the other way round, with
// iterators of these options. The status tells why they ended.
Status ReadForward(const TableReader& reader, const ReadOptions& options,
                   std::vector<Entry>* entries);
Status ReadBackward(const TableReader& reader, const ReadOptions& options,
                    std::vector<Entry>* entries);

// The range deletions in stored order: key is that of the begin, value the end.
std::vector<Entry> RangeDeletionsOf(const TableReader& reader);

// hex(user_key) SPACE sequence SPACE type SPACE hex(value) LF, for each entry.
std::string CanonicalDump(const std::vector<Entry>& entries);

std::string Hex(std::string_view bytes);
// Of hexadecimal digits; spaces are skipped.
std::string Unhex(std::string_view hex);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_TABLES_H_
