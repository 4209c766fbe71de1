// rocksdb_matrix: files exchanged with RocksDB, each read by both libraries.
//
//   rocksdb_matrix [--pairs] [--count=<n> --seed=<n> --with=<labels>]
//                  [--plan=<name>] [--shard=<i>/<n>] [--dir=<folder>]
//                  [--verbose]
//
// --pairs runs plans in which each pair of option values occurs. --count runs n
// random plans; --with=r1-versions chooses plans that have both values. The
// default is the first 80 plans of --pairs, which have most of the pairs.
// --shard takes every n-th plan from the i-th on, as run_full_matrix does.
//
// For each plan, RocksDB's SstFileReader reads our file, and a live database
// takes it in. We read RocksDB's file of the same rows, rebuild it and compare
// the bytes. The same is done with the tables that RocksDB's flush and
// compaction write. plan_fields.cc has the options that vary. Exits with 1 if
// any plan fails.
#include <rocksdb/version.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "test/interop/compare_files.h"
#include "test/interop/live_database.h"
#include "test/interop/our_file.h"
#include "test/interop/sample_plans.h"
#include "test/interop/their_file.h"

namespace ashlar::interop {
namespace {

constexpr size_t kSample = 80;

struct Flags {
  bool pairs = false;
  bool verbose = false;
  uint64_t count = 0;
  uint64_t seed = 1;
  uint64_t shard = 0;
  uint64_t shards = 1;
  std::string plan;
  std::string with;
  std::string dir = std::filesystem::temp_directory_path();
};

bool ParseNumber(std::string_view text, uint64_t* number) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseShard(std::string_view text, Flags* flags) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos &&
         ParseNumber(text.substr(0, slash), &flags->shard) &&
         ParseNumber(text.substr(slash + 1), &flags->shards) &&
         flags->shard < flags->shards;
}

bool ParseFlag(std::string_view flag, Flags* flags) {
  const size_t equals = std::min(flag.find('='), flag.size());
  const std::string_view name = flag.substr(0, equals);
  const std::string_view value = flag.substr(std::min(equals + 1, flag.size()));
  if (name == "--pairs") return flags->pairs = value.empty();
  if (name == "--verbose") return flags->verbose = value.empty();
  if (name == "--count") return ParseNumber(value, &flags->count);
  if (name == "--seed") return ParseNumber(value, &flags->seed);
  if (name == "--shard") return ParseShard(value, flags);
  if (name == "--with") return !(flags->with = value).empty();
  if (name == "--plan") return !(flags->plan = value).empty();
  if (name == "--dir") return !(flags->dir = value).empty();
  return false;
}

void PrintSample(const PairwiseSample& sample) {
  std::printf("%zu plans with all %zu pairs of values but %zu:\n",
              sample.plans.size(), sample.pairs, sample.impossible.size());
  for (const std::string& pair : sample.impossible) {
    std::printf("  impossible: %s\n", pair.c_str());
  }
}

// Returns true if the plan has all values whose labels `with` names.
bool HasValues(const Plan& plan, std::string_view with) {
  const std::string name = "-" + plan.name + "-";
  while (!with.empty()) {
    const std::string_view label = with.substr(0, with.find('-'));
    with.remove_prefix(std::min(label.size() + 1, with.size()));
    if (name.find("-" + std::string(label) + "-") == std::string::npos) {
      return false;
    }
  }
  return true;
}

std::vector<Plan> ChoosePlans(const Flags& flags) {
  std::vector<Plan> chosen;
  if (!flags.plan.empty()) {
    chosen.resize(1);
    if (!ParsePlan(flags.plan, chosen.data())) chosen.clear();
    return chosen;
  }
  if (flags.pairs || flags.count == 0) {
    PairwiseSample sample = PairwisePlans();
    if (flags.pairs && flags.shard == 0) PrintSample(sample);
    chosen = flags.pairs ? std::move(sample.plans)
                         : FirstPlans(std::move(sample.plans), kSample);
  }
  const auto filter = [&](const Plan& plan) {
    return HasValues(plan, flags.with);
  };
  for (Plan& plan : RandomPlans(flags.count, flags.seed, filter)) {
    chosen.push_back(std::move(plan));
  }
  std::vector<Plan> mine;
  for (size_t i = flags.shard; i < chosen.size(); i += flags.shards) {
    mine.push_back(chosen[i]);
  }
  return mine;
}

// One run over many plans.
class Matrix {
 public:
  Matrix(const std::string& folder, LiveDatabase* database)
      : our_path_(folder + "/ours.sst"),
        their_path_(folder + "/theirs.sst"),
        rebuilt_path_(folder + "/rebuilt.sst"),
        database_(database) {}

  Status Check(const Plan& plan) {
    const std::vector<Row> rows = MakeRows(plan.shape, plan.seed);
    const std::vector<std::string> absent = AbsentKeys(rows, plan.seed);
    if (Status s = CheckOurs(plan, rows, absent); !s.ok()) {
      return s.WithPrefix("our file");
    }
    return plan.IsExternal()
               ? CheckTheirExternal(plan, WithoutSingleDeletions(rows), absent)
               : CheckTheirVersions(plan, rows, absent);
  }

  const ByteCounts& bytes() const { return bytes_; }
  uint64_t our_files() const { return our_files_; }
  uint64_t their_files() const { return their_files_; }
  uint64_t entries() const { return entries_; }

