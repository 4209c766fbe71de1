#include "result_forms.h"

#include <limits>
#include <utility>
#include <variant>

#include "db/compaction/compaction_job.h"
#include "rocksdb/convenience.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::Status;
using LevelStats = rocksdb::InternalStats::CompactionStats;
using JobStats = rocksdb::CompactionJobStats;

// A member of one of RocksDB's structs, by name. Only what RocksDB's own text
// form carries is listed.
template <class Struct>
struct Row {
  const char* name;
  std::variant<uint64_t Struct::*, int Struct::*, bool Struct::*> member;
};

constexpr Row<LevelStats> kLevelRows[] = {
    {"micros", &LevelStats::micros},
    {"cpu_micros", &LevelStats::cpu_micros},
    {"bytes_read_non_output_levels", &LevelStats::bytes_read_non_output_levels},
    {"bytes_read_output_level", &LevelStats::bytes_read_output_level},
    {"bytes_skipped_non_output_levels",
     &LevelStats::bytes_skipped_non_output_levels},
    {"bytes_skipped_output_level", &LevelStats::bytes_skipped_output_level},
    {"bytes_read_blob", &LevelStats::bytes_read_blob},
    {"bytes_written", &LevelStats::bytes_written},
    {"bytes_written_blob", &LevelStats::bytes_written_blob},
    {"bytes_moved", &LevelStats::bytes_moved},
    {"num_input_files_in_non_output_levels",
     &LevelStats::num_input_files_in_non_output_levels},
    {"num_input_files_in_output_level",
     &LevelStats::num_input_files_in_output_level},
    {"num_filtered_input_files_in_non_output_levels",
     &LevelStats::num_filtered_input_files_in_non_output_levels},
    {"num_filtered_input_files_in_output_level",
     &LevelStats::num_filtered_input_files_in_output_level},
    {"num_output_files", &LevelStats::num_output_files},
    {"num_output_files_blob", &LevelStats::num_output_files_blob},
    {"num_input_records", &LevelStats::num_input_records},
    {"num_dropped_records", &LevelStats::num_dropped_records},
    {"num_output_records", &LevelStats::num_output_records},
    {"count", &LevelStats::count},
};

static_assert(std::is_same_v<size_t, uint64_t>);
constexpr Row<JobStats> kJobRows[] = {
    {"elapsed_micros", &JobStats::elapsed_micros},
    {"cpu_micros", &JobStats::cpu_micros},
    {"has_accurate_num_input_records",
     &JobStats::has_accurate_num_input_records},
    {"num_input_records", &JobStats::num_input_records},
    {"num_blobs_read", &JobStats::num_blobs_read},
    {"num_input_files", &JobStats::num_input_files},
    {"num_input_files_at_output_level",
     &JobStats::num_input_files_at_output_level},
    {"num_output_records", &JobStats::num_output_records},
    {"num_output_files", &JobStats::num_output_files},
    {"num_output_files_blob", &JobStats::num_output_files_blob},
    {"is_full_compaction", &JobStats::is_full_compaction},
    {"is_manual_compaction", &JobStats::is_manual_compaction},
    {"is_remote_compaction", &JobStats::is_remote_compaction},
    {"total_input_bytes", &JobStats::total_input_bytes},
    {"total_blob_bytes_read", &JobStats::total_blob_bytes_read},
    {"total_output_bytes", &JobStats::total_output_bytes},
    {"total_output_bytes_blob", &JobStats::total_output_bytes_blob},
    {"num_records_replaced", &JobStats::num_records_replaced},
    {"total_input_raw_key_bytes", &JobStats::total_input_raw_key_bytes},
    {"total_input_raw_value_bytes", &JobStats::total_input_raw_value_bytes},
    {"num_input_deletion_records", &JobStats::num_input_deletion_records},
    {"num_expired_deletion_records", &JobStats::num_expired_deletion_records},
    {"num_corrupt_keys", &JobStats::num_corrupt_keys},
    {"file_write_nanos", &JobStats::file_write_nanos},
    {"file_range_sync_nanos", &JobStats::file_range_sync_nanos},
    {"file_fsync_nanos", &JobStats::file_fsync_nanos},
    {"file_prepare_write_nanos", &JobStats::file_prepare_write_nanos},
    {"num_single_del_fallthru", &JobStats::num_single_del_fallthru},
    {"num_single_del_mismatch", &JobStats::num_single_del_mismatch},
};

template <class Struct, size_t kRows>
Figures FiguresOf(const Struct& stats, const Row<Struct> (&rows)[kRows]) {
  Figures figures;
  for (const Row<Struct>& row : rows) {
    figures[row.name] = std::visit(
        [&stats](auto member) { return static_cast<uint64_t>(stats.*member); },
        row.member);
  }
  return figures;
}

// Figures that are missing are 0. One that does not fit becomes the largest.
template <class Struct, size_t kRows>
void SetFigures(const Figures& figures, const Row<Struct> (&rows)[kRows],
                Struct* stats) {
  for (const Row<Struct>& row : rows) {
    const auto found = figures.find(row.name);
    const uint64_t figure = found == figures.end() ? 0 : found->second;
    std::visit(
        [stats, figure](auto member) {
          using T = std::remove_reference_t<decltype(stats->*member)>;
          const auto most =
              static_cast<uint64_t>(std::numeric_limits<T>::max());
          stats->*member = static_cast<T>(std::min(figure, most));
        },
        row.member);
  }
}

