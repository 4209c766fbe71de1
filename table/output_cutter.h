// Where a compaction ends one output file and begins the next, and what range
// of keys each output then has.
//
//   OutputCutter   decides before each entry whether it begins the next file
//   OutputRanges   says between which keys an output's range deletions count
//   OlderFiles     knows the files of deeper levels: what is bottommost, and
//                  which keys may be there
//
// None of them does I/O, or knows of a builder. CompactTables
// (table/compaction.h) uses all three; an engine's own loop can, too. The rules
// are those of RocksDB's level and universal compactions. The source of these
// classes begins with them.
//
// One thread at a time. Comparators must outlive the objects.
#ifndef ASHLAR_TABLE_OUTPUT_CUTTER_H_
#define ASHLAR_TABLE_OUTPUT_CUTTER_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/range_deletion_aggregator.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// A file as its metadata describe it.
struct FileRange {
  std::string smallest;  // internal keys, range deletions included
  std::string largest;
  uint64_t size = 0;  // in bytes
};

// The application's say, as RocksDB's "SstPartitioner".
class OutputPartitioner {
 public:
  virtual ~OutputPartitioner() = default;
  virtual std::string_view Name() const = 0;
  // Returns whether a file must end between these user keys, which follow each
  // other. `file_size` is what the file has so far, in bytes.
  virtual bool ShouldPartition(const Slice& previous, const Slice& next,
                               uint64_t file_size) = 0;
};

// Where outputs may end.
struct OutputCutterOptions {
  // The order of the user keys. Must outlive the cutter.
  const Comparator* comparator = BytewiseComparator();

  // What stands for no limit, in the options below.
  static constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
  // How large an output is to become, in bytes. Default: no limit. Without
  // bottommost, and with grandparents, an output may become twice as large,
  // since it then mostly ends at one of their borders.
  uint64_t target_file_size = kNoLimit;
  bool bottommost = false;
  // Level style also ends outputs at borders of grandparents; universal does
  // only for max_compaction_bytes.
  bool level_style = true;
  // The files of the next level that the outputs overlap, in order.
  std::vector<FileRange> grandparents;
  // How many bytes of output and grandparents a later compaction of the output
  // may take. Default: no limit.
  uint64_t max_compaction_bytes = kNoLimit;
  // Null: none.
  OutputPartitioner* partitioner = nullptr;
  // Files of the output level that are to become outputs of their own, in
  // order: RocksDB's old files with a TTL.
  std::vector<FileRange> cut_around;
  // An internal key at which one output begins: RocksDB's cursor of round robin
  // compactions. Empty: none.
  std::string cut_at;
  // Whether outputs may end between two versions of a user key, as RocksDB's
  // do. Default: false; the output then ends after the key's last version. With
  // true, an engine that picks the inputs of a later compaction must take
  // neighbours that share a user key together, and RocksDB's Get misreads a key
  // with merge operands whose base value is in the next output, if a range
  // deletion over the key is older than that.
  bool cut_inside_user_keys = false;
};

class ASHLAR_EXPORT OutputCutter {
 public:
  // Starts before the first entry.
  explicit OutputCutter(OutputCutterOptions options);

  // To be called before each entry is written, in order, and, unless the
  // compaction is bottommost, where a range deletion of an input begins
  // (is_begin). Returns whether the entry begins the next output. `file_size`
  // is the size of the blocks that are written to the current output, or 0 if
  // there is no output, which never ends one.
  bool ShouldCutBefore(const Slice& user_key, uint64_t tail, bool is_begin,
                       bool has_output, uint64_t file_size);

 private:
  int Compare(const Slice& a, const Slice& b) const;
  int CompareToLargest(const Slice& user_key, const FileRange& file) const;
  void PassGrandparents(const Slice& user_key);
  void CrossBorder();
  uint64_t OverlapAt(const Slice& user_key) const;
  bool CrossesCutAround(const Slice& user_key, uint64_t tail);
  bool WantsCut(const Slice& user_key, uint64_t tail, uint64_t file_size,
                bool crosses_cut_around);
  bool WantsCutAtBorder(uint64_t file_size) const;

  const OutputCutterOptions options_;
  const size_t timestamp_size_;
  const uint64_t limit_;
  // Of the walk over grandparents: in file at_, or in the gap in front of it.
  size_t at_ = 0;
  bool in_file_ = false;
  bool any_key_ = false;
  uint64_t borders_now_ = 0;  // crossed by this key
  uint64_t borders_ = 0;      // crossed since the output began
  uint64_t overlap_ = 0;      // bytes of grandparents that the output overlaps
  uint64_t overlap_before_ = 0;  // the same before this key
  size_t next_around_ = 0;
  bool in_around_ = false;
  bool cut_at_passed_ = false;
  bool owes_cut_ = false;  // as soon as the user key changes
  std::string previous_;   // user keys
  std::string last_entry_;
  bool any_entry_ = false;
};

// Bounds of the range deletions of each output of a compaction, or of the part
// of it in [start, end).
class ASHLAR_EXPORT OutputRanges {
 public:
  // User keys without timestamps; empty strings: no bound.
  explicit OutputRanges(const Comparator* comparator, std::string start = {},
                        std::string end = {});

  // Begins an output with this key: of an entry as it is written, or of the
  // begin of a range deletion.
  void Open(const Slice& user_key, uint64_t tail);
  // Ends it. `last_entry` is the internal key of its last entry, empty if it
  // has none. `next` is the key that the following output begins with, an
  // internal key, and empty for the last output.
  RangeDeletionAggregator::OutputRange Close(const Slice& last_entry,
                                             const Slice& next) const;
  // Says that the output was kept. Without, the next one takes its place.
  void Keep() { any_kept_ = true; }

 private:
  std::string Border(const Slice& user_key) const;

  const Comparator* comparator_;
  const std::string start_;
  const std::string end_;
  std::string first_;
  bool any_kept_ = false;
};

// The files of all levels deeper than an output's.
class ASHLAR_EXPORT OlderFiles {
 public:
  // Each level's files are in order and do not overlap.
  OlderFiles(const Comparator* comparator,
             std::vector<std::vector<FileRange>> levels);

  // Whether a file has keys between these user keys, both inclusive, without
  // timestamps.
  bool Overlaps(const Slice& smallest, const Slice& largest) const;
  // Whether a file may have this user key.
  bool MayHave(const Slice& user_key) const {
    return Overlaps(user_key, user_key);
  }
  // Whether a file may have keys from `begin` to `end`, exclusive.
  bool MayHaveRange(const Slice& begin, const Slice& end) const;

 private:
  template <typename Reaches>
  bool Any(const Slice& begin, const Reaches& reaches) const;

  const Comparator* comparator_;
  const size_t timestamp_size_;
  const std::vector<std::vector<FileRange>> levels_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_OUTPUT_CUTTER_H_
