// Which files a command reads.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_H_

#include <string>
#include <vector>

#include "util/status.h"

namespace ashlar::tool {

struct Input {
  std::string path;
  // What is wrong with a directory; files are not looked at here.
  Status status;
};

// Files stand for themselves, whatever their suffix. Directories stand for
// their entries that end in ".sst", sorted by name, one level deep.
std::vector<Input> ExpandInputs(const std::vector<std::string>& names);

bool IsDirectory(const std::string& path);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_H_
