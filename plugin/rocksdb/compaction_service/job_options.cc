#include "job_options.h"

#include "rocksdb/convenience.h"

namespace ashlar_rocksdb {

namespace {

rocksdb::ConfigOptions Config(bool ignore_unsupported) {
  rocksdb::ConfigOptions config;
  // Preparing would make block caches and the like, which nobody needs here.
  config.invoke_prepare_options = false;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = ignore_unsupported;
  return config;
}

}  // namespace

ashlar::Status ParseOptions(const JobOptions& options, ParsedOptions* parsed,
                            std::string* table_problem) {
  *parsed = ParsedOptions();
  table_problem->clear();
  rocksdb::Status status = rocksdb::GetDBOptionsFromMap(
      Config(true), {}, AsOptionMap(options.database), &parsed->database);
  if (status.ok()) {
    status = rocksdb::GetColumnFamilyOptionsFromMap(
        Config(true), {}, AsOptionMap(options.column_family),
        &parsed->column_family);
  }
  if (!status.ok()) {
    return ashlar::Status::InvalidArgument("the job's options: " +
                                           status.ToString());
  }
  status = rocksdb::GetBlockBasedTableOptionsFromMap(
      Config(false), {}, AsOptionMap(options.table), &parsed->table);
  if (!status.ok()) *table_problem = status.ToString();
  return {};
}

}  // namespace ashlar_rocksdb
