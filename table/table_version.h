// TableVersion: which tables a database consists of, level by level, and their
// readers.
//
// For engines with leveled tables. It is data that an engine keeps, copies and
// changes; which tables to compact, and when, is for the engine to say.
//
//   VersionFile    a table as the engine's metadata describe it
//   TableVersion   its levels: what a read looks at, or what a compaction takes
//   OpenedTables   the readers of a version, for MultiGetFromTables,
//                  UserIterator and CompactTables
//
// A reader holds a copy of the version that it began with (a shared_ptr to it
// will do). So a table that a compaction has replaced stays as long as a
// version has it; then VersionFile lets the engine delete it.
//
// Thread safety: any number of threads may read a version that nobody changes.
// Copies share their files, and may be used by different threads.
#ifndef ASHLAR_TABLE_TABLE_VERSION_H_
#define ASHLAR_TABLE_TABLE_VERSION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/output_cutter.h"
#include "ashlar/table/table_cache.h"
#include "ashlar/table/user_iterator.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// Never changes, but for being obsolete.
class ASHLAR_EXPORT VersionFile {
 public:
  // `remove` is called with the number when the last version that has this file
  // is gone, if the file is obsolete: on whichever thread that is. It must not
  // throw. Empty: nothing is called.
  VersionFile(uint64_t number, FileRange range,
              std::function<void(uint64_t number)> remove = {});
  VersionFile(const VersionFile&) = delete;
  VersionFile& operator=(const VersionFile&) = delete;
  ~VersionFile();

  // Returns the number of the file.
  uint64_t number() const { return number_; }
  // Bounds as internal keys, range deletions included; the size in bytes.
  const FileRange& range() const { return range_; }
  // Says that no later version will have this file. Any thread.
  void MarkObsolete() const;

 private:
  struct Fate;
  const uint64_t number_;
  const FileRange range_;
  const std::unique_ptr<Fate> fate_;
};

// The tables of one level, in the order of TableVersion::levels.
using VersionLevel = std::vector<std::shared_ptr<const VersionFile>>;

class ASHLAR_EXPORT TableVersion {
 public:
  // The number of levels, unless the constructor is passed another.
  static constexpr size_t kDefaultLevels = 7;

  // The comparator must outlive the version.
  explicit TableVersion(size_t level_count = kDefaultLevels,
                        const Comparator* comparator = BytewiseComparator())
      : levels(level_count), comparator_(comparator) {}

  // Of level 0, the newest table first; their ranges may overlap. Of each
  // deeper level, tables in order, without overlap, and older than those of all
  // levels above. An empty level is allowed.
  std::vector<VersionLevel> levels;

  // Returns the tables of all levels.
  VersionLevel All() const;
  // Returns the tables of a level that may have keys from the first to the last
  // key of `files`; none, if these are none.
  VersionLevel Overlapping(size_t level, const VersionLevel& files) const;
  // Takes `removed` out of all levels, and puts `added` into one: in front of
  // level 0, and into a deeper level by their keys.
  void Replace(const VersionLevel& removed, const VersionLevel& added,
               size_t level);
  // Returns what SetDeeperFiles takes for outputs in this level. For level 0
  // that begins with its own tables, each as a level, but for the inputs of the
  // compaction: some may be older than those.
  std::vector<std::vector<FileRange>> RangesBelow(
      size_t level, const VersionLevel& inputs = {}) const;

  // Returns the order of the user keys.
  const Comparator* comparator() const { return comparator_; }

 private:
  const Comparator* comparator_;
};

// Readers of the tables of a version, which it keeps open. The version and the
// cache must outlive it. For one thread at a time; it can be moved.
class ASHLAR_EXPORT OpenedTables {
 public:
  // Opens all tables. Returns the first error of TableCache::Find, or
  // MemoryLimit.
  static Result<OpenedTables> Open(const TableVersion& version,
                                   TableCache* cache);
  // Opens the tables whose range has one of these user keys, which come without
  // timestamps and in any order. In deeper levels it finds them by binary
  // search.
  static Result<OpenedTables> OpenFor(std::span<const Slice> user_keys,
                                      const TableVersion& version,
                                      TableCache* cache);

  // For MultiGetFromTables. Live as long as this object.
  std::span<const TableLevel> levels() const { return levels_; }
  // For UserIterator.
  std::vector<UserIteratorTable> ForIterator() const;
  // For CompactTables: a run for each table of level 0, and for each deeper
  // level that has any.
  std::vector<CompactionRun> Runs() const;

 private:
  static Result<OpenedTables> OpenMarked(
      const TableVersion& version, TableCache* cache,
      const std::function<std::vector<bool>(size_t level)>& mark);
  void Add(TableHandle table, const FileRange& range, size_t level,
           size_t timestamp_size);

  struct OneTable {
    TableHandle handle;
    const FileRange* range;
    size_t level;
  };
  std::vector<OneTable> tables_;  // level by level
  std::vector<std::vector<TableRange>> ranges_;
  std::vector<TableLevel> levels_;  // refer to ranges_
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_VERSION_H_
