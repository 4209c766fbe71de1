#include "library_compaction.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ashlar/table/internal_key_less.h"
#include "ashlar/util/file_checksum.h"
#include "db/db_impl/db_impl.h"
#include "library_inputs.h"
#include "library_outputs.h"
#include "library_rules.h"
#include "library_tables.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::Status;
using Clock = std::chrono::steady_clock;

// Sets of the options what the job says of the compaction itself.
void SetRules(const CompactionJob& job, const ParsedOptions& parsed,
              const OpenInputs& inputs, ashlar::CompactionOptions* options) {
  const bool is_level =
      parsed.column_family.compaction_style == rocksdb::kCompactionStyleLevel;
  std::map<int, std::vector<ashlar::FileRange>> deeper;
  for (const JobDeeperFile& file : job.deeper_files) {
    deeper[file.level].push_back({.smallest = file.smallest,
                                  .largest = file.largest,
                                  .size = file.size});
  }
  std::vector<std::vector<ashlar::FileRange>> levels;
  const ashlar::InternalKeyLess less(options->iterator.comparator);
  for (auto& [level, files] : deeper) {
    std::sort(files.begin(), files.end(),
              [&less](const ashlar::FileRange& a, const ashlar::FileRange& b) {
                return less(a.smallest, b.smallest);
              });
    levels.push_back(std::move(files));
  }
  SetDeeperFiles(std::move(levels), inputs.runs, options);
  if (!is_level || job.output_level == 0) {
    options->iterator.may_exist_deeper = {};
    options->range_may_exist_deeper = {};
  }
  // The database has decided, by the files that it picked from.
  options->iterator.bottommost = job.bottommost;
  options->iterator.snapshots = job.snapshots;
  options->iterator.allow_ingest_behind =
      parsed.database.allow_ingest_behind ||
      parsed.column_family.cf_allow_ingest_behind;
  options->iterator.enforce_single_del_contracts =
      parsed.database.enforce_single_del_contracts;
  options->iterator.level = job.output_level;
  options->cutter.level_style = is_level;
  options->cutter.target_file_size =
      job.target_file_size != 0 ? job.target_file_size
                                : ashlar::OutputCutterOptions::kNoLimit;
  options->cutter.max_compaction_bytes = job.max_compaction_bytes;
  options->cuts_outputs = job.output_level > 0;
  options->target_file_size_is_upper_bound =
      parsed.column_family.target_file_size_is_upper_bound;
  options->start = job.begin.value_or("");
  options->end = job.end.value_or("");
}

void SetFigures(const CompactionJob& job, const OpenInputs& inputs,
                const ashlar::CompactionCounts& counts,
                const LibraryOutputs& outputs, CompactionJobResult* result) {
  result->output_level = job.output_level;
  result->output_files = outputs.files();
  result->bytes_read = inputs.bytes;
  result->bytes_written = outputs.bytes();
  Figures& stats = result->stats;
  stats["has_accurate_num_input_records"] = 1;
  stats["num_input_records"] = counts.input_entries;
  stats["num_input_files"] = job.inputs.size();
  stats["num_input_files_at_output_level"] = static_cast<uint64_t>(
      std::count_if(job.inputs.begin(), job.inputs.end(),
                    [&job](const JobInputFile& input) {
                      return input.level == job.output_level;
                    }));
  stats["num_output_records"] = outputs.entries();
  stats["num_output_files"] = outputs.files().size();
  stats["is_full_compaction"] = job.is_full ? 1 : 0;
  stats["is_manual_compaction"] = job.is_manual ? 1 : 0;
  stats["is_remote_compaction"] = 1;
  stats["total_input_bytes"] = inputs.bytes;
  stats["total_output_bytes"] = outputs.bytes();
  stats["num_records_replaced"] = counts.dropped_hidden;
  stats["total_input_raw_key_bytes"] = counts.input_raw_key_bytes;
  stats["total_input_raw_value_bytes"] = counts.input_raw_value_bytes;
  stats["num_input_deletion_records"] = counts.input_deletions;
  stats["num_expired_deletion_records"] = counts.dropped_obsolete;
  stats["num_single_del_mismatch"] = counts.single_deletion_mismatches;
  Figures& level = result->output_level_stats;
  level["bytes_written"] = outputs.bytes();
  level["num_output_files"] = outputs.files().size();
  level["num_output_records"] = outputs.entries();
}

