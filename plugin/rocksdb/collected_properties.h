// Properties that RocksDB's collectors collect while Ashlar builds a table.
//
// RocksDB has collectors of applications and of its own, and lists only the
// first in the table's properties. So the adapter passes all of them to the
// builder as one collector, whose name is the list.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COLLECTED_PROPERTIES_H_
#define ASHLAR_PLUGIN_ROCKSDB_COLLECTED_PROPERTIES_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/properties_collector.h"
#include "rocksdb/table_properties.h"
#include "table/table_builder.h"

namespace ashlar_rocksdb {

// The collectors of one table. The builder's caller owns it, and asks it after
// the build; it outlives the builder.
class CollectedProperties {
 public:
  explicit CollectedProperties(const rocksdb::TableBuilderOptions& theirs);

  // Returns what to give to the builder; null if nothing is collected and no
  // names are listed. To be called once.
  std::shared_ptr<ashlar::TablePropertiesCollectorFactory> MakeFactory();

  // Returns whether the table is an external file, as RocksDB's SstFileWriter
  // makes them. Ashlar's builder itself sets the properties of these.
  bool is_external_file() const { return is_external_file_; }
  // Returns whether a collector wants the table to be compacted.
  bool NeedCompact() const;
  // Returns what the collectors say for people to read. After the build.
  const rocksdb::UserCollectedProperties& readable() const { return readable_; }

 private:
  class Collector;
  class Factory;

  void Add(const rocksdb::Slice& internal_key, const rocksdb::Slice& value,
           uint64_t file_size);
  // `fast_bytes` and `slow_bytes` are 0 unless the block is a sample.
  void EndBlock(uint64_t raw_bytes, uint64_t fast_bytes, uint64_t slow_bytes);
  void Finish(std::map<std::string, std::string>* properties);
  bool IsOfTable(const std::string& name) const;
  // RocksDB builds the table all the same when a collector fails.
  void Log(const char* collector, const rocksdb::Status& status) const;

  std::vector<std::unique_ptr<rocksdb::InternalTblPropColl>> collectors_;
  const bool has_timestamps_;  // and the table stores them
  bool is_external_file_ = false;
  std::string names_;  // "A,B", of the application's
  rocksdb::Logger* log_;
  rocksdb::UserCollectedProperties readable_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COLLECTED_PROPERTIES_H_
