// Tables for tests: building, reading back and comparing them.
//
// For simplicity a table is a string, and entries are a vector. If a step that
// a test takes for granted fails, the function throws, and GoogleTest reports
// the message.
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

// Throws the status's message unless the status is ok.
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

// Returns values "value<i>" of keys "key<i>", all with sequence number 7.
std::vector<Entry> SomeEntries(int count);

// Returns build options with an identity that is the same in every run.
BuildOptions FixedBuild(std::string_view seed = "test");

// Returns the bytes of the table that the builder makes from the entries.
std::string BuildTable(const TableOptions& options,
                       const std::vector<Entry>& entries,
                       const BuildOptions& build_options = FixedBuild());

// Opens a reader on these bytes, under the name "test.sst".
Result<std::unique_ptr<TableReader>> OpenBytes(
    std::string bytes, const ReaderOptions& options = {});
// Same, for tables that must open. Throws if opening fails.
std::unique_ptr<TableReader> OpenTable(std::string bytes,
                                       const ReaderOptions& options = {});

// Returns a null cache, or a cache that is large, holds one or two blocks, or
// holds none. The cache may have a second tier, of any of these sizes too.
std::shared_ptr<Cache> AnyBlockCache(uint64_t random);

// Read every entry forward or backward, with iterators of these options. The
// returned status says why the iteration ended.
Status ReadForward(const TableReader& reader, const ReadOptions& options,
                   std::vector<Entry>* entries);
Status ReadBackward(const TableReader& reader, const ReadOptions& options,
                    std::vector<Entry>* entries);

// Returns the range deletions in stored order: `key` is the begin key, `value`
// the end.
std::vector<Entry> RangeDeletionsOf(const TableReader& reader);

// Returns, for each entry: hex(user_key) SPACE sequence SPACE type SPACE
// hex(value) LF.
std::string CanonicalDump(const std::vector<Entry>& entries);

std::string Hex(std::string_view bytes);
// Decodes hexadecimal digits and skips spaces.
std::string Unhex(std::string_view hex);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_TABLES_H_
