// What reads ask of an open table: whether their options fit it, and data
// blocks whose keys are whole.

#include "table/read/opened_table.h"

#include <string>
#include <utility>

#include "table/block/restore_keys.h"

namespace ashlar::internal {

Status OpenedTable::RestoreData(const BlockPlace& place, const Slice& newest,
                                PinnedBlock* block) const {
  if (key_form.IsAsStored() && newest.empty()) [[likely]]
    return {};
  Buffer restored;
  Status status = RestoreKeys(block->view(), place, stored_order, key_form,
                              {order.comparator(), newest}, &restored);
  if (!status.ok()) return status;
  return block->Replace(place, std::move(restored));
}

uint64_t OpenedTable::MemoryUsage() const {
  uint64_t bytes = sizeof *this + properties.stored.ApproximateMemoryUsage();
  const IndexReader* const loaded_index = index.IfLoaded();
  if (loaded_index != nullptr) bytes += loaded_index->MemoryUsage();
  const TableFilter* const loaded_filter = filter.IfLoaded();
  if (loaded_filter != nullptr) bytes += loaded_filter->MemoryUsage();
  if (range_deletions != nullptr) bytes += range_deletions->MemoryUsage();
  return bytes;
}

Status OpenedTable::CheckOrderKnown(std::string_view asked) const {
  if (order.known()) [[likely]]
    return {};
  return Status::NotSupported(std::string(asked) +
                              " needs the order of keys: comparator " +
                              std::string(order.comparator()->Name()) +
                              " is neither given nor built in");
}

Status OpenedTable::CheckRead(const ReadOptions& options) const {
  if (range_deletions != nullptr && !options.ignore_range_deletions) {
    Status status = CheckOrderKnown("an iterator that honours range deletions");
    if (!status.ok()) return status;
  }
  if (options.iterate_lower_bound != nullptr ||
      options.iterate_upper_bound != nullptr) {
    Status status = CheckOrderKnown("a bound");
    if (!status.ok()) return status;
  }
  if (options.prefix_same_as_start && !options.total_order_seek &&
      prefixes == nullptr) {
    return Status::InvalidArgument(
        "prefix_same_as_start needs a prefix extractor: " +
        (properties.prefix_extractor_name.empty()
             ? std::string("the file names none")
             : properties.prefix_extractor_name + " is not built in") +
        ", and none is given");
  }
  return CheckTimestamp(options);
}

namespace {

Status CheckOneTimestamp(const KeyOrder& order, std::string_view name,
                         const Slice& timestamp) {
  const size_t expected = order.timestamp_size();
  if (timestamp.empty() || timestamp.size() == expected) return {};
  return Status::InvalidArgument(
      std::string(name) + " has " + std::to_string(timestamp.size()) +
      " bytes, those of comparator " + std::string(order.comparator()->Name()) +
      " have " + std::to_string(expected));
}

}  // namespace

Status CheckTimestampSize(const KeyOrder& order, const ReadOptions& options) {
  Status status = CheckOneTimestamp(order, "timestamp", options.timestamp);
  return status.ok()
             ? CheckOneTimestamp(order, "iter_start_ts", options.iter_start_ts)
             : status;
}

}  // namespace ashlar::internal
