// Reading tables through the C interface: lookups and iterators.

#include <algorithm>
#include <span>

#include "ashlar/table/merge_operand.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/table/user_iterator.h"
#include "c_api/handles.h"

struct ashlar_iterator {
  // Both outlive the walk.
  std::vector<std::shared_ptr<const ashlar::TableReader>> tables;
  std::shared_ptr<const ashlar::MergeOperator> merge_operator;
  std::optional<ashlar::UserIterator> walk;
};

namespace ashlar::capi {
namespace {

using State = GetResult::State;
static_assert(static_cast<int>(State::kNotFound) == ASHLAR_ABSENT);
static_assert(static_cast<int>(State::kFound) == ASHLAR_FOUND);
static_assert(static_cast<int>(State::kDeleted) == ASHLAR_DELETED);
static_assert(static_cast<int>(State::kMerged) == ASHLAR_MERGED);

// Makes `pins` ready for results of the reader: they keep its block cache,
// which the caller may free before them. Those of another cache are released.
void KeepCache(const ashlar_reader& reader, ashlar_values* pins) {
  if (pins->cache == reader.cache) return;
  pins->results.clear();
  pins->cache = reader.cache;
}

Status BlobIsElsewhere() {
  return Status::NotSupported("the value is a reference into a blob file");
}

// Returns the status of a lookup that found this. A reference is not the value
// that C's callers ask for, and they could not tell one from the other.
Status Judge(const GetResult& result, Status status) {
  if (status.ok() && result.is_blob_index) return BlobIsElsewhere();
  return status;
}

// A merge operand ends a lookup, which is then State::kMerged: its value is for
// an iterator to make.
bool EndAtOperand(const MergeOperand& /*operand*/,
                  SequenceNumber /*sequence*/) {
  return false;
}
bool EndKeyAtOperand(size_t /*key*/, const MergeOperand& /*operand*/,
                     SequenceNumber /*sequence*/) {
  return false;
}

Status MultiGet(const ashlar_reader& reader, const ReadOptions& read,
                std::span<const ashlar_slice> keys, ashlar_values* pins) {
  KeepCache(reader, pins);
  pins->results.resize(keys.size());
  pins->statuses.resize(keys.size());
  pins->keys.clear();
  for (const ashlar_slice& key : keys) pins->keys.push_back(FromC(key));
  reader.table->MultiGet(read, pins->keys, read.snapshot, pins->results,
                         pins->statuses, EndKeyAtOperand);
  Status first;
  for (size_t i = 0; i < keys.size(); ++i) {
    Status& own = pins->statuses[i];
    own = Judge(pins->results[i], own);
    if (first.ok()) first = own;
  }
  return first;
}

Status NewIterator(std::span<const ashlar_reader* const> tables,
                   const ReadOptions& read, const char* merge_operator,
                   ashlar_iterator* iterator) {
  UserIteratorOptions options;
  options.fetch_blob = [](const Slice& /*user_key*/,
                          const Slice& /*blob_index*/,
                          std::string* /*value*/) { return BlobIsElsewhere(); };
  if (merge_operator != nullptr) {
    iterator->merge_operator = FindBuiltinMergeOperator(merge_operator);
    if (iterator->merge_operator == nullptr) {
      return Status::NotSupported("the merge operator '" +
                                      std::string(merge_operator) +
                                      "' is not built in",
                                  Status::SubCode::kNotBuiltIn);
    }
    options.merge_operator = iterator->merge_operator.get();
  }
  std::vector<UserIteratorTable> inputs;
  for (const ashlar_reader* const reader : tables) {
    iterator->tables.push_back(reader->table);
    inputs.push_back({.table = reader->table.get()});
  }
  iterator->walk.emplace(options, read, inputs);
  return iterator->walk->status();
}

}  // namespace
}  // namespace ashlar::capi

using ashlar::Status;
using ashlar::capi::BoundedRead;
using ashlar::capi::FromC;
using ashlar::capi::Guarded;
using ashlar::capi::ToC;

ashlar_status* ashlar_reader_open(const ashlar_options* options,
                                  const char* path, ashlar_reader** reader) {
  *reader = nullptr;
  return Guarded([&]() -> Status {
    auto table = ashlar::TableReader::Open(path, options->set.reader);
    if (!table.ok()) return table.status();
    *reader =
        new ashlar_reader{std::move(*table), options->set.reader.block_cache};
    return {};
  });
}
uint64_t ashlar_reader_entries(const ashlar_reader* reader) {
  return reader->table->properties().num_entries;
}
void ashlar_reader_free(ashlar_reader* reader) { delete reader; }
ashlar_status* ashlar_reader_verify(const ashlar_reader* reader) {
  return Guarded([&] { return reader->table->VerifyChecksum(); });
}

