#include "library_outputs.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/internal_key_less.h"
#include "ashlar/table/properties_collector.h"
#include "file/filename.h"
#include "result_forms.h"
#include "table/unique_id_impl.h"
#include "table_facts.h"
#include "util/hash.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::Status;

// Passes each entry that is no range deletion to a WrittenHash.
class HashingCollector final : public ashlar::TablePropertiesCollector {
 public:
  explicit HashingCollector(WrittenHash* hash) : hash_(hash) {}

  Status AddUserKey(const ashlar::Slice& user_key, const ashlar::Slice& value,
                    ashlar::ValueType type, ashlar::SequenceNumber sequence,
                    uint64_t /*file_size*/) override {
    if (type == ashlar::ValueType::kTypeRangeDeletion) return {};
    key_.clear();
    ashlar::AppendInternalKey(user_key, sequence, type, &key_);
    hash_->Add(key_, value);
    return {};
  }
  Status Finish(std::map<std::string, std::string>* /*properties*/) override {
    return {};
  }

 private:
  WrittenHash* hash_;
  std::string key_;  // keeps its memory from entry to entry
};

class HashingFactory final : public ashlar::TablePropertiesCollectorFactory {
 public:
  explicit HashingFactory(WrittenHash* hash) : hash_(hash) {}

  std::unique_ptr<ashlar::TablePropertiesCollector>
  CreateTablePropertiesCollector(
      const ashlar::TablePropertiesCollectorContext& /*context*/) override {
    return std::make_unique<HashingCollector>(hash_);
  }
  // The table's list of collectors is that of a table without this one.
  std::string_view Name() const override { return {}; }

 private:
  WrittenHash* hash_;
};

}  // namespace

void WrittenHash::Add(const ashlar::Slice& internal_key,
                      const ashlar::Slice& value) {
  hash_ = rocksdb::NPHash64(internal_key.data(), internal_key.size(), hash_);
  hash_ = rocksdb::NPHash64(value.data(), value.size(), hash_);
}

LibraryOutputs::LibraryOutputs(const CompactionJob& job,
                               const ashlar::Comparator* comparator,
                               Options options)
    : job_(job), comparator_(comparator), options_(std::move(options)) {
  epoch_number_ = std::numeric_limits<uint64_t>::max();
  for (const JobInputFile& input : job.inputs) {
    epoch_number_ = std::min(epoch_number_, input.epoch_number);
  }
}

LibraryOutputs::~LibraryOutputs() = default;

// Of the inputs that touch the range; null: no bound. The time of the files'
// creation if none says.
uint64_t LibraryOutputs::OldestAncesterTime(const std::string* smallest,
                                            const std::string* largest) const {
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (const JobInputFile& input : job_.inputs) {
    if (smallest != nullptr &&
        CompareInternalKeys(comparator_, input.largest, *smallest) < 0) {
      continue;
    }
    if (largest != nullptr &&
        CompareInternalKeys(comparator_, input.smallest, *largest) > 0) {
      continue;
    }
    if (input.oldest_ancester_time != 0) {
      oldest = std::min(oldest, input.oldest_ancester_time);
    }
  }
  return oldest == std::numeric_limits<uint64_t>::max()
             ? options_.file_creation_time
             : oldest;
}

ashlar::Result<ashlar::WritableFile*> LibraryOutputs::Begin(
    size_t number, ashlar::TableOptions* /*table_options*/,
    ashlar::BuildOptions* build_options) {
  const uint64_t file_number = number + 1;
  ashlar::TableIdentity& identity = build_options->identity;
  identity.db_id = options_.db_id;
  identity.db_session_id = options_.db_session_id;
  identity.file_number = file_number;
  identity.file_creation_time = options_.file_creation_time;
  identity.newest_key_time = options_.newest_key_time;
  // In front of all versions of the key.
  constexpr auto kFirstType = ashlar::ValueType::kTypeValuePreferredSeqno;
  const auto border_at = [](const std::string& user_key) {
    return ashlar::MakeInternalKey(user_key, ashlar::kMaxSequenceNumber,
                                   kFirstType);
  };
  const std::string begin = border_at(job_.begin.value_or(""));
  const std::string end = border_at(job_.end.value_or(""));
  identity.creation_time = OldestAncesterTime(job_.begin ? &begin : nullptr,
                                              job_.end ? &end : nullptr);
  if (options_.hashes_entries) {
    hash_.Reset();
    build_options->table_properties_collector_factories.push_back(
        std::make_shared<HashingFactory>(&hash_));
  }
  auto file = ashlar::AtomicFile::Create(
      rocksdb::MakeTableFileName(options_.folder, file_number), {});
  if (!file.ok()) return file.status();
  file_ = std::move(*file);
  return file_->file();
}

ashlar::Status LibraryOutputs::End(const ashlar::CompactionOutput& output) {
  const ashlar::TableSummary& summary = output.builder->summary();
  const uint64_t file_number = output.number + 1;
  JobOutputFile file;
  file.file_name = rocksdb::MakeTableFileName(file_number);
  file.file_size = summary.file_size;
  file.smallest_seqno = summary.smallest_seqno.value_or(0);
  file.largest_seqno = summary.largest_seqno.value_or(0);
  file.smallest = output.smallest;
  file.largest = output.largest;
  file.oldest_ancester_time = OldestAncesterTime(&file.smallest, &file.largest);
  file.file_creation_time = options_.file_creation_time;
  file.epoch_number = epoch_number_;
  file.file_checksum = summary.file_checksum;
  file.file_checksum_func_name = summary.file_checksum_func_name;
  file.paranoid_hash = hash_.value();
  file.marked_for_compaction = summary.marked_for_compaction;
  const rocksdb::Status identified = rocksdb::GetSstInternalUniqueId(
      options_.db_id, options_.db_session_id, file_number, &file.unique_id);
  if (!identified.ok()) {
    return Status::InvalidArgument("unique id: " + identified.ToString());
  }
  Status status = PropertiesText(PropertiesFrom(output.builder->properties()),
                                 &file.table_properties);
  if (status.ok()) status = file_->Commit();
  file_.reset();
  if (!status.ok()) return status;
  entries_ += summary.num_entries - summary.num_range_deletions;
  bytes_ += summary.file_size;
  files_.push_back(std::move(file));
  return {};
}

void LibraryOutputs::Drop(size_t /*number*/) { file_.reset(); }

}  // namespace ashlar_rocksdb
