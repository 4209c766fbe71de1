#include "library_tables.h"

namespace ashlar_rocksdb {

BuildPlan PlanTables(const CompactionJob& job, const ParsedOptions& parsed,
                     const TheirOptions& theirs, uint64_t newest_key_time,
                     uint64_t now, const std::string& session_id) {
  const rocksdb::TableBuilderOptions options(
      theirs.immutable, theirs.mutable_options, theirs.read, theirs.write,
      theirs.order, &theirs.collectors,
      static_cast<rocksdb::CompressionType>(job.compression),
      job.bottommost_compression
          ? parsed.column_family.bottommost_compression_opts
          : parsed.column_family.compression_opts,
      static_cast<uint32_t>(job.column_family.id), job.column_family.name,
      job.output_level, static_cast<int64_t>(newest_key_time), job.bottommost,
      rocksdb::TableFileCreationReason::kCompaction, 0, now, job.database.id,
      session_id, job.target_file_size, 0);
  return PlanBuild(parsed.table, options);
}

}  // namespace ashlar_rocksdb
