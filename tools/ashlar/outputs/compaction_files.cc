#include "tools/ashlar/outputs/compaction_files.h"

#include <utility>

#include "ashlar/table/table_builder.h"
#include "tools/ashlar/outputs/set_sink.h"

namespace ashlar::tool {
namespace {

MadeTable Describe(const TableBuilder& builder) {
  const TableProperties& properties = builder.properties();
  MadeTable made;
  made.entries = properties.num_entries;
  made.raw_key_bytes = properties.raw_key_size;
  made.raw_value_bytes = properties.raw_value_size;
  made.data_blocks = properties.num_data_blocks;
  made.file_bytes = builder.FileSize();
  return made;
}

class NoFile final : public WritableFile {
 public:
  Status Append(const Slice& /*data*/) override { return Status(); }
  Status Sync() override { return Status(); }
  Status Close() override { return Status(); }
  std::string name() const override { return "no file"; }
};

Status CheckOptions(const SinkOptions& options) {
  NoFile file;
  auto builder = TableBuilder::Create(options.table, options.build, &file);
  return builder.ok() ? (*builder)->Finish() : builder.status();
}

}  // namespace

Result<std::unique_ptr<CompactionFiles>> CompactionFiles::Create(
    const SinkOptions& options, std::function<void(std::string_view)> warn) {
  Status status = CheckOptions(options);
  if (!status.ok()) return status;
  std::unique_ptr<CompactionFiles> files(new CompactionFiles(options));
  if (options.build.target_file_size != 0) {
    TableSetOptions of_set = SetOptionsFrom(options);
    of_set.warn = std::move(warn);
    auto set = TableSet::Create(std::move(of_set));
    if (!set.ok()) return set.status();
    files->set_ = std::move(set).value();
  }
  return files;
}

Result<WritableFile*> CompactionFiles::Begin(size_t number,
                                             TableOptions* table_options,
                                             BuildOptions* build_options) {
  if (set_ != nullptr) return set_->Begin(number, table_options, build_options);
  auto file = OutputFile::Create(
      options_.path, {.overwrite = options_.overwrite, .file = options_.file});
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  checksummed_ = std::make_unique<ChecksummedFile>(file_->file());
  return checksummed_.get();
}

Status CompactionFiles::End(const CompactionOutput& output) {
  ended_.insert_or_assign(output.number, Describe(*output.builder));
  return set_ != nullptr ? set_->End(output) : Status();
}

void CompactionFiles::Drop(size_t number) {
  if (set_ != nullptr) {
    set_->Drop(number);
    return;
  }
  checksummed_.reset();
  file_.reset();
}

Status CompactionFiles::MakeEmptyTable() {
  TableOptions table = options_.table;
  BuildOptions build = options_.build;
  const auto file = Begin(0, &table, &build);
  if (!file.ok()) return file.status();
  auto builder = TableBuilder::Create(table, build, *file);
  if (!builder.ok()) return builder.status();
  Status status = (*builder)->Finish();
  if (status.ok() && set_ != nullptr) status = set_->EndTable(0, {});
  if (status.ok()) tables_.push_back(Describe(**builder));
  return status;
}

Status CompactionFiles::Commit(const CompactionResult& result) {
  for (const size_t number : result.output_numbers) {
    tables_.push_back(std::move(ended_.at(number)));
  }
  Status status = tables_.empty() ? MakeEmptyTable() : Status();
  if (!status.ok()) return status;
  if (set_ == nullptr) {
    tables_.front().path = options_.path;
    tables_.front().file_checksum = checksummed_->checksum();
    return file_->Commit();
  }
  status = set_->Commit();
  if (!status.ok()) return status;
  // Both lists are in key order.
  for (size_t i = 0; i < tables_.size(); ++i) {
    const TableSetTable& listed = set_->tables()[i];
    tables_[i].path = listed.path;
    tables_[i].file_checksum = listed.file_checksum;
    tables_[i].smallest = listed.smallest;
    tables_[i].largest = listed.largest;
    tables_[i].largest_is_exclusive = listed.largest_is_exclusive;
  }
  return status;
}

std::string CompactionFiles::manifest() const {
  return set_ != nullptr ? set_->manifest() : std::string();
}

}  // namespace ashlar::tool
