#include "compaction_result.h"

#include <string_view>
#include <utility>

#include "compaction_job.h"
#include "json_members.h"

namespace ashlar_rocksdb {

// Not in the unnamed namespace: MemberWriter and MemberReader must find them.

template <class Visitor>
void VisitMembers(Visitor& v, JobOutputFile& file) {
  v.Text("file_name", file.file_name);
  v.Number("file_size", file.file_size);
  v.Number("smallest_seqno", file.smallest_seqno);
  v.Number("largest_seqno", file.largest_seqno);
  v.Hex("smallest_hex", file.smallest);
  v.Hex("largest_hex", file.largest);
  v.Number("oldest_ancester_time", file.oldest_ancester_time);
  v.Number("file_creation_time", file.file_creation_time);
  v.Number("epoch_number", file.epoch_number);
  v.Hex("file_checksum_hex", file.file_checksum);
  v.Text("file_checksum_func_name", file.file_checksum_func_name);
  v.Number("paranoid_hash", file.paranoid_hash);
  v.Flag("marked_for_compaction", file.marked_for_compaction);
  v.Number("unique_id_0", file.unique_id[0]);
  v.Number("unique_id_1", file.unique_id[1]);
  v.Flag("is_proximal_level_output", file.is_proximal_level_output);
  v.Number("file_temperature", file.file_temperature);
  v.Text("table_properties", file.table_properties);
}

template <class Visitor>
void VisitMembers(Visitor& v, CompactionJobResult& result) {
  v.Text("id", result.id);
  v.Number("attempt", result.attempt);
  v.Text("worker", result.worker);
  v.Text("by", result.by);
  v.Text("library_obstacle", result.library_obstacle);
  v.Text("error", result.error);
  v.Text("output_path", result.output_path);
  v.Number("output_level", result.output_level);
  v.Objects("output_files", result.output_files);
  v.Number("bytes_read", result.bytes_read);
  v.Number("bytes_written", result.bytes_written);
  v.Map("stats", result.stats);
  v.Map("output_level_stats", result.output_level_stats);
  v.Flag("has_proximal_level_output", result.has_proximal_level_output);
  v.Map("proximal_level_stats", result.proximal_level_stats);
}

namespace {

constexpr std::string_view kFormat = "ashlar-compaction-result";

std::string FaultOf(const CompactionJobResult& result) {
  if (!IsJobId(result.id)) return "\"id\" is no id of a job";
  if (result.by != "library" && result.by != "rocksdb" &&
      result.by != "nobody") {
    return "\"by\" is not library, rocksdb or nobody";
  }
  if (!result.error.empty()) return {};
  if (result.by == "nobody") return "nobody has run it, and \"error\" is empty";
  for (const JobOutputFile& file : result.output_files) {
    if (file.file_name.empty() || file.file_name.starts_with('.') ||
        file.file_name.find('/') != std::string::npos) {
      return "\"file_name\" of an output is no plain name";
    }
    if (file.file_size == 0) return "\"file_size\" of an output is 0";
    if (file.smallest.size() < 8 || file.largest.size() < 8) {
      return "a bound of the output " + file.file_name + " is no internal key";
    }
  }
  return {};
}

}  // namespace

ashlar::Status WriteResult(CompactionJobResult result, std::string* text) {
  MemberWriter writer;
  JsonEnvelope envelope{.format = std::string(kFormat)};
  VisitMembers(writer, envelope);
  VisitMembers(writer, result);
  return TextOf(writer.object(), text);
}

ashlar::Status ReadResult(const std::string& text,
                          CompactionJobResult* result) {
  nlohmann::json value;
  ashlar::Status parsed = ParseJson(text, "the compaction result", &value);
  if (!parsed.ok()) return parsed;
  MemberReader reader(value, {});
  reader.CheckEnvelope(kFormat);
  *result = CompactionJobResult();
  if (reader.ok()) VisitMembers(reader, *result);
  const std::string fault = reader.ok() ? FaultOf(*result) : reader.error();
  if (fault.empty()) return {};
  return ashlar::Status::InvalidArgument("the compaction result: " + fault);
}

}  // namespace ashlar_rocksdb
