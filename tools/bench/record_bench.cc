// record_bench: measures the cost of recording an entry in the FIFO cache, by
// the number of writers. Compares it with the least that the job needs, and
// with a map with a mutex.

#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/concurrent_write_buffer.h"
#include "third-party/gflags_lib.h"
#include "tools/bench/allocations.h"
#include "tools/bench/command_line.h"
#include "tools/bench/record_peers.h"
#include "tools/bench/report_parts.h"
#include "tools/bench/rounds.h"
#include "tools/bench/threads.h"
#include "util/sync/atomic.h"

DEFINE_string(benchmarks, "record,discard",
              "comma-separated: record (the sink is the FIFO cache), discard "
              "(the sink drops all; one writer)");
DEFINE_string(writers, "1,24,48,64,92,128", "of record: threads at once");
DEFINE_uint64(cache_size, 1 << 20, "bytes of the FIFO cache");
DEFINE_uint32(shards, 16, "of the write buffer");
DEFINE_uint32(blocks, 64, "of the write buffer, 4 KiB each");
DEFINE_uint64(num, 8000000, "records of a run, of all its writers");
DEFINE_int32(rounds, 3, "rounds that must be undisturbed; 15 for a claim");
DEFINE_bool(keep_disturbed, false, "keep disturbed rounds too");

namespace ashlar::bench {

namespace {

using Buffer = ConcurrentWriteBuffer<RecordEntry>;

// Returns record n. All records of a process have different keys, and no key is
// all zeros.
RecordEntry EntryAt(uint64_t n) {
  return {{(n + 1) * 0x9e3779b97f4a7c15, n}, n};
}

// Runs record(entry) `num` times, by several threads together.
class Load {
 public:
  template <typename Record>
  void Run(int threads, uint64_t num, RunResult* result, Record record) {
    const uint64_t each = num / static_cast<uint64_t>(threads);
    const uint64_t first = next_;
    next_ += each * static_cast<uint64_t>(threads);
    internal::RelaxedAtomic<uint64_t> allocations;
    const AllocationCounter count = CountAllocations();
    TimeThreads(threads, result, [&](size_t i) {
      const uint64_t before = count == nullptr ? 0 : count();
      const uint64_t begin = first + each * i;
      for (uint64_t n = begin; n < begin + each; ++n) record(EntryAt(n));
      if (count != nullptr) allocations.FetchAdd(count() - before);
    });
    result->operations = next_ - first;
    result->allocations = allocations.Load();
  }
  // Adds entries before time is measured, so that all later ones evict.
  template <typename Record>
  void Fill(size_t entries, Record record) {
    for (size_t i = 0; i < entries; ++i) record(EntryAt(next_++));
  }

 private:
  uint64_t next_ = 0;
};

// The caches, which are filled once and used by all rounds.
struct Subjects {
  explicit Subjects(size_t bytes) : table(bytes) {
    if (!blocks.SetCapacity(bytes).ok()) Usage("--cache_size is too much");
    lru = std::make_unique<MutexedLru>(blocks.MostEntries());
    load.Fill(blocks.MostEntries() + 1000,
              [this](const RecordEntry& entry) { buffer->Record(entry); });
    load.Fill(blocks.MostEntries(),
              [this](const RecordEntry& entry) { lru->Record(entry); });
    load.Fill(table.most_entries(),
              [this](const RecordEntry& entry) { InsertAndRemember(entry); });
  }

  void InsertAndRemember(const RecordEntry& entry) {
    table.Insert(entry);
    keys.push_back(entry.key);
  }
  void InsertAndEraseOldest(const RecordEntry& entry) {
    table.Insert(entry);
    table.Erase(std::exchange(keys[oldest], entry.key));
    if (++oldest == keys.size()) oldest = 0;
  }

