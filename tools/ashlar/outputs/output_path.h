// Checks where a command may write.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_OUTPUT_PATH_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_OUTPUT_PATH_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/status.h"

namespace ashlar::tool {

// Device and inode number, which are the same for all names of a file.
using FileId = std::pair<dev_t, ino_t>;
// Returns nothing if there is no such file.
std::optional<FileId> IdOf(const std::string& path);
// Returns whether `path` is a regular file: not a folder, a device or a pipe,
// and not absent.
bool IsRegularFile(const std::string& path);

// Returns InvalidArgument if `path` is a folder, or the file of one of the
// inputs; also if it is any other name that exists, unless --overwrite is
// given.
Status CheckIsFree(const std::string& path,
                   const std::vector<std::string>& inputs);
// Returns whether both paths are names of one file, which need not exist: also
// through links, or with another way to its folder.
bool IsSamePlace(const std::string& one, const std::string& other);
// Returns whether `path` is the name of a table or of the manifest of the set
// of tables that --out=`set` makes.
bool IsOfSet(const std::string& path, const std::string& set);
// Prints that error, and returns the exit code.
int OutputIsTaken(const Status& status);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_OUTPUT_PATH_H_
