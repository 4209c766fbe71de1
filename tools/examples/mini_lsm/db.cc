#include "tools/examples/mini_lsm/db.h"

#include "ashlar/table/multi_table_get.h"

namespace mini_lsm {

ashlar::Result<std::unique_ptr<Db>> Db::Open(const std::string& folder,
                                             const Options& options) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Status::IOError(folder + ": " + error.message());
  std::unique_ptr<Db> db(new Db(folder, options));
  ashlar::TableCacheOptions cache_options;
  cache_options.max_open_files = options.max_open_files;
  cache_options.reader_options.block_cache = options.block_cache;
  cache_options.open = [folder](uint64_t number, ashlar::TableToOpen* table) {
    table->path = folder + "/" + TableName(number);
    table->expected_orig_file_number = number;
    return Status();
  };
  auto tables = ashlar::TableCache::Create(cache_options);
  if (!tables.ok()) return tables.status();
  db->tables_ = std::move(tables).value();
  Status status = db->Recover();
  if (!status.ok()) return status;
  return db;
}

// What the log has becomes a table at once: so writes go on in a new log, and
// never after a torn tail.
Status Db::Recover() {
  const std::scoped_lock writing(write_mutex_);
  Status status = ReadManifest(folder_, tables_.get(), &manifest_);
  if (!status.ok()) return status;
  sequence_ = manifest_.sequence;
  auto memtable = std::make_shared<Memtable>();
  const std::string log = folder_ + "/" + LogName(manifest_.log);
  status = ReplayLog(log, manifest_.log, &sequence_, memtable.get());
  if (IsMissing(status)) status = Status();  // a new database
  if (status.ok()) status = DeleteStrays(folder_, manifest_);
  if (!status.ok()) return status;
  view_ = std::make_shared<View>(View{memtable, manifest_.version});
  return FlushMemtable();
}

Status Db::Write(const WriteBatch& batch, bool sync) {
  if (batch.bytes().size() > kMostBatchBytes) {
    return Status::InvalidArgument("the batch is too large");
  }
  const std::scoped_lock writing(write_mutex_);
  if (failed_.ok() && view_->memtable->bytes() >= options_.write_buffer_size) {
    failed_ = FlushMemtable();
    if (failed_.ok()) failed_ = CompactWhatIsDue();
  }
  SequenceNumber last = sequence_;
  if (failed_.ok()) {
    failed_ = AppendToLog(last + 1, batch, manifest_.log, log_.get());
  }
  if (failed_.ok() && sync) failed_ = log_->Sync();
  if (failed_.ok()) {
    failed_ = ApplyBatch(batch.bytes(), &last, view_->memtable.get());
  }
  if (!failed_.ok()) return failed_;
  const std::scoped_lock lock(state_mutex_);
  sequence_ = last;  // from here on reads see the batch
  return {};
}

Status Db::Get(const Slice& key, std::string* value, SequenceNumber snapshot) {
  Status status;
  MultiGet({&key, 1}, {value, 1}, {&status, 1}, snapshot);
  return status;
}

void Db::MultiGet(std::span<const Slice> keys, std::span<std::string> values,
                  std::span<Status> statuses, SequenceNumber snapshot) {
  const std::shared_ptr<const View> view = ViewAt(&snapshot);
  std::vector<Lookup> lookups(keys.size());
  std::vector<size_t> rest;  // which keys the memtable does not decide
  std::vector<Slice> rest_keys;
  for (size_t i = 0; i < keys.size(); ++i) {
    view->memtable->Get(keys[i], snapshot, &lookups[i]);
    if (lookups[i].done) continue;
    rest.push_back(i);
    rest_keys.push_back(keys[i]);
  }

  auto tables =
      ashlar::OpenedTables::OpenFor(rest_keys, view->version, tables_.get());
  if (!tables.ok()) {
    std::fill(statuses.begin(), statuses.end(), tables.status());
    return;
  }
  // Blocks that are not in the block cache are read at once, for all keys.
  std::vector<ashlar::GetResult> results(rest.size());
  std::vector<Status> errors(rest.size());
  const auto on_operand = [&](size_t key, const Slice& operand, uint64_t) {
    lookups[rest[key]].operands.push_back(operand.ToString());
    return true;
  };
  ashlar::MultiGetFromTables({}, tables->levels(), rest_keys, snapshot, results,
                             errors, on_operand);
  std::fill(statuses.begin(), statuses.end(), Status());
  for (size_t i = 0; i < rest.size(); ++i) {
    statuses[rest[i]] = errors[i];
    if (results[i].state == ashlar::GetResult::State::kFound) {
      lookups[rest[i]].value = results[i].value.slice();
    }
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!statuses[i].ok()) continue;
    statuses[i] =
        ashlar::MergeForGet(options_.merge_operator.get(), keys[i],
                            lookups[i].value, lookups[i].operands, &values[i]);
  }
}

ashlar::Result<std::unique_ptr<DbIterator>> Db::NewIterator(
    SequenceNumber snapshot, ashlar::ReadOptions options) {
  std::shared_ptr<const View> view = ViewAt(&snapshot);
  options.snapshot = snapshot;
  auto tables = ashlar::OpenedTables::Open(view->version, tables_.get());
  if (!tables.ok()) return tables.status();
  std::vector<ashlar::UserIteratorMemory> memory(1);
  memory[0].entries = view->memtable->NewSource();
  memory[0].range_deletions = view->memtable->range_deletions();
  ashlar::UserIterator it({.merge_operator = options_.merge_operator.get()},
                          options, tables->ForIterator(), std::move(memory));
  return std::make_unique<DbIterator>(std::move(view),
                                      std::move(tables).value(), std::move(it));
}

SequenceNumber Db::GetSnapshot() {
  const std::scoped_lock lock(state_mutex_);
  return *snapshots_.insert(sequence_);
}

void Db::ReleaseSnapshot(SequenceNumber snapshot) {
  const std::scoped_lock lock(state_mutex_);
  const auto at = snapshots_.find(snapshot);
  if (at != snapshots_.end()) snapshots_.erase(at);
}

// Takes view and sequence number together: a later view may lack versions that
// an earlier sequence number sees.
std::shared_ptr<const View> Db::ViewAt(SequenceNumber* snapshot) {
  const std::scoped_lock lock(state_mutex_);
  *snapshot = std::min(*snapshot, sequence_);
  return view_;
}

}  // namespace mini_lsm
