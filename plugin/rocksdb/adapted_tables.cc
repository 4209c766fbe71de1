#include "adapted_tables.h"

#include <string>
#include <utility>

#include "adapter_state.h"
#include "built_table.h"
#include "codec_obstacle.h"
#include "conversions.h"
#include "failed_build.h"
#include "file/read_write_util.h"
#include "read_table.h"
#include "rocksdb/env.h"

namespace ashlar_rocksdb {

namespace {

// Logs a reason once, and then now and then.
bool IsWorthALine(uint64_t times) { return (times & (times - 1)) == 0; }

void LogFallback(rocksdb::Logger* log, const char* what,
                 const std::string& reason, uint64_t times) {
  if (!IsWorthALine(times)) return;
  rocksdb::Info(log,
                "Ashlar leaves a table to RocksDB's own %s (%llu so far for "
                "this reason): %s",
                what, static_cast<unsigned long long>(times), reason.c_str());
}

rocksdb::Status Forbidden(const std::string& reason) {
  return rocksdb::Status::NotSupported(
      "allow_fallback is false, and Ashlar does not do: " + reason);
}

// RocksDB never opens a file whose size is not that in its manifest, and gives
// an error of the file system back as it is.
rocksdb::Status CheckFileSize(const rocksdb::TableReaderOptions& theirs,
                              rocksdb::RandomAccessFileReader* file,
                              uint64_t expected) {
  uint64_t actual = 0;
  rocksdb::IOStatus status = rocksdb::GetFileSizeFromOpenFileOrPath(
      file->file(), theirs.ioptions.fs.get(), file->file_name(), &actual,
      nullptr, rocksdb::FileSizeFallback::kAnyOpenFileError);
  if (!status.ok()) return status;
  if (actual == expected) return rocksdb::Status::OK();
  return rocksdb::Status::Corruption(
      "Sst file size mismatch between expected " + std::to_string(expected) +
      " and file system " + std::to_string(actual) +
      " sstable: " + file->file_name());
}

// Opens a table by Ashlar, or sets plan->obstacle and leaves the file in
// *shared.
ashlar::Status OpenByAshlar(const SharedFile& shared, uint64_t file_size,
                            const rocksdb::ReadOptions& read_options,
                            ReadPlan* plan,
                            std::unique_ptr<ashlar::TableReader>* reader) {
  const auto open = [&]() -> ashlar::Status {
    auto file = std::make_unique<ReadableFile>(shared, file_size, read_options);
    ReadableFile* const opening = file.get();
    auto opened = ashlar::TableReader::Open(std::move(file), plan->options);
    if (!opened.ok()) return opened.status();
    opening->EndOpening();
    *reader = std::move(*opened);
    return {};
  };
  ashlar::Status status = open();
  // RocksDB does without a filter that is damaged. A status of the file system
  // has a payload: it is no damage.
  const bool is_damaged = status.IsCorruption() && status.payload() == 0;
  if (is_damaged && !plan->options.skip_filters) {
    plan->options.skip_filters = true;
    if (open().ok()) status = {};
  }
  if (status.IsInvalidArgument()) {
    // RocksDB's reader does not compare names, and RocksDB counts on that: a
    // repair opens all tables with the comparator of the default family, and a
    // table may be older than the timestamps of its database.
    plan->obstacle = "a table of another comparator";
  } else if (status.IsNotSupported()) {
    plan->obstacle = "a table that TableReader::Open does not support";
  } else if (status.ok()) {
    plan->obstacle = CodecObstacle(**reader);
    if (!plan->obstacle.empty()) reader->reset();
  }
  return status;
}

}  // namespace

rocksdb::TableBuilder* NewAdaptedBuilder(
    const rocksdb::BlockBasedTableOptions& options,
    const AshlarTableOptions& ashlar_options,
    const rocksdb::TableBuilderOptions& theirs,
    rocksdb::WritableFileWriter* file, const StockBuilder& stock) {
  if (!ashlar_options.build) return stock();
  AdapterState& state = AdapterState::Shared();
  BuildPlan plan = PlanBuild(options, theirs);
  if (plan.obstacle.empty()) {
    std::unique_ptr<BuiltTable> builder =
        BuiltTable::Create(&plan, theirs, file);
    if (builder != nullptr) {
      state.CountBuilt();
      return builder.release();
    }
  }
  const uint64_t times = state.CountBuiltByStock(plan.obstacle);
  if (!ashlar_options.allow_fallback) {
    return new FailedBuild(Forbidden(plan.obstacle));
  }
  LogFallback(theirs.ioptions.logger, "builder", plan.obstacle, times);
  return stock();
}

rocksdb::Status OpenAdaptedTable(
    const rocksdb::BlockBasedTableOptions& options,
    const AshlarTableOptions& ashlar_options,
    const rocksdb::ReadOptions& read_options,
    const rocksdb::TableReaderOptions& theirs,
    std::unique_ptr<rocksdb::RandomAccessFileReader> file, uint64_t file_size,
    bool load_now, const StockReader& stock,
    std::unique_ptr<rocksdb::TableReader>* table) {
  if (!ashlar_options.read) return stock(std::move(file), table);
  AdapterState& state = AdapterState::Shared();
  // Of this table, and so not counted as a reason of its own.
  std::string detail;
  // What an opening loads goes into the cache, so that one which may not fill
  // it loads nothing that can wait.
  ReadPlan plan =
      PlanRead(options, theirs, file_size, load_now && read_options.fill_cache);
  if (plan.obstacle.empty()) {
    const auto shared =
        std::make_shared<std::unique_ptr<rocksdb::RandomAccessFileReader>>(
            std::move(file));
    std::unique_ptr<ashlar::TableReader> reader;
    const ashlar::Status status =
        OpenByAshlar(shared, file_size, read_options, &plan, &reader);
    if (status.ok() || status.IsCorruption()) {
      rocksdb::Status size = CheckFileSize(theirs, shared->get(), file_size);
      if (!size.ok()) return size;
    }
    if (reader != nullptr) {
      rocksdb::Status created = ReadTable::Create(
          std::move(reader), theirs,
          options.no_block_cache ? nullptr : options.block_cache, file_size,
          table);
      if (created.ok()) state.CountRead();
      return created;
    }
    if (plan.obstacle.empty()) return ToRocksDB(status);
    if (!status.ok()) detail = ": " + status.ToString();
    file = std::move(*shared);
  }
  const uint64_t times = state.CountReadByStock(plan.obstacle);
  const std::string reason = plan.obstacle + detail;
  if (!ashlar_options.allow_fallback) return Forbidden(reason);
  LogFallback(theirs.ioptions.logger, "reader", reason, times);
  return stock(std::move(file), table);
}

}  // namespace ashlar_rocksdb
