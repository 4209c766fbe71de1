#include "test/plugin/deadly_worker.h"

#include <gtest/gtest.h>
#include <rocksdb/listener.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "test/plugin/running_worker.h"

namespace ashlar_rocksdb {

// A queue in which the process dies at a call.
class DeadlyQueue final : public JobQueue {
 public:
  DeadlyQueue(std::shared_ptr<JobQueue> base, bool at_claim)
      : base_(std::move(base)), at_claim_(at_claim) {}

  ashlar::Status Submit(const std::string&, const std::string&) override {
    return {};
  }
  ashlar::Status FetchResult(const std::string&,
                             std::optional<std::string>*) override {
    return {};
  }
  ashlar::Status Withdraw(const std::string&, bool*) override { return {}; }
  ashlar::Status Forget(const std::string&) override { return {}; }
  ashlar::Status Claim(const std::string& worker,
                       std::optional<ClaimedJob>* job) override {
    ashlar::Status status = base_->Claim(worker, job);
    if (job->has_value() && at_claim_) ::kill(::getpid(), SIGKILL);
    return status;
  }
  ashlar::Status Renew(const ClaimedJob& job, bool* wanted) override {
    return base_->Renew(job, wanted);
  }
  ashlar::Status Complete(const ClaimedJob&, const std::string&,
                          bool*) override {
    ::kill(::getpid(), SIGKILL);
    return {};
  }

 private:
  const std::shared_ptr<JobQueue> base_;
  const bool at_claim_;
};

// Dies when RocksDB begins a table.
class DeadlyListener final : public rocksdb::EventListener {
 public:
  void OnTableFileCreationStarted(
      const rocksdb::TableFileCreationBriefInfo& /*info*/) override {
    ::kill(::getpid(), SIGKILL);
  }
};

// Runs a job, and dies at this point. Returns only if it could not run one.
int RunOneJobAndDie(const std::string& folder, const std::string& point) {
  CompactionWorkerOptions options;
  options.use_library = point != "table";
  if (point == "table") {
    options.objects.listeners.push_back(std::make_shared<DeadlyListener>());
  }
  const auto queue =
      std::make_shared<DeadlyQueue>(OpenQueue(folder), point == "claim");
  CompactionWorker worker(queue, options);
  bool ran = false;
  while (!ran) {
    if (!worker.RunOne(&ran).ok()) break;
    std::this_thread::yield();
  }
  return 1;
}

}  // namespace ashlar_rocksdb

// Takes the place of the test library's.
int main(int argc, char** argv) {
  const char* const folder = std::getenv(ashlar_rocksdb::kDeadlyWorkerFolder);
  const char* const point = std::getenv(ashlar_rocksdb::kDeadlyWorkerPoint);
  if (folder != nullptr && point != nullptr) {
    return ashlar_rocksdb::RunOneJobAndDie(folder, point);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
