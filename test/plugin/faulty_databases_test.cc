// RocksDB on Ashlar's tables against RocksDB on its own, while files fail.
//
// One operation on a table file fails at a time: the first, the second and so
// on, in a flush, a compaction, an open and in reads of a small database. What
// RocksDB reports must not depend on whose tables they are: statuses with their
// subcode and severity, the errors that a listener gets, and how the database
// recovers. It never answers wrongly.
//
// Ashlar may do other operations than RocksDB, or in another order. So the
// outcomes are compared by the kind of operation that failed.
#include <env/composite_env_wrapper.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "plugin/rocksdb/ashlar_rocksdb.h"
#include "test/plugin/faulty_tables_fs.h"
#include "test/support/thorough.h"

namespace ashlar::testing {

void PrintTo(TableOperation operation, std::ostream* out) {
  static constexpr const char* kNames[] = {"create", "append", "flush", "sync",
                                           "close",  "open",   "size",  "read"};
  *out << kNames[static_cast<size_t>(operation)];
}

namespace {

using rocksdb::IOStatus;
using rocksdb::Slice;
using rocksdb::Status;

// What can be seen of a run, by the operation that failed.
using Outcomes = std::map<TableOperation, std::set<std::string>>;

std::string Shown(const Status& status) {
  if (status.ok()) return "OK";
  return "code " + std::to_string(static_cast<int>(status.code())) + "." +
         std::to_string(static_cast<int>(status.subcode())) + " severity " +
         std::to_string(static_cast<int>(status.severity())) + " '" +
         (status.getState() != nullptr ? status.getState() : "") + "'";
}

struct NamedError {
  const char* name;
  IOStatus (*make)();
};
IOStatus Retryable() {
  IOStatus error = IOStatus::IOError("by the test");
  error.SetRetryable(true);
  return error;
}
IOStatus DataLoss() {
  IOStatus error = IOStatus::IOError("by the test");
  error.SetDataLoss(true);
  return error;
}
IOStatus FileScope() {
  IOStatus error = IOStatus::IOError("by the test");
  error.SetScope(IOStatus::kIOErrorScopeFile);
  return error;
}
IOStatus NoSpace() { return IOStatus::NoSpace("by the test"); }
IOStatus Fenced() { return IOStatus::IOFenced("by the test"); }
IOStatus Corrupt() { return IOStatus::Corruption("by the test"); }
const NamedError kErrors[] = {
    {"Retryable", Retryable}, {"DataLoss", DataLoss}, {"FileScope", FileScope},
    {"NoSpace", NoSpace},     {"Fenced", Fenced},     {"Corrupt", Corrupt},
};

// Notes the errors of the background, and keeps RocksDB from recovery by
// itself, whose time is not known.
class ErrorListener final : public rocksdb::EventListener {
 public:
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason,
                         Status* error) override {
    const std::scoped_lock lock(mutex_);
    errors_ += " background " + std::to_string(static_cast<int>(reason)) +
               ": " + Shown(*error) + ";";
  }
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, Status,
                            bool* auto_recovery) override {
    *auto_recovery = false;
  }
  std::string errors() const {
    const std::scoped_lock lock(mutex_);
    return errors_;
  }

 private:
  mutable std::mutex mutex_;
  std::string errors_;
};

constexpr int kKeys = 60;

