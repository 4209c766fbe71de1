// The keys that a command line names, for `get`.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_NAMED_KEYS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_NAMED_KEYS_H_

#include <string>
#include <vector>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// Reads the keys of --key and --keys_file. Returns what is wrong with them, or
// an empty string.
std::string ReadNamedKeys(const CommandLine& line,
                          std::vector<std::string>* keys);

// Returns a hint if the last input is probably meant as a key; else an empty
// string.
std::string HintOfKey(const CommandLine& line);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_NAMED_KEYS_H_
