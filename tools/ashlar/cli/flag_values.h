// The words that a flag takes, for shells to complete.
#ifndef ASHLAR_TOOLS_ASHLAR_CLI_FLAG_VALUES_H_
#define ASHLAR_TOOLS_ASHLAR_CLI_FLAG_VALUES_H_

#include <string>
#include <vector>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

enum class ValueForm : uint8_t {
  kNone,  // the flag takes no value, or may do without
  kAny,   // whatever a person types; there may be words to offer
  kList,  // the same words with commas between
  kFile,
  kFolder,
};

ValueForm ValueFormOf(const FlagRow& row);
// Those that are known: all of them, or some.
std::vector<std::string> ValueWords(const FlagRow& row);
// All spellings that turn the flag on or off: --x, and for switches that are
// on --nox.
std::vector<std::string> FlagSpellings(const FlagRow& row);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_CLI_FLAG_VALUES_H_
