#include "tools/ashlar/commands/key_lookup.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ashlar/table/entry/timed_value.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/multi_table_get.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/inputs/equal_numbers.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

// Gathers the operands of each key, newest first.
class OperandsOf {
 public:
  explicit OperandsOf(std::span<LookedUp> found) : found_(found) {}
  bool operator()(size_t key, const Slice& operand,
                  SequenceNumber sequence) const {
    found_[key].operands.push_back({operand.ToString(), sequence});
    return true;
  }

 private:
  const std::span<LookedUp> found_;
};

void TakeResults(std::span<const Slice> keys, std::vector<GetResult>* results,
                 std::span<LookedUp> found) {
  for (size_t i = 0; i < keys.size(); ++i) {
    found[i].key = keys[i].ToString();
    found[i].result = std::move((*results)[i]);
  }
}

// Makes *result a value. The bytes are copied.
void TakeValue(const Slice& bytes, bool is_entity, GetResult* result,
               Status* status) {
  auto copy = std::make_unique<std::string>(bytes.data(), bytes.size());
  Slice value = *copy;
  if (is_entity) {
    std::optional<WideColumn> column;
    *status = FindDefaultColumn(*copy, &column);
    result->entity = value;
    result->is_blob_index = column && column->is_blob_index;
    value = column ? column->value : Slice(value.data(), 0);
  }
  Cleanable pin;
  pin.RegisterCleanup(
      [](void* owner, void*) { delete static_cast<std::string*>(owner); },
      copy.release(), nullptr);
  result->state = GetResult::State::kFound;
  result->value.Pin(value, std::move(pin));
}

// Takes the next entry of the key, from the newest on. Returns whether more of
// them count.
bool TakeEntry(const MergingIterator& at, size_t timestamp_size,
               LookedUp* found, Status* status) {
  GetResult& result = found->result;
  result.type = at.type();
  result.sequence = at.sequence();
  const Slice user_key = at.user_key();
  result.timestamp.assign(user_key.end() - timestamp_size, timestamp_size);
  switch (at.type()) {
    case ValueType::kTypeMerge:
      result.state = GetResult::State::kMerged;
      found->operands.push_back({at.value().ToString(), at.sequence()});
      return true;
    case ValueType::kTypeDeletion:
    case ValueType::kTypeSingleDeletion:
    case ValueType::kTypeDeletionWithTimestamp:
      result.state = GetResult::State::kDeleted;
      return false;
    case ValueType::kTypeValuePreferredSeqno: {
      TimedValue timed;
      *status = DecodeTimedValue(at.value(), &timed);
      TakeValue(timed.value, /*is_entity=*/false, &result, status);
      return false;
    }
    default:
      TakeValue(at.value(), at.type() == ValueType::kTypeWideColumnEntity,
                &result, status);
      result.is_blob_index =
          result.is_blob_index || at.type() == ValueType::kTypeBlobIndex;
      return false;
  }
}

// Returns the newest range deletion over the key that the reader sees.
std::optional<RangeDeletion> NewestDeletion(
    const std::vector<UserIteratorTable>& tables, const Slice& key,
    const Comparator& comparator) {
  std::optional<RangeDeletion> newest;
  const auto compare = [&](const Slice& a, const Slice& b) {
    const size_t size = comparator.timestamp_size();
    return comparator.CompareWithoutTimestamp(WithoutTimestamp(a, size), b);
  };
  for (const UserIteratorTable& each : tables) {
    for (const RangeDeletion& deletion : each.table->RangeDeletions()) {
      // One with number 0 deletes nothing.
      if (deletion.sequence != 0 && deletion.sequence <= FLAGS_snapshot &&
          compare(deletion.begin, key) <= 0 && compare(deletion.end, key) > 0 &&
          (!newest || newest->sequence < deletion.sequence)) {
        newest = deletion;
      }
    }
  }
  return newest;
}

void TakeDeletion(const RangeDeletion& deletion, size_t timestamp_size,
                  GetResult* result) {
  result->state = GetResult::State::kDeleted;
  result->type = ValueType::kTypeRangeDeletion;
  result->sequence = deletion.sequence;
  result->timestamp.assign(deletion.begin.end() - timestamp_size,
                           timestamp_size);
}

