// SortedOutput: the tables of a SortedTableWriter, one file or a set.
//
// It takes entries in order, ends a table of a set when it is large enough, and
// gives all of them their names in Finish. Without Finish, nothing is left. For
// one thread at a time, except for the counts.
#ifndef ASHLAR_TABLE_SORT_SORTED_OUTPUT_H_
#define ASHLAR_TABLE_SORT_SORTED_OUTPUT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/entry_sorter.h"
#include "ashlar/table/range_deletion_pieces.h"
#include "ashlar/table/sorted_table_writer.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_set.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class SortedOutput {
 public:
  // Makes the first table at once, so that impossible options are reported
  // before the first entry. `options` must outlive this.
  static Result<std::unique_ptr<SortedOutput>> Open(
      const std::string& path, const SortedTableWriterOptions* options);
  // The same for tables that `outputs`, which must outlive this, opens and
  // takes.
  static Result<std::unique_ptr<SortedOutput>> OpenTo(
      CompactionOutputs* outputs, const SortedTableWriterOptions* options);
  SortedOutput(const SortedOutput&) = delete;
  SortedOutput& operator=(const SortedOutput&) = delete;
  ~SortedOutput();  // Abandon

  // Adds an entry after all others.
  Status Add(const SortEntry& entry);
  // Adds a range deletion, at any time; to a set, before the first entry.
  Status AddRangeDeletion(const SortEntry& entry);
  // Ends the last table, and names all of them.
  Status Finish();
  // Removes what was made and has no name yet. Nothing may be added any more.
  void Abandon();

  bool internal_keys() const { return options_->internal_keys; }

  const std::vector<TableSetTable>& tables() const { return tables_; }
  const std::string& manifest() const { return manifest_; }

  // Any thread may call these.
  uint64_t entries_written() const { return entries_written_.Load(); }
  uint64_t tables_ended() const { return tables_ended_.Load(); }

 private:
  SortedOutput(const std::string& path,
               const SortedTableWriterOptions* options);

  // Whether there may be several tables.
  bool IsSet() const { return options_->build.target_file_size != 0; }
  Status OpenFile();
  Status OpenSet();
  // Makes the builder of a table in `file`, or in one of `outputs_`.
  Status Begin(WritableFile* file);
  Status BeginOfSet();
  Status Put(const SortEntry& entry);
  bool MustCut(const SortEntry& entry);
  bool IsAnotherKey(const Slice& user_key) const;
  // Ends the table. `next` is the first user key of the next one, or null.
  Status EndTable(const Slice* next);

  const std::string path_;
  const SortedTableWriterOptions* const options_;
  // One of these three is there. They have the builder's file, so they are
  // declared before it.
  CompactionOutputs* outputs_ = nullptr;
  std::unique_ptr<AtomicFile> file_;
  std::unique_ptr<TableSet> set_;
  std::unique_ptr<TableBuilder> builder_;
  RangeDeletionPieces deletions_;  // of a set, which no table has yet
  std::string last_key_;  // the last user key of a set's table; kept for memory
  bool has_entries_ = false;  // the table has some
  bool is_full_ = false;
  uint64_t bytes_since_look_ = 0;
  size_t number_ = 0;     // of the table in the set
  bool is_open_ = false;  // outputs_ has begun it, and not got it back
  std::vector<TableSetTable> tables_;
  std::string manifest_;
  RelaxedAtomic<uint64_t> entries_written_;
  RelaxedAtomic<uint64_t> tables_ended_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_SORTED_OUTPUT_H_
