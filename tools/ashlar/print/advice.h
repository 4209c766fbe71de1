// Advice: lines that say what a person may do about a failure.
//
// Report collects the lines, and prints each different one once, after the
// faults of all files. They are for people; programs use the exit code. Which
// lines there are follows from codes and subcodes, never from the text of a
// message. For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_ADVICE_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_ADVICE_H_

#include <string>
#include <string_view>
#include <vector>

#include "ashlar/util/status.h"

namespace ashlar::tool {

// Returns text that says what a file without a table's footer is instead, and
// what reads it, as far as its first and last bytes show.
std::string WhatItIsInstead(const std::string& path);

// Returns whether a check of a new table failed (--verify_compression,
// --detect_filter_construct_corruption). The cause is then the machine or the
// codec, and not an input.
bool IsOfNewTable(const Status& status);

class Advice {
 public:
  // Adds advice about a failure of `command` on this file.
  void Add(std::string_view command, const std::string& path,
           const Status& status, bool is_no_table);
  // Adds advice about a row that `build` refused.
  void AddForRow(const Status& status);
  void Print() const;

 private:
  void AddLine(std::string line);

  std::vector<std::string> lines_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_ADVICE_H_