// Looks the key up in tables of unknown age, by the numbers of its entries.
Status LookUpByNumber(const Database& database, const OpenedTables& tables,
                      const Slice& key, LookedUp* found, EqualNumbers* equal) {
  const Comparator& comparator = *database.comparator();
  const size_t timestamp_size = comparator.timestamp_size();
  found->key = key.ToString();
  const std::vector<UserIteratorTable> all = tables.ForIterator();
  const auto deletion = NewestDeletion(all, key, comparator);
  if (equal != nullptr) equal->Begin(tables);
  MergingIterator it = MergedEntries(tables, &comparator);
  Status status;
  std::string last;  // the internal key of the entry before
  bool goes_on = true;
  for (it.Seek(key); it.Valid(); it.Next()) {
    if (WithoutTimestamp(it.user_key(), timestamp_size) != key) break;
    if (it.sequence() > FLAGS_snapshot) continue;
    if (equal != nullptr) equal->Take(it);
    // Two tables may have one entry, as inputs and outputs of a compaction do.
    // Of different ones with one number, the first counts.
    const bool is_again = !last.empty() && it.user_key() == UserKeyOf(last) &&
                          it.sequence() == SequenceOf(last);
    last = it.key().ToString();
    if (!goes_on || is_again) continue;
    if (deletion && it.sequence() < deletion->sequence) {
      goes_on = false;
      TakeDeletion(*deletion, timestamp_size, &found->result);
      continue;
    }
    goes_on = TakeEntry(it, timestamp_size, found, &status);
  }
  if (it.status().ok() && goes_on && deletion) {
    TakeDeletion(*deletion, timestamp_size, &found->result);
  }
  return it.status().ok() ? status : it.status();
}

}  // namespace

void LookUpInTable(const TableReader& table, std::span<const Slice> keys,
                   std::span<LookedUp> found, std::span<Status> statuses) {
  std::vector<GetResult> results(keys.size());
  table.MultiGet(ReadOptionsFromFlags(), keys, FLAGS_snapshot, results,
                 statuses, OperandsOf(found));
  TakeResults(keys, &results, found);
}

void LookUpInDatabase(const Database& database, const OpenedTables& tables,
                      std::span<const Slice> keys, std::span<LookedUp> found,
                      std::span<Status> statuses, EqualNumbers* equal) {
  if (!database.has_manifest()) {
    for (size_t i = 0; i < keys.size(); ++i) {
      statuses[i] = LookUpByNumber(database, tables, keys[i], &found[i], equal);
    }
    return;
  }
  std::vector<GetResult> results(keys.size());
  MultiGetFromTables(ReadOptionsFromFlags(), tables.levels(), keys,
                     FLAGS_snapshot, results, statuses, OperandsOf(found));
  TakeResults(keys, &results, found);
}

void ShowLookedUp(const LookedUp& found, const Status& status, Report* report) {
  if (!status.ok()) {
    report->AddFault(status);
    return;
  }
  report->Show(found);
  if (found.result.state == GetResult::State::kNotFound) {
    report->RaiseExitCode(kExitFault);
    if (!report->text()) return;
    report->out()->Flush();
    PrintFault(
        {report->path() + ": ", "NotFound", ": '" + KeyText(found.key) + "'"});
  }
}

Status ForEachShown(const VisibleEntries& at, const Database& database,
                    const OpenedTables& tables,
                    const std::function<void(const ShownEntry&)>& take) {
  if (at.type() != ValueType::kTypeMerge) {
    take({at.user_key(), at.sequence(), at.type(), at.value()});
    return {};
  }
  const Slice key =
      WithoutTimestamp(at.user_key(), database.comparator()->timestamp_size());
  LookedUp found;
  Status status;
  LookUpInDatabase(database, tables, {&key, 1}, {&found, 1}, {&status, 1},
                   nullptr);
  if (!status.ok()) return status;
  for (const LookedUp::Operand& operand : found.operands) {
    take({at.user_key(), operand.sequence, ValueType::kTypeMerge,
          operand.value});
  }
  const GetResult& base = found.result;
  if (base.state != GetResult::State::kFound) return {};
  const bool is_entity = base.type == ValueType::kTypeWideColumnEntity;
  const std::string whole_key = found.key + base.timestamp;
  // A timed value was decoded: what is there is a value alone.
  const ValueType type = base.type == ValueType::kTypeValuePreferredSeqno
                             ? ValueType::kTypeValue
                             : base.type;
  take({whole_key, base.sequence, type,
        is_entity ? base.entity : base.value.slice()});
  return {};
}

}  // namespace ashlar::tool
