// TableSummary: what an engine's metadata says of a table.
//
// TableBuilder::summary returns that of a new table, and SummarizeTable finds
// that of an old one. RocksDB keeps it as "FileMetaData" in its manifest.
// For an output of a compaction, `smallest` and `largest` are to be clipped to
// the output: CompactionOutput (table/compaction.h) has them clipped.
//
// A plain struct: thread-safe to read.
#ifndef ASHLAR_TABLE_TABLE_SUMMARY_H_
#define ASHLAR_TABLE_TABLE_SUMMARY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/export.h"
#include "ashlar/util/status.h"

namespace ashlar {

class TableReader;

struct TableSummary {
  // In bytes: of the file, and of what follows the data blocks. A later open
  // that is told the second reads the tail at once (ReaderOptions::tail_size).
  uint64_t file_size = 0;
  uint64_t tail_size = 0;

  // Internal keys of the first and the last entry that are no range deletions.
  // Empty: there is none. Timestamps that are not written are all zeros.
  std::string first_entry;
  std::string last_entry;
  // The same with range deletions. One from b to e at sequence number s begins
  // at (b, s) and ends at (e, kMaxSequenceNumber), both of type
  // kTypeRangeDeletion; with timestamps, that of the end is all 0xFF. Empty:
  // the table is empty.
  std::string smallest;
  std::string largest;

  // Of all entries; of an external file, the one that its reader gives to all.
  // Absent: an old table does not say.
  std::optional<SequenceNumber> smallest_seqno;
  std::optional<SequenceNumber> largest_seqno;

  uint64_t num_entries = 0;    // range deletions included
  uint64_t num_deletions = 0;  // of all kinds
  uint64_t num_merge_operands = 0;
  uint64_t num_range_deletions = 0;
  uint64_t raw_key_size = 0;
  uint64_t raw_value_size = 0;

  // The rest is known of new tables only.

  // The number of entries of each type.
  std::map<ValueType, uint64_t> entries_by_type;
  // BuildOptions::file_checksum_gen_factory; RocksDB's words for none.
  std::string file_checksum;
  std::string file_checksum_func_name = "Unknown";
  // How long workers ran for compressing and writing blocks, in microseconds of
  // CPU time. RocksDB's builder calls it "GetWorkerCPUMicros".
  uint64_t worker_cpu_micros = 0;
  // Whether a properties collector asks for a compaction of this table.
  bool marked_for_compaction = false;
};

// Sets *summary to that of an open table. Reads its first and its last data
// block, from the file or the block cache; all else is in memory. Returns
// NotSupported if TableReader::knows_order() is false, and what reads of the
// table return. Any number of threads may call it.
ASHLAR_EXPORT Status SummarizeTable(const TableReader& table,
                                    TableSummary* summary);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_SUMMARY_H_
