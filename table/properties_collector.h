// TablePropertiesCollector: an application's own properties, made while a
// table is built.
//
// An application derives from both classes and gives a factory to
// BuildOptions. One collector sees one table, on the thread that calls the
// builder; a factory is called by any number of threads. Whatever goes wrong in
// a collector is an error of the builder: no table is finished without the
// properties that were asked for.
#ifndef ASHLAR_TABLE_PROPERTIES_COLLECTOR_H_
#define ASHLAR_TABLE_PROPERTIES_COLLECTOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class TablePropertiesCollector {
 public:
  virtual ~TablePropertiesCollector() = default;

  // Every entry that was added, range deletions too, whose value is their end.
  // `file_size`: bytes of the file so far. An error ends the build.
  virtual Status AddUserKey(const Slice& user_key, const Slice& value,
                            ValueType type, SequenceNumber sequence,
                            uint64_t file_size) = 0;

  // A data block of so many bytes, before compression, has been ended.
  virtual void BlockAdd(uint64_t block_raw_bytes) {
    static_cast<void>(block_raw_bytes);
  }

  // Adds its properties. Names must not begin with "rocksdb.", and no other
  // collector and no user property may have them.
  virtual Status Finish(std::map<std::string, std::string>* properties) = 0;
};

class TablePropertiesCollectorFactory {
 public:
  virtual ~TablePropertiesCollectorFactory() = default;

  // Null: nothing to collect for this table.
  virtual std::unique_ptr<TablePropertiesCollector>
  CreateTablePropertiesCollector() = 0;

  // For rocksdb.property.collectors, which lists all factories.
  virtual std::string_view Name() const = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_PROPERTIES_COLLECTOR_H_
