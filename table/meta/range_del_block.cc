#include "table/meta/range_del_block.h"

#include <new>
#include <string>

#include "table/block/block.h"

namespace ashlar::internal {

namespace {

Status CheckEntry(const Slice& key, const Slice& end, const BlockPlace& place,
                  size_t timestamp_size, uint64_t number) {
  const auto damage = [&](const std::string& what) {
    return place.Corruption("bad entry",
                            "number " + std::to_string(number) + what);
  };
  if (key.size() < kInternalKeyTailBytes) {
    return damage(" has a key shorter than its tail of 8 bytes");
  }
  if (TypeOf(key) != ValueType::kTypeRangeDeletion) {
    return damage(" is " + DescribeInternalKey(key) + ", expected type 15");
  }
  if (UserKeyOf(key).size() < timestamp_size || end.size() < timestamp_size) {
    return damage(" has a key shorter than its timestamp");
  }
  if (number >= kMaxRangeDeletions) {
    return place.NotSupported(
        "too many range deletions",
        "expected at most " + std::to_string(kMaxRangeDeletions));
  }
  return {};
}

// Returns how many bytes of keys the list itself needs for an entry.
size_t BytesOf(const RangeDeletionForm& form, const Slice& begin,
               const Slice& end) {
  const size_t stripped = form.keys.stripped_timestamp;
  return begin.size() + stripped + (stripped != 0 ? end.size() + stripped : 0);
}

// Checks all entries, and makes room for them, so that nothing moves
// afterwards.
Status Measure(const BlockView& view, const BlockPlace& place,
               const RangeDeletionForm& form, RangeDeletionList* list) {
  uint64_t count = 0;
  size_t key_bytes = 0;
  Status status = ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice& end) -> Status {
        Status checked =
            CheckEntry(key, end, place, form.timestamp_size, count++);
        if (checked.ok()) key_bytes += BytesOf(form, UserKeyOf(key), end);
        return checked;
      });
  if (!status.ok()) return status;
  try {
    list->entries.reserve(count);
  } catch (const std::bad_alloc&) {
    return Status::MemoryLimit("no memory for " + std::to_string(count) +
                               " range deletions");
  }
  if (!list->keys.TryReserve(key_bytes)) {
    return Status::MemoryLimit("no memory for range deletions of " +
                               std::to_string(key_bytes) + " bytes");
  }
  return {};
}

// Returns the whole user key that the stored one stands for.
Slice Keep(const Slice& stored, const KeyForm& form, Buffer* keys) {
  std::string whole;
  form.RestoreUserKey(stored, &whole);
  const char* const begin = keys->end();
  keys->Append(whole);
  return Slice(begin, whole.size());
}

}  // namespace

Status DecodeRangeDeletions(const Slice& contents, const BlockPlace& place,
                            const RangeDeletionForm& form,
                            RangeDeletionList* list) {
  const KeyForm& keys = form.keys;
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (status.ok()) status = Measure(view, place, form, list);
  if (!status.ok()) return status;
  return ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice& end) -> Status {
        const Slice begin = Keep(UserKeyOf(key), keys, &list->keys);
        list->entries.push_back(
            {begin,
             keys.stripped_timestamp != 0 ? Keep(end, keys, &list->keys) : end,
             keys.sequence.value_or(SequenceOf(key))});
        return {};
      });
}

}  // namespace ashlar::internal
