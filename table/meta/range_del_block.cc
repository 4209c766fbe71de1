#include "table/meta/range_del_block.h"

#include <new>
#include <string>

#include "table/block/block.h"

namespace ashlar::internal {

namespace {

Status CheckEntry(const Slice& key, const BlockPlace& place, uint64_t number) {
  if (key.size() < kInternalKeyTailBytes) {
    return place.Corruption("bad entry",
                            "number " + std::to_string(number) +
                                " has a key shorter than its tail of 8 bytes");
  }
  if (TypeOf(key) != ValueType::kTypeRangeDeletion) {
    return place.Corruption("bad entry", "number " + std::to_string(number) +
                                             " is " + DescribeInternalKey(key) +
                                             ", expected type 15");
  }
  if (number >= kMaxRangeDeletions) {
    return place.NotSupported(
        "too many range deletions",
        "expected at most " + std::to_string(kMaxRangeDeletions));
  }
  return {};
}

// Checks all entries and makes room for them: afterwards nothing moves.
Status Measure(const BlockView& view, const BlockPlace& place,
               RangeDeletionList* list) {
  uint64_t count = 0;
  size_t key_bytes = 0;
  Status status = ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice&) -> Status {
        Status checked = CheckEntry(key, place, count++);
        if (checked.ok()) key_bytes += UserKeyOf(key).size();
        return checked;
      });
  if (!status.ok()) return status;
  try {
    list->entries.reserve(count);
  } catch (const std::bad_alloc&) {
    return Status::Aborted("no memory for " + std::to_string(count) +
                           " range deletions");
  }
  if (!list->begin_keys.TryReserve(key_bytes)) {
    return Status::Aborted("no memory for range deletions of " +
                           std::to_string(key_bytes) + " bytes");
  }
  return {};
}

}  // namespace

Status DecodeRangeDeletions(const Slice& contents, const BlockPlace& place,
                            RangeDeletionList* list) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (status.ok()) status = Measure(view, place, list);
  if (!status.ok()) return status;
  return ForEachPlainEntry(
      view, place, [&](const Slice& key, const Slice& end) -> Status {
        const Slice user_key = UserKeyOf(key);
        const char* const begin = list->begin_keys.end();
        list->begin_keys.Append(user_key);
        list->entries.push_back(
            {Slice(begin, user_key.size()), end, SequenceOf(key)});
        return {};
      });
}

}  // namespace ashlar::internal
