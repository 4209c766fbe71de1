#include "tools/ashlar/outputs/table_sink.h"

#include <utility>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"

namespace ashlar::tool {
namespace {

Status SequenceIsNotZero(const Row& row) {
  return Status::InvalidArgument("sequence number " +
                                 std::to_string(row.sequence) +
                                 ", expected 0: the file is for ingestion");
}

}  // namespace

Status CheckSequence(const SinkOptions& options, const Row& row) {
  return options.external && row.sequence != 0 ? SequenceIsNotZero(row)
                                               : Status();
}

Result<std::unique_ptr<TableSink>> TableSink::Create(const SinkOptions& options,
                                                     WritableFile* file) {
  std::unique_ptr<TableSink> sink(new TableSink());
  sink->path_ = options.path;
  if (file == nullptr) {
    auto made =
        OutputFile::Create(options.path, {.overwrite = options.overwrite});
    if (!made.ok()) return made.status();
    sink->file_ = std::move(made).value();
    sink->checksummed_ = std::make_unique<ChecksummedFile>(sink->file_->file());
    file = sink->checksummed_.get();
  }
  if (options.external) {
    auto writer =
        ExternalFileWriter::Create(file, options.table, options.build);
    if (!writer.ok()) return writer.status();
    sink->external_ = std::move(writer).value();
    sink->timestamp_size_ = options.table.comparator->timestamp_size();
    return sink;
  }
  auto builder = TableBuilder::Create(options.table, options.build, file);
  if (!builder.ok()) return builder.status();
  sink->builder_ = std::move(builder).value();
  return sink;
}

Status TableSink::Add(const Row& row) {
  if (external_ != nullptr) return AddExternal(row);
  internal_key_.clear();
  AppendInternalKey(row.key, row.sequence, row.type, &internal_key_);
  return builder_->Add(internal_key_, row.value);
}

Status TableSink::AddExternal(const Row& row) {
  if (row.sequence != 0) return SequenceIsNotZero(row);
  switch (row.type) {
    case ValueType::kTypeValue:
      return external_->Put(row.key, row.value);
    case ValueType::kTypeMerge:
      return external_->Merge(row.key, row.value);
    case ValueType::kTypeDeletion:
    case ValueType::kTypeSingleDeletion:
      if (!row.value.empty()) {
        return Status::InvalidArgument(
            "a deletion must have no value if the file is for ingestion");
      }
      return row.type == ValueType::kTypeDeletion
                 ? external_->Delete(row.key)
                 : external_->SingleDelete(row.key);
    case ValueType::kTypeDeletionWithTimestamp:
      if (timestamp_size_ == 0) break;
      return DeleteAt(row.key);
    case ValueType::kTypeRangeDeletion:
      return external_->DeleteRange(row.key, row.value);
    case ValueType::kTypeWideColumnEntity: {
      std::vector<WideColumn> columns;
      Status status = DecodeWideColumns(row.value, &columns);
      return status.ok()
                 ? external_->PutEntity(row.key, columns)
                 : Status::InvalidArgument(std::string(status.message()));
    }
    case ValueType::kTypeBlobIndex:
    case ValueType::kTypeSetWithDelete:
    case ValueType::kTypeValuePreferredSeqno:
      break;
  }
  return Status::NotSupported("entries of type " +
                              std::to_string(static_cast<unsigned>(row.type)) +
                              " cannot be in a file for ingestion");
}

Status TableSink::DeleteAt(const Slice& key) {
  if (key.size() < timestamp_size_) {
    return Status::InvalidArgument("the key is shorter than its timestamp");
  }
  const size_t size = key.size() - timestamp_size_;
  return external_->DeleteAt(Slice(key.data(), size),
                             Slice(key.data() + size, timestamp_size_));
}

Status TableSink::Finish() {
  Status status =
      external_ != nullptr ? external_->Finish() : builder_->Finish();
  return status.ok() && file_ != nullptr ? file_->Commit() : status;
}

const TableProperties& TableSink::properties() const {
  return external_ != nullptr ? external_->properties()
                              : builder_->properties();
}

uint64_t TableSink::EstimatedFileSize() const {
  return external_ != nullptr ? external_->EstimatedFileSize()
                              : builder_->EstimatedFileSize();
}

std::vector<MadeTable> TableSink::tables() const {
  const TableProperties& p = properties();
  MadeTable made;
  made.path = path_;
  made.entries = p.num_entries;
  made.raw_key_bytes = p.raw_key_size;
  made.raw_value_bytes = p.raw_value_size;
  made.data_blocks = p.num_data_blocks;
  made.file_bytes =
      external_ != nullptr ? external_->FileSize() : builder_->FileSize();
  if (checksummed_ != nullptr) made.file_checksum = checksummed_->checksum();
  return {std::move(made)};
}

}  // namespace ashlar::tool
