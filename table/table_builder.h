// TableBuilder: writes one table from internal keys in ascending order.
//
// For flushes and compactions. ExternalFileWriter is simpler where user keys
// are unique and sequence numbers do not matter. The builder appends to a
// WritableFile that the caller owns. It does not sync, close or name that file;
// AtomicFile (util/file.h) does.
//
// One builder makes one file. It may be used by one thread at a time, and may
// use worker threads of its own (BuildOptions::parallel_threads). Destroying a
// builder before Finish abandons the build, and waits until no worker touches
// the file.
//
//   auto builder =
//       ashlar::TableBuilder::Create(table_options, build_options, file);
//   if (!builder.ok()) return builder.status();
//   ashlar::Status status = (*builder)->Add(internal_key, value);  // ascending
//   if (status.ok()) status = (*builder)->Finish();
#ifndef ASHLAR_TABLE_TABLE_BUILDER_H_
#define ASHLAR_TABLE_TABLE_BUILDER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "ashlar/table/table_summary.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// What an engine knows of a table only when it has been written: properties
// that take the place of those of BuildOptions. Times are in seconds since
// 1970. Absent: stays.
struct LateProperties {
  std::optional<std::map<SequenceNumber, uint64_t>> seqno_to_time;
  std::optional<uint64_t> creation_time;  // RocksDB: oldest ancestor's
  std::optional<uint64_t> file_creation_time;
  std::optional<uint64_t> oldest_key_time;
  std::optional<uint64_t> newest_key_time;
};

class ASHLAR_EXPORT TableBuilder {
 public:
  // Sizes of the largest user key (64 MiB) and of the largest value (896 MiB),
  // in bytes. Such entries get blocks of their own where a block would exceed
  // the 1 GiB that readers accept by default.
  static constexpr uint64_t kMaxUserKeyBytes = uint64_t{1} << 26;
  static constexpr uint64_t kMaxValueBytes =
      (uint64_t{1} << 30) - (uint64_t{1} << 27);

  // Returns a builder that appends to `file`. The options are copied and
  // validated; what they point to (comparator, worker_pool) must outlive the
  // builder. Returns InvalidArgument if an option is impossible, NotSupported
  // if this build of the library lacks the codec, MemoryLimit if memory runs
  // out. Requires: `file` is empty, and outlives the builder.
  static Result<std::unique_ptr<TableBuilder>> Create(
      const TableOptions& table_options, const BuildOptions& build_options,
      WritableFile* file);

  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;
  ~TableBuilder();

  // Adds an entry after all others. Key and value are copied.
  //
  // An internal key of type kTypeRangeDeletion is the begin of a range
  // deletion, and the value its end, a larger user key. Range deletions may be
  // added in any order, and at any time among the other entries. A table holds
  // at most 2^24 of them, and about 768 MiB.
  //
  // Returns InvalidArgument, and adds nothing, in these cases. The builder can
  // still be used.
  //
  //   the key is not larger than the last one: subcode kKeyOutOfOrder, or
  //     kDuplicateKey if it is equal
  //   the key is shorter than a timestamp and the tail of 8 bytes
  //   key or value is too large (see above)
  //   a deletion has a value
  //   the type is not a ValueType
  //   a range deletion's end is not larger than its begin, or there are too
  //     many range deletions
  //
  // Returns any other error of the build: of the file, MemoryLimit, Corruption
  // (TableOptions::verify_compression), InvalidArgument if the index would
  // exceed 1 GiB, and what a properties collector returns. The table is then
  // lost: every later call returns this error again, and so does status().
  // After Finish or Abandon, Add returns InvalidArgument, or the error of the
  // build if it failed. Before them: if Add fails and status() is ok, Add
  // refused the entry, and the builder can be used. If status() is not ok, the
  // build has failed.
  Status Add(const Slice& internal_key, const Slice& value);
  // The same for an internal key in two parts: what UserKeyOf and TailOf
  // return. Saves joining them.
  Status Add(const Slice& user_key, uint64_t tail, const Slice& value);

  // Sets properties. May be called until Finish. Returns InvalidArgument, and
  // sets nothing, if times of seqno_to_time descend, or after Finish or
  // Abandon.
  Status SetLateProperties(const LateProperties& late);

  // Writes all that is left, and passes it to the file. Does not sync or close
  // it. The file is a table only if this returns ok. Returns the first error
  // that made the table impossible: those of Add, and Corruption
  // (detect_filter_construct_corruption). To be called once; afterwards only
  // the getters may be called. A second call returns an error, as Add does.
  Status Finish();

  // Ends the build, in place of Finish: nothing more is written, and the file
  // is no table. Waits until no worker touches the file.
  void Abandon();

  // Returns ok, or the first error after which the table cannot be finished.
  Status status() const;

  // Returns how many entries were added, range deletions included.
  uint64_t NumEntries() const;
  // Returns the internal key of the last entry that is no range deletion; empty
  // if there is none. A timestamp that is not written is all zeros. May throw
  // std::bad_alloc.
  std::string LastEntryKey() const;
  // Returns the number of bytes of the blocks that are written so far; after
  // Finish, the size of the file. Means nothing after Abandon.
  uint64_t FileSize() const;
  // Returns about what FileSize would return if Finish were called now, in
  // bytes. It counts the data blocks that are written, and those that are not,
  // at the compression ratio of those that are. It also counts what follows
  // them: the filter, the index before compression, the dictionary, the range
  // deletions, and 1500 bytes for the rest. While blocks wait for a dictionary
  // (CompressionOptions::max_dict_bytes), it counts them uncompressed, which is
  // an upper bound.
  //
  // A compaction ends its output files by this estimate. While the compression
  // ratio is steady, files that are built with workers differ in size from
  // files that are built without by a thousandth at most. If the ratio changes,
  // BuildOptions::target_file_size bounds the difference.
  uint64_t EstimatedFileSize() const;
  // Returns what RocksDB expects to follow the data blocks: index, filter,
  // dictionary and range deletions as they are now, and 3125 bytes for the
  // rest. For cutting files where RocksDB does, if
  // target_file_size_is_upper_bound.
  uint64_t EstimatedTailSize() const;

  // Returns the last bytes of the file, which begin with the last data blocks
  // or after them. They live as long as the builder. Empty if
  // BuildOptions::keep_tail is not set. Returns InvalidArgument before Finish
  // and after Abandon, and the error of the build if it failed. OpenBuiltTable
  // (table/built_table.h) calls it.
  Result<Slice> KeptTail() const;

  // Returns the properties, which live as long as the builder. They are
  // complete after Finish. Before, they have what the options say, num_entries,
  // the raw sizes, and what is known of the blocks that have ended.
  const TableProperties& properties() const;
  // Returns what an engine's metadata says of the table. It lives as long as
  // the builder. Complete after a Finish that returned ok; empty before.
  const TableSummary& summary() const;

 private:
  struct State;
  explicit TableBuilder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_BUILDER_H_
