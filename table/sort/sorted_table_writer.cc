// SortedTableWriter: an EntrySorter before a SortedOutput, with the policy for
// duplicates between them.

#include "ashlar/table/sorted_table_writer.h"

#include <string>
#include <utility>

#include "ashlar/table/internal_key.h"
#include "table/sort/duplicate_filter.h"
#include "table/sort/sorted_output.h"
#include "table/write/timestamp_collector.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using internal::DuplicateFilter;
using internal::OrMemoryLimit;
using internal::SortedOutput;
using internal::TimestampCollector;

namespace {

EntrySorterOptions SorterOptions(const SortedTableWriterOptions& options) {
  EntrySorterOptions sorter;
  sorter.comparator = options.table.comparator;
  sorter.internal_keys = options.internal_keys;
  sorter.memory = options.memory;
  sorter.expected_bytes = options.expected_bytes;
  sorter.temp_folder = options.temp_folder;
  sorter.threads = options.threads;
  sorter.worker_pool = options.worker_pool;
  sorter.is_cancelled = options.is_cancelled;
  return sorter;
}

Status Refuse(std::string_view what) {
  return Status::InvalidArgument("the entry " + std::string(what));
}

// Returns what no table takes of an entry of this type, or ok.
Status CheckType(ValueType type, const Slice& value, bool internal_keys) {
  switch (type) {
    case ValueType::kTypeDeletion:
    case ValueType::kTypeSingleDeletion:
    case ValueType::kTypeDeletionWithTimestamp:
      return value.empty() ? Status() : Refuse("is a deletion with a value");
    case ValueType::kTypeValue:
    case ValueType::kTypeMerge:
    case ValueType::kTypeRangeDeletion:
    case ValueType::kTypeWideColumnEntity:
      return Status();
    case ValueType::kTypeBlobIndex:
    case ValueType::kTypeSetWithDelete:
    case ValueType::kTypeValuePreferredSeqno:
      return internal_keys
                 ? Status()
                 : Status::NotSupported("entries of type " +
                                        std::string(ValueTypeName(type)) +
                                        " cannot be in a file for ingestion");
  }
  return Refuse("has a type that a table cannot hold");
}

// Returns what no table takes of an entry of these sizes, or ok. What is too
// large only for the sorter is found there.
Status CheckSizes(const SortEntry& entry, const Comparator& comparator) {
  const size_t timestamp_size = comparator.timestamp_size();
  if (entry.user_key.size() < timestamp_size) {
    return Refuse("has a key that is shorter than its timestamp");
  }
  if (entry.user_key.size() > TableBuilder::kMaxUserKeyBytes) {
    return Refuse("has a key of " + std::to_string(entry.user_key.size()) +
                  " bytes, which is too large");
  }
  const bool is_range = entry.type == ValueType::kTypeRangeDeletion;
  if (entry.value.size() > (is_range ? TableBuilder::kMaxUserKeyBytes
                                     : TableBuilder::kMaxValueBytes)) {
    return Refuse((is_range ? "has an end of " : "has a value of ") +
                  std::to_string(entry.value.size()) +
                  " bytes, which is too large");
  }
  return Status();
}

// Returns whether the options of a table refuse the timestamp of the key:
// readers put zeros back. Requires: the key is not shorter than a timestamp.
Status CheckTimestamp(const Slice& user_key,
                      const SortedTableWriterOptions& options) {
  if (options.table.persist_user_defined_timestamps ||
      (options.internal_keys && !options.build.external_file)) {
    return Status();
  }
  const Slice timestamp =
      TimestampOf(user_key, options.table.comparator->timestamp_size());
  return TimestampCollector::IsOldest(timestamp)
             ? Status()
             : Refuse(
                   "has a timestamp other than 0, but "
                   "persist_user_defined_timestamps is false");
}

}  // namespace

struct SortedTableWriter::State {
  explicit State(const SortedTableWriterOptions& given) : options(given) {}

  Status Add(const SortEntry& entry);
  Status AddSorted(const SortEntry& entry);
  Status AddAt(const Slice& user_key, const Slice& timestamp, ValueType type,
               const Slice& value);
  Status Finish();

  const SortedTableWriterOptions options;
  std::unique_ptr<SortedOutput> output;
  std::unique_ptr<EntrySorter> sorter;
  std::unique_ptr<DuplicateFilter> duplicates;
  uint64_t number = 0;    // of entries that were added
  std::string whole_key;  // kept for its memory
  Status status;          // the first error, which all later calls return
  bool is_finished = false;
};

Status SortedTableWriter::State::Add(const SortEntry& entry) {
  if (!status.ok()) return status;
  if (is_finished) return Status::InvalidArgument("Add after Finish");
  if (entry.sequence > (options.internal_keys ? kMaxSequenceNumber : 0)) {
    return Refuse(options.internal_keys
                      ? "has a sequence number above the largest one"
                      : "has a sequence number, which needs internal_keys");
  }
  Status added = CheckType(entry.type, entry.value, options.internal_keys);
  if (added.ok()) added = CheckSizes(entry, *options.table.comparator);
  if (added.ok()) added = CheckTimestamp(entry.user_key, options);
  if (!added.ok()) return added;
  if (entry.type == ValueType::kTypeRangeDeletion) {
    added = output->AddRangeDeletion(entry);
  } else {
    SortEntry numbered = entry;
    numbered.number = number;
    if (!options.is_sorted) {
      added = sorter->Add(numbered);
    } else {
      // Without memory, the entry may be half taken.
      added = OrMemoryLimit([&] { return AddSorted(numbered); });
      // What is refused here may have a place in no table.
      if (!added.ok()) status = added;
    }
  }
  if (added.ok()) {
    ++number;
  } else if (!added.IsInvalidArgument() && !added.IsNotSupported()) {
    status = added;
  }
  return added;
}

