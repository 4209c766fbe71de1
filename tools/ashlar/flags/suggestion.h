// What somebody who mistyped a name may have meant.
#ifndef ASHLAR_TOOLS_ASHLAR_FLAGS_SUGGESTION_H_
#define ASHLAR_TOOLS_ASHLAR_FLAGS_SUGGESTION_H_

#include <span>
#include <string>
#include <string_view>

namespace ashlar::tool {

// Returns the name that takes the fewest changes of letters: one that is
// missing, wrong or too much, or two that changed places. Empty if the word
// would change by more than a third, or if two names are as near.
std::string Nearest(std::string_view word,
                    std::span<const std::string_view> names);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_FLAGS_SUGGESTION_H_
