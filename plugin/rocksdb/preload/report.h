// What a process did by Ashlar, for programs that start many processes: if the
// environment variable ASHLAR_ROCKSDB_REPORT names a file, a line of JSON is
// appended to it when the process ends, with the fields of TableCounts.
#ifndef ASHLAR_PLUGIN_ROCKSDB_PRELOAD_REPORT_H_
#define ASHLAR_PLUGIN_ROCKSDB_PRELOAD_REPORT_H_

namespace ashlar_rocksdb {

// To be called once.
void ReportAtExit();

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_PRELOAD_REPORT_H_
