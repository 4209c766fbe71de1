// Folders and whole files for tests. Every function throws if it fails.
#ifndef ASHLAR_TEST_SUPPORT_FOLDER_H_
#define ASHLAR_TEST_SUPPORT_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

namespace ashlar::testing {

std::string ReadFile(const std::string& path);
// Returns the full path of a project file. `path` is relative to the top
// folder.
std::string SourcePath(const std::string& path);
// Returns the full path of a file in test/golden.
std::string GoldenPath(const std::string& name);
void WriteFile(const std::string& path, std::string_view bytes);

// A temporary folder, removed with this object.
class TestFolder {
 public:
  TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder();

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  // Returns the sorted names of everything in the folder.
  std::vector<std::string> Names() const;

 private:
  std::string path_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_FOLDER_H_
