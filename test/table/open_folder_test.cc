// A folder that is kept open: what Read says of names that are no regular file
// of the expected size, and of each error of its file calls.

#include "table/set/open_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "test/support/faulty_calls.h"
#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::OpenFolder;

constexpr size_t kMost = 10;

OpenFolder Opened(const TestFolder& folder) {
  auto opened = OpenFolder::Open(folder.path(), /*follow=*/false);
  Require(opened.status());
  return std::move(opened).value();
}

TEST(OpenFolder, ReadsRegularFilesUpToASize) {
  const TestFolder folder;
  const OpenFolder opened = Opened(folder);
  WriteFile(folder / "file", "0123456789");
  const auto bytes = opened.Read("file", kMost);
  Require(bytes.status());
  EXPECT_EQ(*bytes, "0123456789");
  WriteFile(folder / "larger", "0123456789a");
  const Status larger = opened.Read("larger", kMost).status();
  EXPECT_TRUE(larger.IsInvalidArgument());
  EXPECT_EQ(larger.message(), (folder / "larger") + ": has more than 10 bytes");
  EXPECT_TRUE(opened.Read("none", kMost).status().IsNotFound());
}

// Neither a link nor a pipe is followed, waited for, or read.
TEST(OpenFolder, ReadsNothingElse) {
  const TestFolder folder;
  const OpenFolder opened = Opened(folder);
  WriteFile(folder / "file", "0123456789");
  ASSERT_EQ(symlink("file", (folder / "link").c_str()), 0);
  ASSERT_EQ(mkdir((folder / "folder").c_str(), 0700), 0);
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const Status link = opened.Read("link", kMost).status();
  EXPECT_TRUE(link.IsInvalidArgument());
  EXPECT_EQ(link.message(), (folder / "link") + ": is a symbolic link");
  for (const char* const name : {"folder", "pipe"}) {
    const Status read = opened.Read(name, kMost).status();
    EXPECT_TRUE(read.IsInvalidArgument());
    EXPECT_EQ(read.message(), (folder / name) + ": is not a regular file");
  }
}

TEST(OpenFolder, ErrorsOfAReadNameItsCallAndItsFile) {
  const TestFolder folder;
  WriteFile(folder / "file", "0123456789");
  for (const char* const call : {"open", "stat", "read"}) {
    BeginFaults(folder.path(), std::string(call) + "~file:EIO");
    const Status read = Opened(folder).Read("file", kMost).status();
    EndFaults();
    EXPECT_TRUE(read.IsIOError());
    EXPECT_EQ(read.message(), std::string(call) + " " + (folder / "file") +
                                  ": Input/output error");
  }
}

}  // namespace
}  // namespace ashlar::testing
