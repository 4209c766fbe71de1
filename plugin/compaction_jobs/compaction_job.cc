#include "compaction_job.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "json_members.h"

namespace ashlar_rocksdb {

// Not in the unnamed namespace: MemberWriter and MemberReader must find them.

template <class Visitor>
void VisitMembers(Visitor& v, JobInputFile& file) {
  v.Text("path", file.path);
  v.Number("level", file.level);
  v.Number("size", file.size);
  v.Hex("smallest_hex", file.smallest);
  v.Hex("largest_hex", file.largest);
  v.Number("smallest_seqno", file.smallest_seqno);
  v.Number("largest_seqno", file.largest_seqno);
  v.Number("epoch_number", file.epoch_number);
  v.Number("oldest_ancester_time", file.oldest_ancester_time);
  v.Number("oldest_blob_file_number", file.oldest_blob_file_number);
}

template <class Visitor>
void VisitMembers(Visitor& v, JobDeeperFile& file) {
  v.Number("level", file.level);
  v.Number("size", file.size);
  v.Hex("smallest_hex", file.smallest);
  v.Hex("largest_hex", file.largest);
}

template <class Visitor>
void VisitMembers(Visitor& v, JobDatabase& database) {
  v.Text("path", database.path);
  v.Text("id", database.id);
  v.Text("session_id", database.session_id);
  v.Number("options_file_number", database.options_file_number);
}

template <class Visitor>
void VisitMembers(Visitor& v, JobColumnFamily& family) {
  v.Number("id", family.id);
  v.Text("name", family.name);
  v.Text("comparator", family.comparator);
}

template <class Visitor>
void VisitMembers(Visitor& v, JobOptions& options) {
  v.Map("database", options.database);
  v.Map("column_family", options.column_family);
  v.Text("table_factory", options.table_factory);
  v.Map("table", options.table);
}

template <class Visitor>
void VisitMembers(Visitor& v, CompactionJob& job) {
  v.Text("id", job.id);
  v.Text("rocksdb_release", job.rocksdb_release);
  v.Object("database", job.database);
  v.Object("column_family", job.column_family);
  v.Text("reason", job.reason);
  v.Flag("is_manual", job.is_manual);
  v.Flag("is_full", job.is_full);
  v.Flag("bottommost", job.bottommost);
  v.Number("base_input_level", job.base_input_level);
  v.Number("output_level", job.output_level);
  v.Text("output_folder", job.output_folder);
  v.Numbers("snapshots", job.snapshots);
  v.OptionalHex("begin_hex", job.begin);
  v.OptionalHex("end_hex", job.end);
  v.Number("target_file_size", job.target_file_size);
  v.Number("max_compaction_bytes", job.max_compaction_bytes);
  v.Number("compression", job.compression);
  v.Flag("bottommost_compression", job.bottommost_compression);
  v.Objects("inputs", job.inputs);
  v.Objects("deeper_files", job.deeper_files);
  v.Object("options", job.options);
  v.Base64("rocksdb_input_base64", job.rocksdb_input);
}

namespace {

constexpr std::string_view kFormat = "ashlar-compaction-job";
constexpr size_t kMostIdBytes = 128;

// Returns whether the bytes can be an internal key.
bool IsInternalKey(const std::string& key) { return key.size() >= 8; }

// Checks what members alone cannot be wrong about.
std::string FaultOf(const CompactionJob& job) {
  if (!IsJobId(job.id)) return "\"id\" is no id of a job";
  if (job.inputs.empty()) return "\"inputs\" is empty";
  if (job.output_level < 0 || job.base_input_level < 0) {
    return "a level is negative";
  }
  if (!job.output_folder.starts_with('/')) {
    return "\"output_folder\" is no absolute path";
  }
  for (const JobInputFile& file : job.inputs) {
    if (!IsInternalKey(file.smallest) || !IsInternalKey(file.largest)) {
      return "a bound of the input " + file.path + " is no internal key";
    }
    if (file.level < 0 || file.level > job.output_level) {
      return "the level of the input " + file.path +
             " is not at or above the output level";
    }
  }
  for (const JobDeeperFile& file : job.deeper_files) {
    if (!IsInternalKey(file.smallest) || !IsInternalKey(file.largest)) {
      return "a bound of a deeper file is no internal key";
    }
    if (file.level <= job.output_level) {
      return "a deeper file is not below the output level";
    }
  }
  if (!std::is_sorted(job.snapshots.begin(), job.snapshots.end())) {
    return "\"snapshots\" are not ascending";
  }
  return {};
}

}  // namespace

bool IsJobId(std::string_view text) {
  return !text.empty() && text.size() <= kMostIdBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                  (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
         });
}

ashlar::Status WriteJob(CompactionJob job, std::string* text) {
  MemberWriter writer;
  JsonEnvelope envelope{.format = std::string(kFormat)};
  VisitMembers(writer, envelope);
  VisitMembers(writer, job);
  return TextOf(writer.object(), text);
}

ashlar::Status ReadJob(const std::string& text, CompactionJob* job) {
  nlohmann::json value;
  ashlar::Status parsed = ParseJson(text, "the compaction job", &value);
  if (!parsed.ok()) return parsed;
  MemberReader reader(value, {});
  reader.CheckEnvelope(kFormat);
  *job = CompactionJob();
  if (reader.ok()) VisitMembers(reader, *job);
  const std::string fault = reader.ok() ? FaultOf(*job) : reader.error();
  if (fault.empty()) return {};
  return ashlar::Status::InvalidArgument("the compaction job: " + fault);
}

}  // namespace ashlar_rocksdb
