// A folder of tables without a CURRENT, as a database of one level.
//
// Nothing in it says which table is newer. So all tables are in level 0, and
// their entries are merged by sequence number. Where tables have the same
// internal key, the one whose name comes last counts.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_TABLE_FOLDER_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_TABLE_FOLDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ashlar/table/database_files.h"
#include "ashlar/util/result.h"

namespace ashlar::tool {

struct TableFolder {
  // Families are those that tables name; a table that names none is in each of
  // them that has its comparator, or in one that is called "default". Tables
  // have the numbers that are their names, or else numbers from 1 in the order
  // of their names. In a family, the table with the last name comes first.
  DatabaseFiles files;
  std::map<uint64_t, std::string> names;  // of the tables, by number
  // Tables for ingestion that have no sequence number yet, beside tables that
  // have some.
  uint64_t unnumbered = 0;
  // Range deletions with sequence number 0, which delete nothing.
  uint64_t idle_range_deletions = 0;
  // Tables that name no family, if there are several families.
  uint64_t unnamed = 0;
};

// Opens every table of the folder once. Errors are those of the first table
// that cannot be opened; NotFound if there is no table; InvalidArgument if
// tables of one family differ in their comparators.
Result<TableFolder> ReadTableFolder(const std::string& folder);

// Sorts names of tables as their numbers, where they are numbers, and after
// those as text.
void SortTableNames(std::vector<std::string>* names);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_TABLE_FOLDER_H_
