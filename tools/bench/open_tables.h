// OpenTables: the benchmarks that open many tables of one library.
//
// Used by both engines, each with a `Library` that says how its library builds
// and opens tables. So both run the same loops. The benchmarks are:
//
//   open      opens all tables, which stay open
//   openget   the same, and gets one present key of each
//   openall   the same; the memory is measured after all entries of each were
//             read too, and the cache, which is small, was emptied.
//   reopen    index and filter go to the block cache. Each table is opened,
//             read once and closed. Then the time of opening all of them again
//             is measured.
//   lsmget    gets random keys of random tables that stay open between rounds.
//             Every block is in the cache.
//
// An operation is one table, for lsmget one Get. Tables are closed after the
// time is taken. Each table has a file of its own, so its bytes are in the page
// cache once, and its blocks have cache keys of their own. All files have the
// same entries.
//
// Before each measurement, malloc returns the free pages of its heap to the
// system. Otherwise, a library would open its tables in memory that the other
// one has just touched, and would have no page faults.
//
// The memory of the tables is what malloc has given out in between, including
// its own overhead: `uordblks` + `hblkhd` of mallinfo2. Both libraries use the
// malloc of the process. Memory of the block cache's table is left out, because
// the cache is made first. So are RocksDB's copies of the options.
#ifndef ASHLAR_TOOLS_BENCH_OPEN_TABLES_H_
#define ASHLAR_TOOLS_BENCH_OPEN_TABLES_H_

#include <sys/resource.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/key_draw.h"
#include "tools/bench/threads.h"

namespace ashlar::bench {

// Returns the bytes that malloc has given out and not got back, in all threads.
// Returns 0 if malloc does not tell.
inline uint64_t HeapBytes() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

// Returns the page faults of this process so far that needed no disk.
inline uint64_t PageFaults() {
  struct rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_minflt);
}

inline void ReturnFreePages() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

// `Library` has the types Status and Table, which is movable and may be empty,
// and these functions:
//
//   Status Build(path)            writes a table
//   Status MakeCache(bytes)       makes the block cache of the tables to come
//   void DropCache()
//   void Prepare(Table*)          what comes before Open, and is not measured
//   Status Open(path, Table*)
//   Status Get(const Table&, const std::string& key, RunResult*)
//   Status ReadAll(const Table&)  walks over all entries
//   uint64_t DataBlocks(const Table&)
//   void EmptyCache()
//   uint64_t CachedBlocks()
template <typename Library>
class OpenTables {
 public:
  using Status = typename Library::Status;

  // Runs one of the benchmarks. `library` has the options of this run.
  Status Run(const std::string& benchmark, const BenchOptions& options,
             const Workload& workload, Library* library, RunResult* result) {
    if (benchmark != "lsmget" || !kept_) Close(library);
    Status status = MakeFiles(options, library);
    if (!status.ok()) return status;
    if (benchmark == "lsmget") {
      if (!kept_) status = OpenAndWarm(options, library);
      return status.ok() ? GetAll(options, workload, library, result) : status;
    }
    status = library->MakeCache(benchmark == "openall" ? kSmallCache
                                                       : options.cache_size);
    if (status.ok() && benchmark == "reopen") {
      status = BringIntoCache(options, workload, library);
    }
    if (status.ok()) {
      status = OpenAndMeasure(benchmark, options, workload, library, result);
    }
    Close(library);
    return status;
  }

  // Closes the tables of lsmget.
  void Close(Library* library) {
    tables_.clear();
    library->DropCache();
    kept_ = false;
  }

 private:
  static constexpr uint64_t kOtherSeed = 1000;
  static constexpr uint64_t kSmallCache = uint64_t{1} << 20;
  using Table = typename Library::Table;

  Status MakeFiles(const BenchOptions& options, Library* library) {
    paths_.clear();
    for (int i = 0; i < options.tables; ++i) {
      paths_.push_back(options.folder + "/" + library->Name() + "." +
                       std::to_string(i) + ".sst");
      if (std::filesystem::exists(paths_.back())) continue;
      Status status = library->Build(paths_.back());
      if (!status.ok()) return status;
    }
    return {};
  }

  void Prepare(Library* library) {
    tables_.clear();
    tables_.resize(paths_.size());
    for (Table& table : tables_) library->Prepare(&table);
    ReturnFreePages();
  }

