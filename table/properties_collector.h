// TablePropertiesCollector: an application's own properties, collected while a
// table is built.
//
// An application derives from both classes, and gives factories to
// BuildOptions::table_properties_collector_factories. A reader finds the
// properties in TableProperties::user_collected_properties.
//
// A builder makes at most one collector per factory for its table, and calls it
// on the thread that calls the builder. A factory may be called by any number
// of threads at once.
//
// Unlike in RocksDB, which logs a collector's error and goes on, an error of a
// collector is an error of the builder: no table is finished without the
// properties that were asked for.
#ifndef ASHLAR_TABLE_PROPERTIES_COLLECTOR_H_
#define ASHLAR_TABLE_PROPERTIES_COLLECTOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class TablePropertiesCollector {
 public:
  virtual ~TablePropertiesCollector() = default;

  // Called for every entry after it was added, range deletions included: their
  // user_key is the begin of the range, and their value its end. Keys have
  // their timestamps, if the comparator has any. Entries come in the order of
  // the calls of TableBuilder::Add. `file_size` is the number
  // of bytes that the file has so far; with worker threads it depends on their
  // progress, so a property should not depend on it. The slices live until the
  // call returns. An error ends the build: this and every later call of the
  // builder returns it, with the name of the collector in front.
  virtual Status AddUserKey(const Slice& user_key, const Slice& value,
                            ValueType type, SequenceNumber sequence,
                            uint64_t file_size) = 0;

  // Called before BlockAdd for a block that is a sample
  // (TableOptions::sample_for_compression), with its size if it were compressed
  // by the fast codec, and by the slow one. By default does nothing.
  virtual void SampledBlock(uint64_t fast_bytes, uint64_t slow_bytes) {
    static_cast<void>(fast_bytes);
    static_cast<void>(slow_bytes);
  }

  // Called when a data block has ended. `block_raw_bytes` is its size before
  // compression. By default does nothing.
  virtual void BlockAdd(uint64_t block_raw_bytes) {
    static_cast<void>(block_raw_bytes);
  }

  // Called once, after the last data block. Adds this collector's properties to
  // *properties, which is empty: name to value, both any bytes. A name that
  // TableProperties has a field for ("rocksdb.data.size"), or that a user
  // property or another collector has, is InvalidArgument from
  // TableBuilder::Finish. So a collector may set other properties of RocksDB's,
  // such as those that its own collectors set. An error ends the build.
  virtual Status Finish(std::map<std::string, std::string>* properties) = 0;

  // Called after Finish. Returns whether the table should be compacted soon,
  // for example because it has many deletions: TableSummary says so. The
  // default returns false.
  virtual bool NeedCompact() const { return false; }
};

// Returns whether TableProperties has a field for the property of that name
// ("rocksdb.data.size"), so that no collector may set it. Thread-safe.
ASHLAR_EXPORT bool TablePropertiesHasField(std::string_view name);

// Which table it is, as far as the caller of the builder said (BuildOptions).
struct TablePropertiesCollectorContext {
  uint32_t column_family_id = 0x7fffffff;  // not known
  int level_at_creation = -1;              // not known
  int num_levels = -1;                     // of the database; not known
};

// Makes a collector for each table. An application derives from it.
class TablePropertiesCollectorFactory {
 public:
  virtual ~TablePropertiesCollectorFactory() = default;

  // Returns the collector for one table, which the builder owns, or null to
  // collect nothing for this table.
  virtual std::unique_ptr<TablePropertiesCollector>
  CreateTablePropertiesCollector(
      const TablePropertiesCollectorContext& context) = 0;

  // Returns the name, which must not change. The property
  // rocksdb.property.collectors lists the names of all factories, also of those
  // that returned null.
  virtual std::string_view Name() const = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_PROPERTIES_COLLECTOR_H_
