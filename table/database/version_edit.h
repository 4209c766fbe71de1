// VersionEdit: one record of a MANIFEST: what changed, for one column family.
//
// A record is a list of fields, in any order. Each has a tag, a varint32, which
// says how its payload is stored. The function is thread-safe.
#ifndef ASHLAR_TABLE_DATABASE_VERSION_EDIT_H_
#define ASHLAR_TABLE_DATABASE_VERSION_EDIT_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/database_files.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

struct TableAt {
  uint32_t level;
  uint64_t number;
  auto operator<=>(const TableAt&) const = default;
};

struct VersionEdit {
  uint32_t column_family = 0;
  std::optional<std::string> added_family;  // its name
  bool drops_family = false;
  // How many edits follow that count only together with this one.
  std::optional<uint32_t> rest_of_group;
  // Write-ahead logs were added or removed: such an edit changes no files.
  bool is_of_logs = false;

  std::optional<std::string> comparator;
  std::optional<std::string> db_id;
  std::optional<uint64_t> log_number;
  std::optional<uint64_t> next_file_number;
  std::optional<uint64_t> last_sequence;
  std::optional<uint64_t> min_log_number_to_keep;

  std::vector<TableAt> removed;
  std::vector<LiveTable> added;
  std::vector<LiveBlobFile> added_blob_files;
  std::vector<LiveBlobFile> garbage;  // what became garbage
};

// Sets *edit to what the record says. Returns Corruption, or NotSupported for a
// field that must be understood and is not.
Status DecodeVersionEdit(const Slice& record, VersionEdit* edit);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DATABASE_VERSION_EDIT_H_
