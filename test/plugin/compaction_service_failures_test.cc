// What the compaction service does where the library cannot run a job, and
// where something fails: the database must have the same contents as ever.
#include <gtest/gtest.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ashlar/util/comparator.h"
#include "plugin/compaction_jobs/compaction_job.h"
#include "plugin/compaction_jobs/compaction_result.h"
#include "plugin/compaction_jobs/http_queue.h"
#include "test/plugin/deadly_worker.h"
#include "test/plugin/example_server.h"
#include "test/plugin/running_worker.h"

namespace ashlar_rocksdb {
namespace {

namespace fs = std::filesystem;

void Require(const rocksdb::Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

// Drops what has the value "drop". Nothing but this test knows it.
class DroppingFilter final : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "test.DroppingFilter"; }
  bool Filter(int /*level*/, const rocksdb::Slice& /*key*/,
              const rocksdb::Slice& value, std::string* /*new_value*/,
              bool* /*changed*/) const override {
    return value == "drop";
  }
};

const DroppingFilter kFilter;

// A database with a service.
class ServedDatabase {
 public:
  ServedDatabase(const std::string& name,
                 std::shared_ptr<rocksdb::CompactionService> service,
                 const std::function<void(rocksdb::Options*)>& set = {})
      : folder_(name) {
    options_.create_if_missing = true;
    options_.disable_auto_compactions = true;
    options_.compaction_service = std::move(service);
    if (set) set(&options_);
    Require(rocksdb::DB::Open(options_, path(), &db_));
  }

  rocksdb::DB* operator->() { return db_.get(); }
  std::string path() const { return folder_ / "db"; }

  // Two overlapping tables of level 0, and what they hide.
  void Fill() {
    for (int table = 0; table < 3; ++table) {
      for (int i = 0; i < 300; ++i) {
        const std::string key = "k" + std::to_string(1000 + i * (table + 1));
        const bool drop = i % 7 == 0;
        if (i % 5 == table) {
          Require(db_->Delete({}, key));
          expected_.erase(key);
        } else {
          const std::string value =
              drop ? "drop" : "v" + std::to_string(table * 1000 + i);
          Require(db_->Put({}, key, value));
          expected_[key] = value;
        }
      }
      Require(db_->Flush({}));
    }
  }
  rocksdb::Status Compact() {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    return db_->CompactRange(options, nullptr, nullptr);
  }

  // Compares with what was put. `is_filtered`: less what the filter drops.
  void Check(bool is_filtered = false) {
    std::map<std::string, std::string> found;
    const std::unique_ptr<rocksdb::Iterator> walk(db_->NewIterator({}));
    for (walk->SeekToFirst(); walk->Valid(); walk->Next()) {
      found[walk->key().ToString()] = walk->value().ToString();
    }
    Require(walk->status());
    auto expected = expected_;
    if (is_filtered) {
      std::erase_if(expected, [](const auto& e) { return e.second == "drop"; });
    }
    EXPECT_EQ(found, expected);
    Require(db_->VerifyChecksum());
  }

  // Opens it again with RocksDB alone.
  void Reopen() {
    db_.reset();
    rocksdb::Options plain = options_;
    plain.compaction_service = nullptr;
    Require(rocksdb::DB::Open(plain, path(), &db_));
  }

 private:
  const ServiceFolder folder_;
  rocksdb::Options options_;
  std::map<std::string, std::string> expected_;
  std::unique_ptr<rocksdb::DB> db_;
};

void WithFilter(rocksdb::Options* options) {
  options->compaction_filter = &kFilter;
}

TEST(CompactionService, LeavesAForeignFilterToRocksDB) {
  const ServiceFolder folder("filter");
  const auto queue = OpenQueue(folder / "queue");
  CompactionWorkerOptions options;
  options.objects.compaction_filter = &kFilter;
  const RunningWorker worker(queue, options);
  const auto service = NewService(queue);
  ServedDatabase db("filter-db", service, WithFilter);
  db.Fill();
  Require(db.Compact());
  db.Check(/*is_filtered=*/true);
  const CompactionServiceCounts counts = service->Counts();
  EXPECT_GT(counts.by_rocksdb, 0u) << Describe(counts);
  EXPECT_EQ(counts.local, 0u) << Describe(counts);
  EXPECT_EQ(counts.library_obstacles.count(
                "the compaction filter test.DroppingFilter"),
            1u)
      << Describe(counts);
  db.Reopen();
  db.Check(true);
}

// RocksDB's own worker would go on without the filter.
TEST(CompactionService, AWorkerWithoutTheFilterDoesNotRunTheJob) {
  const ServiceFolder folder("no-filter");
  const auto queue = OpenQueue(folder / "queue");
  const RunningWorker worker(queue);
  const auto service = NewService(queue);
  ServedDatabase db("no-filter-db", service, WithFilter);
  db.Fill();
  Require(db.Compact());
  db.Check(true);
  const CompactionServiceCounts counts = service->Counts();
  EXPECT_EQ(counts.by_rocksdb + counts.by_library, 0u) << Describe(counts);
  ASSERT_EQ(counts.local_reasons.size(), 1u) << Describe(counts);
  EXPECT_NE(counts.local_reasons.begin()->first.find(
                "does not know compaction_filter test.DroppingFilter"),
            std::string::npos)
      << Describe(counts);
}

// Sets one property of each table, by which a test sees that it was used.
class NamedCollectors final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  explicit NamedCollectors(std::string name) : name_(std::move(name)) {}
  const char* Name() const override { return name_.c_str(); }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(
      rocksdb::TablePropertiesCollectorFactory::Context /*context*/) override {
    return new Collector(name_);
  }

