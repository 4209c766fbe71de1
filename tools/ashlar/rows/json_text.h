// Parses one JSON value, and says what is wrong with it. Thread-safe.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_JSON_TEXT_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_JSON_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "third-party/json_lib.h"

namespace ashlar::tool {

// Returns the object that the text is. If it is anything else, or not JSON, or
// if an object in it has two members of one name, returns nothing, and *reason
// says why. So it does if more than 1000 arrays and objects are in one another.
std::optional<nlohmann::json> ParseJsonObject(std::string_view text,
                                              std::string* reason);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_JSON_TEXT_H_
