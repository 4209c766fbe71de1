#include "table/read/visible_entries.h"

namespace ashlar::internal {

VisibleEntries::VisibleEntries(const OpenedTable* table,
                               const ReadOptions& options)
    : State(table->order, options, table->counters,
            {.shows_block = false, .pins_values = options.pin_data}),
      all_(table, options),
      versions_(table->order, options),
      skips_(options),
      asks_filter_(!options.skip_filters) {
  usable = all_.usable;
  if (table->range_deletions != nullptr && !options.ignore_range_deletions) {
    fragments_ = &table->range_deletions->fragments;
  }
  if (HasPrefix(options)) prefixes_ = table->prefixes.get();
  if (UsesUpperBound(*table, options)) {
    upper_ = options.iterate_upper_bound->ToString();
  }
}

bool VisibleEntries::PassForward(bool on_entry) {
  for (; on_entry; on_entry = StepForward()) {
    if (LeftPrefix(key())) return Leave();
    if (skips_.IsOver()) return SkippedTooMany();
    if (!Hides(key())) return Show();
    skips_.Add();
  }
  return false;
}

bool VisibleEntries::PassBackward(bool on_entry) {
  for (; on_entry; on_entry = StepBackward()) {
    if (LeftPrefix(key())) return Leave();
    if (skips_.IsOver()) return SkippedTooMany();
    if (!Hides(key())) return Show();
    skips_.Add();
  }
  return false;
}

bool VisibleEntries::SkippedTooMany() { return Fail(SkipCount::Error()); }

bool VisibleEntries::NextBlock() {
  skips_.Begin();
  return PassForward(StepForward());
}

bool VisibleEntries::PrevBlock() {
  skips_.Begin();
  return PassBackward(StepBackward());
}

Status VisibleEntries::KeepValue() {
  Status kept = all_.KeepValue();
  if (all_.status.ok()) Show();
  return kept;
}

bool VisibleEntries::Prepare() { return all_.Prepare() && Show(); }

Status VisibleEntries::SetBounds(const Slice* lower, const Slice* upper) {
  Status set = all_.SetBounds(lower, upper);
  // auto_prefix_mode is for the upper bound that the options had.
  if (set.ok() && upper_ && (upper == nullptr || *upper != Slice(*upper_))) {
    upper_.reset();
  }
  return set;
}

bool VisibleEntries::Show() {
  unprepared = all_.unprepared;
  shown = {key(), all_.block.value()};
  if (!pins_values || unprepared) return true;
  const Slice whole = all_.block.KeyInBlock();
  shown.key_is_pinned = !whole.empty();
  if (shown.key_is_pinned) shown.key = whole;
  return true;
}

bool VisibleEntries::Leave() {
  all_.LetGo();
  return false;
}

// A walk from either end takes the prefix of the first key that it shows.
bool VisibleEntries::SeekToFirst() {
  skips_.Begin();
  prefix_.reset();
  const bool on_entry = PassForward(all_.SeekToFirst());
  if (on_entry) TakePrefixOf(key());
  return on_entry;
}

bool VisibleEntries::SeekToLast() {
  skips_.Begin();
  prefix_.reset();
  const bool on_entry = PassBackward(all_.SeekToLast());
  if (on_entry) TakePrefixOf(key());
  return on_entry;
}

bool VisibleEntries::Seek(const Slice& internal_key) {
  skips_.Begin();
  if (keeps_prefix_) return PassForward(all_.Seek(internal_key));
  prefix_.reset();
  const bool has_prefix = prefixes_ != nullptr && ends_with_prefix_;
  if (usable && (has_prefix || upper_)) {
    TakePrefixOf(internal_key);
    if (asks_filter_ &&
        (has_prefix || SharesPrefixUpToBound(UserKey(internal_key))) &&
        FilterRulesOut(internal_key)) {
      return false;
    }
  }
  return PassForward(all_.Seek(internal_key));
}

bool VisibleEntries::SeekForPrev(const Slice& internal_key) {
  skips_.Begin();
  if (prefixes_ != nullptr && usable && !keeps_prefix_) {
    TakePrefixOf(internal_key);
  }
  return PassBackward(all_.SeekForPrev(internal_key));
}

Slice VisibleEntries::UserKey(const Slice& internal_key) const {
  return WithoutTimestamp(UserKeyOf(internal_key),
                          all_.table->order.timestamp_size());
}

void VisibleEntries::TakePrefixOf(const Slice& internal_key) {
  prefix_.reset();
  if (prefixes_ == nullptr || !ends_with_prefix_) return;
  const Slice user_key = UserKey(internal_key);
  if (!prefixes_->InDomain(user_key)) return;
  prefix_ = prefixes_->Transform(user_key).ToString();
}

bool VisibleEntries::LeftPrefix(const Slice& key) const {
  if (!prefix_) return false;
  const Slice user_key = UserKey(key);
  return !prefixes_->InDomain(user_key) ||
         prefixes_->Transform(user_key) != Slice(*prefix_);
}

// Returns whether every key from this one up to the bound has this one's
// prefix. Keys between two that share a prefix have it too, since the order is
// by bytes. The bound may also be the next prefix of the same length, if only
// the last byte differs: with a carry, shorter keys would lie between.
bool VisibleEntries::SharesPrefixUpToBound(const Slice& user_key) const {
  const PrefixExtractor& prefixes = *all_.table->prefixes;
  const Slice upper(*upper_);
  if (!prefixes.InDomain(user_key)) return false;
  const Slice prefix = prefixes.Transform(user_key);
  if (prefixes.InDomain(upper) && prefixes.Transform(upper) == prefix) {
    return true;
  }
  if (prefix.empty() || prefix.size() != upper.size() ||
      !prefixes.Name().starts_with("rocksdb.FixedPrefix.") ||
      all_.table->order.comparator() != BytewiseComparator()) {
    return false;
  }
  const size_t last = prefix.size() - 1;
  return Slice(prefix.data(), last) == Slice(upper.data(), last) &&
         static_cast<uint8_t>(prefix[last]) + 1 ==
             static_cast<uint8_t>(upper[last]);
}

// Returns whether no key has the prefix of the target. Not used before a walk
// backward: a partition of the filter may know only the prefixes from its
// beginning on.
bool VisibleEntries::FilterRulesOut(const Slice& target) {
  const LimitScope limits(all_.limiting);
  const OpenedTable& table = *all_.table;
  auto answer = TableFilter::Answer::kNone;
  const TableFilter* filter;
  Status status = table.filter.Need(&filter);
  if (status.ok()) status = filter->AskPrefix(UserKey(target), target, &answer);
  if (status.ok()) {
    if (answer == TableFilter::Answer::kNone) return false;
    const bool maybe = answer == TableFilter::Answer::kMaybe;
    table.counters.CountPrefixFilter(maybe);
    if (maybe) return false;
  }
  all_.status = Status();
  all_.LetGo();
  if (!status.ok()) all_.Fail(status);
  return true;
}

bool VisibleEntries::Hides(const Slice& key) {
  if (versions_.Excludes(key)) return true;
  if (fragments_ == nullptr) return false;
  const KeyOrder& order = all_.table->order_without_timestamps;
  const Slice user_key = UserKey(key);
  const bool inside =
      newest_.has_value() &&
      (!begin_ || order.CompareUserKeys(*begin_, user_key) <= 0) &&
      (!end_ || order.CompareUserKeys(user_key, *end_) < 0);
  if (!inside) EnterFragmentOf(user_key);
  return SequenceOf(key) < *newest_;
}

void VisibleEntries::EnterFragmentOf(const Slice& user_key) {
  const RangeDeletionFragments& fragments = *fragments_;
  const size_t i = fragments.Find(user_key);
  const size_t n = fragments.size();
  begin_.reset();
  end_.reset();
  if (n != 0) {
    if (i != RangeDeletionFragments::kBefore) {
      begin_ = i < n ? fragments.begin(i) : fragments.end(n - 1);
    }
    if (i != n) end_ = i < n ? fragments.end(i) : fragments.begin(0);
  }
  newest_ = fragments.NewestAt(i, versions_.snapshot(), all_.newest).sequence;
}

}  // namespace ashlar::internal
