#include "tools/ashlar/inputs/visible_entries.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "tools/ashlar/inputs/open_table.h"

namespace ashlar::tool {
namespace {

void AppendSized(const Slice& bytes, std::string* out) {
  out->append(std::to_string(bytes.size()));
  out->push_back(':');
  out->append(bytes.data(), bytes.size());
}

// Writes operands one after the other, and what is beneath them.
class UnjoinedOperands final : public MergeOperator {
 public:
  std::string_view Name() const override { return "UnjoinedOperands"; }
  bool FullMerge(const MergeInput& input, MergeOutput* output) const override {
    std::string all;
    if (const auto* value = std::get_if<Slice>(&input.existing_value)) {
      AppendSized(*value, &all);
    } else if (const auto* columns = std::get_if<std::span<const WideColumn>>(
                   &input.existing_value)) {
      for (const WideColumn& column : *columns) {
        AppendSized(column.name, &all);
        AppendSized(column.value, &all);
      }
      all += "columns";
    } else {
      all += "nothing";
    }
    for (const Slice& operand : input.operands) AppendSized(operand, &all);
    output->new_value = std::move(all);
    return true;
  }
};

ReadOptions OptionsAt(SequenceNumber snapshot) {
  ReadOptions options = ReadOptionsFromFlags();
  options.snapshot = snapshot;
  return options;
}

}  // namespace

TablesSize SizeOf(const OpenedTables& tables) {
  TablesSize size;
  for (const UserIteratorTable& each : tables.ForIterator()) {
    size.entries += each.table->properties().num_entries;
    size.bytes += each.table->file().Size();
  }
  return size;
}

VisibleEntries::VisibleEntries(
    const Database& database, const OpenedTables& tables,
    std::shared_ptr<const MergeOperator> merge_operator, const KeyRange& range)
    : comparator_(database.comparator()),
      range_(range),
      joins_(merge_operator != nullptr),
      merge_operator_(joins_ ? std::move(merge_operator)
                             : std::make_shared<UnjoinedOperands>()),
      it_(Options(database), OptionsAt(FLAGS_snapshot), tables.ForIterator()) {}

// Operands that are not joined may lie above a reference to a blob, which the
// iterator only accepts if it can fetch the blob. It gets the reference itself.
UserIteratorOptions VisibleEntries::Options(const Database& database) {
  UserIteratorOptions options;
  options.one_entry_per_sequence = !database.has_manifest();
  options.comparator = comparator_;
  options.merge_operator = merge_operator_.get();
  if (joins_) return options;
  options.fetch_blob = [this](const Slice&, const Slice& reference,
                              std::string* value) {
    value->assign(reference.data(), reference.size());
    references_.push_back(value->data());
    return Status();
  };
  return options;
}

bool VisibleEntries::IsReference(const WideColumn& column) const {
  // The column is what the iterator keeps, so their bytes are in one place.
  return column.is_blob_index ||
         std::find(references_.begin(), references_.end(),
                   column.value.data()) != references_.end();
}

// The start may come to a key in front of the range, and pass over it.
void VisibleEntries::SeekToStart() {
  range_.SeekToStart(*comparator_, this);
  Show();
}

void VisibleEntries::SeekToFirst() {
  references_.clear();
  it_.SeekToFirst();
  Take();
}

void VisibleEntries::Seek(const Slice& user_key) {
  references_.clear();
  it_.Seek(user_key);
  Take();
}

void VisibleEntries::Next() {
  references_.clear();
  it_.Next();
  Take();
  Show();
}

// Takes over the key of the iterator.
void VisibleEntries::Take() {
  valid_ = it_.Valid();
  status_ = it_.status();
  if (!valid_) return;
  key_.assign(it_.key().data(), it_.key().size());
  key_.append(it_.timestamp().data(), it_.timestamp().size());
}

Status VisibleEntries::ShowEntity() {
  const std::span<const WideColumn> shown = it_.columns();
  std::vector<WideColumn> columns(shown.begin(), shown.end());
  for (WideColumn& column : columns) {
    column.is_blob_index = IsReference(column);
  }
  Status encoded = EncodeWideColumns(std::move(columns), &entity_);
  value_ = entity_;
  return encoded;
}

// Shows the entry of the key, unless it is behind the range.
void VisibleEntries::Show() {
  valid_ = valid_ && !range_.EndsBefore(key_, *comparator_);
  if (!valid_) return;
  value_ = it_.value();
  const std::span<const WideColumn> columns = it_.columns();
  if (it_.type() == ValueType::kTypeMerge && !joins_) {
    type_ = ValueType::kTypeMerge;
  } else if (columns.size() == 1 && columns[0].name.empty() &&
             it_.type() != ValueType::kTypeWideColumnEntity) {
    type_ = IsReference(columns[0]) ? ValueType::kTypeBlobIndex
                                    : ValueType::kTypeValue;
  } else {
    type_ = ValueType::kTypeWideColumnEntity;
    status_ = ShowEntity();
    valid_ = status_.ok();
  }
}

}  // namespace ashlar::tool
