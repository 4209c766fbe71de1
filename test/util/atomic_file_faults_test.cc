// AtomicFile under an error and a kill at each of its file calls.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/file.h"
#include "test/support/faulty_calls.h"
#include "test/support/folder.h"

namespace ashlar::testing {
namespace {

constexpr char kOld[] = "old";
constexpr char kNew[] = "new contents";

struct Outcome {
  Status commit;
  Status removal;
  bool in_place = false;
};

// One complete use. Calls of the destructor count too.
Outcome WriteNew(const std::string& path, bool overwrite) {
  Outcome outcome;
  auto file = AtomicFile::Create(path, {.overwrite = overwrite});
  if (!file.ok()) return {file.status(), {}, false};
  outcome.commit = (*file)->file()->Append(kNew);
  if (outcome.commit.ok()) outcome.commit = (*file)->Commit();
  outcome.in_place = (*file)->IsInPlace();
  outcome.removal = (*file)->RemoveTemporary();
  return outcome;
}

std::vector<CountedCall> CallsOf(const TestFolder& folder, bool overwrite,
                                 const std::string& plan) {
  BeginFaults(folder.path(), plan);
  const Outcome outcome = WriteNew(folder / "file", overwrite);
  std::vector<CountedCall> calls = EndFaults();
  EXPECT_TRUE(outcome.commit.ok()) << outcome.commit.ToString();
  return calls;
}

std::vector<std::string> Temporary(const TestFolder& folder) {
  std::vector<std::string> names = folder.Names();
  std::erase(names, "file");
  return names;
}

class AtomicFileFaults : public ::testing::TestWithParam<bool> {
 protected:
  // Prepares the folder for a run: it has an old file if the run replaces one.
  void Prepare(const TestFolder& folder) const {
    if (GetParam()) WriteFile(folder / "file", kOld);
  }
  std::vector<std::string> Plans(const std::string& base,
                                 const std::vector<std::string>& kinds) const {
    const TestFolder folder;
    Prepare(folder);
    const size_t count = CallsOf(folder, GetParam(), base).size();
    std::vector<std::string> plans;
    for (size_t n = 1; n <= count; ++n) {
      for (const std::string& kind : kinds) {
        std::string plan = base.empty() ? base : base + ",";
        plan.append(std::to_string(n)).append(kind);
        plans.push_back(std::move(plan));
      }
    }
    return plans;
  }
  // Returns true if the file is the new one. Requires that it is complete.
  bool IsNew(const TestFolder& folder) const {
    const std::vector<std::string> names = folder.Names();
    if (std::find(names.begin(), names.end(), "file") == names.end()) {
      EXPECT_FALSE(GetParam());
      return false;
    }
    const std::string contents = ReadFile(folder / "file");
    if (contents == kNew) return true;
    EXPECT_EQ(contents, kOld);
    EXPECT_TRUE(GetParam());
    return false;
  }
};

INSTANTIATE_TEST_SUITE_P(NewAndReplaced, AtomicFileFaults, ::testing::Bool());

TEST_P(AtomicFileFaults, ErrorsLeaveTheOldOrTheNewFile) {
  bool failed_early = false;
  bool failed_late = false;
  for (const std::string base : {"", "renameat2:ENOSYS"}) {
    for (const std::string& plan :
         Plans(base, {":EIO", "+:EIO", ":ENOSPC", ":done-EIO"})) {
      SCOPED_TRACE(plan);
      const TestFolder folder;
      Prepare(folder);
      BeginFaults(folder.path(), plan);
      const Outcome outcome = WriteNew(folder / "file", GetParam());
      EndFaults();
      const bool is_new = IsNew(folder);
      EXPECT_EQ(outcome.in_place, is_new);
      if (outcome.commit.ok()) {
        EXPECT_TRUE(is_new);
      } else {
        EXPECT_EQ(is_new, outcome.commit.message().starts_with(
                              "the file is in place, but may not survive"))
            << outcome.commit.ToString();
        (is_new ? failed_late : failed_early) = true;
      }
      // The destructor tries once more to remove it.
      for (const std::string& name : Temporary(folder)) {
        const std::string said =
            outcome.commit.ToString() + outcome.removal.ToString();
        EXPECT_NE(said.find(name), std::string::npos) << name << ": " << said;
      }
    }
  }
  EXPECT_TRUE(failed_early);
  EXPECT_TRUE(failed_late);
}

TEST_P(AtomicFileFaults, InterruptedCallsAreMadeAgain) {
  const TestFolder first;
  Prepare(first);
  for (const CountedCall& call : CallsOf(first, GetParam(), "")) {
    if (call.name != "open" && call.name != "write" && call.name != "flock" &&
        call.name != "fsync" && call.name != "fdatasync" &&
        call.name != "close") {
      continue;
    }
    const TestFolder folder;
    Prepare(folder);
    CallsOf(folder, GetParam(), call.name + "@1:EINTR,write@1:short");
    EXPECT_TRUE(IsNew(folder)) << call.name;
    EXPECT_TRUE(Temporary(folder).empty()) << call.name;
  }
}

// After a kill the old or the new file is there, and no lock is left.
TEST_P(AtomicFileFaults, KillsLeaveTheOldOrTheNewFile) {
  for (const std::string base : {"", "renameat2:ENOSYS"}) {
    for (const std::string& plan : Plans(base, {":kill", ":killed"})) {
      SCOPED_TRACE(plan);
      const TestFolder folder;
      Prepare(folder);
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        BeginFaults(folder.path(), plan);
        WriteNew(folder / "file", GetParam()).commit.IgnoreError();
        ::_exit(0);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status));
      EXPECT_EQ(WTERMSIG(status), SIGKILL);
      IsNew(folder);
      for (const std::string& name : Temporary(folder)) {
        EXPECT_TRUE(name.starts_with("file.tmp.")) << name;
        const int fd = ::open((folder / name).c_str(), O_RDWR);
        ASSERT_GE(fd, 0);
        EXPECT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
        ::close(fd);
      }
    }
  }
}

