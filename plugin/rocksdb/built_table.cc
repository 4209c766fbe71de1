#include "built_table.h"

#include <map>
#include <string>
#include <utility>

#include "conversions.h"
#include "table_facts.h"
#include "util/coding.h"

namespace ashlar_rocksdb {

namespace {

// Bytes of the trailer after each block.
constexpr uint64_t kTrailerBytes = 5;

// RocksDB shows its mapping only in the encoded form that files store: the
// number of pairs, and of each what it has more than the one before.
std::map<uint64_t, uint64_t> TimesFrom(
    const rocksdb::SeqnoToTimeMapping& mapping) {
  std::map<uint64_t, uint64_t> times;
  if (mapping.Empty()) return times;
  std::string encoded;
  mapping.EncodeTo(encoded);
  rocksdb::Slice rest(encoded);
  uint64_t pairs = 0;
  uint64_t sequence = 0;
  uint64_t time = 0;
  uint64_t more_sequence;
  uint64_t more_time;
  if (!rocksdb::GetVarint64(&rest, &pairs)) return times;
  while (pairs-- > 0 && rocksdb::GetVarint64(&rest, &more_sequence) &&
         rocksdb::GetVarint64(&rest, &more_time)) {
    sequence += more_sequence;
    time += more_time;
    times[sequence] = time;
  }
  return times;
}

}  // namespace

std::unique_ptr<BuiltTable> BuiltTable::Create(
    BuildPlan* plan, const rocksdb::TableBuilderOptions& theirs,
    rocksdb::WritableFileWriter* file) {
  auto collected = std::make_unique<CollectedProperties>(theirs);
  if (auto factory = collected->MakeFactory()) {
    plan->build.table_properties_collector_factories.push_back(
        std::move(factory));
  }
  plan->build.external_file = collected->is_external_file();
  std::unique_ptr<BuiltTable> made(
      new BuiltTable(std::move(collected), file, theirs.write_options,
                     plan->build.parallel_threads > 1));
  auto builder =
      ashlar::TableBuilder::Create(plan->table, plan->build, &made->file_);
  if (!builder.ok()) {
    plan->obstacle = builder.status().ToString();
    return nullptr;
  }
  made->builder_ = std::move(*builder);
  return made;
}

void BuiltTable::Add(const rocksdb::Slice& key, const rocksdb::Slice& value) {
  if (!refused_.ok()) [[unlikely]]
    return;
  const ashlar::Status status = builder_->Add(ToAshlar(key), ToAshlar(value));
  if (!status.ok() && builder_->status().ok()) [[unlikely]] {
    refused_ = rocksdb::Status::Corruption(status.ToString());
  }
}

rocksdb::Status BuiltTable::status() const {
  if (!refused_.ok()) return refused_;
  const ashlar::Status status = builder_->status();
  if (status.ok()) return rocksdb::Status::OK();
  if (!file_.io_status().ok()) return file_.io_status();
  return ToRocksDB(status);
}

rocksdb::IOStatus BuiltTable::io_status() const {
  // Not before the builder says so: until then a worker may be at the file.
  if (builder_->status().ok()) return rocksdb::IOStatus::OK();
  return file_.io_status();
}

rocksdb::Status BuiltTable::Finish() {
  if (!refused_.ok()) {
    builder_->Abandon();
    return refused_;
  }
  const ashlar::Status status = builder_->Finish();
  if (status.ok()) return rocksdb::Status::OK();
  if (!file_.io_status().ok()) return file_.io_status();
  return ToRocksDB(status);
}

void BuiltTable::Abandon() { builder_->Abandon(); }

uint64_t BuiltTable::PreCompressionSize() const {
  const ashlar::TableProperties& properties = builder_->properties();
  // The tail is counted as it is stored: after the build, when RocksDB asks.
  return properties.uncompressed_data_size +
         properties.num_data_blocks * kTrailerBytes +
         builder_->summary().tail_size;
}

uint64_t BuiltTable::EstimatedFileSize() const {
  // RocksDB ends files by the bytes that are written, without the tail. With
  // workers these come late.
  return has_workers_ ? builder_->EstimatedFileSize() : builder_->FileSize();
}

rocksdb::TableProperties BuiltTable::GetTableProperties() const {
  rocksdb::TableProperties properties = PropertiesFrom(builder_->properties());
  properties.readable_properties = collected_->readable();
  return properties;
}

void BuiltTable::SetSeqnoTimeTableProperties(
    const rocksdb::SeqnoToTimeMapping& relevant_mapping,
    uint64_t oldest_ancestor_time) {
  ashlar::LateProperties late;
  late.creation_time = oldest_ancestor_time;
  late.seqno_to_time = TimesFrom(relevant_mapping);
  const ashlar::Status status = builder_->SetLateProperties(late);
  if (!status.ok() && refused_.ok()) refused_ = ToRocksDB(status);
}

}  // namespace ashlar_rocksdb
