// SortedTableWriter: makes tables of entries that come in any order.
//
// For bulk loads. It sorts within a limit of memory (EntrySorter,
// table/entry_sorter.h) and decides about duplicates. It writes one file, or a
// set of files. RocksDB's IngestExternalFile accepts each of them:
//
//   ashlar::SortedTableWriterOptions options;
//   options.memory = uint64_t{1} << 30;
//   options.on_duplicate = ashlar::DuplicatePolicy::kLast;
//   auto writer = ashlar::SortedTableWriter::Open("fruit.sst", options);
//   if (!writer.ok()) return writer.status();
//   ashlar::Status status = (*writer)->Put("pear", "green");
//   if (status.ok()) status = (*writer)->Put("apple", "red");
//   if (status.ok()) status = (*writer)->Finish();
//
// The output appears under its name when Finish has written all of it, or not
// at all: as that of ExternalFileWriter, or of TableSet. Scratch files have no
// names, and disappear however the process ends.
//
// Equal entries and options give equal bytes, whatever `memory`, `threads` and
// the progress of threads are, if options.build.identity is set. (Of a set, the
// files are then built by one thread each, since the progress of a builder's
// workers decides where a file ends.)
//
// One thread at a time may use a writer, except for progress(). Does not cut or
// sort the rows of a text: `ashlar build` does that on top of EntrySorter.
#ifndef ASHLAR_TABLE_SORTED_TABLE_WRITER_H_
#define ASHLAR_TABLE_SORTED_TABLE_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/entry_sorter.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_set.h"
#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// What happens if an entry is added twice. Entries are equal if their user keys
// are; with internal_keys, if user key, sequence number and type are.
enum class DuplicatePolicy : uint8_t {
  kError,  // Finish returns InvalidArgument (kDuplicateKey)
  kFirst,  // the entry that was added first is kept
  kLast,   // the entry that was added last is kept
};

// How entries are sorted, and what the tables are like.
struct SortedTableWriterOptions {
  // The form of the tables, and the order of the keys: `table.comparator`.
  TableOptions table;
  // How each table is built. If build.target_file_size is not 0, the output is
  // a set of tables (table/table_set.h), each of about this size in bytes. A
  // user key with all its versions is in one table. Default: 0: one table.
  BuildOptions build;

  // Whether entries have sequence numbers, which Add sets, so that a key may
  // have several versions. The tables are then those of TableBuilder, and not
  // for ingestion. Default: false: all sequence numbers are 0.
  bool internal_keys = false;

  // What happens if a key was added more than once.
  DuplicatePolicy on_duplicate = DuplicatePolicy::kError;

  // Whether entries are added in the order of the table, so that nothing needs
  // to be sorted and each goes to its table at once. An entry that belongs
  // before the last one is then InvalidArgument (kKeyOutOfOrder), and ends the
  // work. Range deletions of a set must come before all other entries. Default:
  // false. `memory`, `threads` and what else is of the sorting are then unused.
  bool is_sorted = false;

  // See EntrySorterOptions. The output's filter and index need more memory than
  // `memory`: about 10 bytes per key, and one key per block. Below 16 MiB the
  // tables are built without workers, whose buffers take 4 MiB.
  uint64_t memory = uint64_t{512} << 20;
  uint64_t expected_bytes = 0;
  std::string temp_folder;
  uint32_t threads = 0;
  // Not for the builders: set build.worker_pool too, if they are to use it.
  WorkerPool* worker_pool = nullptr;

  // Whether an existing file or set of this name is replaced. Default: true, as
  // for AtomicFile. If false, Open and Finish return InvalidArgument if the
  // name is taken.
  bool overwrite = true;
  // How the tables are written.
  WritableFileOptions file;

  // Asked now and then, by any thread. If it returns true, the work ends with
  // Aborted, and leaves nothing. Must be thread-safe, and must not throw.
  // Empty, the default: never.
  std::function<bool()> is_cancelled;
  // For sets: TableSetOptions::warn.
  std::function<void(std::string_view)> warn;
};

// What a writer has done so far.
struct SortedTableProgress {
  SortProgress sort;        // until all entries are sorted
  uint64_t written = 0;     // entries that were added to tables
  uint64_t duplicates = 0;  // entries that on_duplicate has left out
  uint64_t tables = 0;      // that are complete
};

