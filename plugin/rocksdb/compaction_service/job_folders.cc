#include "job_folders.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ashlar_rocksdb {

namespace {

namespace fs = std::filesystem;
using ashlar::Status;

// Symbolic links are followed, so that none leads out of the folder.
bool IsBelow(const std::string& path, const std::string& folder) {
  std::error_code error;
  const fs::path full = fs::weakly_canonical(path, error);
  if (error) return false;
  const fs::path root = fs::weakly_canonical(folder, error);
  if (error) return false;
  const fs::path relative = full.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

ashlar::Status CheckFolders(const CompactionJob& job,
                            const std::vector<std::string>& folders) {
  if (folders.empty()) return {};
  std::vector<std::string> paths = {job.database.path, job.output_folder};
  for (const JobInputFile& input : job.inputs) paths.push_back(input.path);
  for (const std::string& path : paths) {
    const bool is_allowed = std::any_of(
        folders.begin(), folders.end(),
        [&path](const std::string& folder) { return IsBelow(path, folder); });
    if (!is_allowed) {
      return Status::InvalidArgument(
          path + " is in no folder that the worker may use");
    }
  }
  return {};
}

ashlar::Status MakeEmptyFolder(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) fs::create_directory(folder, error);
  if (!error) return {};
  return Status::FromErrno("make the folder", folder, error.value());
}

void RemoveFolder(const std::string& folder) {
  std::error_code ignored;
  if (!folder.empty()) fs::remove_all(folder, ignored);
}

}  // namespace ashlar_rocksdb
