#include "file_adapters.h"

#include <cstring>
#include <vector>

#include "conversions.h"

namespace ashlar_rocksdb {

// RocksDB's deadlines are those of its ReadOptions.
rocksdb::IOStatus ReadableFile::Prepare(const ashlar::ReadContext& context,
                                        rocksdb::IOOptions* options) const {
  const auto* const theirs =
      context.io_context == nullptr
          ? &open_options_
          : static_cast<const rocksdb::ReadOptions*>(context.io_context);
  return file_->PrepareIOOptions(*theirs, *options);
}

ashlar::Status ReadableFile::Read(uint64_t offset, size_t n, char* scratch,
                                  ashlar::Slice* data) const {
  return ReadWithin({}, offset, n, scratch, data);
}

ashlar::Status ReadableFile::ReadWithin(const ashlar::ReadContext& context,
                                        uint64_t offset, size_t n,
                                        char* scratch,
                                        ashlar::Slice* data) const {
  rocksdb::IOOptions options;
  const rocksdb::IOStatus status = Prepare(context, &options);
  if (!status.ok()) return ToAshlar(status, file_->file_name());
  return ReadWith(options, offset, n, scratch, data);
}

ashlar::Status ReadableFile::ReadWith(const rocksdb::IOOptions& options,
                                      uint64_t offset, size_t n, char* scratch,
                                      ashlar::Slice* data) const {
  rocksdb::Slice result;
  const rocksdb::IOStatus status =
      file_->Read(options, offset, n, &result, scratch);
  if (!status.ok()) return ToAshlar(status, file_->file_name());
  *data = ToAshlar(result);
  return {};
}

void ReadableFile::MultiRead(std::span<ashlar::ReadRequest> requests) const {
  MultiReadWithin({}, requests);
}

void ReadableFile::MultiReadWithin(
    const ashlar::ReadContext& context,
    std::span<ashlar::ReadRequest> requests) const {
  rocksdb::IOOptions options;
  const rocksdb::IOStatus status = Prepare(context, &options);
  if (status.ok()) return MultiReadWith(options, requests);
  for (ashlar::ReadRequest& request : requests) {
    request.status = ToAshlar(status, file_->file_name());
  }
}

void ReadableFile::MultiReadWith(
    const rocksdb::IOOptions& options,
    std::span<ashlar::ReadRequest> requests) const {
  // RocksDB wants requests of direct I/O sorted and apart, and keeps their
  // bytes in a buffer of its own: single reads have neither rule.
  if (requests.size() == 1 || file_->use_direct_io()) {
    for (ashlar::ReadRequest& request : requests) {
      request.status = ReadWith(options, request.offset, request.size,
                                request.scratch, &request.data);
    }
    return;
  }
  std::vector<rocksdb::FSReadRequest> theirs(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    theirs[i].offset = requests[i].offset;
    theirs[i].len = requests[i].size;
    theirs[i].scratch = requests[i].scratch;
  }
  // Only direct I/O uses it, and yet RocksDB asserts that it is there.
  rocksdb::AlignedBuffer unused;
  rocksdb::AlignedBufferAllocationContext context;
  context.buffer = &unused;
  const rocksdb::IOStatus all =
      file_->MultiRead(options, theirs.data(), theirs.size(), &context);
  for (size_t i = 0; i < requests.size(); ++i) {
    const rocksdb::IOStatus& status = all.ok() ? theirs[i].status : all;
    requests[i].status = ToAshlar(status, file_->file_name());
    if (status.ok()) requests[i].data = ToAshlar(theirs[i].result);
    theirs[i].status.PermitUncheckedError();
  }
}

void ReadableFile::ExpectWithin(const ashlar::ReadContext& context,
                                uint64_t offset, uint64_t n) const {
  rocksdb::IOOptions options;
  rocksdb::IOStatus status = Prepare(context, &options);
  if (status.ok()) status = file_->Prefetch(options, offset, n);
  status.PermitUncheckedError();
}

ashlar::Status AppendedFile::Append(const ashlar::Slice& data) {
  rocksdb::IOOptions options;
  rocksdb::IOStatus status =
      rocksdb::WritableFileWriter::PrepareIOOptions(options_, options);
  if (status.ok()) status = file_->Append(options, ToRocksDB(data));
  if (status.ok()) return {};
  if (io_status_.ok()) io_status_ = status;
  return ToAshlar(status, file_->file_name());
}

}  // namespace ashlar_rocksdb
