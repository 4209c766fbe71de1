// SummarizeTable: what an engine's metadata says of an old table.

#include <algorithm>
#include <optional>
#include <string>

#include "ashlar/table/table_reader.h"
#include "ashlar/table/table_summary.h"
#include "table/format/key_bounds.h"
#include "table/read/opened_table.h"
#include "table/read/reader_internals.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

// Sets the counts and sizes, of which the properties have all.
void TakeProperties(const TableProperties& properties, uint64_t file_size,
                    TableSummary* summary) {
  summary->file_size = file_size;
  // Files of old releases do not say where the data blocks end.
  const uint64_t data_end = properties.tail_start_offset != 0
                                ? properties.tail_start_offset
                                : properties.data_size;
  summary->tail_size = file_size - std::min(file_size, data_end);
  summary->num_entries = properties.num_entries;
  summary->num_deletions = properties.num_deletions;
  summary->num_merge_operands = properties.num_merge_operands;
  summary->num_range_deletions = properties.num_range_deletions;
  summary->raw_key_size = properties.raw_key_size;
  summary->raw_value_size = properties.raw_value_size;
  summary->smallest_seqno = properties.key_smallest_seqno;
  summary->largest_seqno = properties.key_largest_seqno;
}

// Sets the sequence numbers of an external file, which its properties need not
// know: all entries may have one. Pebble's external files may keep those that
// are stored, so without a number for all, zeros at both ends say that there
// are no others only if no property says more.
void CompleteSequences(const TableReader& table, TableSummary* summary) {
  if (summary->smallest.empty()) return;
  std::optional<SequenceNumber> of_all =
      ReaderInternals::TableOf(table).key_form.sequence;
  const bool only_zeros = SequenceOf(summary->smallest) == 0 &&
                          SequenceOf(summary->largest) == 0 &&
                          summary->largest_seqno.value_or(0) == 0;
  if (table.properties().external_sst_file_version.has_value() && only_zeros) {
    of_all = of_all.value_or(0);
  }
  if (!of_all.has_value()) return;
  summary->smallest_seqno = summary->largest_seqno = of_all;
}

}  // namespace

Status SummarizeTable(const TableReader& table, TableSummary* summary) {
  *summary = TableSummary();
  if (!table.knows_order()) {
    return Status::NotSupported(table.file().name() +
                                ": a summary needs the order of keys");
  }
  return internal::OrMemoryLimit([&]() -> Status {
    TakeProperties(table.properties(), table.file().Size(), summary);
    // Keys that are read have timestamps, also if the file has none.
    internal::KeyBounds bounds(internal::KeyOrder(table.comparator()), false);
    for (const RangeDeletion& deletion : table.RangeDeletions()) {
      bounds.AddRangeDeletion(
          deletion.begin,
          PackTail(deletion.sequence, ValueType::kTypeRangeDeletion),
          deletion.end);
    }
    ReadOptions options;
    options.ignore_range_deletions = true;
    Iterator it = table.NewIterator(options);
    std::string last;
    it.SeekToFirst();
    if (it.Valid()) {
      bounds.BeginWith(it.user_key(), TailOf(it.key()));
      it.SeekToLast();
      if (it.Valid()) last = it.key().ToString();
    }
    if (!it.status().ok()) return it.status();
    bounds.Describe(last, summary);
    CompleteSequences(table, summary);
    return {};
  });
}

}  // namespace ashlar
