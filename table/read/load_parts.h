// Loading of the two parts of a table that a read may have to wait for: its
// index and its filter.
//
// Both are loaded while the table is opened, or by the first thread that needs
// them (ReaderOptions::load_index_and_filter). They are checked in the same way
// in either case. Messages name kind and place of the block; callers put the
// file's name in front. Any number of threads.
#ifndef ASHLAR_TABLE_READ_LOAD_PARTS_H_
#define ASHLAR_TABLE_READ_LOAD_PARTS_H_

#include <memory>
#include <optional>
#include <span>

#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "table/index/index.h"
#include "table/load/file_window.h"
#include "table/read/table_filter.h"

namespace ashlar::internal {

struct OpenedTable;

// Loads the table's index. `window` may be null; blocks that it has are not
// read again.
Status LoadIndex(const OpenedTable& table, FileWindow* window,
                 std::unique_ptr<const IndexReader>* index);

// Does the same for the table's filter, whatever its kind. The result is a
// filter that lets every key pass if the file has none that can be asked. May
// load the index.
Status LoadFilter(const OpenedTable& table, FileWindow* window,
                  std::unique_ptr<const TableFilter>* filter);

// Sets the name and the policy of the table's filter: those of a built-in kind
// if the file has one, else of the first of `policies` that the file has a
// filter of. Counts a table that has only filters of other policies. Requires:
// the metaindex was read.
void ChooseFilter(std::span<const std::shared_ptr<const FilterPolicy>> policies,
                  OpenedTable* table);

// Returns the place of the filter, or of the top level of a partitioned one;
// nothing if the file has none that can be asked.
std::optional<BlockPlace> FilterPlace(const OpenedTable& table);

// Returns whether the file has a filter that can be asked and is not
// partitioned.
bool HasWholeFilter(const OpenedTable& table);

// Returns the bytes that index and filter have in the file, as far as they are
// not loaded and will be kept in the reader.
uint64_t LateBytes(const OpenedTable& table);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_LOAD_PARTS_H_
