// What the compaction service and its worker do if a queue loses jobs, refuses
// them or cannot be reached, and while a database closes.
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "test/plugin/running_worker.h"

namespace ashlar_rocksdb {
namespace {

namespace fs = std::filesystem;
using ashlar::Status;

// A queue that passes all calls on, less what a test changes.
class PassingQueue : public JobQueue {
 public:
  explicit PassingQueue(std::shared_ptr<JobQueue> base)
      : base_(std::move(base)) {}

  Status Submit(const std::string& id, const std::string& text) override {
    return base_->Submit(id, text);
  }
  Status FetchResult(const std::string& id,
                     std::optional<std::string>* result) override {
    return base_->FetchResult(id, result);
  }
  Status Withdraw(const std::string& id, bool* withdrawn) override {
    return base_->Withdraw(id, withdrawn);
  }
  Status Forget(const std::string& id) override { return base_->Forget(id); }
  Status Claim(const std::string& worker,
               std::optional<ClaimedJob>* job) override {
    return base_->Claim(worker, job);
  }
  Status Renew(const ClaimedJob& job, bool* wanted) override {
    return base_->Renew(job, wanted);
  }
  Status Complete(const ClaimedJob& job, const std::string& result,
                  bool* accepted) override {
    return base_->Complete(job, result, accepted);
  }

 protected:
  const std::shared_ptr<JobQueue> base_;
};

// Compacts two tables in a database with the service, and reads the outcome.
void CompactTwoTables(const std::string& name,
                      std::shared_ptr<rocksdb::CompactionService> service) {
  const ServiceFolder folder(name);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compaction_service = std::move(service);
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(rocksdb::DB::Open(options, folder / "db", &db).ok());
  for (const char* value : {"first", "second"}) {
    ASSERT_TRUE(db->Put({}, "a", value).ok());
    ASSERT_TRUE(db->Put({}, "b", value).ok());
    ASSERT_TRUE(db->Flush({}).ok());
  }
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  std::string value;
  ASSERT_TRUE(db->Get({}, "a", &value).ok());
  EXPECT_EQ(value, "second");
}

// The first calls fail: before the result has arrived, or after.
class UnreachableQueue final : public PassingQueue {
 public:
  UnreachableQueue(std::shared_ptr<JobQueue> base, int failures, bool arrives)
      : PassingQueue(std::move(base)), left_(failures), arrives_(arrives) {}

  Status Complete(const ClaimedJob& job, const std::string& result,
                  bool* accepted) override {
    if (left_-- <= 0) return base_->Complete(job, result, accepted);
    if (arrives_) {
      EXPECT_TRUE(base_->Complete(job, result, accepted).ok());
    }
    *accepted = false;
    return Status::IOError("cannot be reached");
  }

 private:
  std::atomic<int> left_;
  const bool arrives_;
};

// Shows no result before the worker is done with the job.
class HoldingQueue final : public PassingQueue {
 public:
  HoldingQueue(std::shared_ptr<JobQueue> base, const std::atomic<bool>* is_done)
      : PassingQueue(std::move(base)), is_done_(is_done) {}

  Status FetchResult(const std::string& id,
                     std::optional<std::string>* result) override {
    result->reset();
    return *is_done_ ? base_->FetchResult(id, result) : Status();
  }

 private:
  const std::atomic<bool>* const is_done_;
};

// It keeps its tables even if the queue says that another result counts: that
// may be its own, which has arrived by a call that failed.
TEST(CompactionQueueFaults, AWorkerHandsInAResultAgain) {
  for (const bool arrives : {false, true}) {
    const ServiceFolder folder("again");
    const auto base = OpenQueue(folder / "queue");
    std::atomic<bool> is_done{false};
    CompactionWorkerOptions options;
    options.on_result = [&is_done](const CompactionJobResult&, bool) {
      is_done = true;
    };
    const RunningWorker worker(
        std::make_shared<UnreachableQueue>(base, arrives ? 1 : 3, arrives),
        options);
    const auto service =
        NewService(std::make_shared<HoldingQueue>(base, &is_done));
    CompactTwoTables("again-db", service);
    const CompactionServiceCounts counts = service->Counts();
    EXPECT_EQ(counts.by_library, 1u) << Describe(counts);
    EXPECT_EQ(counts.installed, 1u) << Describe(counts);
  }
}

// Takes jobs, and has nothing of them afterwards.
class LosingQueue final : public PassingQueue {
 public:
  using PassingQueue::PassingQueue;
  Status Submit(const std::string& id, const std::string& text) override {
    Status status = base_->Submit(id, text);
    return status.ok() ? base_->Forget(id) : status;
  }
};

TEST(CompactionQueueFaults, AJobThatTheQueueHasLostIsNotWaitedFor) {
  const ServiceFolder folder("lost");
  const auto service = NewAshlarCompactionService(
      {.queue = std::make_shared<LosingQueue>(OpenQueue(folder / "queue")),
       .poll = std::chrono::milliseconds(1),
       .claim_timeout = std::chrono::milliseconds(1)});
  CompactTwoTables("lost-db", service);
  const CompactionServiceCounts counts = service->Counts();
  EXPECT_EQ(counts.scheduled, 1u) << Describe(counts);
  EXPECT_EQ(counts.local, 1u) << Describe(counts);
  ASSERT_EQ(counts.local_reasons.size(), 1u);
  EXPECT_NE(counts.local_reasons.begin()->first.find("has nothing of the job"),
            std::string::npos)
      << Describe(counts);
}

// Another owner's job has the id, in each case.
class OccupiedQueue final : public PassingQueue {
 public:
  using PassingQueue::PassingQueue;
  Status Submit(const std::string& id, const std::string& text) override {
    EXPECT_TRUE(base_->Submit(id, "another's").ok());
    return base_->Submit(id, text);
  }
};

TEST(CompactionQueueFaults, AnothersJobIsNotForgotten) {
  const ServiceFolder folder("occupied");
  const auto service =
      NewService(std::make_shared<OccupiedQueue>(OpenQueue(folder / "queue")));
  CompactTwoTables("occupied-db", service);
  EXPECT_EQ(service->Counts().local, 1u) << Describe(service->Counts());
  EXPECT_FALSE(fs::is_empty(folder / "queue/pending"));
}

// Nobody would cancel a job that comes after the cancellation.
TEST(CompactionQueueFaults, NoJobIsScheduledWhileADatabaseCloses) {
  const ServiceFolder folder("closing");
  const auto service =
      NewAshlarCompactionService({.queue = OpenQueue(folder / "queue"),
                                  .poll = std::chrono::milliseconds(1),
                                  .claim_timeout = std::chrono::milliseconds(1),
                                  .closing_time = std::chrono::hours(1)});
  service->CancelAwaitingJobs();
  CompactTwoTables("closing-db", service);
  const CompactionServiceCounts counts = service->Counts();
  EXPECT_EQ(counts.scheduled, 0u) << Describe(counts);
  EXPECT_EQ(counts.local, 1u) << Describe(counts);
}

}  // namespace
}  // namespace ashlar_rocksdb
