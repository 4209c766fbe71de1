// Splits the value of a flag that is a list.
#ifndef ASHLAR_TOOLS_ASHLAR_FLAGS_SPLIT_LIST_H_
#define ASHLAR_TOOLS_ASHLAR_FLAGS_SPLIT_LIST_H_

#include <string>
#include <string_view>
#include <vector>

namespace ashlar::tool {

// Returns the parts between separators, also those that are empty. An empty
// list has no parts.
inline std::vector<std::string> SplitList(std::string_view list,
                                          char separator) {
  std::vector<std::string> parts;
  if (list.empty()) return parts;
  for (;;) {
    const size_t end = list.find(separator);
    parts.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) return parts;
    list.remove_prefix(end + 1);
  }
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_FLAGS_SPLIT_LIST_H_
