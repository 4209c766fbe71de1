#include "adapter_state.h"

#include <utility>

#include "asked_clock.h"
#include "cache/ashlar_cache.h"
#include "cache/foreign_cache.h"
#include "conversions.h"
#include "reason_counts.h"
#include "rocksdb/advanced_cache.h"
#include "their_counters.h"

namespace ashlar_rocksdb {

namespace {

// RocksDB's comparator, asked for each comparison.
class AskedComparator final : public ashlar::Comparator {
 public:
  explicit AskedComparator(const rocksdb::Comparator* theirs)
      : theirs_(theirs) {}

  std::string_view Name() const override { return theirs_->Name(); }
  int Compare(const ashlar::Slice& a, const ashlar::Slice& b) const override {
    return theirs_->Compare(ToRocksDB(a), ToRocksDB(b));
  }
  void FindShortestSeparator(std::string* start,
                             const ashlar::Slice& limit) const override {
    theirs_->FindShortestSeparator(start, ToRocksDB(limit));
  }
  void FindShortSuccessor(std::string* key) const override {
    theirs_->FindShortSuccessor(key);
  }
  size_t timestamp_size() const override { return theirs_->timestamp_size(); }
  int CompareTimestamp(const ashlar::Slice& a,
                       const ashlar::Slice& b) const override {
    return theirs_->CompareTimestamp(ToRocksDB(a), ToRocksDB(b));
  }
  int CompareWithoutTimestamp(const ashlar::Slice& a,
                              const ashlar::Slice& b) const override {
    return theirs_->CompareWithoutTimestamp(ToRocksDB(a), false, ToRocksDB(b),
                                            false);
  }

 private:
  const rocksdb::Comparator* theirs_;
};

class AskedPrefixExtractor final : public ashlar::PrefixExtractor {
 public:
  explicit AskedPrefixExtractor(
      std::shared_ptr<const rocksdb::SliceTransform> theirs)
      : theirs_(std::move(theirs)), name_(theirs_->AsString()) {}

  std::string_view Name() const override { return name_; }
  bool InDomain(const ashlar::Slice& user_key) const override {
    return theirs_->InDomain(ToRocksDB(user_key));
  }
  ashlar::Slice Transform(const ashlar::Slice& user_key) const override {
    return ToAshlar(theirs_->Transform(ToRocksDB(user_key)));
  }

 private:
  const std::shared_ptr<const rocksdb::SliceTransform> theirs_;
  const std::string name_;
};

const ashlar::Comparator* FindBuiltin(const rocksdb::Comparator* theirs) {
  if (theirs == rocksdb::BytewiseComparator()) {
    return ashlar::BytewiseComparator();
  }
  if (theirs == rocksdb::ReverseBytewiseComparator()) {
    return ashlar::ReverseBytewiseComparator();
  }
  if (theirs == rocksdb::BytewiseComparatorWithU64Ts()) {
    return ashlar::BytewiseComparatorWithU64Ts();
  }
  if (theirs == rocksdb::ReverseBytewiseComparatorWithU64Ts()) {
    return ashlar::ReverseBytewiseComparatorWithU64Ts();
  }
  return nullptr;
}

}  // namespace

AdapterState& AdapterState::Shared() {
  static AdapterState* const state = new AdapterState;
  return *state;
}

const ashlar::Comparator* AdapterState::FindComparator(
    const rocksdb::Comparator* theirs) {
  if (const ashlar::Comparator* builtin = FindBuiltin(theirs)) return builtin;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<ashlar::Comparator>& ours = comparators_[theirs];
  if (ours == nullptr) ours = std::make_unique<AskedComparator>(theirs);
  return ours.get();
}

std::shared_ptr<const ashlar::PrefixExtractor>
AdapterState::FindPrefixExtractor(
    const std::shared_ptr<const rocksdb::SliceTransform>& theirs) {
  if (theirs == nullptr) return nullptr;
  auto builtin = ashlar::FindBuiltinPrefixExtractor(theirs->AsString());
  if (builtin != nullptr) return builtin;
  return std::make_shared<AskedPrefixExtractor>(theirs);
}

std::shared_ptr<ashlar::Cache> AdapterState::FindCache(
    const std::shared_ptr<rocksdb::Cache>& theirs) {
  if (theirs == nullptr) return nullptr;
  if (auto inner = UnderlyingCache(theirs.get())) return inner;
  const std::lock_guard lock(mutex_);
  KnownCache& known = caches_[theirs.get()];
  if (known.theirs.lock() != theirs) {
    // The first, or one at the address of one that is gone. It does not own
    // their cache: values that RocksDB's callers hold need it after the last
    // table is closed, as long as the application keeps the cache.
    std::erase_if(caches_, [&](const auto& each) {
      return each.first != theirs.get() && each.second.theirs.expired();
    });
    auto made = NewForeignCache({std::shared_ptr<void>(), theirs.get()});
    if (!made.ok()) return nullptr;
    known = {theirs, std::move(*made)};
  }
  // A reader keeps their cache too.
  using Owners = std::pair<std::shared_ptr<rocksdb::Cache>,
                           std::shared_ptr<ashlar::Cache>>;
  auto owners = std::make_shared<Owners>(theirs, known.ours);
  return {owners, known.ours.get()};
}

std::shared_ptr<ashlar::Statistics> AdapterState::FindStatistics(
    const std::shared_ptr<rocksdb::Statistics>& theirs) {
  if (theirs == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  std::weak_ptr<ashlar::Statistics>& known = statistics_[theirs.get()];
  std::shared_ptr<ashlar::Statistics> ours = known.lock();
  if (ours == nullptr) {
    ours = NewPassingStatistics(theirs);
    known = ours;
    std::erase_if(statistics_,
                  [](const auto& each) { return each.second.expired(); });
  }
  ours->set_stats_level(LevelFor(*theirs));
  return ours;
}

ashlar::SystemClock* AdapterState::FindClock(rocksdb::SystemClock* theirs) {
  if (theirs == nullptr || theirs == rocksdb::SystemClock::Default().get()) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  std::unique_ptr<ashlar::SystemClock>& ours = clocks_[theirs];
  if (ours == nullptr) ours = std::make_unique<AskedClock>(theirs);
  return ours.get();
}

uint64_t AdapterState::CountBuiltByStock(const std::string& reason) {
  built_by_stock_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  return CountReason("build: " + reason, &reasons_);
}

uint64_t AdapterState::CountReadByStock(const std::string& reason) {
  read_by_stock_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  return CountReason("read: " + reason, &reasons_);
}

TableCounts AdapterState::Counts() {
  TableCounts counts;
  counts.built = built_.load(std::memory_order_relaxed);
  counts.built_by_stock = built_by_stock_.load(std::memory_order_relaxed);
  counts.read = read_.load(std::memory_order_relaxed);
  counts.read_by_stock = read_by_stock_.load(std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  counts.reasons = reasons_;
  return counts;
}

}  // namespace ashlar_rocksdb