 private:
  class Collector final : public rocksdb::TablePropertiesCollector {
   public:
    explicit Collector(std::string name) : name_(std::move(name)) {}
    const char* Name() const override { return name_.c_str(); }
    rocksdb::Status Finish(
        rocksdb::UserCollectedProperties* properties) override {
      (*properties)[name_] = "used";
      return rocksdb::Status::OK();
    }
    rocksdb::UserCollectedProperties GetReadableProperties() const override {
      return {};
    }

   private:
    const std::string name_;
  };
  const std::string name_;
};

// A job gets the collectors that it names, and no others of the worker.
TEST(CompactionService, AWorkerUsesTheCollectorsThatAJobNames) {
  const auto one = std::make_shared<NamedCollectors>("test.One");
  const auto two = std::make_shared<NamedCollectors>("test.Two");
  const auto three = std::make_shared<NamedCollectors>("test.Three");
  for (const bool is_known : {true, false}) {
    const ServiceFolder folder("collectors");
    const auto queue = OpenQueue(folder / "queue");
    CompactionWorkerOptions options;
    options.objects.table_properties_collector_factories = {three, two};
    if (is_known) {
      options.objects.table_properties_collector_factories.push_back(one);
    }
    const RunningWorker worker(queue, options);
    const auto service = NewService(queue);
    ServedDatabase db("collectors-db", service, [&](rocksdb::Options* theirs) {
      theirs->table_properties_collector_factories = {one, two};
    });
    db.Fill();
    Require(db.Compact());
    db.Check();
    const CompactionServiceCounts counts = service->Counts();
    EXPECT_EQ(counts.by_rocksdb > 0, is_known) << Describe(counts);
    EXPECT_EQ(counts.local > 0, !is_known) << Describe(counts);
    rocksdb::TablePropertiesCollection tables;
    Require(db->GetPropertiesOfAllTables(&tables));
    ASSERT_FALSE(tables.empty());
    for (const auto& [path, properties] : tables) {
      const auto& user = properties->user_collected_properties;
      EXPECT_EQ(user.count("test.One"), 1u) << path;
      EXPECT_EQ(user.count("test.Two"), 1u) << path;
      EXPECT_EQ(user.count("test.Three"), 0u) << path;
    }
  }
}

TEST(CompactionService, WithoutAWorkerRocksDBCompacts) {
  const ServiceFolder folder("no-worker");
  const auto service = NewAshlarCompactionService(
      {.queue = OpenQueue(folder / "queue"),
       .poll = std::chrono::milliseconds(1),
       .claim_timeout = std::chrono::milliseconds(1)});
  ServedDatabase db("no-worker-db", service);
  db.Fill();
  Require(db.Compact());
  db.Check();
  EXPECT_EQ(service->Counts().local, service->Counts().scheduled);
  EXPECT_TRUE(fs::is_empty(folder / "queue/pending"));
  // Nothing is left in the database's folder either.
  for (const auto& session :
       fs::directory_iterator(db.path() + "/compaction_service")) {
    EXPECT_TRUE(fs::is_empty(session));
  }
}