// A database in memory. Its contents are always the same.
class FaultyDatabase {
 public:
  FaultyDatabase(bool on_ashlar, bool has_partitions)
      : memory_(rocksdb::NewMemEnv(rocksdb::Env::Default())),
        faults_(std::make_shared<rocksdb::FaultInjectionTestFS>(
            memory_->GetFileSystem())),
        fs_(std::make_shared<FaultyTablesFs>(faults_)),
        env_(std::make_unique<rocksdb::CompositeEnvWrapper>(
            rocksdb::Env::Default(), fs_,
            std::make_shared<SleeplessClock>(rocksdb::SystemClock::Default()))),
        listener_(std::make_shared<ErrorListener>()) {
    faults_->SetInjectUnsyncedDataLoss(true);
    rocksdb::BlockBasedTableOptions table;
    table.block_size = 256;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.no_block_cache = true;
    if (has_partitions) {
      table.no_block_cache = false;
      table.block_cache = rocksdb::NewLRUCache(4 << 20);
      table.cache_index_and_filter_blocks = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
      table.metadata_block_size = 64;
    }
    ashlar_rocksdb::AshlarTableOptions ashlar;
    ashlar.allow_fallback = false;
    ashlar.build = on_ashlar;
    ashlar.read = on_ashlar;
    options_.table_factory.reset(
        ashlar_rocksdb::NewAshlarTableFactory(table, ashlar));
    options_.env = env_.get();
    options_.create_if_missing = true;
    options_.compression = rocksdb::kNoCompression;
    options_.disable_auto_compactions = true;
    options_.max_bgerror_resume_count = 0;
    // One thread opens all tables, so that only one operation meets the fault.
    options_.max_file_opening_threads = 1;
    options_.writable_file_max_buffer_size = 2048;
    options_.listeners.push_back(listener_);
  }

  FaultyTablesFs& fs() { return *fs_; }
  rocksdb::DB& db() { return *db_; }
  std::string background_errors() const { return listener_->errors(); }

  bool is_open() const { return db_ != nullptr; }
  Status Open() { return rocksdb::DB::Open(options_, "/faulty", &db_); }
  Status Close() {
    if (db_ == nullptr) return Status::OK();
    const Status status = db_->Close();
    db_.reset();
    return status;
  }
  // Makes two tables, and entries in memory that hide half of theirs.
  void Fill() {
    Require(Open());
    for (int table = 0; table < 2; ++table) {
      for (int i = 0; i < kKeys; ++i) Require(Put(i, table));
      Require(db_->Flush({}));
    }
    Settle();
    for (int i = 0; i < kKeys; i += 2) Require(Put(i, 2));
    Require(db_->SyncWAL());
  }
  // Waits for the ends of jobs that have reported to their callers already.
  void Settle() {
    if (is_open()) db_->WaitForCompact({}).PermitUncheckedError();
  }
  static std::string Key(int i) { return "key" + std::to_string(100 + i); }
  static std::string Expected(int i) { return Value(i, i % 2 == 0 ? 2 : 1); }

  // Reads all keys by Get. Returns the statuses of those that failed.
  std::string Get() {
    std::set<std::string> failures;
    for (int i = 0; i < kKeys; ++i) {
      rocksdb::PinnableSlice value;
      const Status status =
          db_->Get({}, db_->DefaultColumnFamily(), Key(i), &value);
      Judge(i, status, value, &failures);
    }
    return Joined(failures);
  }
  std::string MultiGet() {
    std::vector<std::string> keys;
    for (int i = 0; i < kKeys; ++i) keys.push_back(Key(i));
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(kKeys);
    std::vector<Status> statuses(kKeys);
    db_->MultiGet({}, db_->DefaultColumnFamily(), kKeys, slices.data(),
                  values.data(), statuses.data());
    std::set<std::string> failures;
    for (int i = 0; i < kKeys; ++i) {
      const auto at = static_cast<size_t>(i);
      Judge(i, statuses[at], values[at], &failures);
    }
    return Joined(failures);
  }
  // Walks to the end, or to an error.
  std::string Walk(bool backward) {
    const std::unique_ptr<rocksdb::Iterator> walk(db_->NewIterator({}));
    int steps = 0;
    backward ? walk->SeekToLast() : walk->SeekToFirst();
    for (; walk->Valid(); backward ? walk->Prev() : walk->Next(), ++steps) {
      const int i = backward ? kKeys - 1 - steps : steps;
      EXPECT_EQ(walk->key().ToString(), Key(i));
      EXPECT_EQ(walk->value().ToString(), Expected(i));
    }
    if (walk->status().ok()) {
      EXPECT_EQ(steps, kKeys);
    }
    return Shown(walk->status());
  }
  std::string Seek() {
    const std::unique_ptr<rocksdb::Iterator> walk(db_->NewIterator({}));
    std::set<std::string> failures;
    for (int i = 0; i < kKeys; ++i) {
      walk->Seek(Key(i));
      if (!walk->Valid()) {
        EXPECT_FALSE(walk->status().ok()) << Key(i);
        failures.insert(Shown(walk->status()));
        continue;
      }
      EXPECT_EQ(walk->key().ToString(), Key(i));
      EXPECT_EQ(walk->value().ToString(), Expected(i));
    }
    return Joined(failures);
  }
  std::string ReadAll() {
    return Get() + "; " + MultiGet() + "; " + Walk(false) + "; " + Walk(true);
  }

