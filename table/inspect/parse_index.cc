#include "table/inspect/parse_index.h"

#include <string>

namespace ashlar::internal {

Status IndexParser::Parse(const IndexForm& form, const BlockView& view,
                          const BlockPlace& place, IndexItems* items,
                          RestartPoints* restarts) const {
  const uint64_t limit = footer_.offset;
  const size_t smallest =
      timestamp_size_ + (form.user_keys ? 0 : kInternalKeyTailBytes);
  // Mostly each entry is at a restart point.
  items->Expect(view.num_restarts);
  return ForEachIndexEntry(
      view, place, form, [&](const Slice& separator, const IndexEntry& entry) {
        const BlockHandle& handle = entry.handle;
        restarts->Pass(entry.offset, entry.shared);
        if (separator.size() < smallest) {
          return place.Corruption(
              "bad index entry",
              "number " + std::to_string(items->size()) +
                  (timestamp_size_ == 0
                       ? " has a key that is not an internal key"
                       : " has a key that is shorter than its "
                         "timestamp and tail"));
        }
        if (!handle.FitsBelow(limit)) {
          return place.Corruption(
              "bad block handle",
              "entry " + std::to_string(items->size()) + " names offset " +
                  std::to_string(handle.offset) + " size " +
                  std::to_string(handle.size) + ", expected to end by " +
                  std::to_string(limit));
        }
        if (!items->empty() && handle.offset < items->back().handle.End()) {
          return place.Corruption(
              "bad block handle",
              "entry " + std::to_string(items->size()) + " names offset " +
                  std::to_string(handle.offset) + ", expected " +
                  std::to_string(items->back().handle.End()) +
                  " or more, where the block before it ends");
        }
        items->Add(handle, separator, entry.first_key);
        return Status();
      });
}

Status IndexParser::ParseAndJudge(const IndexForm& form, const BlockView& view,
                                  const BlockPlace& place,
                                  IndexItems* items) const {
  RestartPoints restarts(view);
  Status status = Parse(form, view, place, items, &restarts);
  return status.ok() ? restarts.Judge(place) : status;
}

}  // namespace ashlar::internal
