#include "tools/ashlar/print/color.h"

#include <unistd.h>

#include <cstdlib>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {
namespace {

// The escape sequence "select graphic rendition", which all terminals with
// colors know.
std::string_view StartOf(Color color) {
  switch (color) {
    case Color::kGood:
      return "\x1b[32m";
    case Color::kBad:
      return "\x1b[1;31m";
    case Color::kDoubtful:
      return "\x1b[33m";
    case Color::kAdvice:
      return "\x1b[36m";
    case Color::kHeading:
      break;
  }
  return "\x1b[1m";
}

std::string Painted(std::string_view text, Color color) {
  return std::string(StartOf(color)) + std::string(text) + "\x1b[0m";
}

bool IsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool TerminalHasColors() {
  const char* const name = std::getenv("TERM");
  return name != nullptr && *name != '\0' && std::string_view(name) != "dumb";
}

}  // namespace

bool HasColors(int descriptor) {
  if (FLAGS_color != "auto") return FLAGS_color == "always";
  return !IsSet("NO_COLOR") && TerminalHasColors() && isatty(descriptor) != 0;
}

std::string Colored(std::string_view text, Color color) {
  return HasColors(STDOUT_FILENO) ? Painted(text, color) : std::string(text);
}

std::string ColoredError(std::string_view text, Color color) {
  return HasColors(STDERR_FILENO) ? Painted(text, color) : std::string(text);
}

}  // namespace ashlar::tool