TEST(CompactionService, AWorkerKeepsToItsFolders) {
  const ServiceFolder folder("folders");
  const auto queue = OpenQueue(folder / "queue");
  CompactionWorkerOptions options;
  options.folders = {folder / "elsewhere"};
  const RunningWorker worker(queue, options);
  const auto service = NewService(queue);
  ServedDatabase db("folders-db", service);
  db.Fill();
  Require(db.Compact());
  db.Check();
  const CompactionServiceCounts counts = service->Counts();
  EXPECT_EQ(counts.local, counts.scheduled) << Describe(counts);
  EXPECT_NE(counts.local_reasons.begin()->first.find(
                "is in no folder that the worker may use"),
            std::string::npos)
      << Describe(counts);
}

// Runs jobs itself, and changes their results.
class BadQueue final : public JobQueue {
 public:
  using Spoil = std::function<std::string(const CompactionJob& job,
                                          CompactionJobResult result)>;
  BadQueue(std::shared_ptr<JobQueue> base, Spoil spoil)
      : base_(std::move(base)), spoil_(std::move(spoil)) {}

  ashlar::Status Submit(const std::string& id,
                        const std::string& text) override {
    EXPECT_TRUE(ReadJob(text, &job_).ok());
    return base_->Submit(id, text);
  }
  ashlar::Status FetchResult(const std::string& id,
                             std::optional<std::string>* result) override {
    ashlar::Status status = base_->FetchResult(id, result);
    if (!result->has_value()) return status;
    CompactionJobResult parsed;
    EXPECT_TRUE(ReadResult(**result, &parsed).ok());
    **result = spoil_(job_, std::move(parsed));
    return status;
  }
  ashlar::Status Withdraw(const std::string& id, bool* withdrawn) override {
    return base_->Withdraw(id, withdrawn);
  }
  ashlar::Status Forget(const std::string& id) override {
    return base_->Forget(id);
  }
  ashlar::Status Claim(const std::string& worker,
                       std::optional<ClaimedJob>* job) override {
    return base_->Claim(worker, job);
  }
  ashlar::Status Renew(const ClaimedJob& job, bool* wanted) override {
    return base_->Renew(job, wanted);
  }
  ashlar::Status Complete(const ClaimedJob& job, const std::string& result,
                          bool* accepted) override {
    return base_->Complete(job, result, accepted);
  }

 private:
  const std::shared_ptr<JobQueue> base_;
  const Spoil spoil_;
  CompactionJob job_;
};

std::string Text(CompactionJobResult result) {
  std::string text;
  EXPECT_TRUE(WriteResult(std::move(result), &text).ok());
  return text;
}

// Expects that the database compacts itself, and why.
void ExpectLocal(const char* message, const BadQueue::Spoil& spoil) {
  const ServiceFolder folder("bad");
  const auto base = OpenQueue(folder / "queue");
  const RunningWorker worker(base);
  const auto service = NewService(std::make_shared<BadQueue>(base, spoil));
  ServedDatabase db("bad-db", service);
  db.Fill();
  Require(db.Compact());
  db.Check();
  const CompactionServiceCounts counts = service->Counts();
  EXPECT_GT(counts.local, 0u) << message;
  EXPECT_EQ(counts.local, counts.scheduled) << Describe(counts);
  ASSERT_FALSE(counts.local_reasons.empty()) << message;
  EXPECT_NE(counts.local_reasons.begin()->first.find(message),
            std::string::npos)
      << Describe(counts);
}

struct Fault {
  const char* message;
  BadQueue::Spoil spoil;
};

TEST(CompactionService, ABadResultIsNotInstalled) {
  const Fault kFaults[] = {
      {"is no JSON", [](const auto&, auto) { return "{"; }},
      {"is of another",
       [](const auto&, CompactionJobResult r) {
         r.id = "another";
         return Text(r);
       }},
      {"of 1 byte too",
       [](const auto&, CompactionJobResult r) {
         r.error = "a table of 1 byte too";
         return Text(r);
       }},
      {"bytes instead of",
       [](const auto&, CompactionJobResult r) {
         ++r.output_files[0].file_size;
         return Text(r);
       }},
      {"find the size of",
       [](const auto&, CompactionJobResult r) {
         r.output_files[0].file_name = "999999.sst";
         return Text(r);
       }},
      {"is not in the job's folder",
       [](const CompactionJob& job, CompactionJobResult r) {
         r.output_path = job.database.path;
         return Text(r);
       }},
      {"is not in the job's folder",
       [](const CompactionJob& job, CompactionJobResult r) {
         r.output_path = job.output_folder + "/..";
         return Text(r);
       }},
      {"the properties of",
       [](const auto&, CompactionJobResult r) {
         r.output_files[0].table_properties = "num_entries=x";
         return Text(r);
       }},
  };
  for (const Fault& fault : kFaults) ExpectLocal(fault.message, fault.spoil);
}

