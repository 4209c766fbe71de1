#include "table/sort/stored_form.h"

#include <cstdint>
#include <cstring>

#include "ashlar/table/internal_key.h"

namespace ashlar::internal {

int VersionOrder::Compare(const Slice& a, const Slice& b) const {
  const int order = user_keys_->Compare(UserKeyOf(a), UserKeyOf(b));
  if (order != 0) return order;
  const uint64_t tail_a = TailOf(a);
  const uint64_t tail_b = TailOf(b);
  if (tail_a == tail_b) return 0;
  return tail_a > tail_b ? -1 : 1;
}

size_t StoredForm::KeySize(const SortEntry& entry) const {
  const size_t tails = internal_keys_ ? 2 : 1;
  return entry.user_key.size() + tails * kInternalKeyTailBytes;
}

size_t StoredForm::ValueSize(const SortEntry& entry) const {
  return entry.value.size() + (internal_keys_ ? 0 : 1);
}

void StoredForm::Write(const SortEntry& entry, char* key, char* value) const {
  const Slice& user_key = entry.user_key;
  if (!user_key.empty()) std::memcpy(key, user_key.data(), user_key.size());
  key += user_key.size();
  if (internal_keys_) {
    const uint64_t tail = PackTail(entry.sequence, entry.type);
    std::memcpy(key, &tail, sizeof tail);
    key += sizeof tail;
  }
  // A table has equal keys in descending order of their tails, so earlier
  // entries get larger tails.
  const uint64_t tail =
      PackTail(kMaxSequenceNumber - entry.number, ValueType::kTypeValue);
  std::memcpy(key, &tail, sizeof tail);
  if (!entry.value.empty()) {
    std::memcpy(value, entry.value.data(), entry.value.size());
  }
  if (!internal_keys_) {
    value[entry.value.size()] = static_cast<char>(entry.type);
  }
}

SortEntry StoredForm::Read(const Slice& key, const Slice& value) const {
  SortEntry entry;
  entry.number = kMaxSequenceNumber - SequenceOf(key);
  entry.user_key = UserKey(key);
  if (internal_keys_) {
    entry.value = value;
    entry.sequence = SequenceOf(UserKeyOf(key));
    entry.type = TypeOf(UserKeyOf(key));
    return entry;
  }
  entry.value = Slice(value.data(), value.size() - 1);
  entry.type =
      static_cast<ValueType>(static_cast<uint8_t>(value[value.size() - 1]));
  return entry;
}

Slice StoredForm::UserKey(const Slice& key) const {
  return internal_keys_ ? UserKeyOf(UserKeyOf(key)) : UserKeyOf(key);
}

}  // namespace ashlar::internal
