// CompactionJobResult: what a worker says about a job that it has run.
//
// It travels as one JSON object, which docs/compaction-service.md describes.
// The database side turns it into RocksDB's own form (plugin/rocksdb/
// compaction_service). Plain values. This folder knows no RocksDB.
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_COMPACTION_RESULT_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_COMPACTION_RESULT_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ashlar/util/export.h"
#include "ashlar/util/status.h"

namespace ashlar_rocksdb {

// A table that is ready to be installed. Names are RocksDB's.
struct JobOutputFile {
  std::string file_name;  // within the result's output_path
  uint64_t file_size = 0;
  uint64_t smallest_seqno = 0;
  uint64_t largest_seqno = 0;
  std::string smallest;  // internal keys
  std::string largest;
  uint64_t oldest_ancester_time = 0;
  uint64_t file_creation_time = 0;
  uint64_t epoch_number = 0;
  std::string file_checksum;
  std::string file_checksum_func_name;
  uint64_t paranoid_hash = 0;
  bool marked_for_compaction = false;
  std::array<uint64_t, 2> unique_id = {};
  bool is_proximal_level_output = false;
  uint64_t file_temperature = 0;
  // RocksDB's TableProperties::Serialize.
  std::string table_properties;
};

// Counters by RocksDB's names. Flags are 0 or 1.
using Figures = std::map<std::string, uint64_t>;

struct CompactionJobResult {
  std::string id;
  uint64_t attempt = 0;
  std::string worker;  // its name, for people
  // Who has run the job: "library", "rocksdb", or "nobody" if `error` says why.
  std::string by;
  // Why the library did not run it. Empty if it did.
  std::string library_obstacle;
  // What was wrong. Empty: the job is done. With an error, nothing below
  // counts.
  std::string error;

  std::string output_path;
  int output_level = 0;
  std::vector<JobOutputFile> output_files;  // in key order
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  Figures stats;               // of RocksDB's CompactionJobStats
  Figures output_level_stats;  // of RocksDB's CompactionStats
  bool has_proximal_level_output = false;
  Figures proximal_level_stats;
};

// Sets *text to the result as JSON of one line. Returns InvalidArgument if a
// text of the result is not UTF-8.
ASHLAR_EXPORT ashlar::Status WriteResult(CompactionJobResult result,
                                         std::string* text);

// Reads a result that anyone has written. Returns InvalidArgument, which names
// the member, if the text is no result of this format. File names are checked
// to be plain names.
ASHLAR_EXPORT ashlar::Status ReadResult(const std::string& text,
                                        CompactionJobResult* result);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_COMPACTION_RESULT_H_
