#include "tools/ashlar/table_sink.h"

#include <utility>
#include <vector>

#include "table/wide_columns.h"

namespace ashlar::tool {

Result<std::unique_ptr<TableSink>> TableSink::Create(
    const SinkOptions& options) {
  const AtomicFile::Options file_options = {.overwrite = options.overwrite};
  std::unique_ptr<TableSink> sink(new TableSink());
  if (options.external) {
    auto writer = ExternalFileWriter::Open(options.path, options.table,
                                           options.build, file_options);
    if (!writer.ok()) return writer.status();
    sink->external_ = std::move(writer).value();
    return sink;
  }
  auto file = AtomicFile::Create(options.path, file_options);
  if (!file.ok()) return file.status();
  sink->file_ = std::move(file).value();
  auto builder =
      TableBuilder::Create(options.table, options.build, sink->file_->file());
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
  if (row.sequence != 0) {
    return Status::InvalidArgument("sequence number " +
                                   std::to_string(row.sequence) +
                                   ": in a file for ingestion all are 0");
  }
  switch (row.type) {
    case ValueType::kTypeValue:
      return external_->Put(row.key, row.value);
    case ValueType::kTypeMerge:
      return external_->Merge(row.key, row.value);
    case ValueType::kTypeDeletion:
    case ValueType::kTypeSingleDeletion:
      if (!row.value.empty()) {
        return Status::InvalidArgument(
            "in a file for ingestion a deletion has no value");
      }
      return row.type == ValueType::kTypeDeletion
                 ? external_->Delete(row.key)
                 : external_->SingleDelete(row.key);
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
    case ValueType::kTypeDeletionWithTimestamp:
    case ValueType::kTypeValuePreferredSeqno:
      break;
  }
  return Status::NotSupported("entries of type " +
                              std::to_string(static_cast<unsigned>(row.type)) +
                              " in a file for ingestion");
}

Status TableSink::Finish() {
  if (external_ != nullptr) return external_->Finish();
  Status status = builder_->Finish();
  if (!status.ok()) return status;
  return file_->Commit();
}

const TableProperties& TableSink::properties() const {
  return external_ != nullptr ? external_->properties()
                              : builder_->properties();
}

uint64_t TableSink::FileSize() const {
  return external_ != nullptr ? external_->FileSize() : builder_->FileSize();
}

}  // namespace ashlar::tool
