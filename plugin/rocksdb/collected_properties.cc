#include "collected_properties.h"

#include <string_view>
#include <utility>

#include "conversions.h"
#include "rocksdb/env.h"

namespace ashlar_rocksdb {

namespace {

// The collector by which RocksDB's SstFileWriter marks its files.
constexpr std::string_view kOfSstFileWriter =
    "SstFileWriterPropertiesCollector";

}  // namespace

// What the builder calls.
class CollectedProperties::Collector final
    : public ashlar::TablePropertiesCollector {
 public:
  explicit Collector(CollectedProperties* all) : all_(all) {}

  ashlar::Status AddUserKey(const ashlar::Slice& user_key,
                            const ashlar::Slice& value, ashlar::ValueType type,
                            ashlar::SequenceNumber sequence,
                            uint64_t file_size) override {
    key_.assign(user_key.data(), user_key.size());
    rocksdb::PutFixed64(&key_,
                        rocksdb::PackSequenceAndType(
                            sequence, static_cast<rocksdb::ValueType>(type)));
    all_->Add(key_, ToRocksDB(value), file_size);
    return {};
  }
  void SampledBlock(uint64_t fast_bytes, uint64_t slow_bytes) override {
    fast_bytes_ = fast_bytes;
    slow_bytes_ = slow_bytes;
  }
  void BlockAdd(uint64_t block_raw_bytes) override {
    all_->EndBlock(block_raw_bytes, std::exchange(fast_bytes_, 0),
                   std::exchange(slow_bytes_, 0));
  }
  ashlar::Status Finish(
      std::map<std::string, std::string>* properties) override {
    all_->Finish(properties);
    return {};
  }
  bool NeedCompact() const override { return all_->NeedCompact(); }

 private:
  CollectedProperties* all_;
  std::string key_;  // keeps its memory from entry to entry
  // Of the next block that ends, if it is a sample.
  uint64_t fast_bytes_ = 0;
  uint64_t slow_bytes_ = 0;
};

class CollectedProperties::Factory final
    : public ashlar::TablePropertiesCollectorFactory {
 public:
  explicit Factory(CollectedProperties* all) : all_(all) {}

  std::unique_ptr<ashlar::TablePropertiesCollector>
  CreateTablePropertiesCollector(
      const ashlar::TablePropertiesCollectorContext& /*context*/) override {
    if (all_->collectors_.empty()) return nullptr;
    return std::make_unique<Collector>(all_);
  }
  std::string_view Name() const override { return all_->names_; }

 private:
  CollectedProperties* all_;
};

CollectedProperties::CollectedProperties(
    const rocksdb::TableBuilderOptions& theirs)
    : has_timestamps_(
          theirs.internal_comparator.user_comparator()->timestamp_size() != 0 &&
          theirs.ioptions.persist_user_defined_timestamps),
      log_(theirs.ioptions.logger) {
  for (const auto& factory : *theirs.internal_tbl_prop_coll_factories) {
    std::unique_ptr<rocksdb::InternalTblPropColl> collector(
        factory->CreateInternalTblPropColl(
            theirs.column_family_id, theirs.level_at_creation,
            theirs.ioptions.num_levels,
            theirs.last_level_inclusive_max_seqno_threshold));
    if (collector == nullptr) continue;
    if (std::string_view(collector->Name()) == kOfSstFileWriter) {
      is_external_file_ = true;
      readable_ = collector->GetReadableProperties();
    } else {
      collectors_.push_back(std::move(collector));
    }
  }
  for (const auto& factory :
       theirs.ioptions.table_properties_collector_factories) {
    if (!names_.empty()) names_ += ',';
    names_ += factory->Name();
  }
}

std::shared_ptr<ashlar::TablePropertiesCollectorFactory>
CollectedProperties::MakeFactory() {
  if (collectors_.empty() && names_.empty()) return nullptr;
  return std::make_shared<Factory>(this);
}

bool CollectedProperties::NeedCompact() const {
  for (const auto& collector : collectors_) {
    if (collector->NeedCompact()) return true;
  }
  return false;
}

void CollectedProperties::Add(const rocksdb::Slice& internal_key,
                              const rocksdb::Slice& value, uint64_t file_size) {
  for (const auto& collector : collectors_) {
    const rocksdb::Status status =
        collector->InternalAdd(internal_key, value, file_size);
    if (!status.ok()) Log(collector->Name(), status);
  }
}

void CollectedProperties::EndBlock(uint64_t raw_bytes, uint64_t fast_bytes,
                                   uint64_t slow_bytes) {
  for (const auto& collector : collectors_) {
    collector->BlockAdd(raw_bytes, fast_bytes, slow_bytes);
  }
}

// Returns whether the builder itself sets a property of this name.
bool CollectedProperties::IsOfTable(const std::string& name) const {
  return ashlar::TablePropertiesHasField(name) ||
         (has_timestamps_ &&
          (name == "rocksdb.timestamp_min" || name == "rocksdb.timestamp_max"));
}

void CollectedProperties::Finish(
    std::map<std::string, std::string>* properties) {
  for (const auto& collector : collectors_) {
    rocksdb::UserCollectedProperties found;
    const rocksdb::Status status = collector->Finish(&found);
    if (!status.ok()) {
      Log(collector->Name(), status);
      continue;
    }
    for (const auto& [name, value] : found) {
      if (IsOfTable(name)) {
        // As in RocksDB, the table's own value stays, and the table is built.
        Log(collector->Name(), rocksdb::Status::InvalidArgument(
                                   "a name of the table's own", name));
        continue;
      }
      // The first collector with a name has it.
      properties->emplace(name, value);
    }
    const rocksdb::UserCollectedProperties readable =
        collector->GetReadableProperties();
    readable_.insert(readable.begin(), readable.end());
  }
}

void CollectedProperties::Log(const char* collector,
                              const rocksdb::Status& status) const {
  rocksdb::Error(log_, "properties collector %s: %s", collector,
                 status.ToString().c_str());
}

}  // namespace ashlar_rocksdb
