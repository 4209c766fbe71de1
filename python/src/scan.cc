#include "python/src/scan.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ashlar::python {

namespace {

// Offsets of a batch have 4 bytes, and an entry fewer than 2^30.
constexpr size_t kMostBatchBytes = size_t{64} << 20;
constexpr uint64_t kRowsBetweenLooks = 1024;

}  // namespace

Scan::Scan(std::shared_ptr<const OpenTables> tables, ScanOptions options)
    : tables_(std::move(tables)),
      watch_(tables_->watch()),
      options_(std::move(options)) {
  if (options_.lower) lower_ = *options_.lower;
  if (options_.upper) upper_ = *options_.upper;
  if (options_.key_form) {
    types_ = options_.key_form->types();
  } else if (options_.with_key) {
    types_.push_back({.name = "key", .format = "z"});
  }
  key_columns_ = types_.size();
  if (options_.with_value) types_.push_back({.name = "value", .format = "z"});
}

ReadOptions Scan::OptionsOfRead() const {
  ReadOptions read;
  read.fill_cache = false;
  read.readahead_size = options_.readahead_bytes;
  if (options_.lower) read.iterate_lower_bound = &lower_;
  if (options_.upper) read.iterate_upper_bound = &upper_;
  return read;
}

// Opens the iterator of the next table, or of all if they must be merged.
void Scan::OpenNext() {
  const ReadOptions read = OptionsOfRead();
  if (!tables_->is_one_level()) {
    next_table_ = tables_->size();
    merged_.emplace(UserIteratorOptions{}, read, tables_->ForIterator());
    merged_->SeekToFirst();
    return;
  }
  const size_t i = next_table_++;
  if (tables_->is_plain(i)) {
    entries_.emplace(tables_->table(i).NewIterator(read));
    entries_->SeekToFirst();
  } else {
    merged_.emplace(tables_->table(i), UserIteratorOptions{}, read);
    merged_->SeekToFirst();
  }
}

uint64_t Scan::RoomOf(const OutputBatch& batch) const {
  if (batch_bytes_ >= kMostBatchBytes) return 0;
  const auto left = static_cast<uint64_t>(options_.batch_rows - batch.length());
  return std::min(left, options_.limit - rows_);
}

// Makes room for rows of the mean size of the table's, so that the columns
// rarely move.
OutputBatch Scan::MakeBatch() const {
  OutputBatch batch;
  const TableProperties& table = tables_->table(0).properties();
  const uint64_t entries = std::max<uint64_t>(table.num_entries, 1);
  const auto rows =
      static_cast<size_t>(std::min({static_cast<uint64_t>(options_.batch_rows),
                                    options_.limit - rows_, uint64_t{65536}}));
  const auto bytes_of = [&](uint64_t all) {
    const uint64_t each = std::min<uint64_t>(all / entries + 1, 1024);
    return static_cast<size_t>(rows * each);
  };
  for (size_t i = 0; i < types_.size(); ++i) {
    batch.columns.emplace_back(types_[i]);
    batch.columns[i].Reserve(
        rows,
        bytes_of(i < key_columns_ ? table.raw_key_size : table.raw_value_size));
  }
  return batch;
}

Status Scan::Append(const Slice& key, const Slice& value, OutputBatch* batch) {
  if (options_.key_form) {
    Status status = options_.key_form->Append(key, batch->columns.data());
    if (!status.ok()) return status;
  } else if (options_.with_key) {
    batch->columns[0].AppendBytes(key);
  }
  if (options_.with_value) batch->columns[key_columns_].AppendBytes(value);
  return {};
}

namespace {

Slice KeyOf(const Iterator& entries) { return entries.user_key(); }
Slice KeyOf(const UserIterator& entries) { return entries.key(); }

// An Iterator shows an entity, or a reference to a value, as it is stored.
bool IsUnusual(const Iterator& entries) {
  return entries.type() != ValueType::kTypeValue;
}
bool IsUnusual(const UserIterator& entries) { return entries.is_blob_index(); }

}  // namespace

template <typename Entries>
Status Scan::Fill(Entries* entries, OutputBatch* batch) {
  uint64_t room = RoomOf(*batch);
  for (; entries->Valid() && room != 0; entries->Next(), --room) {
    if (room % kRowsBetweenLooks == 0) [[unlikely]] {
      if (watch()->Poll()) return Status::Aborted("interrupted");
    }
    if (IsUnusual(*entries)) [[unlikely]] {
      if constexpr (std::is_same_v<Entries, UserIterator>) {
        return Status::NotSupported(
            "the table has a reference to a value in a blob file");
      }
      return {};
    }
    const Slice key = KeyOf(*entries);
    const Slice value = entries->value();
    Status status = Append(key, value, batch);
    if (!status.ok()) return status;
    ++rows_;
    batch_bytes_ += key.size() + value.size();
    if (batch_bytes_ >= kMostBatchBytes) [[unlikely]]
      room = 1;
  }
  return entries->Valid() ? Status() : entries->status();
}

Status Scan::Next(std::shared_ptr<OutputBatch>* batch) {
  batch->reset();
  if (at_end_ || types_.empty() || tables_->size() == 0) return {};
  auto filled = std::make_shared<OutputBatch>(MakeBatch());
  batch_bytes_ = 0;
  Status status;
  while (status.ok() && RoomOf(*filled) != 0) {
    if (!entries_ && !merged_) {
      if (next_table_ == tables_->size()) break;
      OpenNext();
    }
    if (entries_) {
      status = Fill(&*entries_, filled.get());
      if (status.ok() && entries_->Valid() && IsUnusual(*entries_)) {
        // From here on, an iterator that knows what the entries mean.
        merged_.emplace(tables_->table(next_table_ - 1), UserIteratorOptions{},
                        OptionsOfRead());
        merged_->Seek(entries_->user_key());
        entries_.reset();
        continue;
      }
      if (status.ok() && !entries_->Valid()) entries_.reset();
    } else {
      status = Fill(&*merged_, filled.get());
      if (status.ok() && !merged_->Valid()) merged_.reset();
    }
  }
  const bool is_last = filled->length() == 0 || rows_ >= options_.limit;
  if (!status.ok() || is_last) {
    at_end_ = true;
    entries_.reset();
    merged_.reset();
  }
  if (status.ok() && filled->length() != 0) *batch = std::move(filled);
  return status;
}

}  // namespace ashlar::python
