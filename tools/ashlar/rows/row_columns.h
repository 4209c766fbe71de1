// RowColumns: makes rows of the columns of a line, for csv and tsv.
//
// It reads the header, if there is one, and refuses a line that has not the
// columns of the others. For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_COLUMNS_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_COLUMNS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/ashlar/rows/row_format.h"
#include "tools/ashlar/rows/row_parser.h"
#include "tools/columns/column_bytes.h"
#include "tools/columns/column_places.h"

namespace ashlar::tool {

class RowColumns {
 public:
  // `format` must outlive this.
  explicit RowColumns(const RowFormat* format);

  // To be called at the begin and at the end of each input.
  void BeginInput();
  // Returns false if the header is missing.
  bool EndInput(std::string* reason) const;

  // Takes the columns of a line, of which there is one at least. If it returns
  // kRow, the row's slices are those of columns, or in *room.
  RowParser::Outcome Take(const std::vector<Field>& columns, Row* row,
                          RowBytes* room, std::string* reason);
  // To be called instead, if the line cannot be divided into columns.
  RowParser::Outcome TakeMalformed();
  // RowParser::IsSettled.
  bool IsSettled() const { return !at_start_ && !places_.key.empty(); }
  // Returns "column <number>", with the column's name if it is known. Columns
  // are counted from 0 here, and from 1 in the text.
  std::string Describe(size_t column) const { return places_.Describe(column); }

 private:
  RowParser::Outcome ReadHeader(const std::vector<Field>& columns,
                                std::string* reason);
  bool HasWidth(const std::vector<Field>& columns, std::string* reason) const;
  bool MakeKey(const std::vector<Field>& columns, Row* row, RowBytes* room,
               std::string* reason);
  bool MakeValue(const std::vector<Field>& columns, Row* row, RowBytes* room,
                 std::string* reason);
  // Sets *bytes to the bytes of one column, which may be in *room.
  bool MakeBytes(const PlannedColumn& column, size_t place,
                 const std::vector<Field>& columns, RowBytes* room,
                 Slice* bytes, std::string* reason);
  // Puts the place of the column before the reason. Returns false.
  bool Refuse(size_t place, std::string* reason) const;

  const RowFormat* const format_;
  bool at_start_ = true;
  ColumnPlaces places_;
  // The number of columns of a row, or 0 if it is not known yet.
  size_t width_ = 0;
  std::string made_;  // of columns; kept for its memory
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_COLUMNS_H_
