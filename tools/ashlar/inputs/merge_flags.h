// The merge operator that --merge_operator and --merge_delimiter name.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_MERGE_FLAGS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_MERGE_FLAGS_H_

#include <memory>
#include <string>

#include "ashlar/table/merge_operator.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// Sets *merge_operator; null if no flag names one. Returns what is wrong with
// the flags, or an empty string.
std::string ReadMergeOperator(
    const CommandLine& line,
    std::shared_ptr<const MergeOperator>* merge_operator);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_MERGE_FLAGS_H_
