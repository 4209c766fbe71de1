#include "tools/ashlar/rows/sorted_entry.h"

#include <cstring>

#include "ashlar/table/internal_key.h"

namespace ashlar::tool {

int VersionOrder::Compare(const Slice& a, const Slice& b) const {
  const int order = user_keys_->Compare(UserKeyOf(a), UserKeyOf(b));
  if (order != 0) return order;
  const uint64_t tail_a = TailOf(a);
  const uint64_t tail_b = TailOf(b);
  if (tail_a == tail_b) return 0;
  return tail_a > tail_b ? -1 : 1;
}

size_t SortedEntryForm::KeySize(const Row& row) const {
  const size_t tails = external_ ? 1 : 2;
  return row.key.size() + tails * kInternalKeyTailBytes;
}

size_t SortedEntryForm::ValueSize(const Row& row) const {
  return row.value.size() + (external_ ? 1 : 0);
}

void SortedEntryForm::Write(const Row& row, uint64_t number, char* key,
                            char* value) const {
  if (!row.key.empty()) std::memcpy(key, row.key.data(), row.key.size());
  key += row.key.size();
  if (!external_) {
    const uint64_t tail = PackTail(row.sequence, row.type);
    std::memcpy(key, &tail, sizeof tail);
    key += sizeof tail;
  }
  // A table has equal keys in descending order of their tails, so earlier rows
  // get larger tails.
  const uint64_t tail =
      PackTail(kMaxSequenceNumber - number, ValueType::kTypeValue);
  std::memcpy(key, &tail, sizeof tail);
  if (!row.value.empty()) {
    std::memcpy(value, row.value.data(), row.value.size());
  }
  if (external_) value[row.value.size()] = static_cast<char>(row.type);
}

Row SortedEntryForm::Read(const Slice& key, const Slice& value,
                          uint64_t* number) const {
  *number = kMaxSequenceNumber - SequenceOf(key);
  Row row;
  row.key = UserKey(key);
  if (external_) {
    row.value = Slice(value.data(), value.size() - 1);
    row.type =
        static_cast<ValueType>(static_cast<uint8_t>(value[value.size() - 1]));
    return row;
  }
  row.value = value;
  row.sequence = SequenceOf(UserKeyOf(key));
  row.type = TypeOf(UserKeyOf(key));
  return row;
}

Slice SortedEntryForm::UserKey(const Slice& key) const {
  return external_ ? UserKeyOf(key) : UserKeyOf(UserKeyOf(key));
}

}  // namespace ashlar::tool
