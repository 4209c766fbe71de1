// mini_lsm: a small storage engine on top of Ashlar. README.md is a tour of it.
//
// Threads. Any number of threads may call any function at once, but the
// destructor. Writes wait for each other (write_mutex_). There is no background
// thread: the write that finds the memtable full flushes it, and compacts what
// is due, before it goes on. So a run of one thread is the same each time, as
// the crash test needs it. Reads never wait for that: they take the present
// View and a sequence number under state_mutex_, for a few instructions.
//
// Errors. After a write, flush or compaction has failed, all later writes
// return its error: what is on disk is not known until the next Open. Reads go
// on. A lack of memory throws std::bad_alloc.
#ifndef ASHLAR_TOOLS_EXAMPLES_MINI_LSM_DB_H_
#define ASHLAR_TOOLS_EXAMPLES_MINI_LSM_DB_H_

#include "ashlar/table/numbered_outputs.h"
#include "tools/examples/mini_lsm/log.h"
#include "tools/examples/mini_lsm/version.h"

namespace mini_lsm {

// Names, defaults and meanings are RocksDB's.
struct Options {
  size_t write_buffer_size = size_t{64} << 20;
  size_t level0_file_num_compaction_trigger = 4;
  uint64_t max_bytes_for_level_base = uint64_t{256}
                                      << 20;  // then 10 times more
  uint64_t target_file_size_base = uint64_t{64} << 20;
  int max_open_files = 1000;
  std::shared_ptr<ashlar::Cache> block_cache;  // null: none
  std::shared_ptr<const ashlar::MergeOperator> merge_operator;
  ashlar::TableOptions table;
  // Whether tables and manifests are synced before they count. Without, they
  // survive a kill of the process, but maybe not a crash of the machine.
  bool sync_files = true;
};

// What a read looks at. Never changes but that the memtable grows.
struct View {
  std::shared_ptr<Memtable> memtable;
  ashlar::TableVersion version;
};

// A UserIterator, with what it walks over. The Db must outlive it.
struct DbIterator {
  ashlar::UserIterator* operator->() { return &it; }

  const std::shared_ptr<const View> view;
  const ashlar::OpenedTables tables;
  ashlar::UserIterator it;
};

class Db {
 public:
  static constexpr SequenceNumber kNow = ashlar::kMaxSequenceNumber;

  // Opens the database in this folder, which is made if it is not there. One
  // process at a time may use it; nothing checks that.
  static ashlar::Result<std::unique_ptr<Db>> Open(const std::string& folder,
                                                  const Options& options);

  // Writes all of the batch, at most kMostBatchBytes, or nothing. It survives a
  // kill of the process once this returns ok, and with `sync` a crash of the
  // machine.
  static constexpr size_t kMostBatchBytes = size_t{64} << 20;
  Status Write(const WriteBatch& batch, bool sync = false);

  // Get sets *value, or returns NotFound. MultiGet does so for each key.
  Status Get(const Slice& key, std::string* value,
             SequenceNumber snapshot = kNow);
  void MultiGet(std::span<const Slice> keys, std::span<std::string> values,
                std::span<Status> statuses, SequenceNumber snapshot = kNow);
  // Options are those of UserIterator, less `snapshot`.
  ashlar::Result<std::unique_ptr<DbIterator>> NewIterator(
      SequenceNumber snapshot = kNow, ashlar::ReadOptions options = {});

  // A snapshot keeps what can be read now, until it is released.
  SequenceNumber GetSnapshot();
  void ReleaseSnapshot(SequenceNumber snapshot);

  Status Flush();    // makes a table of the memtable
  Status Compact();  // flushes, and moves all entries to the last level

 private:
  static constexpr size_t kLastLevel = ashlar::TableVersion::kDefaultLevels - 1;

  Db(const std::string& folder, const Options& options)
      : folder_(folder), options_(options) {}
  Status Recover();
  std::shared_ptr<const View> ViewAt(SequenceNumber* snapshot);
  // These are in compaction.cc. The caller holds write_mutex_.
  ashlar::CompactionOptions JobOptions();
  Status MakeTables(const ashlar::CompactionOptions& options,
                    const std::vector<ashlar::CompactionRun>& runs,
                    std::vector<ashlar::CompactionMemory> memory,
                    ashlar::VersionLevel* tables);
  Status FlushMemtable();
  bool IsDue(size_t level, uint64_t most_bytes) const;
  Status CompactWhatIsDue();
  Status CompactLevel(size_t level);
  Status RunCompaction(const ashlar::TableVersion& inputs, size_t output_level);
  Status Install(Manifest next, std::shared_ptr<Memtable> memtable);

  const std::string folder_;
  const Options options_;
  std::unique_ptr<ashlar::TableCache> tables_;

  std::mutex write_mutex_;  // for these, and for writing the memtable
  Status failed_;
  std::unique_ptr<ashlar::WritableFile> log_;
  Manifest manifest_;  // that on disk; but next_file may be ahead of it

  std::mutex state_mutex_;  // for these; taken after write_mutex_
  std::shared_ptr<const View> view_;
  SequenceNumber sequence_ = 0;  // of the last write that reads see
  std::multiset<SequenceNumber> snapshots_;
};

}  // namespace mini_lsm

#endif  // ASHLAR_TOOLS_EXAMPLES_MINI_LSM_DB_H_
