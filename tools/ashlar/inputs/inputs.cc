#include "tools/ashlar/inputs/inputs.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {
namespace {

// A link to a folder does not count: following it might never end.
bool IsFolderItself(const std::string& path) {
  struct stat attributes;
  return lstat(path.c_str(), &attributes) == 0 && S_ISDIR(attributes.st_mode);
}

// Lists the names that end like a table's; with --recursive, also folders. Both
// are sorted.
Status ListDirectory(const std::string& directory,
                     std::vector<std::string>* tables,
                     std::vector<std::string>* folders) {
  struct Closer {
    void operator()(DIR* stream) const { closedir(stream); }
  };
  const std::unique_ptr<DIR, Closer> stream(opendir(directory.c_str()));
  if (stream == nullptr) return Status::FromErrno("open", directory, errno);
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (FLAGS_recursive && name != "." && name != ".." &&
        IsFolderItself(Below(directory, name))) {
      folders->emplace_back(name);
    } else if (name.ends_with(".sst")) {
      tables->emplace_back(name);
    }
  }
  // What was found counts, also if the listing did not come to its end.
  const int error = errno;
  std::sort(tables->begin(), tables->end());
  std::sort(folders->begin(), folders->end());
  return error == 0 ? Status() : Status::FromErrno("read", directory, error);
}

// Adds the tables in the directory, and then those of the folders in it.
void AddTables(const std::string& directory, std::vector<Input>* inputs) {
  std::vector<std::string> tables;
  std::vector<std::string> folders;
  Status status = ListDirectory(directory, &tables, &folders);
  if (!status.ok()) inputs->push_back({directory, std::move(status)});
  for (const std::string& name : tables) {
    inputs->push_back({Below(directory, name), Status()});
  }
  for (const std::string& name : folders) {
    AddTables(Below(directory, name), inputs);
  }
}

void ExpandDirectory(const std::string& directory, std::vector<Input>* inputs) {
  const size_t before = inputs->size();
  AddTables(directory, inputs);
  if (inputs->size() == before) {
    inputs->push_back({directory, Status::NotFound("no .sst file in it")});
  }
}

}  // namespace

std::vector<Input> ExpandInputs(const std::vector<std::string>& names) {
  std::vector<Input> inputs;
  for (const std::string& name : names) {
    if (IsDirectory(name)) {
      ExpandDirectory(name, &inputs);
    } else {
      inputs.push_back({name, Status()});
    }
  }
  return inputs;
}

std::string Below(const std::string& directory, std::string_view name) {
  std::string path = directory;
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

bool IsDirectory(const std::string& path) {
  struct stat attributes;
  return stat(path.c_str(), &attributes) == 0 && S_ISDIR(attributes.st_mode);
}

std::string RealPath(const std::string& path) {
  // The C library allocates it.
  const std::unique_ptr<char, decltype(&free)> real(
      realpath(path.c_str(), nullptr), &free);
  return real == nullptr ? path : real.get();
}

std::string FolderName(const std::string& folder) {
  std::string path = folder;
  const auto last_part = [&path] {
    while (path.ends_with('/')) path.pop_back();
    return path.substr(path.rfind('/') + 1);
  };
  std::string name = last_part();
  if (name == "." || name == "..") {
    path = RealPath(folder);
    name = last_part();
  }
  return name.empty() ? "root" : name;
}

bool IsOneFile(const CommandLine& line) {
  return line.inputs.size() == 1 && !IsDirectory(line.inputs[0]);
}

std::string CheckIsOneFile(const CommandLine& line,
                           const std::string& command) {
  if (!IsOneFile(line)) return command + " takes one file";
  for (const char* flag :
       {"require_property_regex", "exclude_property_regex"}) {
    if (line.Given(flag)) {
      return std::string("--") + flag + " does not go with " + command;
    }
  }
  return {};
}

}  // namespace ashlar::tool
