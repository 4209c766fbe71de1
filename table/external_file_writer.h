// ExternalFileWriter: makes a file that RocksDB's IngestExternalFile takes.
//
// For bulk loads: user keys in ascending order, each once, all with sequence
// number 0, and the properties that ingestion asks for. A file that was opened
// by its path appears under its name only when Finish has written all of it.
// When Finish fails, and when the writer is destroyed early, nothing is left,
// with the exception that AtomicFile::Commit (util/file.h) names. One thread at
// a time.
#ifndef ASHLAR_TABLE_EXTERNAL_FILE_WRITER_H_
#define ASHLAR_TABLE_EXTERNAL_FILE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class ASHLAR_EXPORT ExternalFileWriter {
 public:
  // Writes to `path` by way of a temporary name beside it.
  static Result<std::unique_ptr<ExternalFileWriter>> Open(
      const std::string& path, const TableOptions& table_options = {},
      const BuildOptions& build_options = {},
      const AtomicFile::Options& file_options = {});

  // Writes to `file`, which must be empty and outlive the writer. Syncing and
  // closing are left to the caller.
  static Result<std::unique_ptr<ExternalFileWriter>> Create(
      WritableFile* file, const TableOptions& table_options = {},
      const BuildOptions& build_options = {});

  ExternalFileWriter(const ExternalFileWriter&) = delete;
  ExternalFileWriter& operator=(const ExternalFileWriter&) = delete;
  ~ExternalFileWriter();

  // Each adds one entry behind all others; a user key that is not larger than
  // the last one is InvalidArgument and adds nothing. Where the comparator has
  // timestamps, the user key must end in one.
  Status Put(const Slice& user_key, const Slice& value);
  Status Merge(const Slice& user_key, const Slice& operand);
  Status Delete(const Slice& user_key);
  Status SingleDelete(const Slice& user_key);
  // An entity of these columns, in any order; no two of one name.
  Status PutEntity(const Slice& user_key,
                   const std::vector<WideColumn>& columns);

  // Deletes, where the file will be ingested, all older keys from begin to
  // before end; none of the file's own. Range deletions may overlap and come in
  // any order, at any time. InvalidArgument unless begin lies before end. Where
  // the comparator has timestamps, both must end in one; that of begin counts.
  Status DeleteRange(const Slice& begin, const Slice& end);

  // The same where the comparator has timestamps: keys are given without.
  Status PutAt(const Slice& user_key, const Slice& timestamp,
               const Slice& value);
  Status DeleteAt(const Slice& user_key, const Slice& timestamp);
  Status DeleteRangeAt(const Slice& begin, const Slice& end,
                       const Slice& timestamp);

  // InvalidArgument for a file without entries: ingestion refuses those.
  Status Finish();

  uint64_t NumEntries() const;
  uint64_t FileSize() const;
  uint64_t EstimatedFileSize() const;
  const TableProperties& properties() const;

 private:
  struct State;
  explicit ExternalFileWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_EXTERNAL_FILE_WRITER_H_
