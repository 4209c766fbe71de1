// Finds the files that a command reads.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_INPUTS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_INPUTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

struct Input {
  std::string path;
  // The error of reading a directory. Files are not checked here.
  Status status;
  bool is_database = false;  // a folder that a command takes as a database
};

// Expands directories. A file is an input whatever its suffix. A directory is
// replaced by its entries that end in ".sst", sorted by name, one level deep.
// With --recursive, the entries of the folders in it follow.
std::vector<Input> ExpandInputs(const std::vector<std::string>& names);

// Returns the path of what is called so in the directory.
std::string Below(const std::string& directory, std::string_view name);
bool IsDirectory(const std::string& path);
// Returns the absolute path without links, or the path itself if there is no
// such file.
std::string RealPath(const std::string& path);
// Returns the last part of a folder's path, or for a path that ends in "." or
// ".." the name that the folder has. "root" if it has none.
std::string FolderName(const std::string& folder);
// Returns whether the line names exactly one input, which is not a directory.
bool IsOneFile(const CommandLine& line);
// For commands that make one file from one input. Returns what is wrong with
// the input, or with flags that would skip it; an empty string if nothing is.
std::string CheckIsOneFile(const CommandLine& line, const std::string& command);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_INPUTS_H_
