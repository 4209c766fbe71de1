// ExternalFileWriter on top of TableBuilder, and of AtomicFile for paths.

#include "ashlar/table/external_file_writer.h"

#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/table_builder.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using internal::OrMemoryLimit;

struct ExternalFileWriter::State {
  // Null if the caller gave its own file. Must outlive the builder.
  std::unique_ptr<AtomicFile> atomic_file;
  std::unique_ptr<TableBuilder> builder;
  size_t timestamp_size = 0;
  std::string whole_key;  // kept for its memory

  Status AddAt(const Slice& user_key, const Slice& timestamp, ValueType type,
               const Slice& value);
};

ExternalFileWriter::ExternalFileWriter(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

ExternalFileWriter::~ExternalFileWriter() = default;

Result<std::unique_ptr<ExternalFileWriter>> ExternalFileWriter::Create(
    WritableFile* file, const TableOptions& table_options,
    const BuildOptions& build_options) {
  return OrMemoryLimit([&]() -> Result<std::unique_ptr<ExternalFileWriter>> {
    BuildOptions external = build_options;
    external.external_file = true;
    Result<std::unique_ptr<TableBuilder>> builder =
        TableBuilder::Create(table_options, external, file);
    if (!builder.ok()) return builder.status();
    auto state = std::make_unique<State>();
    state->builder = std::move(builder).value();
    state->timestamp_size = table_options.comparator->timestamp_size();
    return std::unique_ptr<ExternalFileWriter>(
        new ExternalFileWriter(std::move(state)));
  });
}

Result<std::unique_ptr<ExternalFileWriter>> ExternalFileWriter::Open(
    const std::string& path, const TableOptions& table_options,
    const BuildOptions& build_options,
    const AtomicFile::Options& file_options) {
  return OrMemoryLimit([&]() -> Result<std::unique_ptr<ExternalFileWriter>> {
    Result<std::unique_ptr<AtomicFile>> file =
        AtomicFile::Create(path, file_options);
    if (!file.ok()) return file.status();
    Result<std::unique_ptr<ExternalFileWriter>> writer =
        Create((*file)->file(), table_options, build_options);
    if (!writer.ok()) return writer.status();
    (*writer)->state_->atomic_file = std::move(file).value();
    return writer;
  });
}

Status ExternalFileWriter::Put(const Slice& user_key, const Slice& value) {
  return state_->builder->Add(user_key, PackTail(0, ValueType::kTypeValue),
                              value);
}

Status ExternalFileWriter::Merge(const Slice& user_key, const Slice& operand) {
  return state_->builder->Add(user_key, PackTail(0, ValueType::kTypeMerge),
                              operand);
}

Status ExternalFileWriter::Delete(const Slice& user_key) {
  return state_->builder->Add(user_key, PackTail(0, ValueType::kTypeDeletion),
                              Slice());
}

Status ExternalFileWriter::SingleDelete(const Slice& user_key) {
  return state_->builder->Add(
      user_key, PackTail(0, ValueType::kTypeSingleDeletion), Slice());
}

Status ExternalFileWriter::PutEntity(const Slice& user_key,
                                     const std::vector<WideColumn>& columns) {
  return OrMemoryLimit([&]() {
    std::string entity;
    Status status = EncodeWideColumns(columns, &entity);
    if (!status.ok()) return status;
    return state_->builder->Add(
        user_key, PackTail(0, ValueType::kTypeWideColumnEntity), entity);
  });
}

Status ExternalFileWriter::DeleteRange(const Slice& begin, const Slice& end) {
  return state_->builder->Add(begin, PackTail(0, ValueType::kTypeRangeDeletion),
                              end);
}

Status ExternalFileWriter::State::AddAt(const Slice& user_key,
                                        const Slice& timestamp, ValueType type,
                                        const Slice& value) {
  return OrMemoryLimit([&]() {
    if (timestamp.size() != timestamp_size) {
      return Status::InvalidArgument("timestamp of " +
                                     std::to_string(timestamp.size()) +
                                     " bytes, those of the comparator have " +
                                     std::to_string(timestamp_size));
    }
    whole_key.assign(user_key.data(), user_key.size());
    whole_key.append(timestamp.data(), timestamp.size());
    return builder->Add(whole_key, PackTail(0, type), value);
  });
}

Status ExternalFileWriter::PutAt(const Slice& user_key, const Slice& timestamp,
                                 const Slice& value) {
  return state_->AddAt(user_key, timestamp, ValueType::kTypeValue, value);
}

Status ExternalFileWriter::DeleteAt(const Slice& user_key,
                                    const Slice& timestamp) {
  return state_->AddAt(user_key, timestamp,
                       ValueType::kTypeDeletionWithTimestamp, Slice());
}

Status ExternalFileWriter::DeleteRangeAt(const Slice& begin, const Slice& end,
                                         const Slice& timestamp) {
  return OrMemoryLimit([&]() {
    std::string whole_end = end.ToString();
    whole_end.append(timestamp.data(), timestamp.size());
    return state_->AddAt(begin, timestamp, ValueType::kTypeRangeDeletion,
                         whole_end);
  });
}

Status ExternalFileWriter::Finish() {
  State& s = *state_;
  if (s.builder->NumEntries() == 0 && s.builder->status().ok()) {
    return Status::InvalidArgument(
        "cannot make an external file without entries");
  }
  Status status = s.builder->Finish();
  if (status.ok() && s.atomic_file != nullptr) {
    status = OrMemoryLimit([&s] { return s.atomic_file->Commit(); });
  }
  // A file that has not got its name by now must never get it.
  s.atomic_file.reset();
  return status;
}

uint64_t ExternalFileWriter::NumEntries() const {
  return state_->builder->NumEntries();
}

uint64_t ExternalFileWriter::FileSize() const {
  return state_->builder->FileSize();
}

uint64_t ExternalFileWriter::EstimatedFileSize() const {
  return state_->builder->EstimatedFileSize();
}

const TableProperties& ExternalFileWriter::properties() const {
  return state_->builder->properties();
}

const TableSummary& ExternalFileWriter::summary() const {
  return state_->builder->summary();
}

}  // namespace ashlar
