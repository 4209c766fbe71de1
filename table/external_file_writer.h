// ExternalFileWriter: makes a file that RocksDB's IngestExternalFile accepts.
//
// For bulk loads. It is what RocksDB calls "SstFileWriter", on top of
// TableBuilder: the caller adds user keys in ascending order, each once. All
// entries get sequence number 0, and the file gets the properties that
// ingestion needs.
//
// A writer that was opened by path writes under a temporary name. The file
// appears under its own name only when Finish has written all of it. If Finish
// fails, or the writer is destroyed before Finish, the temporary file is
// removed, and a file that had the name before stays as it was;
// AtomicFile::Commit (util/file.h) names the one exception.
//
// One thread at a time may use a writer. It cannot write several versions of a
// key, or other sequence numbers: use TableBuilder for those.
#ifndef ASHLAR_TABLE_EXTERNAL_FILE_WRITER_H_
#define ASHLAR_TABLE_EXTERNAL_FILE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/table/table_summary.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class ASHLAR_EXPORT ExternalFileWriter {
 public:
  // Opens a writer for `path`. It writes to a temporary file in the same folder
  // until Finish renames that. Finish replaces an existing file of that name,
  // unless file_options.overwrite is false. Returns the errors of Create below,
  // and of AtomicFile::Create: IOError, or InvalidArgument if `path` exists and
  // file_options.overwrite is false, or if it is a folder, device or pipe.
  static Result<std::unique_ptr<ExternalFileWriter>> Open(
      const std::string& path, const TableOptions& table_options = {},
      const BuildOptions& build_options = {},
      const AtomicFile::Options& file_options = {});

  // Opens a writer for `file`, which the caller syncs and closes after Finish.
  // Requires: `file` is empty, and outlives the writer. Returns InvalidArgument
  // or NotSupported if an option is not possible (TableBuilder::Create), and
  // MemoryLimit if memory runs out.
  static Result<std::unique_ptr<ExternalFileWriter>> Create(
      WritableFile* file, const TableOptions& table_options = {},
      const BuildOptions& build_options = {});

  ExternalFileWriter(const ExternalFileWriter&) = delete;
  ExternalFileWriter& operator=(const ExternalFileWriter&) = delete;
  ~ExternalFileWriter();

  // Each of these adds one entry after all others. Keys and values are copied.
  // Returns InvalidArgument, and adds nothing, if user_key is not larger than
  // the last one, or if key or value is too large
  // (TableBuilder::kMaxUserKeyBytes and kMaxValueBytes); the writer can still
  // be used. Any other error ends the file: see TableBuilder::Add.
  //
  // Requires: where the comparator has timestamps, user_key ends in one; a key
  // shorter than a timestamp is InvalidArgument.
  Status Put(const Slice& user_key, const Slice& value);
  Status Merge(const Slice& user_key, const Slice& operand);
  Status Delete(const Slice& user_key);
  Status SingleDelete(const Slice& user_key);
  // Adds a wide-column entity of these columns, given in any order. Returns
  // InvalidArgument also if two columns have the same name.
  Status PutEntity(const Slice& user_key,
                   const std::vector<WideColumn>& columns);

  // Adds a range deletion. In the database that ingests the file it deletes all
  // older keys k with begin <= k < end, but none of the keys of this file.
  // Range deletions may overlap, and may be added in any order and at any time.
  // Returns InvalidArgument, and adds nothing, unless begin < end. Where the
  // comparator has timestamps, both keys must end in one: that of `begin` is
  // the deletion's, and that of `end` is ignored.
  Status DeleteRange(const Slice& begin, const Slice& end);

  // The same calls for comparators with timestamps: `user_key`, `begin` and
  // `end` have no timestamp, and `timestamp` is appended to them. Return
  // InvalidArgument also unless `timestamp` has as many bytes as the
  // comparator's timestamps. DeleteAt writes an entry of type
  // kTypeDeletionWithTimestamp, as RocksDB does; Delete writes kTypeDeletion.
  Status PutAt(const Slice& user_key, const Slice& timestamp,
               const Slice& value);
  Status DeleteAt(const Slice& user_key, const Slice& timestamp);
  Status DeleteRangeAt(const Slice& begin, const Slice& end,
                       const Slice& timestamp);

  // Writes all that is left; a writer that was opened by path then gives the
  // file its name. Returns InvalidArgument if there are no entries, since
  // ingestion refuses such files: entries may then still be added, and Finish
  // called again. After any other result only the getters below may be called.
  // Returns the first error of the build (TableBuilder::Finish) or of
  // AtomicFile::Commit.
  Status Finish();

  // These return what the getters of TableBuilder with these names return.
  uint64_t NumEntries() const;
  uint64_t FileSize() const;
  uint64_t EstimatedFileSize() const;
  const TableProperties& properties() const;
  const TableSummary& summary() const;

 private:
  struct State;
  explicit ExternalFileWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_EXTERNAL_FILE_WRITER_H_