TEST(CompactionService, AResultThatDoesNotFitIsNotInstalled) {
  const Fault kFaults[] = {
      {"of level 7",
       [](const auto&, CompactionJobResult r) {
         r.output_level = 7;
         return Text(r);
       }},
      {"is named twice",
       [](const auto&, CompactionJobResult r) {
         r.output_files.push_back(r.output_files[0]);
         return Text(r);
       }},
      {"is no regular file",
       [](const auto&, CompactionJobResult r) {
         const std::string path =
             r.output_path + "/" + r.output_files[0].file_name;
         if (!fs::is_symlink(path)) {
           fs::rename(path, path + ".real");
           fs::create_symlink(path + ".real", path);
         }
         return Text(r);
       }},
      {"a smallest key after its largest",
       [](const auto&, CompactionJobResult r) {
         std::swap(r.output_files[0].smallest, r.output_files[0].largest);
         return Text(r);
       }},
      {"outside the job's range",
       [](const auto&, CompactionJobResult r) {
         r.output_files[0].largest.insert(0, "z");
         return Text(r);
       }},
      {"does not begin after",
       [](const auto&, CompactionJobResult r) {
         const std::string path = r.output_path + "/";
         r.output_files.push_back(r.output_files[0]);
         r.output_files[1].file_name = "000099.sst";
         fs::copy_file(path + r.output_files[0].file_name, path + "000099.sst",
                       fs::copy_options::overwrite_existing);
         return Text(r);
       }},
      {"which are not the inputs'",
       [](const auto&, CompactionJobResult r) {
         r.output_files[0].largest_seqno += uint64_t{1} << 40;
         return Text(r);
       }},
      {"output records, and its tables have",
       [](const auto&, CompactionJobResult r) {
         ++r.output_level_stats["num_output_records"];
         return Text(r);
       }},
      {"records, and the inputs have",
       [](const auto&, CompactionJobResult r) {
         --r.stats["num_input_records"];
         return Text(r);
       }},
  };
  for (const Fault& fault : kFaults) ExpectLocal(fault.message, fault.spoil);
}

TEST(CompactionService, WorksOverHttp) {
  const ExampleServer server("1000");
  auto opened = OpenHttpQueue(server.url());
  ASSERT_TRUE(opened.ok()) << server.url();
  const std::shared_ptr<JobQueue> queue = std::move(*opened);
  const RunningWorker worker(queue);
  const auto service = NewService(queue);
  ServedDatabase db("http-db", service);
  db.Fill();
  Require(db.Compact());
  db.Check();
  const CompactionServiceCounts counts = service->Counts();
  EXPECT_GT(counts.by_library, 0u) << Describe(counts);
  EXPECT_EQ(counts.installed, counts.scheduled) << Describe(counts);
  db.Reopen();
  db.Check();
}

TEST(CompactionService, AServerThatIsGoneDoesNoHarm) {
  std::string url;
  {
    const ExampleServer server("1000");
    url = server.url();
  }
  auto queue = OpenHttpQueue(url);
  ASSERT_TRUE(queue.ok());
  const auto service = NewService(std::move(*queue));
  ServedDatabase db("gone-db", service);
  db.Fill();
  Require(db.Compact());
  db.Check();
  EXPECT_GT(service->Counts().local, 0u);
  EXPECT_EQ(service->Counts().scheduled, 0u);
}

// Starts this program as a worker that dies. Returns how it has ended.
int RunChild(const std::string& folder, const std::string& point) {
  std::string program = "/proc/self/exe";
  std::string folder_text = std::string(kDeadlyWorkerFolder) + "=" + folder;
  std::string point_text = std::string(kDeadlyWorkerPoint) + "=" + point;
  std::array<char*, 2> arguments = {program.data(), nullptr};
  std::vector<char*> variables = {folder_text.data(), point_text.data()};
  for (char** at = environ; *at != nullptr; ++at) variables.push_back(*at);
  variables.push_back(nullptr);
  pid_t process = 0;
  EXPECT_EQ(::posix_spawn(&process, program.c_str(), nullptr, nullptr,
                          arguments.data(), variables.data()),
            0);
  int status = 0;
  EXPECT_EQ(::waitpid(process, &status, 0), process);
  return status;
}

