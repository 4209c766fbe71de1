#include "tools/ashlar/left_folders.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "tools/ashlar/output.h"

namespace ashlar::tool {
namespace {

constexpr std::string_view kMiddle = ".tmp.";
constexpr std::string_view kDrawn = "XXXXXX";

// In order. Those before what could not be read, then.
std::vector<std::string> ListNames(const std::string& folder,
                                   std::error_code* error) {
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(folder, *error), end;
       !*error && it != end; it.increment(*error)) {
    names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Whether a process that lives holds it. Shared, so that two that ask do not
// take each other for its owner.
bool IsHeld(const std::string& folder) {
  const int descriptor =
      open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // What cannot be opened or locked, as on some network file systems, nobody
  // else holds as far as anyone can tell.
  if (descriptor < 0) return false;
  const bool held =
      flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(descriptor);
  return held;
}

Status LeftTables(const std::string& stem, const std::string& folder,
                  size_t count) {
  return Status::InvalidArgument(
      folder + " has " + std::to_string(count) +
      (count == 1 ? " table" : " tables") +
      " that a run was replacing when it was killed. If " + stem +
      "-manifest.json lists tables that are missing or others, move each " +
      folder + "/" + std::string(kReplacedPrefix) +
      "<name> back to <name>, and remove tables that it does not list; then, "
      "or if they are not wanted, remove " +
      folder);
}

// Of a folder that nobody is seen to hold, of the set whose tables' names begin
// with `start`.
Status CheckLeftFolder(const std::string& stem, const std::string& folder,
                       const std::string& start) {
  std::error_code error;
  const std::vector<std::string> names = ListNames(folder, &error);
  // It ended meanwhile.
  if (error == std::errc::no_such_file_or_directory) return Status();
  if (error) {
    return Status::InvalidArgument(
        folder +
        " is another run's, or was left by one that was killed, and cannot be "
        "looked into (" +
        error.message() + "): it may hold tables that were being replaced");
  }
  const std::string replaced = std::string(kReplacedPrefix) + start;
  const auto tables = std::count_if(
      names.begin(), names.end(),
      [&](const std::string& name) { return name.starts_with(replaced); });
  if (tables != 0) {
    return LeftTables(stem, folder, static_cast<size_t>(tables));
  }
  // With anything else in it, it is none of ours.
  if (std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return name.starts_with(start);
      })) {
    PrintWarning(folder +
                 " is left of a run that was killed: nothing in it is needed");
  }
  return Status();
}

}  // namespace

std::string FolderPattern(const std::string& stem) {
  return stem + std::string(kMiddle) + std::string(kDrawn);
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

void FolderLock::Take(const std::string& folder) {
  descriptor_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) return;
  // Some file systems have no locks: there is no help for that.
  while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names = ListNames(folder, &error);
  if (error && error != std::errc::no_such_file_or_directory &&
      error != std::errc::not_a_directory) {
    return Status::FromErrno("look for tables of before in", folder,
                             error.value());
  }
  return names;
}

Status CheckLeftFolders(const std::string& stem) {
  const size_t name_at = stem.rfind('/') + 1;
  const std::string parent = stem.substr(0, name_at);
  const std::string last_part = stem.substr(name_at);
  const std::string start = last_part + std::string(kMiddle);
  const auto names = NamesIn(parent.empty() ? "." : parent);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    const std::string folder = parent + name;
    std::error_code error;
    if (!name.starts_with(start) ||
        name.size() != start.size() + kDrawn.size() ||
        !std::filesystem::is_directory(folder, error) || IsHeld(folder)) {
      continue;
    }
    Status status = CheckLeftFolder(stem, folder, last_part + "-");
    if (!status.ok()) return status;
  }
  return Status();
}

}  // namespace ashlar::tool
