// The folder queue after a crash at each point of its protocol, which the
// opening comment of folder_queue.h lists. A crash is made by putting the files
// where it would have left them.
#include "plugin/compaction_jobs/folder_queue.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <barrier>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "test/support/folder.h"

namespace ashlar_rocksdb {
namespace {

namespace fs = std::filesystem;
using ashlar::testing::TestFolder;
using ashlar::testing::WriteFile;

class FolderQueueTest : public testing::Test {
 protected:
  std::unique_ptr<JobQueue> Open(
      std::chrono::milliseconds lease = std::chrono::hours(1)) {
    auto queue = OpenFolderQueue(folder_ / "queue", {.lease = lease});
    EXPECT_TRUE(queue.ok()) << queue.status().ToString();
    return queue.ok() ? std::move(*queue) : nullptr;
  }
  // All claims end at once.
  std::unique_ptr<JobQueue> OpenExpiring() {
    return Open(std::chrono::milliseconds(-1));
  }
  std::string Path(const std::string& name) {
    return folder_ / "queue/" + name;
  }
  void SetAge(const std::string& name, std::chrono::hours age) {
    fs::last_write_time(Path(name), fs::file_time_type::clock::now() - age);
  }

  TestFolder folder_;
};

std::optional<ClaimedJob> Claim(JobQueue* queue) {
  std::optional<ClaimedJob> job;
  const ashlar::Status status = queue->Claim("worker", &job);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return job;
}

TEST_F(FolderQueueTest, RefusesAFolderThatIsNone) {
  EXPECT_TRUE(OpenFolderQueue("queue").status().IsInvalidArgument());
  WriteFile(folder_ / "file", "");
  EXPECT_TRUE(OpenFolderQueue(folder_ / "file").status().IsIOError());
}

// A worker takes over the job, whose claim has ended, and moves its file
// between the folders that Forget looks into.
TEST_F(FolderQueueTest, ForgetsAJobThatMoves) {
  const auto queue = OpenExpiring();
  const auto other = OpenExpiring();
  for (int round = 0; round < 1000; ++round) {
    const std::string id = "job" + std::to_string(round);
    ASSERT_TRUE(queue->Submit(id, "text").ok());
    ASSERT_TRUE(Claim(queue.get()).has_value());
    std::optional<ClaimedJob> taken;
    std::barrier together(2);
    std::thread worker([&] {
      together.arrive_and_wait();
      taken = Claim(other.get());
    });
    together.arrive_and_wait();
    const ashlar::Status status = queue->Forget(id);
    worker.join();
    ASSERT_TRUE(status.ok()) << status.ToString();
    bool wanted = false;
    if (taken) {
      ASSERT_TRUE(other->Renew(*taken, &wanted).ok());
    }
    EXPECT_FALSE(wanted);
    ASSERT_TRUE(fs::is_empty(Path("pending"))) << "round " << round;
  }
}

TEST_F(FolderQueueTest, ASubmitThatWasCutShortIsNoJob) {
  const auto queue = Open();
  WriteFile(Path("pending/a.1.tmp.77.1"), "{");
  WriteFile(Path("pending/README"), "");
  WriteFile(Path("pending/b.x"), "");
  WriteFile(Path("pending/c."), "");
  WriteFile(Path("pending/d.99999999999999999999999"), "");
  EXPECT_EQ(Claim(queue.get()), std::nullopt);
  EXPECT_TRUE(queue->Submit("a", "{}").ok());
  EXPECT_EQ(Claim(queue.get())->id, "a");
}

// The job has waited longer than a claim lasts.
TEST_F(FolderQueueTest, AnOldJobIsNoExpiredClaim) {
  const auto queue = Open();
  ASSERT_TRUE(queue->Submit("a", "{}").ok());
  SetAge("pending/a.1", std::chrono::hours(10));
  const auto first = Claim(queue.get());
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(Claim(queue.get()), std::nullopt);
  // And a claim that was not renewed for so long is one.
  SetAge("claimed/a.1", std::chrono::hours(10));
  EXPECT_EQ(Claim(queue.get())->attempt, 2u);
}

TEST_F(FolderQueueTest, TakesTheOldestFirst) {
  const auto queue = Open();
  ASSERT_TRUE(queue->Submit("a", "{}").ok());
  ASSERT_TRUE(queue->Submit("b", "{}").ok());
  SetAge("pending/b.1", std::chrono::hours(1));
  EXPECT_EQ(Claim(queue.get())->id, "b");
}

TEST_F(FolderQueueTest, ACrashAfterTheResultLosesNothing) {
  const auto queue = OpenExpiring();
  ASSERT_TRUE(queue->Submit("a", "{}").ok());
  ASSERT_TRUE(Claim(queue.get()).has_value());
  WriteFile(Path("done/a"), "result");
  // The claim is removed, and the job does not run again.
  EXPECT_EQ(Claim(queue.get()), std::nullopt);
  EXPECT_FALSE(fs::exists(Path("claimed/a.1")));
  std::optional<std::string> result;
  ASSERT_TRUE(queue->FetchResult("a", &result).ok());
  EXPECT_EQ(result, "result");
}

// A slow worker's result has come just when its job was made claimable.
TEST_F(FolderQueueTest, AResultEndsAJobThatIsPendingAgain) {
  const auto queue = Open();
  WriteFile(Path("done/a"), "result");
  WriteFile(Path("pending/a.2"), "{}");
  EXPECT_EQ(Claim(queue.get()), std::nullopt);
  EXPECT_FALSE(fs::exists(Path("pending/a.2")));
  EXPECT_FALSE(fs::exists(Path("claimed/a.2")));
}

TEST_F(FolderQueueTest, ForgetRemovesEachState) {
  const auto queue = Open();
  WriteFile(Path("pending/a.2"), "{}");
  WriteFile(Path("claimed/a.1"), "{}");
  WriteFile(Path("done/a"), "{}");
  WriteFile(Path("pending/ab.1"), "{}");
  ASSERT_TRUE(queue->Forget("a").ok());
  EXPECT_FALSE(fs::exists(Path("pending/a.2")));
  EXPECT_FALSE(fs::exists(Path("claimed/a.1")));
  EXPECT_FALSE(fs::exists(Path("done/a")));
  EXPECT_TRUE(fs::exists(Path("pending/ab.1")));
}

TEST_F(FolderQueueTest, RemovesWhatNobodyFetches) {
  const auto queue = Open();
  for (const char* name : {"done/old", "done/new", "pending/x.1.tmp.5.1"}) {
    WriteFile(Path(name), "");
  }
  SetAge("done/old", std::chrono::hours(25));
  SetAge("pending/x.1.tmp.5.1", std::chrono::hours(25));
  EXPECT_EQ(Claim(queue.get()), std::nullopt);
  EXPECT_FALSE(fs::exists(Path("done/old")));
  EXPECT_TRUE(fs::exists(Path("done/new")));
  EXPECT_FALSE(fs::exists(Path("pending/x.1.tmp.5.1")));
}

TEST_F(FolderQueueTest, RefusesTextsThatAreTooLarge) {
  const auto queue = Open();
  WriteFile(Path("done/a"), std::string((16 << 20) + 1, ' '));
  std::optional<std::string> result;
  EXPECT_TRUE(queue->FetchResult("a", &result).IsInvalidArgument());
}

// No worker could read it, so that it would be claimed again and again.
TEST_F(FolderQueueTest, GivesUpAJobThatIsTooLarge) {
  const auto queue = Open();
  WriteFile(Path("pending/a.1"), std::string((16 << 20) + 1, ' '));
  EXPECT_EQ(Claim(queue.get()), std::nullopt);
  EXPECT_FALSE(fs::exists(Path("claimed/a.1")));
  std::optional<std::string> result;
  ASSERT_TRUE(queue->FetchResult("a", &result).ok());
  ASSERT_TRUE(result.has_value());
  EXPECT_NE(result->find("larger than 16 MiB"), std::string::npos) << *result;
}

TEST_F(FolderQueueTest, KnowsAJobInEachState) {
  const auto queue = Open();
  WriteFile(Path("claimed/a.1"), "{}");
  WriteFile(Path("done/b"), "{}");
  bool withdrawn = true;
  EXPECT_TRUE(queue->Withdraw("a", &withdrawn).ok());
  EXPECT_FALSE(withdrawn);
  EXPECT_TRUE(queue->Withdraw("b", &withdrawn).ok());
  EXPECT_TRUE(queue->Withdraw("c", &withdrawn).IsNotFound());
  EXPECT_FALSE(withdrawn);
}

TEST_F(FolderQueueTest, SaysWhichFolderIsGone) {
  const auto queue = Open();
  fs::remove_all(Path("pending"));
  std::optional<ClaimedJob> job;
  const ashlar::Status status = queue->Claim("worker", &job);
  EXPECT_TRUE(status.IsIOError());
  EXPECT_NE(status.ToString().find("queue/pending"), std::string::npos);
}

}  // namespace
}  // namespace ashlar_rocksdb
