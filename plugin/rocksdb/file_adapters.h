// RocksDB's files as Ashlar's: what a table is read from and written to.
//
// Everything goes through RocksDB's own layer above its file systems, so that
// its statistics, listeners, rate limiter, checksums of whole files and fault
// injection see each read and write.
#ifndef ASHLAR_PLUGIN_ROCKSDB_FILE_ADAPTERS_H_
#define ASHLAR_PLUGIN_ROCKSDB_FILE_ADAPTERS_H_

#include <memory>
#include <span>
#include <string>

#include "ashlar/util/file.h"
#include "file/random_access_file_reader.h"
#include "file/writable_file_writer.h"
#include "rocksdb/options.h"

namespace ashlar_rocksdb {

// A RocksDB file that its caller can take back from a reader that has failed.
using SharedFile =
    std::shared_ptr<std::unique_ptr<rocksdb::RandomAccessFileReader>>;

// Reads a RocksDB file. Shares ownership of it. The context of a read is
// RocksDB's ReadOptions, or null.
class ReadableFile final : public ashlar::RandomAccessFile {
 public:
  // `open_options`: those of opening the table. Of these, priority and activity
  // count for all reads without a context, and deadlines until EndOpening.
  ReadableFile(SharedFile file, uint64_t size,
               const rocksdb::ReadOptions& open_options)
      : owner_(std::move(file)),
        file_(owner_->get()),
        size_(size),
        open_options_(LimitsOf(open_options)) {}

  // Called once, before other threads use the file.
  void EndOpening() {
    open_options_.deadline = std::chrono::microseconds::zero();
    open_options_.io_timeout = std::chrono::microseconds::zero();
  }

  ashlar::Status Read(uint64_t offset, size_t n, char* scratch,
                      ashlar::Slice* data) const override;
  void MultiRead(std::span<ashlar::ReadRequest> requests) const override;
  ashlar::Status ReadWithin(const ashlar::ReadContext& context, uint64_t offset,
                            size_t n, char* scratch,
                            ashlar::Slice* data) const override;
  void MultiReadWithin(const ashlar::ReadContext& context,
                       std::span<ashlar::ReadRequest> requests) const override;
  void Expect(uint64_t offset, uint64_t n) const override {
    ExpectWithin({}, offset, n);
  }
  void ExpectWithin(const ashlar::ReadContext& context, uint64_t offset,
                    uint64_t n) const override;
  uint64_t Size() const override { return size_; }
  std::string name() const override { return file_->file_name(); }

 private:
  rocksdb::IOStatus Prepare(const ashlar::ReadContext& context,
                            rocksdb::IOOptions* options) const;
  ashlar::Status ReadWith(const rocksdb::IOOptions& options, uint64_t offset,
                          size_t n, char* scratch, ashlar::Slice* data) const;
  void MultiReadWith(const rocksdb::IOOptions& options,
                     std::span<ashlar::ReadRequest> requests) const;

  // Not the whole: it may hold functions of the application.
  static rocksdb::ReadOptions LimitsOf(const rocksdb::ReadOptions& theirs) {
    rocksdb::ReadOptions limits;
    limits.deadline = theirs.deadline;
    limits.io_timeout = theirs.io_timeout;
    limits.rate_limiter_priority = theirs.rate_limiter_priority;
    limits.io_activity = theirs.io_activity;
    return limits;
  }

  const SharedFile owner_;
  rocksdb::RandomAccessFileReader* const file_;
  const uint64_t size_;
  rocksdb::ReadOptions open_options_;
};

// Appends to a RocksDB file, which must outlive it.
class AppendedFile final : public ashlar::WritableFile {
 public:
  AppendedFile(rocksdb::WritableFileWriter* file,
               const rocksdb::WriteOptions& options)
      : file_(file), options_(options) {}

  ashlar::Status Append(const ashlar::Slice& data) override;
  // RocksDB syncs and closes the file after the build.
  ashlar::Status Sync() override { return {}; }
  ashlar::Status Close() override { return {}; }
  std::string name() const override { return file_->file_name(); }

  // Returns the first error of the file. A builder's workers set it, one at a
  // time; its caller may read it once the builder has reported an error.
  const rocksdb::IOStatus& io_status() const { return io_status_; }

 private:
  rocksdb::WritableFileWriter* file_;
  const rocksdb::WriteOptions options_;
  rocksdb::IOStatus io_status_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_FILE_ADAPTERS_H_