uint64_t ThreadCpuMicros() {
  timespec spent = {};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent) != 0) return 0;
  return static_cast<uint64_t>(spent.tv_sec) * 1'000'000 +
         static_cast<uint64_t>(spent.tv_nsec) / 1'000;
}

// Runs the compaction of open inputs into `folder`.
Status Compact(const CompactionJob& job, const ParsedOptions& parsed,
               const OpenInputs& inputs, const std::string& folder,
               ashlar::CompactionProgress* progress,
               CompactionJobResult* result) {
  const auto now = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(
          std::chrono::system_clock::now().time_since_epoch())
          .count());
  // Of this job alone, so that no two workers make files of one identity.
  const std::string session_id =
      rocksdb::DBImpl::GenerateDbSessionId(rocksdb::Env::Default());
  const TheirOptions theirs(parsed);
  const BuildPlan plan =
      PlanTables(job, parsed, theirs, inputs.newest_key_time, now, session_id);
  if (!plan.obstacle.empty()) return Status::NotSupported(plan.obstacle);

  ashlar::CompactionOptions options;
  options.table = plan.table;
  options.build = plan.build;
  options.iterator.comparator = plan.table.comparator;
  SetRules(job, parsed, inputs, &options);
  const std::shared_ptr<const ashlar::MergeOperator> merge_operator =
      LibraryMergeOperator(job);
  options.iterator.merge_operator = merge_operator.get();
  if (HasFileChecksums(job)) {
    options.build.file_checksum_gen_factory =
        ashlar::GetFileChecksumGenCrc32cFactory();
  }
  options.progress = progress;
  LibraryOutputs outputs(
      job, plan.table.comparator,
      {.folder = folder,
       .db_id = job.database.id,
       .db_session_id = session_id,
       .file_creation_time = now,
       .newest_key_time = inputs.newest_key_time,
       .hashes_entries = parsed.column_family.paranoid_file_checks ||
                         !!(parsed.column_family.verify_output_flags &
                            rocksdb::VerifyOutputFlags::kVerifyIteration)});
  ashlar::CompactionResult compacted;
  Status status = CompactTables(options, inputs.runs, {}, &outputs, &compacted);
  if (status.ok()) {
    SetFigures(job, inputs, compacted.counts, outputs, result);
  }
  return status;
}

}  // namespace

ashlar::Status CompactByLibrary(const CompactionJob& job,
                                const std::string& folder,
                                ashlar::CompactionProgress* progress,
                                CompactionJobResult* result) {
  const Clock::time_point begin = Clock::now();
  const uint64_t cpu_begin = ThreadCpuMicros();
  ParsedOptions parsed;
  std::string table_problem;
  Status status = ParseOptions(job.options, &parsed, &table_problem);
  if (!status.ok()) return status;
  OpenInputs inputs;
  status =
      OpenAll(job, ashlar::FindBuiltinComparator(job.column_family.comparator),
              &inputs);
  if (!status.ok()) return status;
  result->output_path = folder;
  status = Compact(job, parsed, inputs, folder, progress, result);
  if (!status.ok()) return status;
  const auto micros = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() -
                                                            begin)
          .count());
  const uint64_t cpu_micros = ThreadCpuMicros() - cpu_begin;
  result->stats["elapsed_micros"] = micros;
  result->stats["cpu_micros"] = cpu_micros;
  result->output_level_stats["micros"] = micros;
  result->output_level_stats["cpu_micros"] = cpu_micros;
  return {};
}

}  // namespace ashlar_rocksdb
