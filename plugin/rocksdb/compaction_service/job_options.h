// JobOptions as RocksDB's option structs.
//
// Both sides need them: the database side to know sizes and codecs, the worker
// to plan tables. Pure functions: thread-safe.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_JOB_OPTIONS_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_JOB_OPTIONS_H_

#include <string>
#include <unordered_map>

#include "ashlar/util/status.h"
#include "compaction_job.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace ashlar_rocksdb {

struct ParsedOptions {
  rocksdb::DBOptions database;
  // Objects that this process does not know are null or the default.
  rocksdb::ColumnFamilyOptions column_family;
  rocksdb::BlockBasedTableOptions table;
};

// Parses the options. `table_problem` is set to what RocksDB says if the table
// options name an object that this process does not know, such as a filter
// policy; empty: nothing. Returns InvalidArgument if a text is no value of its
// option.
ashlar::Status ParseOptions(const JobOptions& options, ParsedOptions* parsed,
                            std::string* table_problem);

// The same form that RocksDB's parsers take.
inline std::unordered_map<std::string, std::string> AsOptionMap(
    const OptionTexts& options) {
  return {options.begin(), options.end()};
}

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_JOB_OPTIONS_H_
