#include "table/inspect/restart_points.h"

#include <string>

#include "table/block/entry.h"

namespace ashlar::internal {

void RestartPoints::PassNext(uint32_t offset, uint32_t shared) {
  if (!is_wrong_ && (offset != view_.RestartOffset(next_) || shared != 0)) {
    is_wrong_ = true;
    wrong_ = next_;
    entry_before_ = last_entry_;
    entry_ = offset;
    shared_ = shared;
  }
  ++next_;
}

Status RestartPoints::Judge(const BlockPlace& place) const {
  if (view_.entries_size == 0) return {};
  const auto damage = [&](uint32_t number, const std::string& what) {
    return place.Corruption("bad restart point",
                            "number " + std::to_string(number) + " is byte " +
                                std::to_string(view_.RestartOffset(number)) +
                                what);
  };
  if (is_wrong_ && entry_ == view_.RestartOffset(wrong_)) {
    return damage(wrong_, ", whose entry shares " + std::to_string(shared_) +
                              " bytes with the key before it, expected 0");
  }
  if (is_wrong_) {
    return damage(wrong_,
                  ", expected the first byte of an entry, such as byte " +
                      std::to_string(entry_before_) + " or " +
                      std::to_string(entry_));
  }
  if (next_ == view_.num_restarts) return {};
  return damage(next_, ", within the last entry, which begins at byte " +
                           std::to_string(last_entry_));
}

Status CheckRestartPoints(const Slice& contents, const BlockPlace& place) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  RestartPoints restarts(view);
  const char* p = view.entries;
  while (p < view.limit()) {
    EntryHeader header;
    const char* const bytes = DecodeEntryHeader(p, view.limit(), &header);
    if (bytes == nullptr) break;  // left to the walk that reports it
    restarts.Pass(static_cast<uint32_t>(p - view.entries), header.shared);
    p = bytes + header.non_shared + header.value_size;
  }
  return restarts.Judge(place);
}

}  // namespace ashlar::internal
