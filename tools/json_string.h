// Writes strings of JSON. Thread-safe.
#ifndef ASHLAR_TOOLS_JSON_STRING_H_
#define ASHLAR_TOOLS_JSON_STRING_H_

#include <string>
#include <string_view>

namespace ashlar::tool {

// Appends the text as a string, with its quotes. Requires: the text is UTF-8.
void AppendJsonString(std::string_view text, std::string* json);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_JSON_STRING_H_
