#include "tools/ashlar/inputs/external_table.h"

#include <algorithm>

#include "tools/ashlar/inputs/copy_entries.h"

namespace ashlar::tool {

Status FindSequences(const TableReader& table, const std::string& path,
                     std::optional<SequenceRange>* range) {
  const TableProperties& properties = table.properties();
  range->reset();
  if (properties.key_smallest_seqno && properties.key_largest_seqno &&
      properties.external_sst_file_global_seqno.value_or(0) == 0) {
    if (properties.num_entries != 0) {
      *range = {*properties.key_smallest_seqno, *properties.key_largest_seqno};
    }
    return Status();
  }
  Progress progress(path);
  return ForEachEntry(
      table, &progress,
      [&](const Slice&, SequenceNumber sequence, ValueType, const Slice&) {
        if (!*range) *range = {sequence, sequence};
        (*range)->smallest = std::min((*range)->smallest, sequence);
        (*range)->largest = std::max((*range)->largest, sequence);
        return Status();
      });
}

Status FindIsExternal(const TableReader& table, const std::string& path,
                      bool* is_external) {
  const TableProperties& properties = table.properties();
  *is_external = false;
  if (!properties.external_sst_file_version.has_value() ||
      properties.external_sst_file_global_seqno.value_or(0) != 0) {
    return Status();
  }
  if (properties.key_largest_seqno) {
    *is_external = *properties.key_largest_seqno == 0;
    return Status();
  }
  bool any = false;
  Progress progress(path);
  const Status status = ForEachEntry(
      table, &progress,
      [&any](const Slice&, SequenceNumber sequence, ValueType, const Slice&) {
        any = sequence != 0;
        return any ? Status::Aborted("it has one") : Status();
      });
  *is_external = status.ok();
  return any ? Status() : status;
}

}  // namespace ashlar::tool
