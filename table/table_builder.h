// TableBuilder: writes one table from internal keys in order.
//
// Flush and compaction code feeds it. One builder makes one file; one thread
// at a time calls it. It writes to the WritableFile it was given and leaves
// syncing, closing and naming to the caller (ExternalFileWriter and
// AtomicFile do that). Destroying a builder before Finish abandons the build.
//
//   auto builder =
//       ashlar::TableBuilder::Create(table_options, build_options, file);
//   if (!builder.ok()) return builder.status();
//   ashlar::Status status = (*builder)->Add(internal_key, value);  // ascending
//   if (status.ok()) status = (*builder)->Finish();
#ifndef ASHLAR_TABLE_TABLE_BUILDER_H_
#define ASHLAR_TABLE_TABLE_BUILDER_H_

#include <cstdint>
#include <memory>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class ASHLAR_EXPORT TableBuilder {
 public:
  // Largest key and value, in bytes: a block with one such entry stays below
  // the 1 GiB that readers take by default.
  static constexpr uint64_t kMaxUserKeyBytes = uint64_t{1} << 26;
  static constexpr uint64_t kMaxValueBytes =
      (uint64_t{1} << 30) - (uint64_t{1} << 27);

  // `file` must be empty and outlive the builder. An option that is impossible
  // is InvalidArgument, one that this build cannot do NotSupported.
  static Result<std::unique_ptr<TableBuilder>> Create(
      const TableOptions& table_options, const BuildOptions& build_options,
      WritableFile* file);

  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;
  ~TableBuilder();

  // Adds an entry behind all others. Keys and values are copied.
  // InvalidArgument, and nothing is added, for a key that is not larger than
  // the last one, is malformed, or is too large, for a value that is too
  // large, for a value of a deletion, and for types that no table holds. Such
  // an error leaves the builder usable; an I/O error or MemoryLimit does not:
  // every later call returns it again.
  //
  // A key of type kTypeRangeDeletion is the begin of a range deletion, the
  // value its end, a user key behind it. Range deletions may come in any order
  // among themselves and at any time among the entries.
  Status Add(const Slice& internal_key, const Slice& value);

  // Writes all that is left. The file is a table only if this is ok. Nothing
  // but the getters may be called afterwards.
  Status Finish();

  // Gives the build up: nothing more is written. Instead of Finish.
  void Abandon();

  // The first error that made the builder unusable.
  Status status() const;

  uint64_t NumEntries() const;
  // Bytes of all finished blocks; of the whole file after Finish.
  uint64_t FileSize() const;
  // What FileSize would be about if Finish came now: data blocks that are
  // written; those that are not, by the ratio of those that are; and what comes
  // behind them so far: filter, index before compression, dictionary, range
  // deletions, and 1500 bytes for the rest. Built by many threads, files that
  // are cut by it are as large as others, to a thousandth, while the ratio is
  // steady (BuildOptions::target_file_size if it is not). While blocks wait for
  // a dictionary (compression_opts.max_dict_bytes), as if none of them could be
  // compressed, which is the most that it can be.
  uint64_t EstimatedFileSize() const;

  // Complete after Finish; before that, counts and raw sizes only.
  const TableProperties& properties() const;

 private:
  friend class ExternalFileWriter;
  struct State;
  // Before the first entry: properties for ingestion, each user key once.
  void MakeExternal();
  // Add for an internal key in two parts.
  Status AddParts(const Slice& user_key, uint64_t tail, const Slice& value);
  explicit TableBuilder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_BUILDER_H_
