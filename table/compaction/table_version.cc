// The tables of a version, by their metadata. OpenedTables is in
// read/opened_tables.cc.

#include "ashlar/table/table_version.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/internal_key_less.h"
#include "table/format/plain_order.h"
#include "util/sync/atomic.h"

namespace ashlar {

struct VersionFile::Fate {
  std::function<void(uint64_t)> remove;
  // Who marks the file has a reference to it. So the count of references puts
  // the mark before the end of the last one.
  internal::RelaxedAtomic<bool> is_obsolete{false};
};

VersionFile::VersionFile(uint64_t number, FileRange range,
                         std::function<void(uint64_t number)> remove)
    : number_(number),
      range_(std::move(range)),
      fate_(new Fate{std::move(remove)}) {}

VersionFile::~VersionFile() {
  if (fate_->remove && fate_->is_obsolete.Load()) fate_->remove(number_);
}

void VersionFile::MarkObsolete() const { fate_->is_obsolete.Store(true); }

VersionLevel TableVersion::All() const {
  VersionLevel all;
  for (const VersionLevel& level : levels) {
    all.insert(all.end(), level.begin(), level.end());
  }
  return all;
}

VersionLevel TableVersion::Overlapping(size_t level,
                                       const VersionLevel& files) const {
  const internal::PlainOrder order(comparator_);
  const auto is_before = [&order](const Slice& a, const Slice& b) {
    return order.IsBefore(a, b);
  };
  if (files.empty()) return {};
  Slice first = order.KeyOf(files[0]->range().smallest);
  Slice last = order.KeyOf(files[0]->range().largest);
  for (const auto& file : files) {
    first = std::min(first, order.KeyOf(file->range().smallest), is_before);
    last = std::max(last, order.KeyOf(file->range().largest), is_before);
  }
  VersionLevel overlapping;
  for (const auto& file : levels[level]) {
    if (!is_before(order.KeyOf(file->range().largest), first) &&
        !is_before(last, order.KeyOf(file->range().smallest))) {
      overlapping.push_back(file);
    }
  }
  return overlapping;
}

void TableVersion::Replace(const VersionLevel& removed,
                           const VersionLevel& added, size_t level) {
  for (VersionLevel& each : levels) {
    std::erase_if(each, [&](const auto& file) {
      return std::find(removed.begin(), removed.end(), file) != removed.end();
    });
  }
  VersionLevel& files = levels[level];
  files.insert(files.begin(), added.begin(), added.end());
  if (level == 0) return;
  std::sort(files.begin(), files.end(), [this](const auto& a, const auto& b) {
    return CompareInternalKeys(comparator_, a->range().smallest,
                               b->range().smallest) < 0;
  });
}

std::vector<std::vector<FileRange>> TableVersion::RangesBelow(
    size_t level, const VersionLevel& inputs) const {
  std::vector<std::vector<FileRange>> ranges;
  for (const auto& file : level == 0 ? levels[0] : VersionLevel()) {
    const bool is_input =
        std::find(inputs.begin(), inputs.end(), file) != inputs.end();
    if (!is_input) ranges.push_back({file->range()});
  }
  while (++level < levels.size()) {
    std::vector<FileRange>& files = ranges.emplace_back();
    for (const auto& file : levels[level]) files.push_back(file->range());
  }
  return ranges;
}

}  // namespace ashlar