class ASHLAR_EXPORT SortedTableWriter {
 public:
  // Opens a writer for the file `path`, or for the set of this path. Returns
  // the errors of ExternalFileWriter::Open or TableSet::Create. No other
  // thread starts before the first piece of a buffer is full.
  static Result<std::unique_ptr<SortedTableWriter>> Open(
      const std::string& path, const SortedTableWriterOptions& options = {});
  // Opens a writer whose tables `outputs` opens and takes, as it does those of
  // a compaction: for files that are not of a POSIX file system. The same
  // options count, except those about names and files. A number begins when
  // the one before has ended. If Finish returns an error, or is not called, the
  // table that is open is dropped, at the latest by the destructor. Those that
  // were ended are then the caller's to remove. Requires: `outputs` outlives
  // the writer. Returns the error of Begin or of TableBuilder::Create.
  static Result<std::unique_ptr<SortedTableWriter>> OpenTo(
      CompactionOutputs* outputs, const SortedTableWriterOptions& options = {});
  SortedTableWriter(const SortedTableWriter&) = delete;
  SortedTableWriter& operator=(const SortedTableWriter&) = delete;
  // Without Finish, removes all that was made.
  ~SortedTableWriter();

  // Each of these adds one entry. Keys and values are copied. They return
  // InvalidArgument, and add nothing, if key or value is too large
  // (EntrySorter::Add), or if a file for ingestion would have to drop a
  // timestamp that is not 0 (TableOptions::persist_user_defined_timestamps);
  // the writer can still be used. Any other error ends the work: all later
  // calls return it. See EntrySorter::Add.
  //
  // Requires: where the comparator has timestamps, user_key ends in one; a key
  // shorter than a timestamp is InvalidArgument.
  Status Put(const Slice& user_key, const Slice& value);
  Status Merge(const Slice& user_key, const Slice& operand);
  Status Delete(const Slice& user_key);
  Status SingleDelete(const Slice& user_key);
  // InvalidArgument also if two columns have the same name.
  Status PutEntity(const Slice& user_key,
                   const std::vector<WideColumn>& columns);
  // For comparators with timestamps: `user_key` has none, and `timestamp` is
  // appended. InvalidArgument also if its size is not that of the comparator's.
  Status PutAt(const Slice& user_key, const Slice& timestamp,
               const Slice& value);
  Status DeleteAt(const Slice& user_key, const Slice& timestamp);

  // Adds an entry of any type. InvalidArgument also if the sequence number is
  // not 0 without internal_keys, or is above kMaxSequenceNumber, if a deletion
  // has a value, or if the type is not a ValueType.
  //
  // Of type kTypeRangeDeletion, `value` is the end: in a database that ingests
  // the file it deletes older keys from user_key on, and before the end, but
  // none of this file. Range deletions are kept in memory, may overlap, and are
  // no duplicates. Those of a set are cut where its tables meet.
  Status Add(const Slice& user_key, SequenceNumber sequence, ValueType type,
             const Slice& value);

  // Sorts, writes and names the output. To be called once; afterwards only the
  // getters may be called. Returns InvalidArgument if there are no entries, or
  // if one comes twice and on_duplicate is kError: the message has the key, and
  // says which entries these are, counted from 1 in the order in which they
  // were added. Returns also the errors of Add, and those of the build
  // (TableBuilder), of AtomicFile::Commit or of TableSet::Commit.
  Status Finish();

  // After Finish: the tables, in order, with their paths. Checksums are there
  // for sets only; with OpenTo there are no paths either.
  const std::vector<TableSetTable>& tables() const;
  // After Finish: the path of the manifest. Empty without a set.
  const std::string& manifest() const;

  // Any thread may call it at any time. The counts are read one after the other
  // while the work goes on, so they need not agree with each other.
  SortedTableProgress progress() const;

 private:
  struct State;
  static Result<std::unique_ptr<SortedTableWriter>> Make(
      const std::string& path, CompactionOutputs* outputs,
      const SortedTableWriterOptions& options);
  explicit SortedTableWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_SORTED_TABLE_WRITER_H_
