// --options and --options_from: options of new tables as RocksDB's texts.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_OPTION_TEXTS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_OPTION_TEXTS_H_

#include <string>

#include "ashlar/table/options.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// Returns whether one of the two flags is given.
bool HasOptionTexts(const CommandLine& line);

// Sets *table, and the name of the merge operator in *build, from the file of
// --options_from and then from the text of --options. Leaves target_rocksdb as
// it is, unless the text has it. Prints a warning for each option that is left
// out by --ignore_unknown_options. Returns what is wrong, or an empty string.
std::string SetOptionsFromTexts(const CommandLine& line, TableOptions* table,
                                BuildOptions* build);

// For a copy, after the options of its input have been taken over: texts and
// flags count more than those. The order of the keys stays that of the input.
void PutTextsOverKept(const CommandLine& line, TableOptions* table);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_OPTION_TEXTS_H_
