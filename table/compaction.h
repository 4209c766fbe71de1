// CompactTables: a flush or a compaction, from inputs to finished tables.
//
// It joins what stands in the headers that this one includes: a
// CompactionIterator over all inputs, a TableBuilder for each output, an
// OutputCutter, and a RangeDeletionAggregator. The engine picks the inputs, and
// makes and keeps the files (CompactionOutputs). It runs on the calling thread,
// or in parts side by side, if CompactionOptions::max_subcompactions allows
// that. Builders may use workers.
//
// Any number of compactions may run at once, if what their options point to
// allows that.
#ifndef ASHLAR_TABLE_COMPACTION_H_
#define ASHLAR_TABLE_COMPACTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/compaction_iterator.h"
#include "ashlar/table/entry_source.h"
#include "ashlar/table/options.h"
#include "ashlar/table/output_cutter.h"
#include "ashlar/table/range_deletion.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar {

class CompactionProgress;
class WorkerPool;

// A table to compact.
struct CompactionInput {
  // Must outlive the compaction.
  const TableReader* table = nullptr;
  // Its bounds as the engine's metadata have them, as internal keys. Needed if
  // the table has range deletions, which count between them only. Both empty:
  // nothing bounds it.
  std::string smallest;
  std::string largest;
};

// Tables whose key ranges do not overlap, in order: one table of level 0, or
// all inputs of one deeper level.
using CompactionRun = std::vector<CompactionInput>;

// A memtable to flush.
struct CompactionMemory {
  std::unique_ptr<EntrySource> entries;  // null: none
  // Their keys must outlive the compaction.
  std::vector<RangeDeletion> range_deletions;
  // About how many bytes the keys and values have, for CompactionProgress.
  uint64_t expected_bytes = 0;
};

// A finished output.
struct CompactionOutput {
  size_t number = 0;  // from 0; outputs that were dropped have numbers too
  // Of all entries and range deletions, clipped to the output. Internal keys.
  std::string smallest;
  std::string largest;
  // Has finished; lives until End returns. Its summary() has the rest.
  const TableBuilder* builder = nullptr;
};

// Where outputs go. An engine derives from it. Called on the thread that calls
// CompactTables; between Begin and End or Drop there is one file. With
// subcompactions, called on several threads, one call at a time, while each
// part may have a file.
class CompactionOutputs {
 public:
  virtual ~CompactionOutputs() = default;
  // Opens an empty file, and may change the options of its table. The file must
  // live until End or Drop.
  virtual Result<WritableFile*> Begin(size_t number,
                                      TableOptions* table_options,
                                      BuildOptions* build_options) = 0;
  // The file has a whole table, and is neither synced nor closed.
  virtual Status End(const CompactionOutput& output) = 0;
  // The file is not needed: the output would have been empty, or an error or an
  // exception ended the compaction. Must not throw. Outputs that were ended
  // before are the engine's to delete if CompactTables returns an error
  // (CompactionResult::output_numbers).
  virtual void Drop(size_t number) = 0;
};

// The largest CompactionOptions::max_subcompactions.
constexpr uint32_t kMostSubcompactions = 1024;

// What a compaction does with its entries, and what its outputs are like.
struct CompactionOptions {
  // Comparator, and what is the same in two of these, is taken from `iterator`.
  CompactionIteratorOptions iterator;
  OutputCutterOptions cutter;
  // Whether outputs are cut at all. Default: true; RocksDB never cuts outputs
  // of level 0, and flushes.
  bool cuts_outputs = true;
  // Whether the target size is an upper bound: the size of the blocks to come
  // after the data counts as well. Default: false.
  bool target_file_size_is_upper_bound = false;
  // Whether deeper files may have keys of a range: RangeDeletionAggregator's.
  std::function<bool(const Slice& begin, const Slice& end)>
      range_may_exist_deeper;
  // For a part of a compaction: user keys, without timestamps, between which
  // entries are taken; the end is exclusive. Empty: no bound.
  std::string start;
  std::string end;

