#include "describe_job.h"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "ashlar/table/database_files.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/whole_file.h"
#include "db/compaction/compaction_job.h"
#include "file/filename.h"
#include "job_options.h"
#include "options_file.h"
#include "output_rules.h"
#include "plain_key.h"
#include "rocksdb/version.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::LiveTable;
using ashlar::Status;

const ashlar::ColumnFamilyFiles* FindFamily(const ashlar::DatabaseFiles& files,
                                            const std::string& name) {
  for (const ashlar::ColumnFamilyFiles& family : files.column_families) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

Status AddInput(const LiveTable& table, const std::string& folder,
                CompactionJob* job) {
  JobInputFile input;
  input.path = rocksdb::MakeTableFileName(folder, table.number);
  std::error_code error;
  if (table.path_id != 0 || !std::filesystem::exists(input.path, error)) {
    return Status::NotSupported(input.path +
                                " is not there: the column family has a path "
                                "of its own");
  }
  input.level = static_cast<int>(table.level);
  input.size = table.file_size;
  input.smallest = table.smallest;
  input.largest = table.largest;
  input.smallest_seqno = table.smallest_seqno;
  input.largest_seqno = table.largest_seqno;
  input.epoch_number = table.epoch_number;
  input.oldest_ancester_time = table.oldest_ancester_time;
  input.oldest_blob_file_number = table.oldest_blob_file_number;
  job->inputs.push_back(std::move(input));
  return {};
}

Status AddInputs(const rocksdb::CompactionServiceInput& theirs,
                 const ashlar::ColumnFamilyFiles& family, CompactionJob* job) {
  std::map<uint64_t, const LiveTable*> tables;
  for (const LiveTable& table : family.tables) tables[table.number] = &table;
  for (const std::string& name : theirs.input_files) {
    const auto found = tables.find(rocksdb::TableFileNameToNumber(name));
    if (found == tables.end()) {
      return Status::NotFound(job->database.path + ": the input " + name +
                              " is not in the MANIFEST");
    }
    Status status = AddInput(*found->second, job->database.path, job);
    if (!status.ok()) return status;
  }
  return {};
}

// The files below the output level with keys of the inputs' range. If the order
// of keys is not known, there are none: such a job is RocksDB's.
void AddDeeperFiles(const ashlar::ColumnFamilyFiles& family,
                    CompactionJob* job) {
  const ashlar::Comparator* const order =
      ashlar::FindBuiltinComparator(family.comparator);
  if (order == nullptr) return;
  const auto is_before = [order](const std::string& a, const std::string& b) {
    return order->CompareWithoutTimestamp(PlainKey(order, a),
                                          PlainKey(order, b)) < 0;
  };
  std::string smallest = job->inputs.front().smallest;
  std::string largest = job->inputs.front().largest;
  for (const JobInputFile& input : job->inputs) {
    if (is_before(input.smallest, smallest)) smallest = input.smallest;
    if (is_before(largest, input.largest)) largest = input.largest;
  }
  for (const LiveTable& table : family.tables) {
    if (static_cast<int>(table.level) <= job->output_level ||
        is_before(table.largest, smallest) ||
        is_before(largest, table.smallest)) {
      continue;
    }
    job->deeper_files.push_back({.level = static_cast<int>(table.level),
                                 .size = table.file_size,
                                 .smallest = table.smallest,
                                 .largest = table.largest});
  }
}

void SetOrigin(const rocksdb::CompactionServiceJobInfo& info,
               const rocksdb::CompactionServiceInput& theirs,
               CompactionJob* job) {
  job->rocksdb_release = rocksdb::GetRocksVersionAsString();
  // A worker has another current folder.
  std::error_code error;
  const std::filesystem::path path =
      std::filesystem::absolute(info.db_name, error);
  job->database = {.path = error ? info.db_name : path.string(),
                   .id = theirs.db_id,
                   .session_id = info.db_session_id,
                   .options_file_number = theirs.options_file_number};
  job->column_family.id = info.cf_id;
  job->column_family.name = info.cf_name;
  job->reason = rocksdb::GetCompactionReasonString(info.compaction_reason);
  job->is_manual = info.is_manual_compaction;
  job->is_full = info.is_full_compaction;
  job->bottommost = info.bottommost_level;
  job->base_input_level = info.base_input_level;
  job->output_level = theirs.output_level;
  job->snapshots = theirs.snapshots;
  if (theirs.has_begin) job->begin = theirs.begin;
  if (theirs.has_end) job->end = theirs.end;
}

}  // namespace

ashlar::Status DescribeJob(const rocksdb::CompactionServiceJobInfo& info,
                           const std::string& rocksdb_input,
                           CompactionJob* job) {
  *job = CompactionJob();
  job->rocksdb_input = rocksdb_input;
  rocksdb::CompactionServiceInput theirs;
  const rocksdb::Status parsed =
      rocksdb::CompactionServiceInput::Read(rocksdb_input, &theirs);
  if (!parsed.ok()) return Status::InvalidArgument(parsed.ToString());
  SetOrigin(info, theirs, job);

  const std::string options_path =
      rocksdb::OptionsFileName(info.db_name, theirs.options_file_number);
  std::string text;
  Status status = ashlar::ReadFileToString(options_path, &text);
  if (status.ok()) {
    status = ReadOptionsText(text, options_path, info.cf_name, &job->options);
  }
  if (!status.ok()) return status;
  ParsedOptions options;
  std::string table_problem;  // the worker's to judge
  status = ParseOptions(job->options, &options, &table_problem);
  if (!status.ok()) return status;

  ashlar::Result<ashlar::DatabaseFiles> files =
      ashlar::ReadDatabaseFiles(info.db_name);
  if (!files.ok()) return files.status();
  const ashlar::ColumnFamilyFiles* const family =
      FindFamily(*files, info.cf_name);
  if (family == nullptr) {
    return Status::NotFound(info.db_name + ": no column family " +
                            info.cf_name);
  }
  job->column_family.comparator = family->comparator;
  status = AddInputs(theirs, *family, job);
  if (!status.ok()) return status;
  AddDeeperFiles(*family, job);
  SetOutputRules(*family, options.column_family, job);
  return {};
}

}  // namespace ashlar_rocksdb
