#include "test/plugin/faulty_tables_fs.h"

#include <string_view>
#include <utility>

namespace ashlar::testing {

namespace {

using rocksdb::FileOptions;
using rocksdb::FSReadRequest;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

bool IsTable(std::string_view name) { return name.ends_with(".sst"); }

class WrittenTable final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WrittenTable(std::unique_ptr<rocksdb::FSWritableFile> file,
               FaultyTablesFs* fs)
      : FSWritableFileOwnerWrapper(std::move(file)), fs_(fs) {}

  IOStatus Append(const Slice& data, const IOOptions& options,
                  IODebugContext* context) override {
    return fs_->Do(TableOperation::kAppend,
                   [&] { return target()->Append(data, options, context); });
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& checksum,
                  IODebugContext* context) override {
    return fs_->Do(TableOperation::kAppend, [&] {
      return target()->Append(data, options, checksum, context);
    });
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* context) override {
    return fs_->Do(TableOperation::kFlush,
                   [&] { return target()->Flush(options, context); });
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    return fs_->Do(TableOperation::kSync,
                   [&] { return target()->Sync(options, context); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return fs_->Do(TableOperation::kSync,
                   [&] { return target()->Fsync(options, context); });
  }
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    return fs_->Do(TableOperation::kClose,
                   [&] { return target()->Close(options, context); });
  }

 private:
  FaultyTablesFs* const fs_;
};

class ReadTableFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  ReadTableFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file,
                FaultyTablesFs* fs)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), fs_(fs) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options,
                Slice* result, char* scratch,
                IODebugContext* context) const override {
    return fs_->Do(TableOperation::kRead, [&] {
      return target()->Read(offset, n, options, result, scratch, context);
    });
  }
  IOStatus MultiRead(FSReadRequest* requests, size_t count,
                     const IOOptions& options,
                     IODebugContext* context) override {
    return fs_->Do(TableOperation::kRead, [&] {
      return target()->MultiRead(requests, count, options, context);
    });
  }
  IOStatus GetFileSize(uint64_t* size) override {
    return fs_->Do(TableOperation::kGetSize,
                   [&] { return target()->GetFileSize(size); });
  }

 private:
  FaultyTablesFs* const fs_;
};

}  // namespace

void FaultyTablesFs::Plan(const TableFault& fault) {
  const std::scoped_lock lock(mutex_);
  fault_ = fault;
  is_planned_ = true;
  operations_ = 0;
  failed_.reset();
}

std::optional<TableOperation> FaultyTablesFs::failed() const {
  const std::scoped_lock lock(mutex_);
  return failed_;
}

void FaultyTablesFs::Heal() {
  const std::scoped_lock lock(mutex_);
  is_planned_ = false;
  faults_->SetFilesystemActive(true);
}

void FaultyTablesFs::LoseUnsynced() {
  faults_->DropUnsyncedFileData().PermitUncheckedError();
  faults_->DeleteFilesCreatedAfterLastDirSync(IOOptions(), nullptr)
      .PermitUncheckedError();
  faults_->ResetState();
}

bool FaultyTablesFs::Begin(TableOperation operation) {
  const std::scoped_lock lock(mutex_);
  if (!is_planned_ || failed_.has_value()) return false;
  if (++operations_ < fault_.number) return false;
  failed_ = operation;
  faults_->SetFilesystemActive(false, fault_.error);
  return !fault_.lasts;
}

IOStatus FaultyTablesFs::NewWritableFile(
    const std::string& name, const FileOptions& options,
    std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* context) {
  const auto create = [&] {
    return target()->NewWritableFile(name, options, file, context);
  };
  if (!IsTable(name)) return create();
  IOStatus status = Do(TableOperation::kCreate, create);
  if (status.ok()) {
    *file = std::make_unique<WrittenTable>(std::move(*file), this);
  }
  return status;
}

IOStatus FaultyTablesFs::NewRandomAccessFile(
    const std::string& name, const FileOptions& options,
    std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
    IODebugContext* context) {
  const auto open = [&] {
    return target()->NewRandomAccessFile(name, options, file, context);
  };
  if (!IsTable(name)) return open();
  IOStatus status = Do(TableOperation::kOpen, open);
  if (status.ok()) {
    *file = std::make_unique<ReadTableFile>(std::move(*file), this);
  }
  return status;
}

IOStatus FaultyTablesFs::GetFileSize(const std::string& name,
                                     const IOOptions& options, uint64_t* size,
                                     IODebugContext* context) {
  const auto get = [&] {
    return target()->GetFileSize(name, options, size, context);
  };
  return IsTable(name) ? Do(TableOperation::kGetSize, get) : get();
}

}  // namespace ashlar::testing