  static void Require(const Status& status) {
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

 private:
  static std::string Value(int i, int table) {
    return std::to_string(table) + std::string(100, static_cast<char>('!' + i));
  }
  Status Put(int i, int table) { return db_->Put({}, Key(i), Value(i, table)); }
  // A wrong answer is worse than an error.
  static void Judge(int i, const Status& status,
                    const rocksdb::PinnableSlice& value,
                    std::set<std::string>* failures) {
    if (!status.ok()) {
      EXPECT_FALSE(status.IsNotFound()) << Key(i);
      failures->insert(Shown(status));
      return;
    }
    EXPECT_EQ(value.ToString(), Expected(i)) << Key(i);
  }
  static std::string Joined(const std::set<std::string>& failures) {
    if (failures.empty()) return "OK";
    std::string text;
    for (const std::string& each : failures) text += each + ", ";
    return text;
  }

  const std::unique_ptr<rocksdb::Env> memory_;
  const std::shared_ptr<rocksdb::FaultInjectionTestFS> faults_;
  const std::shared_ptr<FaultyTablesFs> fs_;
  const std::unique_ptr<rocksdb::Env> env_;
  const std::shared_ptr<ErrorListener> listener_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

// What is done while an operation fails.
struct Work {
  const char* name;
  // Returns what could be seen.
  std::string (*run)(FaultyDatabase* database);
  // What is done before the fault can come: nothing, closing the database, or
  // a flush, so that a compaction does not begin with one.
  enum class Begin : uint8_t { kFilled, kClosed, kFlushed };
  Begin begin = Begin::kFilled;
  // Whether Ashlar may get along with one failed read: it reads a block again,
  // by itself, if a read that the block shared with others has failed. RocksDB
  // gives the error to all of them.
  bool may_read_again = false;
};

std::string Open(FaultyDatabase* database) { return Shown(database->Open()); }
std::string Flush(FaultyDatabase* database) {
  return Shown(database->db().Flush({}));
}
std::string Compact(FaultyDatabase* database) {
  return Shown(database->db().CompactRange({}, nullptr, nullptr));
}
std::string Get(FaultyDatabase* database) { return database->Get(); }
std::string MultiGet(FaultyDatabase* database) { return database->MultiGet(); }
std::string Walk(FaultyDatabase* database) { return database->Walk(false); }
std::string WalkBack(FaultyDatabase* database) { return database->Walk(true); }
std::string Seek(FaultyDatabase* database) { return database->Seek(); }

constexpr Work kOpens = {"Open", Open, Work::Begin::kClosed};
constexpr Work kBuilds[] = {{"Flush", Flush},
                            {"Compact", Compact, Work::Begin::kFlushed}};
constexpr Work kReads[] = {
    {"Get", Get},
    {"MultiGet", MultiGet, Work::Begin::kFilled, /*may_read_again=*/true},
    {"Walk", Walk},
    {"WalkBack", WalkBack},
    {"Seek", Seek}};

enum class Recovery : uint8_t { kResume, kCrash };

// Ends the fault. Returns what the database reports then. It must have all
// entries.
std::string Recover(FaultyDatabase* database, Recovery recovery) {
  std::string seen;
  if (recovery == Recovery::kCrash) {
    database->Close().PermitUncheckedError();
    database->fs().Heal();
    database->fs().LoseUnsynced();
  }
  database->fs().Heal();
  if (database->is_open()) {
    seen += "; resume " + Shown(database->db().Resume());
    seen += "; reads " + database->ReadAll();
    seen += "; flush " + Flush(database);
    seen += "; compaction " + Compact(database);
    seen += "; close " + Shown(database->Close());
  }
  seen += ";" + database->background_errors();
  const Status status = database->Open();
  seen += " open " + Shown(status);
  if (status.ok()) {
    EXPECT_EQ(database->ReadAll(), "OK; OK; OK; OK");
  }
  return seen;
}

struct Setting {
  bool has_partitions = false;
  TableFault fault;
  Recovery recovery = Recovery::kResume;
  // How much further in the work each fault is than the one before.
  uint64_t step = 1;
};

// Does the work as often as it has operations on tables, and lets another one
// fail each time. Each time it has a new database.
Outcomes OutcomesOf(bool on_ashlar, const Work& work, const Setting& setting) {
  Outcomes outcomes;
  TableFault fault = setting.fault;
  for (fault.number = 1;; fault.number += setting.step) {
    FaultyDatabase database(on_ashlar, setting.has_partitions);
    database.Fill();
    if (::testing::Test::HasFatalFailure()) return outcomes;
    if (work.begin == Work::Begin::kClosed) {
      FaultyDatabase::Require(database.Close());
    } else if (work.begin == Work::Begin::kFlushed) {
      FaultyDatabase::Require(database.db().Flush({}));
      database.Settle();
    }
    database.fs().Plan(fault);
    std::string seen = work.run(&database);
    database.Settle();
    if (!database.fs().failed().has_value()) return outcomes;
    if (database.is_open()) {
      const std::string reads = database.ReadAll();
      // While the fault lasts, what the cache has decides.
      if (!fault.lasts) seen += "; reads " + reads;
    }
    seen += Recover(&database, setting.recovery);
    outcomes[*database.fs().failed()].insert(seen);
  }
}

void ExpectSameOutcomes(const Work& work, const Setting& setting) {
  SCOPED_TRACE(std::string(work.name) +
               (setting.fault.lasts ? ", the fault lasts" : "") +
               (setting.has_partitions ? ", partitions" : ""));
  const Outcomes stock = OutcomesOf(false, work, setting);
  Outcomes ashlar = OutcomesOf(true, work, setting);
  if (work.may_read_again && !setting.fault.lasts) {
    std::erase_if(ashlar[TableOperation::kRead], [](const std::string& seen) {
      return seen.starts_with("OK;");
    });
  }
  EXPECT_FALSE(stock.empty());
  for (const auto& [operation, seen] : ashlar) {
    const auto expected = stock.find(operation);
    if (expected == stock.end()) {
      ADD_FAILURE() << "RocksDB does no "
                    << ::testing::PrintToString(operation);
      continue;
    }
    // Reads that all went again leave nothing to compare.
    if (seen.empty()) continue;
    EXPECT_EQ(seen, expected->second) << ::testing::PrintToString(operation);
  }
}

class FaultyDatabases : public ::testing::TestWithParam<NamedError> {};

TEST_P(FaultyDatabases, ReportAndRecoverAfterBuildsAsStock) {
  for (const Work& work : kBuilds) {
    const IOStatus error = GetParam().make();
    ExpectSameOutcomes(work, {.fault = {.error = error}});
    ExpectSameOutcomes(work, {.fault = {.error = error, .lasts = true}});
    ExpectSameOutcomes(work, {.fault = {.error = error, .lasts = true},
                              .recovery = Recovery::kCrash});
  }
}

TEST_P(FaultyDatabases, ReportFailedReadsAsStock) {
  // A read of one block is like another.
  const uint64_t step = IsThorough() ? 1 : 7;
  for (const bool has_partitions : {false, true}) {
    for (const bool lasts : {false, true}) {
      for (const Work& work : kReads) {
        ExpectSameOutcomes(
            work, {.has_partitions = has_partitions,
                   .fault = {.error = GetParam().make(), .lasts = lasts},
                   .step = step});
      }
    }
  }
}

TEST_P(FaultyDatabases, ReportFailedOpensAsStock) {
  for (const bool has_partitions : {false, true}) {
    for (const bool lasts : {false, true}) {
      ExpectSameOutcomes(
          kOpens, {.has_partitions = has_partitions,
                   .fault = {.error = GetParam().make(), .lasts = lasts}});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FaultyDatabases, ::testing::ValuesIn(kErrors),
                         [](const ::testing::TestParamInfo<NamedError>& each) {
                           return std::string(each.param.name);
                         });

}  // namespace
}  // namespace ashlar::testing
