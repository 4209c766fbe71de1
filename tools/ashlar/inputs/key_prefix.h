// The prefix of a key, by --prefix_length and --prefix_separator.
//
// For `stats` and `space`. The functions depend only on the flags and their
// arguments.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_PREFIX_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_PREFIX_H_

#include <string_view>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

inline bool WantsPrefixes() {
  return FLAGS_prefix_length != 0 || !FLAGS_prefix_separator.empty();
}

// Returns the prefix, or the whole key if it is shorter than the prefix or has
// no separator.
inline std::string_view PrefixOf(std::string_view key) {
  if (FLAGS_prefix_length != 0) key = key.substr(0, FLAGS_prefix_length);
  if (FLAGS_prefix_separator.empty()) return key;
  return key.substr(0, key.find(FLAGS_prefix_separator));
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_PREFIX_H_