JobOutputFile FromFile(const rocksdb::CompactionServiceOutputFile& theirs) {
  JobOutputFile file;
  file.file_name = theirs.file_name;
  file.file_size = theirs.file_size;
  file.smallest_seqno = theirs.smallest_seqno;
  file.largest_seqno = theirs.largest_seqno;
  file.smallest = theirs.smallest_internal_key;
  file.largest = theirs.largest_internal_key;
  file.oldest_ancester_time = theirs.oldest_ancester_time;
  file.file_creation_time = theirs.file_creation_time;
  file.epoch_number = theirs.epoch_number;
  file.file_checksum = theirs.file_checksum;
  file.file_checksum_func_name = theirs.file_checksum_func_name;
  file.paranoid_hash = theirs.paranoid_hash;
  file.marked_for_compaction = theirs.marked_for_compaction;
  file.unique_id = theirs.unique_id;
  file.is_proximal_level_output = theirs.is_proximal_level_output;
  file.file_temperature = static_cast<uint64_t>(theirs.file_temperature);
  return file;
}

Status ToFile(const JobOutputFile& file,
              rocksdb::CompactionServiceOutputFile* theirs) {
  rocksdb::TableProperties properties;
  Status status = ParseProperties(file, &properties);
  if (!status.ok()) return status;
  if (file.file_temperature > std::numeric_limits<uint8_t>::max()) {
    return Status::InvalidArgument("the temperature of " + file.file_name);
  }
  *theirs = rocksdb::CompactionServiceOutputFile(
      file.file_name, file.file_size, file.smallest_seqno, file.largest_seqno,
      file.smallest, file.largest, file.oldest_ancester_time,
      file.file_creation_time, file.epoch_number, file.file_checksum,
      file.file_checksum_func_name, file.paranoid_hash,
      file.marked_for_compaction, file.unique_id, properties,
      file.is_proximal_level_output,
      static_cast<rocksdb::Temperature>(file.file_temperature));
  return {};
}

}  // namespace

ashlar::Status PropertiesText(const rocksdb::TableProperties& properties,
                              std::string* text) {
  rocksdb::ConfigOptions config;
  config.invoke_prepare_options = false;
  const rocksdb::Status status = properties.Serialize(config, text);
  if (status.ok()) return {};
  return Status::InvalidArgument("table properties: " + status.ToString());
}

ashlar::Status ParseProperties(const JobOutputFile& file,
                               rocksdb::TableProperties* properties) {
  rocksdb::ConfigOptions config;
  config.invoke_prepare_options = false;
  const rocksdb::Status parsed = rocksdb::TableProperties::Parse(
      config, file.table_properties, properties);
  if (parsed.ok()) return {};
  return Status::InvalidArgument("the properties of " + file.file_name + ": " +
                                 parsed.ToString());
}

ashlar::Status FromRocksDBResult(const std::string& text,
                                 CompactionJobResult* result) {
  rocksdb::CompactionServiceResult theirs;
  const rocksdb::Status parsed =
      rocksdb::CompactionServiceResult::Read(text, &theirs);
  if (!parsed.ok()) return Status::InvalidArgument(parsed.ToString());
  if (!theirs.status.ok()) return Status::Aborted(theirs.status.ToString());
  result->output_path = theirs.output_path;
  result->output_level = theirs.output_level;
  result->bytes_read = theirs.bytes_read;
  result->bytes_written = theirs.bytes_written;
  for (const rocksdb::CompactionServiceOutputFile& output :
       theirs.output_files) {
    result->output_files.push_back(FromFile(output));
    Status status = PropertiesText(
        output.table_properties, &result->output_files.back().table_properties);
    if (!status.ok()) return status;
  }
  result->stats = FiguresOf(theirs.stats, kJobRows);
  result->output_level_stats =
      FiguresOf(theirs.internal_stats.output_level_stats, kLevelRows);
  result->has_proximal_level_output =
      theirs.internal_stats.has_proximal_level_output;
  result->proximal_level_stats =
      FiguresOf(theirs.internal_stats.proximal_level_stats, kLevelRows);
  return {};
}

ashlar::Status ToRocksDBResult(const CompactionJob& job,
                               const CompactionJobResult& result,
                               std::string* text) {
  rocksdb::CompactionServiceResult theirs;
  theirs.output_level = job.output_level;
  theirs.output_path = result.output_path;
  theirs.bytes_read = result.bytes_read;
  theirs.bytes_written = result.bytes_written;
  for (const JobOutputFile& file : result.output_files) {
    theirs.output_files.emplace_back();
    Status status = ToFile(file, &theirs.output_files.back());
    if (!status.ok()) return status;
  }
  SetFigures(result.stats, kJobRows, &theirs.stats);
  theirs.stats.is_remote_compaction = true;
  SetFigures(result.output_level_stats, kLevelRows,
             &theirs.internal_stats.output_level_stats);
  theirs.internal_stats.has_proximal_level_output =
      result.has_proximal_level_output;
  SetFigures(result.proximal_level_stats, kLevelRows,
             &theirs.internal_stats.proximal_level_stats);
  text->clear();
  const rocksdb::Status written = theirs.Write(text);
  if (written.ok()) return {};
  return Status::InvalidArgument(written.ToString());
}

}  // namespace ashlar_rocksdb
