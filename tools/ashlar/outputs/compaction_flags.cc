#include "tools/ashlar/outputs/compaction_flags.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "ashlar/util/comparator.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/inputs/merge_flags.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/outputs/write_limit.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

std::string ReadSnapshots(std::vector<SequenceNumber>* snapshots) {
  std::string_view rest = FLAGS_snapshots;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string word(rest.substr(0, comma));
    const std::optional<uint64_t> number = ParseNumber(word);
    if (!number || *number > kMaxSequenceNumber) {
      return "--snapshots: '" + word + "' is not a sequence number";
    }
    if (!snapshots->empty() && *number <= snapshots->back()) {
      return "--snapshots: " + word + " comes after " +
             std::to_string(snapshots->back()) + "; name the oldest first";
    }
    snapshots->push_back(*number);
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
    if (rest.empty()) return "--snapshots: a number is missing at the end";
  }
  const uint64_t earliest = FLAGS_earliest_write_conflict_snapshot;
  if (earliest != 0 &&
      !std::binary_search(snapshots->begin(), snapshots->end(), earliest)) {
    return "--earliest_write_conflict_snapshot: " + std::to_string(earliest) +
           " is none of --snapshots";
  }
  return {};
}

std::string ReadBound(const char* name, const std::string& text,
                      std::string* key) {
  std::optional<std::string> bound = KeyFromFlag(text);
  if (!bound) {
    return std::string("--") + name + ": " + DescribeBadKey(text);
  }
  *key = std::move(*bound);
  return {};
}

// RocksDB's default, too.
uint64_t MaxCompactionBytes() {
  constexpr uint64_t kTargets = 25;
  if (FLAGS_max_compaction_bytes != 0) return FLAGS_max_compaction_bytes;
  return FLAGS_target_file_size > OutputCutterOptions::kNoLimit / kTargets
             ? OutputCutterOptions::kNoLimit
             : kTargets * FLAGS_target_file_size;
}

}  // namespace

std::string ReadCompactionFlags(const CommandLine& line,
                                CompactionFlags* flags) {
  std::string error = ReadSnapshots(&flags->snapshots);
  if (error.empty()) error = ReadMergeOperator(line, &flags->merge_operator);
  if (error.empty()) error = ReadBound("from", FLAGS_from, &flags->start);
  if (error.empty()) error = ReadBound("to", FLAGS_to, &flags->end);
  if (error.empty() && FLAGS_preserve_seqno_after > kMaxSequenceNumber) {
    error = "--preserve_seqno_after: " +
            std::to_string(FLAGS_preserve_seqno_after) +
            " is larger than all sequence numbers";
  }
  if (error.empty() && (FLAGS_max_subcompactions == 0 ||
                        FLAGS_max_subcompactions > kMostSubcompactions)) {
    error =
        "--max_subcompactions: " + std::to_string(FLAGS_max_subcompactions) +
        " is not from 1 to " + std::to_string(kMostSubcompactions);
  }
  flags->rate_limiter =
      NewGenericRateLimiter({.rate_bytes_per_sec = FLAGS_rate_limit,
                             .mode = RateLimiter::Mode::kReadsOnly});
  flags->file.bytes_per_sync = FLAGS_bytes_per_sync;
  flags->file.strict_bytes_per_sync = FLAGS_strict_bytes_per_sync;
  flags->file.use_direct_writes = FLAGS_use_direct_writes;
  flags->file.use_fsync = FLAGS_use_fsync;
  if (FLAGS_write_rate_limit != 0) {
    flags->file.rate_limiter = NewWriteLimit(FLAGS_write_rate_limit);
  }
  return error;
}

Status SetCompactionOptions(const CompactionFlags& flags,
                            const Comparator* comparator,
                            CompactionOptions* options) {
  CompactionIteratorOptions& iterator = options->iterator;
  iterator.comparator = comparator;
  iterator.snapshots = flags.snapshots;
  if (FLAGS_earliest_write_conflict_snapshot != 0) {
    iterator.earliest_write_conflict_snapshot =
        FLAGS_earliest_write_conflict_snapshot;
  }
  iterator.bottommost = FLAGS_bottommost;
  iterator.allow_ingest_behind = FLAGS_allow_ingest_behind;
  iterator.preserve_seqno_after = FLAGS_preserve_seqno_after;
  iterator.enforce_single_del_contracts = FLAGS_enforce_single_del_contracts;
  iterator.merge_operator = flags.merge_operator.get();
  if (FLAGS_full_history_ts_low != 0) {
    if (comparator->timestamp_size() != sizeof(uint64_t)) {
      return Status::InvalidArgument(
          "--full_history_ts_low: keys of the comparator " +
          std::string(comparator->Name()) + " have no timestamps");
    }
    iterator.full_history_ts_low = EncodeU64Ts(FLAGS_full_history_ts_low);
  }
  if (!flags.start.empty() && !flags.end.empty() &&
      comparator->CompareWithoutTimestamp(flags.start, flags.end) >= 0) {
    return Status::InvalidArgument("--from is not before --to");
  }
  options->start = flags.start;
  options->end = flags.end;
  options->cuts_outputs = FLAGS_target_file_size != 0;
  if (options->cuts_outputs) {
    options->cutter.target_file_size = FLAGS_target_file_size;
    options->cutter.max_compaction_bytes = MaxCompactionBytes();
  }
  options->target_file_size_is_upper_bound =
      FLAGS_target_file_size_is_upper_bound;
  options->max_subcompactions = FLAGS_max_subcompactions;
  options->compaction_readahead_size = FLAGS_readahead_size;
  options->read = ReadOptionsFromFlags();
  if (flags.rate_limiter != nullptr) {
    // A read that waits cannot be cancelled, so that it must not take long.
    constexpr uint64_t kLeastBytes = 4096;
    const uint64_t quarter_second =
        std::max<uint64_t>(FLAGS_rate_limit / 4, kLeastBytes);
    options->compaction_readahead_size =
        std::min<uint64_t>(FLAGS_readahead_size, quarter_second);
    options->read.rate_limiter_priority = IoPriority::kLow;
  }
  return Status();
}

}  // namespace ashlar::tool
