// BuiltTable: a rocksdb::TableBuilder whose table Ashlar builds.
#ifndef ASHLAR_PLUGIN_ROCKSDB_BUILT_TABLE_H_
#define ASHLAR_PLUGIN_ROCKSDB_BUILT_TABLE_H_

#include <memory>
#include <string>

#include "ashlar/table/table_builder.h"
#include "build_plan.h"
#include "collected_properties.h"
#include "file_adapters.h"
#include "table/table_builder.h"

namespace ashlar_rocksdb {

class BuiltTable final : public rocksdb::TableBuilder {
 public:
  // Returns a builder of the planned table, or null and sets *plan's obstacle.
  // `file` must outlive it.
  static std::unique_ptr<BuiltTable> Create(
      BuildPlan* plan, const rocksdb::TableBuilderOptions& theirs,
      rocksdb::WritableFileWriter* file);

  void Add(const rocksdb::Slice& key, const rocksdb::Slice& value) override;
  rocksdb::Status status() const override;
  rocksdb::IOStatus io_status() const override;
  rocksdb::Status Finish() override;
  void Abandon() override;

  uint64_t NumEntries() const override { return builder_->NumEntries(); }
  bool IsEmpty() const override { return NumEntries() == 0; }
  uint64_t PreCompressionSize() const override;
  uint64_t FileSize() const override { return builder_->FileSize(); }
  uint64_t EstimatedFileSize() const override;
  uint64_t EstimatedTailSize() const override {
    return builder_->EstimatedTailSize();
  }
  uint64_t GetTailSize() const override {
    return builder_->summary().tail_size;
  }
  bool NeedCompact() const override { return collected_->NeedCompact(); }
  rocksdb::TableProperties GetTableProperties() const override;
  std::string GetFileChecksum() const override {
    return their_file_->GetFileChecksum();
  }
  const char* GetFileChecksumFuncName() const override {
    return their_file_->GetFileChecksumFuncName();
  }
  void SetSeqnoTimeTableProperties(
      const rocksdb::SeqnoToTimeMapping& relevant_mapping,
      uint64_t oldest_ancestor_time) override;
  uint64_t GetWorkerCPUMicros() const override {
    return builder_->summary().worker_cpu_micros;
  }

 private:
  BuiltTable(std::unique_ptr<CollectedProperties> collected,
             rocksdb::WritableFileWriter* their_file,
             const rocksdb::WriteOptions& options, bool has_workers)
      : their_file_(their_file),
        file_(their_file, options),
        collected_(std::move(collected)),
        has_workers_(has_workers) {}

  rocksdb::WritableFileWriter* const their_file_;
  AppendedFile file_;
  const std::unique_ptr<CollectedProperties> collected_;
  const bool has_workers_;
  // The first entry that Ashlar refused: RocksDB has no way to add an entry
  // after that.
  rocksdb::Status refused_;
  // After the others, which it uses.
  std::unique_ptr<ashlar::TableBuilder> builder_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_BUILT_TABLE_H_
