#include "tools/ashlar/inputs/merge_flags.h"

namespace ashlar::tool {

std::string ReadMergeOperator(
    const CommandLine& line,
    std::shared_ptr<const MergeOperator>* merge_operator) {
  if (!FLAGS_merge_operator.empty()) {
    *merge_operator = FindBuiltinMergeOperator(FLAGS_merge_operator);
    if (*merge_operator == nullptr) {
      return "--merge_operator: '" + FLAGS_merge_operator +
             "' is none of uint64add, stringappend, max, put";
    }
  }
  if (!line.Given("merge_delimiter")) return {};
  auto append = NewStringAppendOperator(FLAGS_merge_delimiter);
  if (*merge_operator == nullptr ||
      (*merge_operator)->Name() != append->Name()) {
    return "--merge_delimiter needs --merge_operator=stringappend";
  }
  *merge_operator = std::move(append);
  return {};
}

}  // namespace ashlar::tool
