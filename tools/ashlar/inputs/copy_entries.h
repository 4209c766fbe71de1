// Walks over everything that a table holds, to copy it into another table.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_COPY_ENTRIES_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_COPY_ENTRIES_H_

#include <cstdint>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/print/progress.h"

namespace ashlar::tool {

// Calls take(user_key, sequence, type, value) with each stored entry in order,
// and then with each range deletion, whose value is its end. Stops at the first
// error of `take`, and returns it. Verifies the checksum of every block.
// Returns Aborted if `progress` says so.
template <typename Take>
Status ForEachEntry(const TableReader& table, Progress* progress, Take take) {
  constexpr uint64_t kEntriesBetweenLooks = 1024;
  ReadOptions options = ReadOptionsFromFlags();
  options.verify_checksums = true;
  options.ignore_range_deletions = true;
  const uint64_t bytes = table.file().Size();
  const uint64_t count = table.properties().num_entries;
  uint64_t entries = 0;
  Iterator it = table.NewIterator(options);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    if (entries++ % kEntriesBetweenLooks == 0 &&
        !progress->UpdateByEntries(entries, count, bytes)) {
      return Status::Aborted("interrupted");
    }
    Status status = take(it.user_key(), it.sequence(), it.type(), it.value());
    if (!status.ok()) return status;
  }
  if (!it.status().ok()) return it.status();
  for (const RangeDeletion& deletion : table.RangeDeletions()) {
    Status status = take(deletion.begin, deletion.sequence,
                         ValueType::kTypeRangeDeletion, deletion.end);
    if (!status.ok()) return status;
  }
  return progress->Update(bytes, bytes) ? Status()
                                        : Status::Aborted("interrupted");
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_COPY_ENTRIES_H_
