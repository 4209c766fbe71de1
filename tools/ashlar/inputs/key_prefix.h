// The prefix of a key that --prefix_length and --prefix_separator ask for.
//
// For `stats` and `space`. Pure but for the flags.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_PREFIX_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_PREFIX_H_

#include <string_view>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

inline bool WantsPrefixes() {
  return FLAGS_prefix_length != 0 || !FLAGS_prefix_separator.empty();
}

// The whole key where it is shorter, or has no separator.
inline std::string_view PrefixOf(std::string_view key) {
  if (FLAGS_prefix_length != 0) key = key.substr(0, FLAGS_prefix_length);
  if (FLAGS_prefix_separator.empty()) return key;
  return key.substr(0, key.find(FLAGS_prefix_separator));
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_KEY_PREFIX_H_
