// What every JobQueue promises: the queue in a folder, and the one over HTTP
// with the example server.
#include "plugin/compaction_jobs/job_queue.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plugin/compaction_jobs/compaction_result.h"
#include "plugin/compaction_jobs/folder_queue.h"
#include "plugin/compaction_jobs/http_queue.h"
#include "test/plugin/example_server.h"
#include "test/support/folder.h"

namespace ashlar_rocksdb {
namespace {

// The queue that a test uses. In one that expires, a claim ends at once.
class Queues {
 public:
  Queues(const std::string& kind, bool expires) {
    if (kind == "http") {
      server_ = std::make_unique<ExampleServer>(expires ? "-1" : "1000");
      auto queue = OpenHttpQueue(server_->url());
      EXPECT_TRUE(queue.ok()) << server_->url();
      if (queue.ok()) queue_ = std::move(*queue);
      return;
    }
    const auto lease = std::chrono::milliseconds(expires ? -1 : 1'000'000);
    auto queue = OpenFolderQueue(folder_ / "queue", {.lease = lease});
    EXPECT_TRUE(queue.ok()) << queue.status().ToString();
    if (queue.ok()) queue_ = std::move(*queue);
  }

  JobQueue* operator->() { return queue_.get(); }

 private:
  ashlar::testing::TestFolder folder_;
  std::unique_ptr<ExampleServer> server_;
  std::unique_ptr<JobQueue> queue_;
};

class JobQueueTest : public testing::TestWithParam<const char*> {
 protected:
  Queues Open(bool expires = false) { return {GetParam(), expires}; }
};

std::optional<ClaimedJob> Claim(Queues& queue) {
  std::optional<ClaimedJob> job;
  const ashlar::Status status = queue->Claim("a worker/of mine", &job);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return job;
}
bool Renew(Queues& queue, const ClaimedJob& job) {
  bool wanted = false;
  const ashlar::Status status = queue->Renew(job, &wanted);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return wanted;
}
bool Complete(Queues& queue, const ClaimedJob& job, const std::string& text) {
  bool accepted = false;
  const ashlar::Status status = queue->Complete(job, text, &accepted);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return accepted;
}
std::optional<std::string> Result(Queues& queue, const std::string& id) {
  std::optional<std::string> text;
  const ashlar::Status status = queue->FetchResult(id, &text);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return text;
}
bool Withdraw(Queues& queue, const std::string& id) {
  bool withdrawn = false;
  const ashlar::Status status = queue->Withdraw(id, &withdrawn);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return withdrawn;
}

TEST_P(JobQueueTest, MovesAJobAndItsResult) {
  Queues queue = Open();
  EXPECT_EQ(Claim(queue), std::nullopt);
  const std::string text = "{\"x\":\"\xc3\xa4\"}\n" + std::string(100'000, ' ');
  ASSERT_TRUE(queue->Submit("job-1", text).ok());
  EXPECT_EQ(Result(queue, "job-1"), std::nullopt);
  const auto job = Claim(queue);
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->id, "job-1");
  EXPECT_EQ(job->attempt, 1u);
  EXPECT_EQ(job->text, text);
  EXPECT_EQ(Claim(queue), std::nullopt);
  EXPECT_TRUE(Renew(queue, *job));
  EXPECT_EQ(Result(queue, "job-1"), std::nullopt);
  EXPECT_TRUE(Complete(queue, *job, "done"));
  EXPECT_EQ(Result(queue, "job-1"), "done");
  EXPECT_EQ(Claim(queue), std::nullopt);
  // A second result does not count.
  EXPECT_FALSE(Complete(queue, *job, "done again"));
  EXPECT_EQ(Result(queue, "job-1"), "done");
  ASSERT_TRUE(queue->Forget("job-1").ok());
  EXPECT_TRUE(queue->Forget("job-1").ok());
}

TEST_P(JobQueueTest, RefusesIdsThatAreInUseOrNone) {
  Queues queue = Open();
  ASSERT_TRUE(queue->Submit("a", "1").ok());
  EXPECT_TRUE(queue->Submit("a", "2").IsInvalidArgument());
  EXPECT_TRUE(queue->Submit("../a", "2").IsInvalidArgument());
  EXPECT_TRUE(queue->Submit("", "2").IsInvalidArgument());
  EXPECT_EQ(Claim(queue)->text, "1");
}

TEST_P(JobQueueTest, RefusesTextsThatAreTooLarge) {
  Queues queue = Open();
  const std::string large(kMostJobBytes + 1, ' ');
  EXPECT_TRUE(queue->Submit("a", large).IsInvalidArgument());
  EXPECT_EQ(Claim(queue), std::nullopt);
  ASSERT_TRUE(queue->Submit("a", "1").ok());
  const auto job = Claim(queue);
  ASSERT_TRUE(job.has_value());
  bool accepted = true;
  EXPECT_TRUE(queue->Complete(*job, large, &accepted).IsInvalidArgument());
  EXPECT_FALSE(accepted);
  // Another result can still be handed in.
  EXPECT_TRUE(Complete(queue, *job, "done"));
}

TEST_P(JobQueueTest, WithdrawsOnlyWhatNobodyRuns) {
  Queues queue = Open();
  ASSERT_TRUE(queue->Submit("a", "1").ok());
  EXPECT_TRUE(Withdraw(queue, "a"));
  bool withdrawn = true;
  EXPECT_TRUE(queue->Withdraw("a", &withdrawn).IsNotFound());
  EXPECT_FALSE(withdrawn);
  EXPECT_EQ(Claim(queue), std::nullopt);
  ASSERT_TRUE(queue->Submit("b", "1").ok());
  const auto job = Claim(queue);
  ASSERT_TRUE(job.has_value());
  EXPECT_FALSE(Withdraw(queue, "b"));
  EXPECT_TRUE(Complete(queue, *job, "done"));
  EXPECT_FALSE(Withdraw(queue, "b"));
  EXPECT_EQ(Result(queue, "b"), "done");
}

TEST_P(JobQueueTest, AForgottenJobIsNotWanted) {
  Queues queue = Open();
  ASSERT_TRUE(queue->Submit("a", "1").ok());
  const auto job = Claim(queue);
  ASSERT_TRUE(job.has_value());
  ASSERT_TRUE(queue->Forget("a").ok());
  EXPECT_FALSE(Renew(queue, *job));
  EXPECT_FALSE(Complete(queue, *job, "done"));
}

TEST_P(JobQueueTest, AnExpiredClaimIsAnothers) {
  Queues queue = Open(/*expires=*/true);
  ASSERT_TRUE(queue->Submit("a", "1").ok());
  const auto slow = Claim(queue);
  const auto second = Claim(queue);
  ASSERT_TRUE(slow.has_value() && second.has_value());
  EXPECT_EQ(second->id, "a");
  EXPECT_EQ(second->attempt, 2u);
  EXPECT_EQ(second->text, "1");
  EXPECT_FALSE(Renew(queue, *slow));
  EXPECT_FALSE(Complete(queue, *slow, "slow"));
  EXPECT_EQ(Result(queue, "a"), std::nullopt);
  EXPECT_TRUE(Complete(queue, *second, "second"));
  EXPECT_EQ(Result(queue, "a"), "second");
}

TEST_P(JobQueueTest, AnExpiredClaimCanBeWithdrawn) {
  Queues queue = Open(/*expires=*/true);
  ASSERT_TRUE(queue->Submit("a", "1").ok());
  const auto job = Claim(queue);
  ASSERT_TRUE(job.has_value());
  EXPECT_TRUE(Withdraw(queue, "a"));
  EXPECT_FALSE(Renew(queue, *job));
  EXPECT_EQ(Claim(queue), std::nullopt);
}

// A worker that has finished, and that nobody has replaced, is not too late.
TEST_P(JobQueueTest, AnExpiredClaimCountsUntilItIsTaken) {
  Queues queue = Open(/*expires=*/true);
  ASSERT_TRUE(queue->Submit("a", "1").ok());
  const auto job = Claim(queue);
  ASSERT_TRUE(job.has_value());
  EXPECT_TRUE(Complete(queue, *job, "late"));
  EXPECT_EQ(Result(queue, "a"), "late");
  EXPECT_EQ(Claim(queue), std::nullopt);
}

TEST_P(JobQueueTest, GivesUpAJobThatKillsItsWorkers) {
  Queues queue = Open(/*expires=*/true);
  ASSERT_TRUE(queue->Submit("a", "1").ok());
  for (uint64_t attempt = 1; attempt <= 3; ++attempt) {
    const auto job = Claim(queue);
    ASSERT_TRUE(job.has_value());
    EXPECT_EQ(job->attempt, attempt);
  }
  EXPECT_EQ(Claim(queue), std::nullopt);
  const auto text = Result(queue, "a");
  ASSERT_TRUE(text.has_value());
  CompactionJobResult result;
  const ashlar::Status status = ReadResult(*text, &result);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(result.by, "nobody");
  EXPECT_EQ(result.id, "a");
  EXPECT_NE(result.error, "");
}

// Several workers at once: each job has one claim, and one result.
TEST_P(JobQueueTest, EachJobRunsOnce) {
  Queues queue = Open();
  constexpr int kJobs = 60;
  for (int i = 0; i < kJobs; ++i) {
    ASSERT_TRUE(queue->Submit("job-" + std::to_string(i), "x").ok());
  }
  std::mutex mutex;
  std::map<std::string, int> runs;
  constexpr size_t kWorkers = 4;
  std::vector<std::thread> workers;
  workers.reserve(kWorkers);
  while (workers.size() < kWorkers) {
    workers.emplace_back([&] {
      while (true) {
        const auto job = Claim(queue);
        if (!job) return;
        {
          const std::lock_guard lock(mutex);
          ++runs[job->id];
        }
        EXPECT_TRUE(Complete(queue, *job, "of " + job->id));
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(runs.size(), static_cast<size_t>(kJobs));
  for (const auto& [id, times] : runs) {
    EXPECT_EQ(times, 1) << id;
    EXPECT_EQ(Result(queue, id), "of " + id);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, JobQueueTest, testing::Values("folder", "http"),
                         [](const testing::TestParamInfo<const char*>& kind) {
                           return std::string(kind.param);
                         });

}  // namespace
}  // namespace ashlar_rocksdb
