// ColumnPlaces: where the columns of a ColumnPlan are in the rows of an input.
//
// Plain values: for one thread at a time.
#ifndef ASHLAR_TOOLS_COLUMNS_COLUMN_PLACES_H_
#define ASHLAR_TOOLS_COLUMNS_COLUMN_PLACES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/columns/column_plan.h"

namespace ashlar::tool {

// Of places, the first column is 0; in messages it is column 1.
struct ColumnPlaces {
  // Finds the columns of the plan in rows of `width` columns. If it returns
  // false, *reason says which column the rows do not have, or have twice, and
  // no column has a place.
  bool Find(const ColumnPlan& plan, size_t width, std::string* reason);
  void Forget();
  // Checks the names: they must be UTF-8, and different if they become those of
  // JSON members.
  bool NamesAreGood(const ColumnPlan& plan, std::string* reason) const;
  // Returns "column <number>", with the column's name if it is known.
  std::string Describe(size_t place) const;

  const char* origin = "header";   // what the names are from, for messages
  std::vector<std::string> names;  // empty if the columns have none
  // In the order of the plan; with kOthers, the values are all that are not in
  // the key.
  std::vector<size_t> key;
  std::vector<size_t> values;

 private:
  bool FindOne(const PlannedColumn& column, size_t width, size_t* place,
               std::string* reason) const;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_COLUMNS_COLUMN_PLACES_H_
