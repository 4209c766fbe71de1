// ashlar_compaction_worker: a CompactionWorker as a program.
// docs/compaction-service.md says how to use it.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compaction_worker.h"
#include "folder_queue.h"
#include "http_queue.h"
#include "worker_flags.h"

namespace {

using ashlar_rocksdb::CompactionJobResult;
using ashlar_rocksdb::CompactionWorker;
using ashlar_rocksdb::CompactionWorkerOptions;
using ashlar_rocksdb::JobQueue;
using ashlar_rocksdb::WorkerFlags;
using Clock = std::chrono::steady_clock;

// Set by signals, and by a worker that has been idle for long.
std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void Stop(int /*signal*/) { stop.store(true, std::memory_order_relaxed); }

ashlar::Result<std::unique_ptr<JobQueue>> OpenQueue(const WorkerFlags& flags) {
  if (!flags.queue.empty()) return ashlar_rocksdb::OpenHttpQueue(flags.queue);
  std::error_code error;
  const std::string folder =
      std::filesystem::absolute(flags.folder, error).string();
  return ashlar_rocksdb::OpenFolderQueue(
      folder, {.lease = std::chrono::seconds(flags.lease),
               .most_attempts = flags.attempts});
}

void PrintResult(const CompactionJobResult& result, bool accepted) {
  std::string line =
      "job " + result.id + ", attempt " + std::to_string(result.attempt) + ": ";
  if (!result.error.empty()) {
    line += "failed: " + result.error;
  } else {
    line += "by " + result.by + ", " +
            std::to_string(result.output_files.size()) + " tables, " +
            std::to_string(result.bytes_read) + " bytes in, " +
            std::to_string(result.bytes_written) + " out";
  }
  if (!result.library_obstacle.empty()) {
    line += "; not by the library: " + result.library_obstacle;
  }
  if (!accepted) line += "; nobody wants it any more";
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// Runs jobs on this thread until it is time to stop.
void RunJobs(const std::shared_ptr<JobQueue>& queue,
             const CompactionWorkerOptions& options, uint64_t idle_exit) {
  CompactionWorker worker(queue, options);
  Clock::time_point last_job = Clock::now();
  while (!stop.load(std::memory_order_relaxed)) {
    bool ran = false;
    const ashlar::Status status = worker.RunOne(&ran);
    if (!status.ok()) {
      std::fprintf(stderr, "ashlar_compaction_worker: %s\n",
                   status.ToString().c_str());
    }
    if (ran) {
      last_job = Clock::now();
      continue;
    }
    if (idle_exit != 0 &&
        Clock::now() - last_job > std::chrono::seconds(idle_exit)) {
      return;
    }
    std::this_thread::sleep_for(options.idle);
  }
}

}  // namespace

int main(int argc, char** argv) {
  WorkerFlags flags;
  const std::string fault = ashlar_rocksdb::ParseWorkerFlags(
      std::vector<std::string>(argv + 1, argv + argc), &flags);
  if (!fault.empty()) {
    std::fprintf(stderr, "ashlar_compaction_worker: %s\n", fault.c_str());
    return 2;
  }
  if (flags.help) {
    std::fputs(ashlar_rocksdb::kWorkerHelp, stdout);
    return 0;
  }
  auto opened = OpenQueue(flags);
  if (!opened.ok()) {
    std::fprintf(stderr, "ashlar_compaction_worker: %s\n",
                 opened.status().ToString().c_str());
    return 1;
  }
  const std::shared_ptr<JobQueue> queue = std::move(*opened);
  ::signal(SIGINT, &Stop);
  ::signal(SIGTERM, &Stop);
  CompactionWorkerOptions options;
  options.name = flags.name;
  options.use_library = !flags.no_library;
  options.use_rocksdb = !flags.no_rocksdb;
  options.folders = flags.under;
  options.renewal = std::chrono::milliseconds(flags.lease * 1'000 / 5);
  if (!flags.quiet) {
    options.on_result = [](const CompactionJobResult& result, bool accepted) {
      static std::mutex one_line;
      const std::lock_guard lock(one_line);
      PrintResult(result, accepted);
    };
  }
  std::vector<std::jthread> threads;
  for (uint64_t i = 1; i < flags.threads; ++i) {
    threads.emplace_back([&] { RunJobs(queue, options, flags.idle_exit); });
  }
  RunJobs(queue, options, flags.idle_exit);
  return 0;
}
