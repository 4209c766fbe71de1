// Folders and whole files for tests; what fails throws.
#ifndef ASHLAR_TEST_SUPPORT_FOLDER_H_
#define ASHLAR_TEST_SUPPORT_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

namespace ashlar::testing {

std::string ReadFile(const std::string& path);
// Where a file of the project lies, its path taken from the top.
std::string SourcePath(const std::string& path);
// One of test/golden.
std::string GoldenPath(const std::string& name);
void WriteFile(const std::string& path, std::string_view bytes);

// A folder that lives as long as this object.
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
  // Names of everything in it, sorted.
  std::vector<std::string> Names() const;

 private:
  std::string path_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_FOLDER_H_
