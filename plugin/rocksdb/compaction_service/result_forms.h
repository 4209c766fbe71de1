// RocksDB's CompactionServiceResult as a CompactionJobResult, and back.
//
// Pure functions: thread-safe.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_RESULT_FORMS_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_RESULT_FORMS_H_

#include <string>

#include "ashlar/util/status.h"
#include "compaction_job.h"
#include "compaction_result.h"
#include "rocksdb/table_properties.h"

namespace ashlar_rocksdb {

// Sets what RocksDB's worker says, from the text that DB::OpenAndCompact
// returns.
ashlar::Status FromRocksDBResult(const std::string& text,
                                 CompactionJobResult* result);

// Sets *text to what CompactionService::Wait returns. Returns
// InvalidArgument if the result says what RocksDB cannot hold.
ashlar::Status ToRocksDBResult(const CompactionJob& job,
                               const CompactionJobResult& result,
                               std::string* text);

// Table properties as JobOutputFile has them.
ashlar::Status PropertiesText(const rocksdb::TableProperties& properties,
                              std::string* text);
// Reads them again. Returns InvalidArgument, which names the file.
ashlar::Status ParseProperties(const JobOutputFile& file,
                               rocksdb::TableProperties* properties);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_RESULT_FORMS_H_