  // How the inputs are read. Of this, verify_checksums, worker_pool, async_io
  // and rate_limiter_priority apply. Blocks never go into the block cache. With
  // a worker_pool, the blocks of the first kMostDecodedAhead runs of each part
  // are read and decompressed ahead of the merge, up to 2 MiB of blocks of each
  // run. Runs without compression are left out, unless async_io is set; so are
  // all with a rate_limiter_priority.
  ReadOptions read;
  static constexpr size_t kMostDecodedAhead = 8;
  // How many bytes of an input are read ahead. Default: 2 MiB, as in RocksDB.
  // 0: few at first, then more. Each run holds the bytes of one read.
  //   Files with a descriptor (RandomAccessFile::FileDescriptor): a read takes
  //   an eighth of this size. The next four eighths are announced to the file
  //   (RandomAccessFile::Expect), so that the page cache reads them.
  //   Other files: a read takes this size.
  //   Runs that are decoded ahead: workers read up to 64 KiB at a time.
  uint64_t compaction_readahead_size = uint64_t{2} << 20;

  // Into how many parts the compaction of tables may be divided, by ranges of
  // keys, which then run side by side. Default: 1. At most
  // kMostSubcompactions. A part has at least about the target size of an
  // output, so that small inputs have fewer parts. Flushes are not divided, nor
  // is what must be one output (cuts_outputs). The
  // parts give the entries that one would give, in other outputs: each part
  // begins its own. What the options point to, and their functions, are then
  // used by several threads at once, unless prepare_part gives each part its
  // own.
  uint32_t max_subcompactions = 1;
  // The pool whose workers run parts; the calling thread runs parts too. Null,
  // the default: the compaction starts threads of its own. A worker stays until
  // its part is done.
  WorkerPool* worker_pool = nullptr;
  // Called for each part before any begins, on the calling thread. May change
  // what of the options belongs to one thread: filter, partitioner, functions.
  // Part 0 has the smallest keys; start and end say which. Empty, the default:
  // nothing to change. Not called if there is one part only.
  std::function<void(size_t part, CompactionOptions* options)> prepare_part;

  // Where progress is reported, and the compaction may be cancelled
  // (table/compaction_progress.h). Null, the default: nowhere.
  CompactionProgress* progress = nullptr;

  // The form of the outputs, and how they are built.
  TableOptions table;
  BuildOptions build;
};

// Sets of the options what follows from the files that are deeper than the
// outputs: iterator.bottommost, iterator.may_exist_deeper,
// range_may_exist_deeper and cutter.grandparents, which are those files of the
// first level that has any in the range of the inputs.
//
// `levels` are the levels behind the output's, from the next one on; files of
// each are in order and do not overlap. `runs` are the inputs, with their
// bounds: if one has none, every file counts as in their range. Requires:
// iterator.comparator is set. May throw std::bad_alloc.
ASHLAR_EXPORT void SetDeeperFiles(std::vector<std::vector<FileRange>> levels,
                                  const std::vector<CompactionRun>& runs,
                                  CompactionOptions* options);

// What a compaction made.
struct CompactionResult {
  CompactionCounts counts;
  uint64_t outputs = 0;
  // Those that were ended, in key order. (Subcompactions number their outputs
  // as they begin.)
  std::vector<size_t> output_numbers;
  uint64_t range_deletions_written = 0;
  uint64_t range_deletions_dropped = 0;
};

// Compacts the runs, or flushes the memtables, into outputs. Nothing left, and
// no range deletion: no output. Returns the first error of an input, a rule
// (CompactionIterator), a builder, or of `outputs`; Incomplete if it was
// cancelled; of several parts, that of the first that failed. Open outputs are
// then dropped. Sets *result, also then.
ASHLAR_EXPORT Status CompactTables(const CompactionOptions& options,
                                   const std::vector<CompactionRun>& runs,
                                   std::vector<CompactionMemory> memory,
                                   CompactionOutputs* outputs,
                                   CompactionResult* result);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_COMPACTION_H_