// Tables of a set do not know each other's last keys, so the order is checked
// here.
Status SortedTableWriter::State::AddSorted(const SortEntry& entry) {
  constexpr uint64_t kEntriesBetweenLooks = 4096;
  if (number % kEntriesBetweenLooks == 0 && options.is_cancelled &&
      options.is_cancelled()) {
    return Status::Aborted("cancelled");
  }
  return duplicates->AddInOrder(entry, options.table.comparator);
}

Status SortedTableWriter::State::AddAt(const Slice& user_key,
                                       const Slice& timestamp, ValueType type,
                                       const Slice& value) {
  return OrMemoryLimit([&] {
    const size_t size = options.table.comparator->timestamp_size();
    if (timestamp.size() != size) {
      return Status::InvalidArgument(
          "timestamp of " + std::to_string(timestamp.size()) +
          " bytes, those of the comparator have " + std::to_string(size));
    }
    whole_key.assign(user_key.data(), user_key.size());
    whole_key.append(timestamp.data(), timestamp.size());
    return Add({whole_key, value, 0, type});
  });
}

Status SortedTableWriter::State::Finish() {
  if (!status.ok()) return status;
  if (is_finished) return Status::InvalidArgument("a second Finish");
  is_finished = true;
  if (number == 0) {
    return Status::InvalidArgument("cannot make a table without entries");
  }
  Status done;
  if (!options.is_sorted) {
    done = sorter->ForEach(
        [this](const SortEntry& entry) { return duplicates->Add(entry); });
  }
  if (done.ok()) done = duplicates->Flush();
  return done.ok() ? output->Finish() : done;
}

SortedTableWriter::SortedTableWriter(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

SortedTableWriter::~SortedTableWriter() = default;

Result<std::unique_ptr<SortedTableWriter>> SortedTableWriter::Open(
    const std::string& path, const SortedTableWriterOptions& options) {
  return Make(path, nullptr, options);
}

Result<std::unique_ptr<SortedTableWriter>> SortedTableWriter::OpenTo(
    CompactionOutputs* outputs, const SortedTableWriterOptions& options) {
  return Make({}, outputs, options);
}

Result<std::unique_ptr<SortedTableWriter>> SortedTableWriter::Make(
    const std::string& path, CompactionOutputs* outputs,
    const SortedTableWriterOptions& options) {
  return OrMemoryLimit([&]() -> Result<std::unique_ptr<SortedTableWriter>> {
    auto state = std::make_unique<State>(options);
    // It also finds the faults of the options.
    auto output = outputs != nullptr
                      ? SortedOutput::OpenTo(outputs, &state->options)
                      : SortedOutput::Open(path, &state->options);
    if (!output.ok()) return output.status();
    state->output = std::move(output).value();
    auto sorter = EntrySorter::Create(SorterOptions(state->options));
    if (!sorter.ok()) return sorter.status();
    state->sorter = std::move(sorter).value();
    state->duplicates = std::make_unique<DuplicateFilter>(
        state->options.on_duplicate, state->output.get());
    return std::unique_ptr<SortedTableWriter>(
        new SortedTableWriter(std::move(state)));
  });
}

Status SortedTableWriter::Put(const Slice& user_key, const Slice& value) {
  return Add(user_key, 0, ValueType::kTypeValue, value);
}

Status SortedTableWriter::Merge(const Slice& user_key, const Slice& operand) {
  return Add(user_key, 0, ValueType::kTypeMerge, operand);
}

Status SortedTableWriter::Delete(const Slice& user_key) {
  return Add(user_key, 0, ValueType::kTypeDeletion, Slice());
}

Status SortedTableWriter::SingleDelete(const Slice& user_key) {
  return Add(user_key, 0, ValueType::kTypeSingleDeletion, Slice());
}

Status SortedTableWriter::PutEntity(const Slice& user_key,
                                    const std::vector<WideColumn>& columns) {
  return OrMemoryLimit([&] {
    std::string entity;
    Status status = EncodeWideColumns(columns, &entity);
    return status.ok()
               ? Add(user_key, 0, ValueType::kTypeWideColumnEntity, entity)
               : status;
  });
}

Status SortedTableWriter::PutAt(const Slice& user_key, const Slice& timestamp,
                                const Slice& value) {
  return state_->AddAt(user_key, timestamp, ValueType::kTypeValue, value);
}

Status SortedTableWriter::DeleteAt(const Slice& user_key,
                                   const Slice& timestamp) {
  return state_->AddAt(user_key, timestamp,
                       ValueType::kTypeDeletionWithTimestamp, Slice());
}

Status SortedTableWriter::Add(const Slice& user_key, SequenceNumber sequence,
                              ValueType type, const Slice& value) {
  return OrMemoryLimit([&] {
    return state_->Add({user_key, value, sequence, type});
  });
}

Status SortedTableWriter::Finish() {
  State& s = *state_;
  Status status = OrMemoryLimit([&s] { return s.Finish(); });
  if (!status.ok()) s.output->Abandon();
  return status;
}

const std::vector<TableSetTable>& SortedTableWriter::tables() const {
  return state_->output->tables();
}

const std::string& SortedTableWriter::manifest() const {
  return state_->output->manifest();
}

SortedTableProgress SortedTableWriter::progress() const {
  const State& s = *state_;
  return {s.sorter->progress(), s.output->entries_written(),
          s.duplicates->left_out(), s.output->tables_ended()};
}

}  // namespace ashlar
