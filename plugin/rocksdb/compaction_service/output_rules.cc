#include "output_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ashlar_rocksdb {

namespace {

using ashlar::LiveTable;

// The levels of the column family, as far as sizes and codecs depend on them.
struct Levels {
  int base = 1;     // the first level below 0 that is in use
  int deepest = 0;  // the last one that has files
};

Levels LevelsOf(const ashlar::ColumnFamilyFiles& family,
                const rocksdb::ColumnFamilyOptions& options,
                const CompactionJob& job) {
  Levels levels;
  int first = options.num_levels - 1;
  for (const LiveTable& table : family.tables) {
    const int level = static_cast<int>(table.level);
    levels.deepest = std::max(levels.deepest, level);
    if (level > 0) first = std::min(first, level);
  }
  const bool is_dynamic =
      options.level_compaction_dynamic_level_bytes &&
      options.compaction_style == rocksdb::kCompactionStyleLevel;
  if (is_dynamic) {
    // The database alone knows it exactly. Level 0 goes to it.
    levels.base = job.base_input_level == 0 && job.output_level > 0
                      ? job.output_level
                      : std::min(first, std::max(job.output_level, 1));
  }
  return levels;
}

}  // namespace

void SetOutputRules(const ashlar::ColumnFamilyFiles& family,
                    const rocksdb::ColumnFamilyOptions& options,
                    CompactionJob* job) {
  const Levels levels = LevelsOf(family, options, *job);
  uint64_t size = options.target_file_size_base;
  const int steps = job->output_level - levels.base;
  for (int i = 0; i < steps; ++i) {
    const auto factor =
        static_cast<uint64_t>(std::max(options.target_file_size_multiplier, 1));
    if (size > UINT64_MAX / factor) break;
    size *= factor;
  }
  const bool is_universal =
      options.compaction_style == rocksdb::kCompactionStyleUniversal;
  job->target_file_size = is_universal && job->output_level == 0 ? 0 : size;
  job->max_compaction_bytes = options.max_compaction_bytes != 0
                                  ? options.max_compaction_bytes
                                  : options.target_file_size_base * 25;

  const bool is_deepest = job->output_level >= levels.deepest;
  rocksdb::CompressionType codec = options.compression;
  if (options.bottommost_compression != rocksdb::kDisableCompressionOption &&
      is_deepest) {
    codec = options.bottommost_compression;
  } else if (!options.compression_per_level.empty()) {
    const int index =
        job->output_level == 0 ? 0 : job->output_level - levels.base + 1;
    const int last = static_cast<int>(options.compression_per_level.size()) - 1;
    codec = options.compression_per_level[static_cast<size_t>(
        std::clamp(index, 0, last))];
  }
  job->compression = static_cast<uint64_t>(codec);
  job->bottommost_compression =
      is_deepest && options.bottommost_compression_opts.enabled;
}

}  // namespace ashlar_rocksdb
