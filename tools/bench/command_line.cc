#include "tools/bench/command_line.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "third-party/gflags_lib.h"

namespace ashlar::bench {

void ParseFlags(const char* description, int argc, char** argv) {
  gflags::SetUsageMessage(description);
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (argc > 1) Usage(std::string("unexpected ") + argv[1]);
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  std::string part;
  while (std::getline(stream, part, ',')) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

void Usage(const std::string& reason) {
  const char* const program = gflags::ProgramInvocationShortName();
  std::fprintf(stderr, "%s: %s\nTry '%s --help'.\n", program, reason.c_str(),
               program);
  std::exit(2);
}

}  // namespace ashlar::bench
