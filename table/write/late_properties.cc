// What is known of a table when its entries are written: late properties, and
// the summary for an engine's metadata.

#include "table/write/builder_state.h"
#include "table/write/initial_properties.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

Status TableBuilder::SetLateProperties(const LateProperties& late) {
  State& s = *state_;
  if (!s.status.ok()) return s.status;
  if (s.finished) {
    return Status::InvalidArgument("SetLateProperties after Finish or Abandon");
  }
  return OrMemoryLimit([&]() -> Status {
    TableProperties& p = s.properties;
    if (late.seqno_to_time.has_value()) {
      Status checked = CheckTimes(*late.seqno_to_time);
      if (!checked.ok()) return checked;
      p.seqno_to_time_mapping = EncodeTimes(*late.seqno_to_time);
    }
    p.creation_time = late.creation_time.value_or(p.creation_time);
    p.file_creation_time =
        late.file_creation_time.value_or(p.file_creation_time);
    p.oldest_key_time = late.oldest_key_time.value_or(p.oldest_key_time);
    p.newest_key_time = late.newest_key_time.value_or(p.newest_key_time);
    return {};
  });
}

void TableBuilder::State::Summarize() {
  summary.file_size = FileSize();
  summary.tail_size = summary.file_size - properties.tail_start_offset;
  bounds.Describe(LastEntryKey(), &summary);
  summary.smallest_seqno = properties.key_smallest_seqno;
  summary.largest_seqno = properties.key_largest_seqno;
  summary.num_entries = properties.num_entries;
  summary.num_deletions = properties.num_deletions;
  summary.num_merge_operands = properties.num_merge_operands;
  summary.num_range_deletions = properties.num_range_deletions;
  summary.raw_key_size = properties.raw_key_size;
  summary.raw_value_size = properties.raw_value_size;
  for (size_t type = 0; type < type_counts.size(); ++type) {
    if (type_counts[type] == 0) continue;
    summary.entries_by_type[static_cast<ValueType>(type)] = type_counts[type];
  }
  summary.worker_cpu_micros = sink.worker_cpu_nanos() / 1000;
  if (file_checksum != nullptr) {
    summary.file_checksum = file_checksum->Finalize();
  }
  summary.marked_for_compaction = collectors.NeedCompact();
}

}  // namespace ashlar
