// Advice: what a person may do next about what went wrong, a line of it each.
//
// Report collects it and prints each line once, behind the faults of all files.
// It is for people: programs have the codes. One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_ADVICE_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_ADVICE_H_

#include <string>
#include <string_view>
#include <vector>

#include "ashlar/util/status.h"

namespace ashlar::tool {

// What the messages about two rows say, by which advice knows them.
inline constexpr std::string_view kComesTwice = "comes twice";
inline constexpr std::string_view kBelongsBefore = "belongs before";

// What a file that ends like no table is instead, as far as its first and last
// bytes tell, and what reads it.
std::string WhatItIsInstead(const std::string& path);

// Whether a check of the table in the making failed (--verify_compression,
// --detect_filter_construct_corruption): machine or codec are to blame then,
// and not an input.
bool IsOfNewTable(const Status& status);

class Advice {
 public:
  // About a failure of `command` on this file.
  void Add(std::string_view command, const std::string& path,
           const Status& status, bool is_no_table);
  // About a row of `build` that cannot be taken.
  void AddForRow(const Status& status);
  void Print() const;

 private:
  void AddLine(std::string line);

  std::vector<std::string> lines_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_ADVICE_H_
