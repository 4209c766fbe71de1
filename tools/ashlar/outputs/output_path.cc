#include "tools/ashlar/outputs/output_path.h"

#include <sys/stat.h>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/print/advice.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

std::optional<FileId> IdOf(const std::string& path) {
  struct stat attributes;
  if (stat(path.c_str(), &attributes) != 0) return std::nullopt;
  return FileId(attributes.st_dev, attributes.st_ino);
}

bool IsRegularFile(const std::string& path) {
  struct stat attributes;
  return stat(path.c_str(), &attributes) == 0 && S_ISREG(attributes.st_mode);
}

Status CheckIsFree(const std::string& path,
                   const std::vector<std::string>& inputs) {
  const std::optional<FileId> id = IdOf(path);
  if (!id) return {};
  if (IsDirectory(path)) return Status::InvalidArgument(path + " is a folder");
  for (const std::string& input : inputs) {
    if (IdOf(input) == id) {
      return Status::InvalidArgument(
          path + " is an input, which is never overwritten");
    }
  }
  if (FLAGS_overwrite) return {};
  return Status::InvalidArgument(path + " exists; --overwrite replaces it");
}

int OutputIsTaken(const Status& status) {
  PrintError("ashlar: " + std::string(status.message()));
  Advice advice;
  advice.Add({}, {}, status, false);
  if (!FLAGS_quiet) advice.Print();
  PrintRefusalJson(status, kExitFailure);
  return kExitFailure;
}

}  // namespace ashlar::tool