// The lock is held from before the first write until after the rename.
TEST(AtomicFileLock, IsHeldAsLongAsTheTemporaryFileIsThere) {
  const TestFolder folder;
  auto file = AtomicFile::Create(folder / "file", {});
  ASSERT_TRUE(file.ok());
  const std::string name = folder / folder.Names().at(0);
  const int fd = ::open(name.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(::flock(fd, LOCK_SH | LOCK_NB), -1);
  ASSERT_TRUE((*file)->file()->Append(kNew).ok());
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_EQ(::flock(fd, LOCK_SH | LOCK_NB), -1);
  file->reset();
  EXPECT_EQ(::flock(fd, LOCK_SH | LOCK_NB), 0);
  ::close(fd);
}

// Another process that removes leftovers of killed ones may hold the new file's
// lock, or may have removed the file. Then AtomicFile takes another name.
TEST(AtomicFileLock, AnotherNameIsTakenWhereSomeoneHasIt) {
  const TestFolder folder;
  BeginFaults(folder.path(), "flock@1:EAGAIN");
  const Outcome outcome = WriteNew(folder / "file", true);
  const std::vector<CountedCall> calls = EndFaults();
  EXPECT_TRUE(outcome.commit.ok()) << outcome.commit.ToString();
  EXPECT_EQ(std::count_if(
                calls.begin(), calls.end(),
                [](const CountedCall& call) { return call.name == "flock"; }),
            2);
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"file"});
}

// Commit by a link: the file has its new name and keeps the old one too.
TEST(AtomicFileLink, NameThatStaysIsNoFailure) {
  const TestFolder folder;
  BeginFaults(folder.path(), "renameat2:EINVAL,unlink:EIO");
  const Outcome outcome = WriteNew(folder / "file", false);
  EndFaults();
  EXPECT_TRUE(outcome.commit.ok()) << outcome.commit.ToString();
  EXPECT_TRUE(outcome.removal.IsIOError());
  EXPECT_EQ(ReadFile(folder / "file"), kNew);
  ASSERT_EQ(Temporary(folder).size(), 1u);
  EXPECT_EQ(
      outcome.removal.message(),
      "remove " + (folder / Temporary(folder)[0]) + ": Input/output error");
}

}  // namespace
}  // namespace ashlar::testing
