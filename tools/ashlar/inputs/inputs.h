// Which files a command reads.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_INPUTS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_INPUTS_H_

#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

struct Input {
  std::string path;
  // What is wrong with a directory; files are not looked at here.
  Status status;
};

// Files stand for themselves, whatever their suffix. Directories stand for
// their entries that end in ".sst", sorted by name, one level deep; with
// --recursive those of the folders in them follow.
std::vector<Input> ExpandInputs(const std::vector<std::string>& names);

bool IsDirectory(const std::string& path);
// Whether the line names one input, which is no directory.
bool IsOneFile(const CommandLine& line);
// For commands that make one file of one: what is wrong with their input, or
// with flags that would leave it out; empty when nothing is.
std::string CheckIsOneFile(const CommandLine& line, const std::string& command);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_INPUTS_H_
