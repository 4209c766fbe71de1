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

namespace {

struct Place {
  std::string folder;  // without links
  std::string name;
  bool operator==(const Place&) const = default;
};

Place PlaceOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {RealPath("."), path};
  return {RealPath(path.substr(0, slash + 1)), path.substr(slash + 1)};
}

}  // namespace

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

bool IsSamePlace(const std::string& one, const std::string& other) {
  const std::optional<FileId> id = IdOf(one);
  return (id && id == IdOf(other)) || PlaceOf(one) == PlaceOf(other);
}

bool IsOfSet(const std::string& path, const std::string& set) {
  Place own = PlaceOf(path);
  Place of_set = PlaceOf(set);
  std::string_view name = own.name;
  std::string_view stem = of_set.name;
  if (stem.ends_with(".sst")) stem.remove_suffix(4);
  if (own.folder != of_set.folder || !name.starts_with(stem)) return false;
  name.remove_prefix(stem.size());
  if (name == "-manifest.json") return true;
  if (!name.starts_with('-') || !name.ends_with(".sst")) return false;
  name = name.substr(1, name.size() - 5);
  return !name.empty() &&
         name.find_first_not_of("0123456789") == std::string_view::npos;
}

int OutputIsTaken(const Status& status) {
  PrintError("ashlar: " + std::string(status.message()));
  Advice advice;
  advice.Add({}, {}, status, false);
  if (!FLAGS_quiet) advice.Print();
  const int code = FLAGS_strict ? kExitFailure : kExitFault;
  PrintRefusalJson(status, code);
  return code;
}

}  // namespace ashlar::tool
