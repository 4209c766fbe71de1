// FailedBuild: a rocksdb::TableBuilder that only has an error, because
// RocksDB's factories cannot return one.
#ifndef ASHLAR_PLUGIN_ROCKSDB_FAILED_BUILD_H_
#define ASHLAR_PLUGIN_ROCKSDB_FAILED_BUILD_H_

#include <string>
#include <utility>

#include "rocksdb/file_checksum.h"
#include "table/table_builder.h"

namespace ashlar_rocksdb {

class FailedBuild final : public rocksdb::TableBuilder {
 public:
  explicit FailedBuild(rocksdb::Status status) : status_(std::move(status)) {}

  void Add(const rocksdb::Slice& /*key*/,
           const rocksdb::Slice& /*value*/) override {}
  rocksdb::Status status() const override { return status_; }
  rocksdb::IOStatus io_status() const override {
    return rocksdb::IOStatus::OK();
  }
  rocksdb::Status Finish() override { return status_; }
  void Abandon() override {}
  uint64_t NumEntries() const override { return 0; }
  uint64_t FileSize() const override { return 0; }
  rocksdb::TableProperties GetTableProperties() const override { return {}; }
  std::string GetFileChecksum() const override {
    return rocksdb::kUnknownFileChecksum;
  }
  const char* GetFileChecksumFuncName() const override {
    return rocksdb::kUnknownFileChecksumFuncName;
  }

 private:
  const rocksdb::Status status_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_FAILED_BUILD_H_
