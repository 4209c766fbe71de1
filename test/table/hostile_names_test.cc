// Names that somebody took on purpose, so that writing a table does harm.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/folder.h"
#include "test/support/tables.h"
#include "util/file.h"

namespace ashlar::testing {
namespace {

// What the next temporary file is called, and those after it.
std::vector<std::string> NextTemporaries(const std::string& path, int count) {
  const std::string front = path + ".tmp." + std::to_string(::getpid()) + ".";
  uint64_t number = 0;
  {
    auto probe = AtomicFile::Create(path, {});
    Require(probe.status());
    while (!std::filesystem::exists(front + std::to_string(number))) ++number;
  }
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    names.push_back(front + std::to_string(++number));
  }
  return names;
}

void WriteAtomically(const std::string& path, std::string_view contents) {
  auto file = AtomicFile::Create(path, {});
  Require(file.status());
  Require((*file)->file()->Append(Slice(contents.data(), contents.size())));
  Require((*file)->Commit());
}

TEST(HostileNames, LinkPlantedAtTheTemporaryName) {
  const TestFolder folder;
  const std::string path = folder / "file";
  const std::string victim = folder / "victim";
  const std::string absent = folder / "absent";
  WriteFile(victim, "precious");
  const std::vector<std::string> planted = NextTemporaries(path, 3);
  std::filesystem::create_symlink(victim, planted[0]);
  std::filesystem::create_symlink(absent, planted[1]);
  WriteFile(planted[2], "theirs");
  WriteAtomically(path, "new");
  EXPECT_EQ(ReadFile(path), "new");
  EXPECT_TRUE(std::filesystem::symlink_status(path).type() ==
              std::filesystem::file_type::regular);
  EXPECT_EQ(ReadFile(victim), "precious");
  EXPECT_FALSE(std::filesystem::exists(absent));
  EXPECT_TRUE(std::filesystem::is_symlink(planted[0]));
  EXPECT_TRUE(std::filesystem::is_symlink(planted[1]));
  EXPECT_EQ(ReadFile(planted[2]), "theirs");
  EXPECT_EQ(folder.Names().size(), 5u);
}

TEST(HostileNames, PipesAndFoldersAreRefused) {
  const TestFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string inner = folder / "inner";
  std::filesystem::create_directory(inner);
  for (const std::string& path : {pipe, inner}) {
    const Status status = AtomicFile::Create(path, {}).status();
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_TRUE(status.message().starts_with(path)) << status.ToString();
  }
  EXPECT_EQ(folder.Names(), (std::vector<std::string>{"inner", "pipe"}));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::is_directory(inner));
}

TEST(HostileNames, LinkAtThePathIsReplaced) {
  const TestFolder folder;
  const std::string path = folder / "file";
  const std::string target = folder / "target";
  WriteFile(target, "precious");
  std::filesystem::create_symlink(target, path);
  WriteAtomically(path, "new");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  EXPECT_EQ(ReadFile(path), "new");
  EXPECT_EQ(ReadFile(target), "precious");
}

}  // namespace
}  // namespace ashlar::testing
