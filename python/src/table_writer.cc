#include "python/src/table_writer.h"

#include <functional>
#include <optional>
#include <utility>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/table_summary.h"
#include "ashlar/util/file_checksum.h"
#include "python/src/add_batches.h"
#include "python/src/exclusive_use.h"
#include "python/src/option_values.h"
#include "python/src/python_rows.h"

namespace ashlar::python {

namespace nb = nanobind;

namespace {

// The four bytes of the checksum, big-endian, as the number in manifests.
uint32_t ChecksumOf(const TableSummary& summary) {
  uint32_t checksum = 0;
  for (const char byte : summary.file_checksum) {
    checksum = checksum << 8 | static_cast<unsigned char>(byte);
  }
  return checksum;
}

}  // namespace

TableWriter::TableWriter(const std::string& name, const nb::object& file,
                         const nb::dict& options, bool overwrite, bool sync)
    : name_(name) {
  TableOptions table;
  BuildOptions build;
  SetWriteOptions(options, &table, &build);
  watch_->Begin();
  auto made = std::make_unique<Build>();
  WritableFile* to = nullptr;
  if (file.is_none()) {
    auto atomic =
        AtomicFile::Create(name, {.overwrite = overwrite, .sync = sync});
    Check(atomic.status(), name);
    made->atomic = std::move(atomic).value();
    to = made->atomic->file();
  } else {
    made->python = std::make_unique<PythonWritableFile>(file, name, watch_);
    to = made->python.get();
    is_python_file_ = true;
  }
  build.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  auto builder = TableBuilder::Create(table, build, to);
  Check(builder.status(), name);
  made->builder = std::move(builder).value();
  build_ = OwnedByProcess<Build>(std::move(made));
}

TableWriter::~TableWriter() { Abandon(); }

// Workers of the builder may need the GIL to write. Another thread that has it
// meanwhile finds the writer closed.
void TableWriter::Abandon() {
  if (!build_ || is_used_) return;
  if (build_.IsForeign()) {
    build_.Reset();
    return;
  }
  entries_ = build_->builder->NumEntries();
  const OwnedByProcess<Build> ended = std::move(build_);
  nb::gil_scoped_release release;
  ended->builder.reset();
}

TableBuilder& TableWriter::Builder() {
  if (build_.IsForeign()) {
    throw std::runtime_error(
        "the writer belongs to the process that forked this one");
  }
  if (!build_) throw nb::value_error("the writer is closed");
  return *build_->builder;
}

void TableWriter::Add(const Slice& key, ValueType type, const Slice& value) {
  const ExclusiveUse use(&is_used_);
  TableBuilder& builder = Builder();
  Status status;
  if (is_python_file_) {
    watch_->Begin();
    nb::gil_scoped_release release;
    status = builder.Add(key, PackTail(0, type), value);
  } else {
    status = builder.Add(key, PackTail(0, type), value);
  }
  if (!status.ok()) watch_->Check(status, name_);
}

void TableWriter::Put(const nb::bytes& key, const nb::bytes& value) {
  Add(BytesOf(key), ValueType::kTypeValue, BytesOf(value));
}

void TableWriter::Delete(const nb::bytes& key) {
  Add(BytesOf(key), ValueType::kTypeDeletion, Slice());
}

void TableWriter::Merge(const nb::bytes& key, const nb::bytes& operand) {
  Add(BytesOf(key), ValueType::kTypeMerge, BytesOf(operand));
}

void TableWriter::DeleteRange(const nb::bytes& begin, const nb::bytes& end) {
  Add(BytesOf(begin), ValueType::kTypeRangeDeletion, BytesOf(end));
}

uint64_t TableWriter::PutRows(const nb::object& source, const RowForm& form,
                              const nb::object& progress) {
  const ExclusiveUse use(&is_used_);
  Builder();
  watch_->Begin();
  const uint64_t before = entries();
  std::function<void()> on_look;
  if (!progress.is_none()) {
    on_look = [this, progress, before] { progress(entries() - before); };
  }
  const LookScope look(watch_.get(), std::move(on_look));
  ArrowInput input(source, watch_);
  RowMaker rows(form);
  Status status;
  {
    nb::gil_scoped_release release;
    TableBuilder& builder = *build_->builder;
    status = AddBatches(&input, &rows, watch_.get(),
                        [&builder](const Slice& key, const Slice& value) {
                          constexpr uint64_t kTail =
                              PackTail(0, ValueType::kTypeValue);
                          return builder.Add(key, kTail, value);
                        });
  }
  watch_->Check(status, name_);
  return entries() - before;
}

Status TableWriter::Commit() {
  Status status = build_->builder->Finish();
  if (status.ok() && build_->atomic != nullptr) {
    status = build_->atomic->Commit();
  }
  return status;
}

nb::dict TableWriter::Finish() {
  {
    const ExclusiveUse use(&is_used_);
    if (Builder().NumEntries() == 0) {
      Throw(Status::InvalidArgument("cannot make a table without entries"),
            name_);
    }
    watch_->Begin();
    Status status;
    {
      nb::gil_scoped_release release;
      status = Commit();
    }
    if (!status.ok()) {
      is_used_ = false;
      Abandon();
      watch_->Check(status, name_);
    }
  }
  const TableSummary& summary = build_->builder->summary();
  nb::dict result;
  result["path"] = name_.c_str();
  result["entries"] = summary.num_entries;
  result["bytes"] = summary.file_size;
  result["smallest"] = ToBytes(UserKeyOf(summary.smallest));
  result["largest"] = ToBytes(UserKeyOf(summary.largest));
  result["largest_is_exclusive"] = IsRangeDeletionEnd(summary.largest);
  result["checksum"] = ChecksumOf(summary);
  file_size_ = summary.file_size;
  Abandon();
  return result;
}

uint64_t TableWriter::entries() const {
  return build_ && build_->builder ? build_->builder->NumEntries() : entries_;
}

uint64_t TableWriter::file_size() const {
  return build_ ? build_->builder->EstimatedFileSize() : file_size_;
}

}  // namespace ashlar::python