 private:
  Status CheckOurs(const Plan& plan, const std::vector<Row>& rows,
                   const std::vector<std::string>& absent) {
    Status s =
        WriteOurFile(our_path_, plan.options, {}, plan.IsExternal(), rows);
    if (s.ok()) s = CheckWithTheirs(our_path_, plan, rows, absent);
    if (!s.ok()) return s;
    std::string compacted;
    s = plan.IsExternal() ? database_->CheckIngested(our_path_, plan, rows,
                                                     absent, &compacted)
                          : database_->CheckImported(our_path_, plan, rows,
                                                     absent, &compacted);
    if (!s.ok()) return s;
    ++our_files_;
    entries_ += rows.size();
    // The database's compaction of our file is a table written by RocksDB.
    if (!compacted.empty()) s = CheckTheirTable(compacted, plan, absent);
    return s.WithPrefix("compacted");
  }

  // Compares a table of RocksDB with what RocksDB itself reads from it.
  Status CheckTheirTable(const std::string& path, const Plan& plan,
                         const std::vector<std::string>& absent) {
    std::vector<Row> rows;
    if (Status s = ReadWithTheirs(path, plan, &rows); !s.ok()) return s;
    return CheckTheirs(path, plan, rows, absent);
  }

  Status CheckTheirs(const std::string& path, const Plan& plan,
                     const std::vector<Row>& rows,
                     const std::vector<std::string>& absent) {
    if (Status s = CheckWithOurs(path, rows, absent); !s.ok()) return s;
    ++their_files_;
    entries_ += rows.size();
    return CompareBytes(path, rebuilt_path_, plan, rows, &bytes_)
        .WithPrefix("bytes");
  }

  Status CheckTheirExternal(const Plan& plan, const std::vector<Row>& rows,
                            const std::vector<std::string>& absent) {
    Status s = WriteTheirExternal(their_path_, plan, rows);
    if (s.ok()) s = CheckTheirs(their_path_, plan, rows, absent);
    return s.WithPrefix("their external file");
  }

  Status CheckTheirVersions(const Plan& plan, std::vector<Row> rows,
                            const std::vector<std::string>& absent) {
    std::string path;
    Status s = database_->MakeVersions(plan, &rows, &path);
    if (s.ok()) s = CheckTheirs(path, plan, rows, absent);
    if (!s.ok()) return s.WithPrefix("their flushed table");
    s = database_->CompactVersions(&path);
    if (s.ok()) s = CheckTheirTable(path, plan, absent);
    return s.WithPrefix("their compacted table");
  }

  const std::string our_path_;
  const std::string their_path_;
  const std::string rebuilt_path_;
  LiveDatabase* const database_;
  ByteCounts bytes_;
  uint64_t our_files_ = 0;
  uint64_t their_files_ = 0;
  uint64_t entries_ = 0;
};

void PrintSummary(const Matrix& matrix, size_t plans, size_t failures,
                  double seconds, bool verbose) {
  const auto print = [](const char* what, uint64_t n, uint64_t of) {
    std::printf("  %-42s %6ju of %ju\n", what, uintmax_t{n}, uintmax_t{of});
  };
  const ByteCounts& bytes = matrix.bytes();
  std::printf("RocksDB %d.%d.%d: %zu plans, %zu failed, %ju entries, %.1f s\n",
              ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH, plans, failures,
              uintmax_t{matrix.entries()}, seconds);
  print("our files read by RocksDB", matrix.our_files(), plans);
  print("RocksDB's files read by us", matrix.their_files(),
        matrix.their_files());
  print("rebuilt by us: data blocks same as stored", bytes.identical_data,
        bytes.files);
  print("rebuilt by us: index same as stored", bytes.identical_index,
        bytes.files);
  print("rebuilt by us: Bloom filter same", bytes.identical_filters,
        bytes.filters);
  print("rebuilt by us: whole file same", bytes.identical_files, bytes.files);
  if (!verbose) return;
  std::puts("properties that differ, and in how many files:");
  for (const auto& [name, count] : bytes.properties) {
    std::printf("  %6ju %s\n", uintmax_t{count}, name.c_str());
  }
}

int Run(const Flags& flags, const std::string& folder) {
  auto database = LiveDatabase::Open(folder + "/db");
  if (!database.ok()) {
    std::fprintf(stderr, "%s\n", database.status().ToString().c_str());
    return 1;
  }
  Matrix matrix(folder, database->get());
  const std::vector<Plan> plans = ChoosePlans(flags);
  size_t failures = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const Plan& plan : plans) {
    if (flags.verbose) std::printf("%s\n", plan.name.c_str());
    const Status status = matrix.Check(plan);
    if (status.ok()) continue;
    ++failures;
    std::printf("FAILED %s: %s\n", plan.name.c_str(),
                status.ToString().c_str());
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  PrintSummary(matrix, plans.size(), failures, seconds.count(), flags.verbose);
  return failures > 0 || plans.empty() ? 1 : 0;
}

int Main(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    if (!ParseFlag(argv[i], &flags)) {
      std::fprintf(stderr, "rocksdb_matrix: cannot use %s\n", argv[i]);
      return 2;
    }
  }
  std::string folder = flags.dir + "/ashlar-interop-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    std::perror(folder.c_str());
    return 1;
  }
  const int exit_code = Run(flags, folder);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return exit_code;
}

}  // namespace
}  // namespace ashlar::interop

int main(int argc, char** argv) { return ashlar::interop::Main(argc, argv); }
