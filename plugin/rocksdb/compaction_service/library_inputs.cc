#include "library_inputs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ashlar/table/internal_key_less.h"
#include "ashlar/table/table_reader.h"
#include "library_rules.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::Status;

// Range deletions that cover whole files of other inputs are RocksDB's to use:
// it leaves such files out of the compaction, and counts them.
bool IsLoneRangeDeletion(const ashlar::TableReader& table) {
  const ashlar::TableProperties& properties = table.properties();
  return properties.num_entries == 1 && properties.num_range_deletions == 1;
}

Status OpenInput(const CompactionJob& job, const JobInputFile& input,
                 const ashlar::Comparator* comparator, OpenInputs* inputs) {
  ashlar::ReaderOptions options;
  options.comparator = comparator;
  // The MANIFEST of an old release does not say it.
  if (input.largest_seqno < ashlar::kMaxSequenceNumber) {
    options.largest_seqno = input.largest_seqno;
  }
  options.skip_filters = true;
  auto reader = ashlar::TableReader::Open(input.path, options);
  if (!reader.ok()) return reader.status();
  const ashlar::TableProperties& properties = (*reader)->properties();
  const bool has_levels =
      OptionText(job.options.column_family, "compaction_style") ==
      "kCompactionStyleLevel";
  if (!has_levels && IsLoneRangeDeletion(**reader)) {
    return Status::NotSupported(input.path +
                                " has one range deletion and nothing else");
  }
  // RocksDB does not trust the counts of entries in older tables.
  if (properties.format_version < 5) {
    return Status::NotSupported(input.path + " has a format version below 5");
  }
  inputs->newest_key_time =
      std::max(inputs->newest_key_time, properties.newest_key_time);
  inputs->bytes += input.size;
  inputs->readers.push_back(std::move(*reader));
  return {};
}

}  // namespace

ashlar::Status OpenAll(const CompactionJob& job,
                       const ashlar::Comparator* comparator,
                       OpenInputs* inputs) {
  std::map<int, ashlar::CompactionRun> deeper;
  for (const JobInputFile& input : job.inputs) {
    Status status = OpenInput(job, input, comparator, inputs);
    if (!status.ok()) return status;
    ashlar::CompactionInput open{.table = inputs->readers.back().get(),
                                 .smallest = input.smallest,
                                 .largest = input.largest};
    if (input.level == 0) {
      inputs->runs.push_back({std::move(open)});
    } else {
      deeper[input.level].push_back(std::move(open));
    }
  }
  for (auto& [level, run] : deeper) {
    std::sort(run.begin(), run.end(),
              [comparator](const ashlar::CompactionInput& a,
                           const ashlar::CompactionInput& b) {
                return CompareInternalKeys(comparator, a.smallest, b.smallest) <
                       0;
              });
    inputs->runs.push_back(std::move(run));
  }
  return {};
}

}  // namespace ashlar_rocksdb
