#include "table/block/checked_entries.h"

#include <algorithm>

#include "table/block/entry.h"

namespace ashlar::internal {

namespace {

// How many bytes of keys a walk backward may keep of one interval.
constexpr uint64_t kLargestKeptBytes = uint64_t{1} << 20;

bool IsWholeKey(const char* entry, const char* limit) {
  EntryHeader header;
  return DecodeEntryHeader(entry, limit, &header) != nullptr &&
         header.shared == 0;
}

}  // namespace

CheckedEntries CheckEntries(const BlockView& view, const BlockPlace& place,
                            BlockIterator* walker) {
  BlockView unchecked = view;
  unchecked.checked = {};
  walker->Reset(unchecked, place);
  uint32_t restart = 0;  // that comes next
  uint32_t interval = 0;
  uint32_t largest_interval = 0;
  size_t largest_key = 0;
  for (bool on_entry = walker->SeekToFirst(); on_entry;
       on_entry = walker->Next()) {
    if (restart < view.num_restarts &&
        walker->offset() == view.RestartOffset(restart)) {
      if (!IsWholeKey(view.entries + walker->offset(), view.limit())) break;
      ++restart;
      interval = 0;
    }
    largest_interval = std::max(largest_interval, ++interval);
    largest_key = std::max(largest_key, walker->key().size());
  }
  // If an entry reaches beyond a restart point, neither that one nor those
  // after it are met.
  const bool sound =
      walker->status().ok() && restart == view.num_restarts &&
      uint64_t{largest_key} * largest_interval <= kLargestKeptBytes;
  walker->Clear();
  if (!sound) return {};
  return {static_cast<uint32_t>(largest_key), largest_interval};
}

}  // namespace ashlar::internal
