// CsvRowEnds: finds where the rows of CSV end.
//
// A column that begins with '"' is quoted. A line break in a quoted column does
// not end the row. So only quotes and line breaks are looked at. A quote opens
// a quoted column in three places: at the start of the row, after a delimiter,
// and right after a closing quote, with which it stands for one quote. Any
// other quote is a fault of its row. CsvRowParser reports it; this class passes
// over it.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_CSV_ROW_ENDS_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_CSV_ROW_ENDS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tools/ashlar/rows/byte_mask.h"

namespace ashlar::tool {

class CsvRowEnds {
 public:
  explicit CsvRowEnds(char delimiter) : delimiter_(delimiter) {}

  // Starts at a row that begins at this offset of a text.
  void Begin(size_t offset) {
    next_ = opening_ = offset;
    is_quoted_ = false;
    breaks_ = 0;
  }

  // Goes on to the offset `end` of the text. Calls take(offset, breaks) with
  // the offset of the LF that ends each row, and the number of line breaks
  // within the row. The next call goes on from `end`; the text may have moved.
  // Requires: after `end`, the text has kMaskBytes more bytes of any kind.
  template <typename Take>
  void Find(const char* text, size_t end, Take take) {
    for (; next_ < end; next_ += std::min(kMaskBytes, end - next_)) {
      const char* const block = text + next_;
      uint64_t marks =
          (ByteMask(block, '"') | ByteMask(block, '\n')) & LowBits(end - next_);
      for (; marks != 0; marks &= marks - 1) {
        const size_t at = next_ + static_cast<size_t>(std::countr_zero(marks));
        if (text[at] == '"') {
          TakeQuote(text, at);
        } else if (is_quoted_) {
          ++breaks_;
        } else {
          take(at, breaks_);
          opening_ = at + 1;
          breaks_ = 0;
        }
      }
    }
  }

 private:
  void TakeQuote(const char* text, size_t at) {
    if (is_quoted_) {
      is_quoted_ = false;
      opening_ = at + 1;
    } else if (at == opening_ || text[at - 1] == delimiter_) {
      is_quoted_ = true;
    }
  }

  const char delimiter_;
  size_t next_ = 0;     // the first byte that was not looked at
  size_t opening_ = 0;  // where a quote opens a column, whatever is before it
  bool is_quoted_ = false;
  uint64_t breaks_ = 0;  // in the row so far
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_CSV_ROW_ENDS_H_
