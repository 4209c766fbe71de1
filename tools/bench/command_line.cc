#include "tools/bench/command_line.h"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <sstream>

#include "third-party/gflags_lib.h"
#include "tools/quantity.h"

namespace ashlar::bench {

namespace {

// Returns the argument with the number written out, or nothing if it has no
// unit.
std::optional<std::string> WithoutUnit(const std::string& flag,
                                       const std::string& value) {
  gflags::CommandLineFlagInfo info;
  if (!gflags::GetCommandLineFlagInfo(flag.c_str(), &info)) return {};
  if (!info.type.starts_with("int") && !info.type.starts_with("uint")) {
    return {};
  }
  const auto number = info.description.starts_with("bytes")
                          ? tool::ParseBytes(value)
                          : tool::ParseCount(value);
  if (!number) return {};
  return std::to_string(*number);
}

}  // namespace

void ReadUnits(int argc, char** argv) {
  static std::deque<std::string> changed;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") return;
    if (!word.starts_with('-')) continue;
    const size_t begin = word.starts_with("--") ? 2 : 1;
    const size_t equals = word.find('=');
    const std::string flag = word.substr(begin, equals - begin);
    const bool apart = equals == std::string::npos;
    if (apart && i + 1 == argc) return;
    const auto value =
        WithoutUnit(flag, apart ? argv[i + 1] : word.substr(equals + 1));
    if (!value) continue;
    changed.push_back(apart ? *value : word.substr(0, equals + 1) + *value);
    argv[apart ? i + 1 : i] = changed.back().data();
  }
}

void ParseFlags(const char* description, int argc, char** argv) {
  gflags::SetUsageMessage(description);
  ReadUnits(argc, argv);
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
