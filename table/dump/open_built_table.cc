// OpenBuiltTable: opens a table over a file whose tail is in memory, and loads
// what reads would load later.
//
// Once that is done nothing asks for the tail, unless the cache evicts a
// partition, which is then read from the file. So the reader does not depend on
// the builder, and when it is handed out the file has no state that changes:
// threads may share it.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "ashlar/table/built_table.h"
#include "table/index/index_hold.h"
#include "table/read/reader_internals.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace internal {

namespace {

class TailedFile final : public RandomAccessFile {
 public:
  // `tail` are the last bytes of the file. They must live until DropTail.
  TailedFile(std::unique_ptr<RandomAccessFile> file, const Slice& tail)
      : file_(std::move(file)),
        tail_(tail),
        begin_(file_->Size() - tail.size()) {}

  // To be called before threads share the file.
  void DropTail() { tail_ = Slice(); }

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    if (!IsInTail(offset)) return file_->Read(offset, n, scratch, data);
    const size_t skipped = static_cast<size_t>(offset - begin_);
    *data = Slice(scratch, std::min(n, tail_.size() - skipped));
    // Copied, since what is read may outlive the tail.
    std::memcpy(scratch, tail_.data() + skipped, data->size());
    return {};
  }
  void MultiRead(std::span<ReadRequest> requests) const override {
    if (tail_.empty()) return file_->MultiRead(requests);
    RandomAccessFile::MultiRead(requests);
  }
  Status ReadWithin(const ReadContext& context, uint64_t offset, size_t n,
                    char* scratch, Slice* data) const override {
    return file_->ReadWithin(context, offset, n, scratch, data);
  }
  void MultiReadWithin(const ReadContext& context,
                       std::span<ReadRequest> requests) const override {
    file_->MultiReadWithin(context, requests);
  }
  void Expect(uint64_t offset, uint64_t n) const override {
    if (!IsInTail(offset)) file_->Expect(offset, n);
  }
  void ExpectWithin(const ReadContext& context, uint64_t offset,
                    uint64_t n) const override {
    if (!IsInTail(offset)) file_->ExpectWithin(context, offset, n);
  }
  int FileDescriptor() const override { return file_->FileDescriptor(); }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  bool IsInTail(uint64_t offset) const {
    return offset >= begin_ && offset - begin_ < tail_.size();
  }

  const std::unique_ptr<RandomAccessFile> file_;
  Slice tail_;
  const uint64_t begin_;
};

Status LoadIndexParts(const OpenedTable& table) {
  const IndexReader* index;
  Status status = table.index.Need(&index);
  if (!status.ok()) return status;
  const size_t parts = index->is_partitioned() ? index->num_parts() : 1;
  for (size_t i = 0; status.ok() && i < parts; ++i) {
    IndexHold part;
    status = index->Part(i, &part);
  }
  return status;
}

Status LoadFilterParts(const OpenedTable& table) {
  const TableFilter* filter;
  Status status = table.filter.Need(&filter);
  if (status.ok()) status = filter->Warm();
  if (!status.ok()) return status;
  const size_t parts = filter->num_partitions();
  for (size_t i = 0; status.ok() && i < parts; ++i) {
    status = filter->WarmPartition(i);
  }
  return status;
}

}  // namespace

}  // namespace internal

Result<std::unique_ptr<TableReader>> OpenBuiltTable(
    const TableBuilder& builder, std::unique_ptr<RandomAccessFile> file,
    const ReaderOptions& options) {
  return internal::OrMemoryLimit([&]() -> Result<std::unique_ptr<TableReader>> {
    const Result<Slice> tail = builder.KeptTail();
    if (!tail.ok()) return tail.status();
    if (file->Size() != builder.FileSize()) {
      return Status::InvalidArgument(
          file->name() + ": " + std::to_string(file->Size()) +
          " bytes, expected those of the table that was built, " +
          std::to_string(builder.FileSize()));
    }
    ReaderOptions with_tail = options;
    if (!tail->empty()) with_tail.tail_size = tail->size();
    auto tailed =
        std::make_unique<internal::TailedFile>(std::move(file), *tail);
    internal::TailedFile* const opened = tailed.get();
    auto reader = TableReader::Open(std::move(tailed), with_tail);
    if (!reader.ok()) return reader.status();
    const internal::OpenedTable& table = ReaderInternals::TableOf(**reader);
    Status status = internal::LoadIndexParts(table);
    if (status.ok()) status = internal::LoadFilterParts(table);
    if (!status.ok()) return status;
    opened->DropTail();
    return reader;
  });
}

}  // namespace ashlar