ashlar_values* ashlar_values_new(void) {
  return ashlar::capi::NewOrNull<ashlar_values>();
}
void ashlar_values_reset(ashlar_values* values) {
  values->results.clear();
  values->cache.reset();
}
void ashlar_values_free(ashlar_values* values) { delete values; }

ashlar_status* ashlar_reader_get(const ashlar_reader* reader,
                                 const ashlar_read_options* options,
                                 ashlar_slice key, ashlar_values* pins,
                                 ashlar_slice* value, ashlar_state* state) {
  *value = {};
  *state = ASHLAR_ABSENT;
  return Guarded([&]() -> Status {
    const BoundedRead bounded(options);
    ashlar::capi::KeepCache(*reader, pins);
    pins->results.resize(1);
    ashlar::GetResult& result = pins->results.front();
    result.Reset();
    Status status =
        reader->table->Get(bounded.read, FromC(key), bounded.read.snapshot,
                           &result, ashlar::capi::EndAtOperand);
    status = ashlar::capi::Judge(result, std::move(status));
    if (!status.ok()) return status;
    *value = ToC(result.value.slice());
    *state = static_cast<ashlar_state>(result.state);
    return {};
  });
}

ashlar_status* ashlar_reader_multi_get(
    const ashlar_reader* reader, const ashlar_read_options* options,
    const ashlar_slice* keys, size_t count, ashlar_values* pins,
    ashlar_slice* values, ashlar_state* states, ashlar_code* codes) {
  std::fill_n(values, count, ashlar_slice{});
  std::fill_n(states, count, ASHLAR_ABSENT);
  bool is_answered = false;
  ashlar_status* const first = Guarded([&] {
    const BoundedRead bounded(options);
    Status status =
        ashlar::capi::MultiGet(*reader, bounded.read, {keys, count}, pins);
    is_answered = true;
    for (size_t i = 0; i < count; ++i) {
      const Status& own = pins->statuses[i];
      if (codes != nullptr) codes[i] = static_cast<ashlar_code>(own.code());
      if (!own.ok()) continue;
      values[i] = ToC(pins->results[i].value.slice());
      states[i] = static_cast<ashlar_state>(pins->results[i].state);
    }
    return status;
  });
  if (!is_answered && codes != nullptr) {
    std::fill_n(codes, count, ashlar_status_code(first));
  }
  return first;
}

ashlar_status* ashlar_iterator_new(const ashlar_reader* const* tables,
                                   size_t count,
                                   const ashlar_read_options* options,
                                   const char* merge_operator,
                                   ashlar_iterator** iterator) {
  *iterator = nullptr;
  return Guarded([&]() -> Status {
    const BoundedRead bounded(options);
    auto made = std::make_unique<ashlar_iterator>();
    Status status = ashlar::capi::NewIterator({tables, count}, bounded.read,
                                              merge_operator, made.get());
    if (status.ok()) *iterator = made.release();
    return status;
  });
}
void ashlar_iterator_free(ashlar_iterator* iterator) { delete iterator; }
int ashlar_iterator_valid(const ashlar_iterator* iterator) {
  return iterator->walk->Valid() ? 1 : 0;
}
ashlar_status* ashlar_iterator_status(const ashlar_iterator* iterator) {
  return Guarded([&] { return iterator->walk->status(); });
}
void ashlar_iterator_seek_to_first(ashlar_iterator* iterator) {
  iterator->walk->SeekToFirst();
}
void ashlar_iterator_seek_to_last(ashlar_iterator* iterator) {
  iterator->walk->SeekToLast();
}
void ashlar_iterator_seek(ashlar_iterator* iterator, ashlar_slice key) {
  iterator->walk->Seek(FromC(key));
}
void ashlar_iterator_seek_for_prev(ashlar_iterator* iterator,
                                   ashlar_slice key) {
  iterator->walk->SeekForPrev(FromC(key));
}
void ashlar_iterator_next(ashlar_iterator* iterator) { iterator->walk->Next(); }
void ashlar_iterator_prev(ashlar_iterator* iterator) { iterator->walk->Prev(); }
ashlar_slice ashlar_iterator_key(const ashlar_iterator* iterator) {
  if (!iterator->walk->Valid()) return {};
  return ToC(iterator->walk->key());
}
ashlar_slice ashlar_iterator_value(const ashlar_iterator* iterator) {
  if (!iterator->walk->Valid()) return {};
  return ToC(iterator->walk->value());
}