  // Gets one key of each table, if `get`.
  Status OpenAll(bool get, const BenchOptions& options,
                 const Workload& workload, Library* library,
                 RunResult* result) {
    KeyDraw draw(options, options.workload.seed + 7);
    std::string key(workload.key_size(), '\0');
    Status status;
    for (size_t i = 0; i < tables_.size() && status.ok(); ++i) {
      status = library->Open(paths_[i], &tables_[i]);
      if (!get || !status.ok()) continue;
      workload.Key(draw.Next(), key.data());
      status = library->Get(tables_[i], key, result);
    }
    return status;
  }

  Status OpenAndMeasure(const std::string& benchmark,
                        const BenchOptions& options, const Workload& workload,
                        Library* library, RunResult* result) {
    Prepare(library);
    const uint64_t blocks = library->CachedBlocks();
    const uint64_t before = HeapBytes();
    const uint64_t allocations = AllocationsSoFar(options);
    const uint64_t faults = PageFaults();
    const Stopwatch watch;
    Status status = OpenAll(benchmark != "open" && benchmark != "reopen",
                            options, workload, library, result);
    result->measured = watch.Stop();
    result->page_faults = PageFaults() - faults;
    result->allocations = AllocationsSoFar(options) - allocations;
    if (benchmark == "openall") {
      for (size_t i = 0; i < tables_.size() && status.ok(); ++i) {
        status = library->ReadAll(tables_[i]);
      }
      library->EmptyCache();
    }
    result->operations = tables_.size();
    result->heap_bytes_per_table = static_cast<double>(HeapBytes() - before) /
                                   static_cast<double>(tables_.size());
    if (status.ok() && benchmark == "reopen" &&
        library->CachedBlocks() != blocks) {
      return Status::Aborted("index and filter were not in the cache");
    }
    return status;
  }

  Status BringIntoCache(const BenchOptions& options, const Workload& workload,
                        Library* library) {
    Prepare(library);
    RunResult ignored;
    Status status = OpenAll(true, options, workload, library, &ignored);
    tables_.clear();
    const uint64_t parts = options.bloom_bits > 0 ? 2 : 1;
    if (status.ok() && library->CachedBlocks() < parts * paths_.size()) {
      return Status::Aborted("the cache does not hold all indexes and filters");
    }
    return status;
  }

  Status OpenAndWarm(const BenchOptions& options, Library* library) {
    Status status = library->MakeCache(options.cache_size);
    if (!status.ok()) return status;
    Prepare(library);
    uint64_t blocks = 0;
    for (size_t i = 0; i < tables_.size() && status.ok(); ++i) {
      status = library->Open(paths_[i], &tables_[i]);
      if (status.ok()) status = library->ReadAll(tables_[i]);
      blocks += status.ok() ? library->DataBlocks(tables_[i]) : 0;
    }
    if (status.ok() && library->CachedBlocks() < blocks) {
      return Status::Aborted("the cache does not hold every block");
    }
    kept_ = status.ok();
    return status;
  }

  Status GetAll(const BenchOptions& options, const Workload& workload,
                Library* library, RunResult* result) {
    // Other keys first, for the processor's caches, which were the other
    // engines'.
    BenchOptions of_others = options;
    of_others.workload.seed += kOtherSeed;
    RunResult ignored;
    Status status =
        RunThreads(of_others, &ignored, Gets(workload, options, library));
    if (!status.ok()) return status;
    return RunThreads(options, result, Gets(workload, options, library));
  }

  // Returns the work of a thread of lsmget, for RunThreads.
  auto Gets(const Workload& workload, const BenchOptions& options,
            Library* library) {
    return [&, library](uint64_t reads, uint64_t seed, RunResult* part) {
      KeyDraw draw(options, seed);
      Random random(seed + 1);
      std::string key(workload.key_size(), '\0');
      Status status;
      for (uint64_t i = 0; i < reads && status.ok(); ++i) {
        workload.Key(draw.Next(), key.data());
        status = library->Get(tables_[random.Below(tables_.size())], key, part);
      }
      return status;
    };
  }

  std::vector<std::string> paths_;
  std::vector<Table> tables_;
  bool kept_ = false;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_OPEN_TABLES_H_
