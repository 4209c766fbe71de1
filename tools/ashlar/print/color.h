// Colors: mark what a person should see first in text on a terminal.
//
// --color decides. "auto" is off if NO_COLOR is set, and for output that is not
// a terminal. JSON, and any output that a program reads back, never has colors.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_COLOR_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_COLOR_H_

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

// Returns whether output to this descriptor is colored.
bool HasColors(int descriptor);

// Returns text for standard output, in this color if standard output has
// colors.
std::string Colored(std::string_view text, Color color);

// Does the same for standard error.
std::string ColoredError(std::string_view text, Color color);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_COLOR_H_
