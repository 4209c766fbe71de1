#include "tools/bench/many_builders.h"

#include <algorithm>
#include <barrier>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/util/sync/mutex.h"
#include "tools/bench/ashlar_build.h"
#include "util/sync/atomic.h"

namespace ashlar::bench {

namespace {

constexpr size_t kCacheLine = 64;
// The number of entries between two looks at the clock.
constexpr uint64_t kMarkEvery = 256;

uint64_t NowNanos() {
  struct timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000 +
         static_cast<uint64_t>(t.tv_nsec);
}

// How far a builder is, and its longest stall. Two threads may mark progress at
// the same time: the one that adds, and the one that writes to the file. Each
// keeps the longest gap that it saw. The last mark is that of either.
class alignas(kCacheLine) Progress {
 public:
  void Start() { last_.Store(NowNanos()); }
  void Added(uint64_t entries) {
    entries_.Store(entries);
    Mark(&longest_adding_);
  }
  void Wrote() { Mark(&longest_writing_); }

  uint64_t entries() const { return entries_.Load(); }
  // To be called when all threads are done.
  uint64_t longest_nanos() const {
    return std::max(longest_adding_, longest_writing_);
  }

 private:
  void Mark(uint64_t* longest) {
    const uint64_t before = last_.Load();
    const uint64_t now = NowNanos();
    last_.Store(now);
    if (now > before) *longest = std::max(*longest, now - before);
  }

  internal::RelaxedAtomic<uint64_t> entries_{0};
  internal::RelaxedAtomic<uint64_t> last_{0};
  uint64_t longest_adding_ = 0;
  uint64_t longest_writing_ = 0;  // the ring hands it from writer to writer
};

class MarkingFile final : public WritableFile {
 public:
  MarkingFile(std::unique_ptr<WritableFile> file, Progress* progress)
      : file_(std::move(file)), progress_(progress) {}
  Status Append(const Slice& data) override {
    Status status = file_->Append(data);
    progress_->Wrote();
    return status;
  }
  Status Sync() override { return file_->Sync(); }
  Status Close() override { return file_->Close(); }
  std::string name() const override { return file_->name(); }

 private:
  std::unique_ptr<WritableFile> file_;
  Progress* progress_;
};

class ManyBuilders {
 public:
  ManyBuilders(const BenchOptions& options, const Workload& workload,
               WorkerPool* pool)
      : options_(options),
        workload_(workload),
        pool_(pool),
        progress_(static_cast<size_t>(options.builders)),
        outcomes_(progress_.size()),
        start_(options.builders + 1) {}

  Status Run(RunResult* result) {
    std::vector<std::thread> threads;
    threads.reserve(progress_.size());
    for (size_t i = 0; i < progress_.size(); ++i) {
      threads.emplace_back([this, i] {
        start_.arrive_and_wait();
        outcomes_[i] = Build(i);
        NoteDone();
      });
    }
    const Stopwatch watch(Stopwatch::Load::kManyThreads);
    for (Progress& each : progress_) each.Start();
    start_.arrive_and_wait();
    for (std::thread& thread : threads) thread.join();
    result->measured = watch.Stop();
    result->operations = workload_.num() * progress_.size();
    result->bytes = workload_.raw_bytes() * progress_.size();
    result->file_bytes = file_bytes_.Load();
    result->slowest_share = slowest_share_;
    for (size_t i = 0; i < progress_.size(); ++i) {
      result->longest_stall_seconds =
          std::max(result->longest_stall_seconds,
                   static_cast<double>(progress_[i].longest_nanos()) / 1e9);
      if (!outcomes_[i].ok()) return outcomes_[i];
    }
    return {};
  }

 private:
  Status Build(size_t number) {
    Progress& progress = progress_[number];
    auto opened =
        OpenSink(options_, "ashlar." + std::to_string(number) + ".sst");
    if (!opened.ok()) return opened.status();
    MarkingFile file(std::move(opened).value(), &progress);
    auto writer = ExternalFileWriter::Create(&file, TableOptionsFor(options_),
                                             BuildOptionsFor(options_, pool_));
    if (!writer.ok()) return writer.status();
    Workload::Cursor cursor(workload_);
    for (uint64_t i = 0; i < workload_.num(); ++i) {
      Status status =
          (*writer)->Put(Slice(cursor.key()), Slice(cursor.value()));
      if (!status.ok()) return status;
      cursor.Next();
      if (i % kMarkEvery == 0) progress.Added(i);
    }
    Status status = (*writer)->Finish();
    if (status.ok()) status = file.Sync();
    if (status.ok()) status = file.Close();
    progress.Added(workload_.num());
    file_bytes_.FetchAdd((*writer)->FileSize());
    return status;
  }

  void NoteDone() {
    const internal::MutexLock lock(&mutex_);
    if (first_done_) return;
    first_done_ = true;
    uint64_t least = workload_.num();
    for (const Progress& each : progress_) {
      least = std::min(least, each.entries());
    }
    slowest_share_ =
        static_cast<double>(least) / static_cast<double>(workload_.num());
  }

  const BenchOptions& options_;
  const Workload& workload_;
  WorkerPool* const pool_;
  std::vector<Progress> progress_;
  std::vector<Status> outcomes_;
  std::barrier<> start_;
  internal::RelaxedAtomic<uint64_t> file_bytes_{0};
  internal::Mutex mutex_;
  bool first_done_ = false;
  double slowest_share_ = 0;
};

}  // namespace

Status RunManyBuilders(const BenchOptions& options, const Workload& workload,
                       WorkerPool* pool, RunResult* result) {
  return ManyBuilders(options, workload, pool).Run(result);
}

}  // namespace ashlar::bench
