#include "tools/ashlar/inputs.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

namespace ashlar::tool {
namespace {

void ExpandDirectory(const std::string& directory, std::vector<Input>* inputs) {
  struct Closer {
    void operator()(DIR* stream) const { closedir(stream); }
  };
  const std::unique_ptr<DIR, Closer> stream(opendir(directory.c_str()));
  if (stream == nullptr) {
    inputs->push_back({directory, Status::FromErrno("open", directory, errno)});
    return;
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name.ends_with(".sst")) names.emplace_back(name);
  }
  if (names.empty()) {
    inputs->push_back({directory, Status::NotFound("no .sst file in it")});
    return;
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    std::string path = directory;
    if (!path.ends_with('/')) path += '/';
    inputs->push_back({path + name, Status()});
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

bool IsDirectory(const std::string& path) {
  struct stat attributes;
  return stat(path.c_str(), &attributes) == 0 && S_ISDIR(attributes.st_mode);
}

}  // namespace ashlar::tool