TEST(CompactionService, AKilledWorkerLosesNoJob) {
  for (const char* point : {"claim", "table", "result"}) {
    const ServiceFolder folder("killed");
    const auto service = NewService(OpenQueue(folder / "queue"));
    ServedDatabase db("killed-db", service);
    db.Fill();
    rocksdb::Status compacted;
    std::thread compaction([&] { compacted = db.Compact(); });
    const int status = RunChild(folder / "queue", point);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << point;
    EXPECT_FALSE(fs::is_empty(folder / "queue/claimed")) << point;
    {
      // The claim of the process that is gone ends at once.
      const RunningWorker worker(OpenQueue(
          folder / "queue", {.lease = std::chrono::milliseconds(-1)}));
      compaction.join();
    }
    Require(compacted);
    const CompactionServiceCounts counts = service->Counts();
    EXPECT_GT(counts.by_library, 0u) << Describe(counts);
    EXPECT_EQ(counts.local, 0u) << Describe(counts);
    db.Check();
    db.Reopen();
    db.Check();
  }
}

// Sums the statistics that RocksDB passes to listeners after compactions.
class Recorder final : public rocksdb::EventListener {
 public:
  void OnCompactionCompleted(rocksdb::DB* /*db*/,
                             const rocksdb::CompactionJobInfo& info) override {
    const std::lock_guard lock(mutex_);
    all_.Add(info.stats);
    all_.is_remote_compaction = info.stats.is_remote_compaction;
  }
  rocksdb::CompactionJobStats all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  rocksdb::CompactionJobStats all_;
};

TEST(CompactionService, TellsTheSameOfACompaction) {
  const ServiceFolder folder("stats");
  const auto queue = OpenQueue(folder / "queue");
  const RunningWorker worker(queue);
  std::array<rocksdb::CompactionJobStats, 2> stats;
  for (const bool is_served : {false, true}) {
    const auto recorder = std::make_shared<Recorder>();
    const auto service = NewService(queue);
    ServedDatabase db("stats-db", is_served ? service : nullptr,
                      [&](rocksdb::Options* options) {
                        options->listeners.push_back(recorder);
                      });
    db.Fill();
    Require(db.Compact());
    stats[is_served ? 1 : 0] = recorder->all();
  }
  const auto& [stock, ours] = stats;
  EXPECT_GT(stock.num_input_deletion_records, 0u);
  EXPECT_GT(stock.num_expired_deletion_records, 0u);
  EXPECT_GT(stock.num_records_replaced, 0u);
  EXPECT_FALSE(stock.is_remote_compaction);
  EXPECT_TRUE(ours.is_remote_compaction);
  EXPECT_TRUE(ours.has_accurate_num_input_records);
  EXPECT_EQ(ours.num_input_records, stock.num_input_records);
  EXPECT_EQ(ours.num_input_files, stock.num_input_files);
  EXPECT_EQ(ours.num_input_files_at_output_level,
            stock.num_input_files_at_output_level);
  EXPECT_EQ(ours.num_output_records, stock.num_output_records);
  EXPECT_EQ(ours.num_output_files, stock.num_output_files);
  EXPECT_EQ(ours.is_manual_compaction, stock.is_manual_compaction);
  EXPECT_EQ(ours.is_full_compaction, stock.is_full_compaction);
  EXPECT_EQ(ours.total_input_bytes, stock.total_input_bytes);
  EXPECT_EQ(ours.num_records_replaced, stock.num_records_replaced);
  EXPECT_EQ(ours.total_input_raw_key_bytes, stock.total_input_raw_key_bytes);
  EXPECT_EQ(ours.total_input_raw_value_bytes,
            stock.total_input_raw_value_bytes);
  EXPECT_EQ(ours.num_input_deletion_records, stock.num_input_deletion_records);
  EXPECT_EQ(ours.num_expired_deletion_records,
            stock.num_expired_deletion_records);
  EXPECT_EQ(ours.smallest_output_key_prefix, stock.smallest_output_key_prefix);
  EXPECT_EQ(ours.largest_output_key_prefix, stock.largest_output_key_prefix);
}

