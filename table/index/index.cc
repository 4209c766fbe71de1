#include "table/index/index.h"

#include <utility>

namespace ashlar::internal {

Status IndexReader::TakeRoot(const Slice& contents, const BlockPlace& place,
                             const IndexForm& form) {
  root_place_ = place;
  ParsedIndex parsed(source_.order, form);
  Status status = parsed.Parse(contents, place, source_.file_limit);
  if (!status.ok()) return status;
  if (source_.store == nullptr) {
    kept_root_ = std::make_unique<const ParsedIndex>(std::move(parsed));
    root_ = IndexHold(kept_root_.get());
    return {};
  }
  IndexHold stored = source_.store->Keep(place, std::move(parsed));
  if (!stored) return place.NoMemory();
  if (is_partitioned_ || source_.pin_root) root_ = std::move(stored);
  return {};
}

Status IndexReader::LoadBlock(const BlockPlace& place,
                              ParsedIndex* parsed) const {
  Buffer owned;
  Slice contents;
  Status status = source_.load(place, &owned, &contents);
  return status.ok() ? parsed->Parse(contents, place, source_.file_limit)
                     : status;
}

Status IndexReader::LoadRoot(IndexHold* root) const {
  *root = source_.store->Find(root_place_, source_.order, source_.form);
  if (*root) return {};
  ParsedIndex parsed(source_.order, source_.form);
  Status status = LoadBlock(root_place_, &parsed);
  if (!status.ok()) return status;
  *root = source_.store->Keep(root_place_, std::move(parsed));
  return *root ? Status() : root_place_.NoMemory();
}

}  // namespace ashlar::internal
