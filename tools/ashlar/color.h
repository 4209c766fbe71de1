// Colors: what a person should see first in text that goes to a terminal.
//
// As --color asks; "auto" is off where NO_COLOR is set, and for whatever is no
// terminal. Never part of JSON, or of anything that a program reads back.
#ifndef ASHLAR_TOOLS_ASHLAR_COLOR_H_
#define ASHLAR_TOOLS_ASHLAR_COLOR_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::tool {

enum class Color : uint8_t {
  kGood,      // green
  kBad,       // red
  kDoubtful,  // yellow
  kAdvice,    // cyan
  kHeading,   // bold
};

// Whether what is written to this descriptor is colored.
bool HasColors(int descriptor);

// Text for standard output in this color, where that has colors.
std::string Colored(std::string_view text, Color color);

// A line for standard error: "warning:" and "hint:" of our own lines, and the
// word or words `fault` before a colon, which may be empty.
std::string ColoredError(std::string line, std::string_view fault);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_COLOR_H_
