// LibraryOutputs: the tables that Ashlar's compaction library writes for a job.
//
// One thread at a time: a job runs as one part.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_OUTPUTS_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_OUTPUTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/file.h"
#include "compaction_job.h"
#include "compaction_result.h"

namespace ashlar_rocksdb {

// The hash by which RocksDB compares what was written with what it reads: of
// all keys and values of a table. RocksDB makes the same.
class WrittenHash {
 public:
  void Add(const ashlar::Slice& internal_key, const ashlar::Slice& value);
  void Reset() { hash_ = 0; }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0;
};

class LibraryOutputs final : public ashlar::CompactionOutputs {
 public:
  struct Options {
    std::string folder;  // exists, and is empty
    std::string db_id;
    std::string db_session_id;
    uint64_t file_creation_time = 0;  // seconds since 1970
    uint64_t newest_key_time = 0;
    bool hashes_entries = false;
  };

  // `job` must outlive this.
  LibraryOutputs(const CompactionJob& job, const ashlar::Comparator* comparator,
                 Options options);
  // Files that have their names stay: the folder is its maker's.
  ~LibraryOutputs() override;

  ashlar::Result<ashlar::WritableFile*> Begin(
      size_t number, ashlar::TableOptions* table_options,
      ashlar::BuildOptions* build_options) override;
  ashlar::Status End(const ashlar::CompactionOutput& output) override;
  void Drop(size_t number) override;

  // In key order. After the compaction.
  const std::vector<JobOutputFile>& files() const { return files_; }
  // Entries of all files, range deletions not counted.
  uint64_t entries() const { return entries_; }
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t OldestAncesterTime(const std::string* smallest,
                              const std::string* largest) const;

  const CompactionJob& job_;
  const ashlar::Comparator* const comparator_;
  const Options options_;
  uint64_t epoch_number_;
  WrittenHash hash_;
  std::unique_ptr<ashlar::AtomicFile> file_;  // null between two outputs
  std::vector<JobOutputFile> files_;
  uint64_t entries_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_LIBRARY_OUTPUTS_H_
