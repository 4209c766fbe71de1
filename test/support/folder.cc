#include "test/support/folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ashlar::testing {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  // Not byte by byte, which takes long where tests are not optimised.
  std::string bytes;
  char piece[1 << 16];
  while (file.read(piece, sizeof piece), file.gcount() > 0) {
    bytes.append(piece, static_cast<size_t>(file.gcount()));
  }
  return bytes;
}

// Only this file is compiled with the path of the source folder. All other
// files compile to the same objects wherever the project is.
std::string SourcePath(const std::string& path) {
  return ASHLAR_SOURCE_DIR "/" + path;
}

std::string GoldenPath(const std::string& name) {
  return SourcePath("test/golden/" + name);
}

void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

TestFolder::TestFolder() {
  std::string name =
      (std::filesystem::temp_directory_path() / "ashlar_test_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot create " + name);
  }
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all,
                               ignored);
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TestFolder::Names() const {
  std::vector<std::string> names;
  for (const auto& item : std::filesystem::directory_iterator(path_)) {
    names.push_back(item.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ashlar::testing
