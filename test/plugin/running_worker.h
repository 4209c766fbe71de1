// What tests of the compaction service share: queues, services, and a worker
// that runs beside the test.
#ifndef ASHLAR_TEST_PLUGIN_RUNNING_WORKER_H_
#define ASHLAR_TEST_PLUGIN_RUNNING_WORKER_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "plugin/compaction_jobs/folder_queue.h"
#include "plugin/rocksdb/compaction_service/compaction_service.h"
#include "plugin/rocksdb/compaction_service/compaction_worker.h"

namespace ashlar_rocksdb {

// An empty folder, removed with this object.
class ServiceFolder {
 public:
  explicit ServiceFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("service-" + name + "-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ServiceFolder(const ServiceFolder&) = delete;
  ServiceFolder& operator=(const ServiceFolder&) = delete;
  ~ServiceFolder() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& name) const {
    return (path_ / name).string();
  }

 private:
  const std::filesystem::path path_;
};

inline std::shared_ptr<JobQueue> OpenQueue(
    const std::string& folder, const FolderQueueOptions& options = {}) {
  auto queue = OpenFolderQueue(folder, options);
  EXPECT_TRUE(queue.ok()) << queue.status().ToString();
  return queue.ok() ? std::move(*queue) : nullptr;
}

// A worker that runs until it is destroyed.
class RunningWorker {
 public:
  explicit RunningWorker(std::shared_ptr<JobQueue> queue,
                         CompactionWorkerOptions options = {})
      : worker_(std::move(queue), Quick(std::move(options))),
        thread_([this] { worker_.Run(&stop_); }) {}
  ~RunningWorker() {
    stop_ = true;
    thread_.join();
  }

 private:
  static CompactionWorkerOptions Quick(CompactionWorkerOptions options) {
    options.idle = std::chrono::milliseconds(1);
    return options;
  }

  std::atomic<bool> stop_{false};
  CompactionWorker worker_;
  std::thread thread_;
};

inline std::shared_ptr<AshlarCompactionService> NewService(
    std::shared_ptr<JobQueue> queue) {
  return NewAshlarCompactionService(
      {.queue = std::move(queue), .poll = std::chrono::milliseconds(1)});
}

inline std::string Describe(const CompactionServiceCounts& counts) {
  std::string text = std::to_string(counts.scheduled) + " jobs, " +
                     std::to_string(counts.by_library) + " by the library, " +
                     std::to_string(counts.by_rocksdb) + " by RocksDB, " +
                     std::to_string(counts.local) + " local";
  for (const auto& [reason, times] : counts.local_reasons) {
    text += "; " + std::to_string(times) + " local: " + reason;
  }
  for (const auto& [reason, times] : counts.library_obstacles) {
    text += "; " + std::to_string(times) + " by RocksDB: " + reason;
  }
  return text;
}

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_TEST_PLUGIN_RUNNING_WORKER_H_