// A range deletion begins before the first entry of its table, and ends after
// the last one. What it hides is at a deeper level.
TEST(CompactionService, RangeDeletionsReachBeyondEntries) {
  const ServiceFolder folder("ranges");
  const auto queue = OpenQueue(folder / "queue");
  const RunningWorker worker(queue);
  const auto service = NewService(queue);
  ServedDatabase db("ranges-db", service);
  for (const char* key : {"b", "d", "m", "x", "z"}) {
    Require(db->Put({}, key, "old"));
  }
  Require(db->Flush({}));
  Require(db.Compact());
  Require(db->DeleteRange({}, db->DefaultColumnFamily(), "c", "y"));
  Require(db->Put({}, "m", "new"));
  Require(db->Put({}, "n", "new"));
  Require(db->Flush({}));
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const rocksdb::LiveFileMetaData& file : files) {
    if (file.level == 0) names.push_back(file.name);
  }
  ASSERT_EQ(names.size(), 1u);
  const uint64_t before = service->Counts().by_library;
  Require(db->CompactFiles({}, names, 1));
  EXPECT_EQ(service->Counts().by_library, before + 1)
      << Describe(service->Counts());
  const auto value_of = [&db](const char* key) {
    std::string value;
    return db->Get({}, key, &value).ok() ? value : "none";
  };
  EXPECT_EQ(value_of("b"), "old");
  EXPECT_EQ(value_of("d"), "none");
  EXPECT_EQ(value_of("m"), "new");
  EXPECT_EQ(value_of("x"), "none");
  EXPECT_EQ(value_of("z"), "old");
}

// A compaction zeroes timestamps that are low enough, and so makes keys that
// are smaller than all of its inputs, if timestamps count. RocksDB divides it.
TEST(CompactionService, TimestampsAreNoPartOfARange) {
  const ServiceFolder folder("times");
  const auto queue = OpenQueue(folder / "queue");
  const RunningWorker worker(queue);
  const auto service = NewService(queue);
  ServedDatabase db("times-db", service, [](rocksdb::Options* options) {
    options->comparator = rocksdb::BytewiseComparatorWithU64Ts();
    options->max_subcompactions = 4;
    options->target_file_size_base = 4096;
  });
  for (const uint64_t time : {10, 20}) {
    const std::string timestamp = ashlar::EncodeU64Ts(time);
    for (int i = 0; i < 2000; ++i) {
      const std::string key = "k" + std::to_string(10000 + i);
      const std::string value = std::to_string(time) + std::string(50, 'v');
      Require(db->Put({}, key, timestamp, value));
      // A key that begins with another one.
      Require(db->Put({}, key + '\0', timestamp, value));
    }
    Require(db->Flush({}));
  }
  Require(db->IncreaseFullHistoryTsLow(db->DefaultColumnFamily(),
                                       ashlar::EncodeU64Ts(100)));
  Require(db.Compact());
  const CompactionServiceCounts counts = service->Counts();
  EXPECT_GT(counts.by_rocksdb, 0u) << Describe(counts);
  EXPECT_EQ(counts.local, 0u) << Describe(counts);
  const std::string now = ashlar::EncodeU64Ts(100);
  const rocksdb::Slice now_slice(now);
  rocksdb::ReadOptions read;
  read.timestamp = &now_slice;
  for (const char* key : {"k10000", "k11999"}) {
    std::string value;
    Require(db->Get(read, key, &value));
    EXPECT_EQ(value.substr(0, 2), "20");
  }
}

TEST(CompactionService, ServesColumnFamiliesWithAnyName) {
  const ServiceFolder folder("families");
  const auto queue = OpenQueue(folder / "queue");
  const RunningWorker worker(queue);
  const auto service = NewService(queue);
  ServedDatabase db("families-db", service);
  rocksdb::ColumnFamilyOptions options;
  options.disable_auto_compactions = true;
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(2));
  std::unique_ptr<rocksdb::ColumnFamilyHandle> family;
  {
    rocksdb::ColumnFamilyHandle* made = nullptr;
    Require(db->CreateColumnFamily(options, "od=d #\"n\\a]me\"\n", &made));
    family.reset(made);
  }
  for (int table = 0; table < 2; ++table) {
    for (int i = 0; i < 100; ++i) {
      Require(db->Put({}, family.get(), std::to_string(1000 + i),
                      std::to_string(table)));
    }
    Require(db->Flush({}, family.get()));
  }
  Require(db->CompactRange({}, family.get(), nullptr, nullptr));
  std::string value;
  Require(db->Get({}, family.get(), "1050", &value));
  EXPECT_EQ(value, "1");
  const CompactionServiceCounts counts = service->Counts();
  EXPECT_GT(counts.by_library, 0u) << Describe(counts);
  EXPECT_EQ(counts.local, 0u) << Describe(counts);
}

}  // namespace
}  // namespace ashlar_rocksdb