  Load load;
  RecordedBlocks blocks;
  const std::unique_ptr<Buffer> buffer =
      Buffer::Make({.shards = FLAGS_shards,
                    .blocks = FLAGS_blocks,
                    .when_full = WriteBufferOptions::WhenFull::kWait},
                   [this](auto entries) { blocks.Add(entries); })
          .value();
  BareTable table;
  std::vector<CacheKey> keys;  // in the table, in a ring
  size_t oldest = 0;
  std::unique_ptr<MutexedLru> lru;
};

// What the writers are compared with: one thread, or several threads with the
// mutex.
constexpr int kLruWriters = 24;
constexpr uint64_t kLruPart = 8;  // of the records, since it takes its time
constexpr char kAtOnce[] = "insert+erase";
constexpr char kOldest[] = "insert+erase oldest";
constexpr char kLru[] = "mutexed lru@24";
std::string NameOf(int writers) { return "record@" + std::to_string(writers); }

std::vector<Contestant> RecordContestants(const std::vector<int>& writers,
                                          Subjects* s) {
  std::vector<Contestant> all;
  const auto add = [&](const std::string& name, int threads, auto record) {
    const uint64_t num = name == kLru ? FLAGS_num / kLruPart : FLAGS_num;
    all.push_back({name, [=](RunResult* result) {
                     s->load.Run(threads, num, result, record);
                     return std::string();
                   }});
  };
  for (const int n : writers) {
    add(NameOf(n), n, [s](const RecordEntry& e) { s->buffer->Record(e); });
  }
  add(kAtOnce, 1, [s](const RecordEntry& e) {
    s->table.Insert(e);
    s->table.Erase(e.key);
  });
  add(kOldest, 1, [s](const RecordEntry& e) { s->InsertAndEraseOldest(e); });
  add(kLru, kLruWriters, [s](const RecordEntry& e) { s->lru->Record(e); });
  return all;
}

void PrintReport(const BenchmarkReport& report,
                 const std::vector<Contestant>& contestants) {
  constexpr double kNanos = 1e9;
  std::printf("%s: %d rounds kept, %d dropped; medians of a record\n",
              report.benchmark.c_str(), report.kept, report.dropped);
  for (const Contestant& contestant : contestants) {
    const auto median = [&](BenchmarkReport::Figure figure) {
      return SpreadOf(report.Figures(contestant.name, figure)).median;
    };
    std::printf("  %-20s %7.1f ns CPU %7.1f ns wall %8.6f allocations\n",
                contestant.name.c_str(),
                kNanos * median([](const RunResult& r) {
                  return r.measured.cpu_seconds /
                         static_cast<double>(r.operations);
                }),
                kNanos * median([](const RunResult& r) {
                  return r.measured.seconds / static_cast<double>(r.operations);
                }),
                median([](const RunResult& r) {
                  return static_cast<double>(r.allocations) /
                         static_cast<double>(r.operations);
                }));
  }
}

std::vector<int> WritersFromFlag() {
  std::vector<int> writers;
  for (const std::string& text : Split(FLAGS_writers)) {
    int n = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, n);
    if (error != std::errc() || stop != end || n < 1) {
      Usage("--writers must be numbers of threads");
    }
    writers.push_back(n);
  }
  if (writers.empty()) Usage("--writers must name at least one");
  return writers;
}

std::string BenchRecord() {
  const std::vector<int> writers = WritersFromFlag();
  const auto subjects = std::make_unique<Subjects>(FLAGS_cache_size);
  const std::vector<Contestant> all = RecordContestants(writers, &*subjects);
  std::string error;
  const BenchmarkReport report =
      RunRounds("record, " + std::to_string(FLAGS_cache_size) + " bytes", all,
                FLAGS_rounds, FLAGS_keep_disturbed, &error);
  if (!error.empty()) return error;
  PrintReport(report, all);
  std::vector<Ratio> ratios;
  const std::string first = NameOf(writers.front());
  for (const char* bare : {kAtOnce, kOldest}) {
    ratios.push_back(
        {"CPU of " + first + " / " + bare, report.CpuRatio(first, bare)});
  }
  for (size_t i = 1; i < writers.size(); ++i) {
    const std::string name = NameOf(writers[i]);
    ratios.push_back(
        {"CPU of " + name + " / " + first, report.CpuRatio(name, first)});
  }
  const std::string same = NameOf(kLruWriters);
  if (report.results.contains(same)) {
    ratios.push_back({same + " is x times as fast as " + kLru,
                      report.RateRatio(same, kLru)});
  }
  PrintRatios(report, ratios);
  return "";
}

std::string BenchDiscard() {
  Load load;
  const auto buffer = Buffer::Make({}, [](auto) {}).value();
  internal::RelaxedAtomic<uint64_t> counter;
  const std::vector<Contestant> all = {
      {"discard@1",
       [&](RunResult* result) {
         load.Run(1, FLAGS_num, result,
                  [&](const RecordEntry& e) { buffer->Record(e); });
         return std::string();
       }},
      {"atomic addition",
       [&](RunResult* result) {
         load.Run(1, FLAGS_num, result,
                  [&](const RecordEntry& e) { counter.FetchAdd(e.value); });
         return std::string();
       }},
  };
  std::string error;
  const BenchmarkReport report =
      RunRounds("discard", all, FLAGS_rounds, FLAGS_keep_disturbed, &error);
  if (!error.empty()) return error;
  PrintReport(report, all);
  PrintRatios(report, {{"CPU of discard@1 / atomic addition",
                        report.CpuRatio("discard@1", "atomic addition")}});
  return "";
}

int Main() {
  if (FLAGS_rounds < 1 || FLAGS_num < 1000) {
    Usage("--rounds must be 1 or more, --num 1000 or more");
  }
  for (const std::string& name : Split(FLAGS_benchmarks)) {
    if (name != "record" && name != "discard") {
      Usage("unknown benchmark " + name);
    }
    const std::string error = name == "record" ? BenchRecord() : BenchDiscard();
    if (error.empty()) continue;
    std::fprintf(stderr, "record_bench: %s\n", error.c_str());
    return 1;
  }
  return 0;
}

}  // namespace

}  // namespace ashlar::bench

int main(int argc, char** argv) {
  ashlar::bench::ParseFlags("measures the FIFO cache and its write buffer",
                            argc, argv);
  return ashlar::bench::Main();
}
