// Colors: what a person should see first in text that goes to a terminal.
//
// As --color asks; "auto" is off where NO_COLOR is set, and for whatever is no
// terminal. Never part of JSON, or of anything that a program reads back.
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

// Whether what is written to this descriptor is colored.
bool HasColors(int descriptor);

// Text for standard output in this color, where that has colors.
std::string Colored(std::string_view text, Color color);

// The same for standard error.
std::string ColoredError(std::string_view text, Color color);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_COLOR_H_
