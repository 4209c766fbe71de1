// MapSource: an EntrySource over a std::map, as a memtable.
//
// What a move gives is a copy that the next move frees, so that a sanitizer
// finds whatever uses it longer; unless the source keeps its entries. Moves can
// be made to fail. One thread at a time.
#ifndef ASHLAR_TEST_SUPPORT_MAP_SOURCE_H_
#define ASHLAR_TEST_SUPPORT_MAP_SOURCE_H_

#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "ashlar/table/entry_source.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "test/support/tables.h"

namespace ashlar::testing {

struct InternalKeyLess {
  using is_transparent = void;
  bool operator()(const Slice& a, const Slice& b) const {
    const int order = comparator->Compare(UserKeyOf(a), UserKeyOf(b));
    return order != 0 ? order < 0 : TailOf(a) > TailOf(b);
  }
  const Comparator* comparator = BytewiseComparator();
};

using EntryMap = std::map<std::string, std::string, InternalKeyLess>;

inline EntryMap MapOf(const std::vector<Entry>& entries,
                      const Comparator* comparator = BytewiseComparator()) {
  EntryMap map(InternalKeyLess{comparator});
  for (const Entry& entry : entries) map[entry.key] = entry.value;
  return map;
}

// Counts moves of any number of sources. The move with number fail_at fails.
struct SourceFaults {
  enum class Kind { kStatus, kNoMemory };
  uint64_t moves = 0;
  uint64_t fail_at = 0;
  Kind kind = Kind::kStatus;
};

class MapSource : public EntrySource {
 public:
  explicit MapSource(const EntryMap* map, SourceFaults* faults = nullptr,
                     bool keeps = false)
      : map_(map), faults_(faults), keeps_(keeps), at_(map->end()) {}

  bool SeekToFirst(EntrySource::Entry* entry) override {
    return To(map_->begin(), entry);
  }
  bool SeekToLast(EntrySource::Entry* entry) override {
    return To(map_->empty() ? map_->end() : std::prev(map_->end()), entry);
  }
  bool Seek(const Slice& target, EntrySource::Entry* entry) override {
    return To(map_->lower_bound(target), entry);
  }
  // Throws if the Iterator steps from no entry.
  bool Next(EntrySource::Entry* entry) override {
    if (at_ == map_->end()) throw std::logic_error("Next from no entry");
    return To(std::next(at_), entry);
  }
  bool Prev(EntrySource::Entry* entry) override {
    if (at_ == map_->end()) throw std::logic_error("Prev from no entry");
    return To(at_ == map_->begin() ? map_->end() : std::prev(at_), entry);
  }
  Status status() const override {
    return failed_ ? Status::IOError("the map has failed") : Status();
  }
  bool KeepsEntries() const override { return keeps_; }
  std::string_view Name() const override { return "map"; }

 private:
  bool To(EntryMap::const_iterator at, EntrySource::Entry* entry) {
    given_.reset();
    failed_ = faults_ != nullptr && ++faults_->moves == faults_->fail_at;
    at_ = failed_ ? map_->end() : at;
    if (failed_ && faults_->kind == SourceFaults::Kind::kNoMemory) {
      throw std::bad_alloc();
    }
    if (at_ == map_->end()) return false;
    if (keeps_) {
      *entry = {at_->first, at_->second};
      return true;
    }
    given_ = std::make_unique<testing::Entry>(
        testing::Entry{at_->first, at_->second});
    *entry = {given_->key, given_->value};
    return true;
  }

  const EntryMap* map_;
  SourceFaults* faults_;
  const bool keeps_;
  EntryMap::const_iterator at_;
  std::unique_ptr<testing::Entry> given_;
  bool failed_ = false;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_MAP_SOURCE_H_
