// CompactionJob: one compaction, or one part of a compaction, that a database
// hands to a worker.
//
// The database side fills it in (plugin/rocksdb/compaction_service) and a
// worker runs it. It travels as one JSON object, which
// docs/compaction-service.md describes member by member. The job says
// everything that a worker must know: a worker reads the input files, and
// nothing else of the database, unless it leaves the job to RocksDB.
//
// Plain values. This folder knows no RocksDB.
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_COMPACTION_JOB_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_COMPACTION_JOB_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/util/export.h"
#include "ashlar/util/status.h"

namespace ashlar_rocksdb {

// Options as RocksDB writes them into an OPTIONS file: name and text.
using OptionTexts = std::map<std::string, std::string>;

// A file as the database's MANIFEST describes it. Keys are internal keys.
struct JobInputFile {
  std::string path;
  int level = 0;
  uint64_t size = 0;  // bytes
  std::string smallest;
  std::string largest;
  uint64_t smallest_seqno = 0;
  uint64_t largest_seqno = 0;
  uint64_t epoch_number = 0;
  uint64_t oldest_ancester_time = 0;     // seconds since 1970; 0: unknown
  uint64_t oldest_blob_file_number = 0;  // 0: none
};

// A file below the output level whose keys the job's inputs may hide.
struct JobDeeperFile {
  int level = 0;
  uint64_t size = 0;  // bytes
  std::string smallest;
  std::string largest;
};

struct JobDatabase {
  std::string path;
  std::string id;
  std::string session_id;
  uint64_t options_file_number = 0;
};

struct JobColumnFamily {
  uint64_t id = 0;
  std::string name;
  std::string comparator;  // its name
};

struct JobOptions {
  OptionTexts database;
  OptionTexts column_family;
  std::string table_factory;  // its name
  OptionTexts table;
};

struct CompactionJob {
  // Unique among all databases; IsJobId.
  std::string id;
  std::string rocksdb_release;  // "11.8.1"
  JobDatabase database;
  JobColumnFamily column_family;
  std::string reason;  // why RocksDB compacts, for people
  bool is_manual = false;
  bool is_full = false;

  // Whether no older data of the inputs' key range is in any other file.
  bool bottommost = false;
  int base_input_level = 0;
  int output_level = 0;
  // The folder below which a worker makes one folder for its output files. It
  // must be on the file system of the database, which takes the files by
  // renaming them.
  std::string output_folder;

  // Sequence numbers of the live snapshots, ascending.
  std::vector<uint64_t> snapshots;
  // User keys between which entries are taken; the end is exclusive.
  std::optional<std::string> begin;
  std::optional<std::string> end;

  uint64_t target_file_size = 0;        // bytes
  uint64_t max_compaction_bytes = 0;    // bytes
  uint64_t compression = 0;             // RocksDB's number of the codec
  bool bottommost_compression = false;  // bottommost_compression_opts apply

  std::vector<JobInputFile> inputs;
  std::vector<JobDeeperFile> deeper_files;
  JobOptions options;
  // What RocksDB passes to its own worker: DB::OpenAndCompact takes it.
  std::string rocksdb_input;
};

// Returns whether the text may be a job's id: 1 to 128 letters, digits, '-' and
// '_'. Ids become names of files, so nothing else may be in them.
bool IsJobId(std::string_view text);

// Sets *text to the job as JSON of one line. Returns InvalidArgument if a text
// of the job is not UTF-8.
ASHLAR_EXPORT ashlar::Status WriteJob(CompactionJob job, std::string* text);

// Reads a job that anyone has written. Returns InvalidArgument, which names the
// member, if the text is no job of this format.
ASHLAR_EXPORT ashlar::Status ReadJob(const std::string& text,
                                     CompactionJob* job);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_COMPACTION_JOB_H_
