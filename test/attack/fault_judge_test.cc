// Tests that FaultJudge finds what is wrong: each piece of work here breaks one
// rule.
#include "test/attack/fault_judge.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/file.h"
#include "ashlar/util/whole_file.h"
#include "ashlar/util/worker_pool.h"
#include "test/attack/fault_scenarios.h"
#include "test/attack/injected_faults.h"
#include "test/support/memory_folder.h"

namespace ashlar::testing {
namespace {

[[maybe_unused]] const auto* const kInMemory =
    ::testing::AddGlobalTestEnvironment(new FoldersInMemory);

namespace fs = std::filesystem;
using Work = std::function<Status(const std::string& folder, std::string*)>;

// Reads a file, and writes another one.
Status Copy(const std::string& folder, std::string* answer) {
  std::string contents;
  Status status = ReadFileToString(folder + "/in/file", &contents);
  if (!status.ok()) return status;
  *answer += contents;
  return WriteStringToFile(contents + " copied", folder + "/out/copy", {});
}

using Shape = std::function<std::string(const std::string& bytes)>;

// Returns all that is wrong with the work under any fault.
std::string WrongWith(const Work& work, const Shape& shape = {}) {
  const FaultScenario scenario = {"work",
                                  "",
                                  [](const std::string& folder) {
                                    WriteFile(folder + "/in/file", "contents");
                                  },
                                  work,
                                  false,
                                  shape};
  FaultJudge judge(scenario);
  const std::vector<CountedCall> calls = judge.calls();
  EXPECT_GT(calls.size(), 3U);
  std::string wrong;
  for (const InjectedFault& fault : FaultsAt(calls, 0)) {
    const std::string reason = judge.OfFault(fault);
    if (!reason.empty()) wrong += fault.Plan() + ": " + reason + "\n";
  }
  return wrong;
}

// Does the work, and something else after an error.
Work OnError(const std::function<Status(const std::string&, Status)>& then) {
  return [then](const std::string& folder, std::string* answer) {
    Status status = Copy(folder, answer);
    return status.ok() ? status : then(folder, status);
  };
}

void ExpectFound(const Work& work, const std::string& reason) {
  const std::string wrong = WrongWith(work);
  EXPECT_NE(wrong.find(reason), std::string::npos) << reason << "\n" << wrong;
}

TEST(FaultJudge, FindsNothingWrongWithSoundWork) {
  EXPECT_EQ(WrongWith(Copy), "");
}

// Writes the text under another name each time, unless it replaces the file of
// a run that failed. The name is in the file too.
Work WriteUnderNewNames(const std::string& text) {
  const auto number = std::make_shared<int>(0);
  return [number, text](const std::string& folder, std::string*) {
    std::string name = std::to_string((*number)++);
    std::error_code no_listing;  // An injected fault.
    for (const auto& file :
         fs::directory_iterator(folder + "/out", no_listing)) {
      const std::string other = file.path().filename().string();
      if (other.find(".tmp.") == std::string::npos) name = other;
    }
    return WriteStringToFile(name + " " + text, folder + "/out/" + name, {});
  };
}

std::string WithoutNumber(const std::string& bytes) {
  return bytes.substr(bytes.find(' ') + 1);
}

TEST(FaultJudge, NamesCountOnlyWithoutAShape) {
  EXPECT_NE(WrongWith(WriteUnderNewNames("text")).find("another"),
            std::string::npos);
  EXPECT_EQ(WrongWith(WriteUnderNewNames("text"), WithoutNumber), "");
  const auto same_name = [](const std::string& bytes) { return bytes; };
  EXPECT_NE(WrongWith(WriteUnderNewNames("text"), same_name).find("another"),
            std::string::npos);
}

TEST(FaultJudge, FindsAFileInPart) {
  ExpectFound(
      [](const std::string& folder, std::string*) {
        auto file = OpenWritableFile(folder + "/out/copy");
        if (!file.ok()) return file.status();
        Status status = (*file)->Append("one half");
        if (status.ok()) status = (*file)->Append(" and the other");
        if (status.ok()) status = (*file)->Sync();
        return status.ok() ? (*file)->Close() : status;
      },
      "neither old nor new");
}

TEST(FaultJudge, FindsALostError) {
  ExpectFound(
      [](const std::string& folder, std::string*) {
        auto file = AtomicFile::Create(folder + "/out/copy", {.sync = false});
        if (!file.ok()) return file.status();
        Status status = (*file)->file()->Append("contents");
        static_cast<void>((*file)->file()->Sync());
        return status.ok() ? (*file)->Commit() : status;
      },
      "the error was lost");
}

TEST(FaultJudge, FindsAnErrorOfAnInterruption) {
  ExpectFound(
      [](const std::string& folder, std::string* answer) {
        const std::string path = folder + "/in/file";
        const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) return Status::FromErrno("open", path, errno);
        char first = 0;
        const bool is_read = read(fd, &first, 1) == 1;
        const int error = errno;
        close(fd);
        if (!is_read) return Status::FromErrno("read", path, error);
        return Copy(folder, answer);
      },
      "should succeed");
}

TEST(FaultJudge, FindsAnotherAnswer) {
  ExpectFound(OnError([](const std::string& folder, const Status&) {
                return WriteStringToFile("contents copied",
                                         folder + "/out/copy", {});
              }),
              "another answer");
}

TEST(FaultJudge, FindsAnErrorWithoutAName) {
  ExpectFound(OnError([](const std::string&, const Status&) {
                return Status::IOError("it failed");
              }),
              "names no file");
}

TEST(FaultJudge, FindsAnErrorOfAWrongKind) {
  ExpectFound(OnError([](const std::string& folder, const Status&) {
                return Status::Corruption(folder + ": it failed");
              }),
              "the wrong code");
  ExpectFound(OnError([](const std::string& folder, const Status&) {
                return Status::IOError(folder + ": it failed");
              }),
              "does not say that there is no space");
}

TEST(FaultJudge, FindsAChangedInput) {
  ExpectFound(OnError([](const std::string& folder, Status status) {
                WriteFile(folder + "/in/file", "changed");
                return status;
              }),
              "an input was changed");
}

TEST(FaultJudge, FindsAFileThatIsLeft) {
  ExpectFound(OnError([](const std::string& folder, Status status) {
                WriteFile(folder + "/out/copy.tmp.1.1", "left");
                return status;
              }),
              "left over, and not named: copy.tmp.1.1");
}

TEST(FaultJudge, FindsWorkThatCannotBeRepeated) {
  ExpectFound(
      [](const std::string& folder, std::string* answer) {
        const std::string stuck = folder + "/stuck";
        if (access(stuck.c_str(), F_OK) == 0) {
          // The next but one run may work again.
          unlink(stuck.c_str());
          return Status::IOError(stuck + ": it is stuck");
        }
        Status status = Copy(folder, answer);
        if (!status.ok()) WriteFile(stuck, "");
        return status;
      },
      "the next run: ");
}

TEST(FaultJudge, FindsWhatIsHeld) {
  std::vector<int> descriptors;
  ExpectFound(
      OnError([&](const std::string&, Status status) {
        if (descriptors.size() < 50) {
          descriptors.push_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
        }
        return status;
      }),
      "leaks 1 descriptors");
  for (const int fd : descriptors) close(fd);
  std::vector<std::unique_ptr<WorkerPool>> pools;
  ExpectFound(OnError([&](const std::string&, Status status) {
                if (pools.size() < 50) {
                  pools.push_back(std::make_unique<WorkerPool>(1));
                }
                return status;
              }),
              "threads");
}

TEST(FaultJudge, FindsMemoryThatIsHeld) {
  if (!FailingMemory::kCountsLive) GTEST_SKIP() << "sanitizers find leaks";
  std::vector<std::unique_ptr<std::string>> held;
  held.reserve(10000);
  ExpectFound(OnError([&](const std::string&, Status status) {
                held.push_back(std::make_unique<std::string>("held"));
                return status;
              }),
              "leaks 1 blocks of memory");
}

}  // namespace
}  // namespace ashlar::testing
