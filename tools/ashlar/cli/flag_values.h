// The words that a flag accepts, for shells to complete.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_FLAG_VALUES_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_FLAG_VALUES_H_

#include <string>
#include <vector>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

enum class ValueForm : uint8_t {
  kNone,  // the flag takes no value, or needs none
  kAny,   // any text; there may be words to offer
  kList,  // words from a list, separated by commas
  kFile,
  kFolder,
};

ValueForm ValueFormOf(const FlagRow& row);
// Returns the values of the flag that are known, which may be only some of
// them.
std::vector<std::string> ValueWords(const FlagRow& row);
// Returns the spellings of the flag: --x, and for switches that are on by
// default --nox.
std::vector<std::string> FlagSpellings(const FlagRow& row);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_FLAG_VALUES_H_
