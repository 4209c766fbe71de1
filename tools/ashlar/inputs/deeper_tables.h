// The tables of --deeper: those with older data than the inputs of a
// compaction, of which only the bounds of the keys are needed.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_DEEPER_TABLES_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_DEEPER_TABLES_H_

#include <string>
#include <vector>

#include "ashlar/table/output_cutter.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/inputs.h"

namespace ashlar::tool {

// Returns the tables of a list: paths of files and folders, separated by
// commas.
std::vector<Input> DeeperInputs(const std::string& list);

// Sets *levels to the tables that each list names, in order of their keys.
// Returns InvalidArgument if a list names nothing, two tables of it overlap, or
// one has another comparator; and what opening it returns. Tables without
// entries are left out.
Status ReadDeeperLevels(const std::vector<std::string>& lists,
                        const Comparator* comparator,
                        std::vector<std::vector<FileRange>>* levels);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_DEEPER_TABLES_H_
