#include "tools/ashlar/outputs/ordered_rows.h"

#include <algorithm>

#include "tools/escaped_text.h"

namespace ashlar::tool {
namespace {

uint64_t TailOfRow(const Row& row) { return PackTail(row.sequence, row.type); }

// Shortens a key, since a long one would hide the rest of the message.
std::string ShownKey(const Slice& key) {
  constexpr size_t kMaxShownBytes = 200;
  std::string shown = "'";
  shown += Escape(Slice(key.data(), std::min(key.size(), kMaxShownBytes)));
  shown += key.size() > kMaxShownBytes ? "'..." : "'";
  return shown;
}

}  // namespace

int CompareRows(const Comparator& comparator, bool external, const Slice& a,
                uint64_t a_tail, const Slice& b, uint64_t b_tail) {
  const int order = comparator.Compare(a, b);
  if (order != 0 || external || a_tail == b_tail) return order;
  return a_tail > b_tail ? -1 : 1;
}

Status OrderCheck::Add(const Row& row) {
  const uint64_t tail = TailOfRow(row);
  if (has_previous_ &&
      CompareRows(*options_->table.comparator, options_->external, row.key,
                  tail, key_, tail_) <= 0) {
    return Status::InvalidArgument("key out of order",
                                   Status::SubCode::kKeyOutOfOrder);
  }
  has_previous_ = true;
  key_.assign(row.key.data(), row.key.size());
  tail_ = tail;
  return Status();
}

int OrderedRows::CompareWithPrevious(const Row& row) const {
  return CompareRows(*options_->table.comparator, options_->external, row.key,
                     TailOfRow(row), key_, PackTail(sequence_, type_));
}

Status OrderedRows::Add(const Row& row) {
  // Range deletions may come in any order.
  if (row.type == ValueType::kTypeRangeDeletion) return AddToSink(row);
  switch (rule_) {
    case DuplicateRule::kError:
      break;
    case DuplicateRule::kFirst:
      if (has_previous_ && CompareWithPrevious(row) == 0) {
        ++duplicates_;
        return Status();
      }
      break;
    case DuplicateRule::kLast: {
      if (!has_previous_) {
        Remember(row);
        return Status();
      }
      const int order = CompareWithPrevious(row);
      if (order < 0) {
        bad_place_ = row.place;
        return Explain(row, order);
      }
      if (order == 0) ++duplicates_;
      if (order > 0) {
        Status status = AddToSink(Previous());
        if (!status.ok()) return status;
      }
      Remember(row);
      return Status();
    }
  }
  Status status = AddToSink(row);
  if (status.ok()) {
    Remember(row);
  } else if (status.IsInvalidArgument() && has_previous_) {
    const int order = CompareWithPrevious(row);
    if (order <= 0) return Explain(row, order);
  }
  return status;
}

Status OrderedRows::Flush() {
  if (rule_ != DuplicateRule::kLast || !has_previous_) return Status();
  return AddToSink(Previous());
}

Status OrderedRows::AddToSink(const Row& row) {
  Status status = sink_->Add(row);
  if (!status.ok()) bad_place_ = row.place;
  return status;
}

Status OrderedRows::Explain(const Row& row, int order) const {
  if (order == 0) {
    return Status::InvalidArgument("key " + ShownKey(row.key) +
                                       " comes twice, first at " +
                                       place_.ToString(),
                                   Status::SubCode::kDuplicateKey);
  }
  return Status::InvalidArgument("key " + ShownKey(row.key) +
                                     " belongs before " + ShownKey(key_) +
                                     " at " + place_.ToString(),
                                 Status::SubCode::kKeyOutOfOrder);
}

void OrderedRows::Remember(const Row& row) {
  has_previous_ = true;
  key_.assign(row.key.data(), row.key.size());
  if (rule_ == DuplicateRule::kLast) {
    value_.assign(row.value.data(), row.value.size());
  }
  sequence_ = row.sequence;
  type_ = row.type;
  place_ = row.place;
}

Row OrderedRows::Previous() const {
  Row row;
  row.key = key_;
  row.value = value_;
  row.sequence = sequence_;
  row.type = type_;
  row.place = place_;
  return row;
}

}  // namespace ashlar::tool
