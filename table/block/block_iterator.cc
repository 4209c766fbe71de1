#include "table/block/block_iterator.h"

#include <algorithm>
#include <string>

#include "table/block/hash_index.h"

namespace ashlar::internal {

namespace {

constexpr size_t kReverseBudgetBytes = size_t{16} << 20;

}  // namespace

void BlockIterator::Reset(const BlockView& view, const BlockPlace& place) {
  view_ = view;
  place_ = place;
  status_ = Status();
  valid_ = false;
  key_ = value_ = Slice();
  in_reverse_ = false;
  current_ = next_ = view_.entries;
  begin_offset_ = 0;
  end_ = view_.limit();
  inline_limit_ = view_.separated ? view_.entries : view_.limit();
  key_bytes_.clear();
  fetch_distance_ = 0;
  checked_limit_ = view_.entries;
  // If there is no memory for the keys, the checks will report that.
  if (view_.checked.sound() && key_bytes_.TryReserve(view_.checked.largest_key))
    checked_limit_ = view_.limit();
}

void BlockIterator::Narrow(uint32_t begin, uint32_t end) {
  begin_offset_ = begin;
  end_ = view_.entries + end;
  inline_limit_ = std::min(inline_limit_, end_);
  checked_limit_ = std::min(checked_limit_, end_);
  valid_ = false;
}

void BlockIterator::FetchAlong(const BlockView& next, bool forward) {
  const auto address = [](const char* p) {
    return reinterpret_cast<uintptr_t>(p);
  };
  if (forward) {
    fetch_distance_ = address(next.entries) - address(view_.entries);
  } else {
    fetch_distance_ = address(next.limit()) - address(view_.limit());
    checked::Fetch(view_.limit(), fetch_distance_);
  }
}

// Decodes an entry that has its value apart, or finds the end.
bool BlockIterator::DecodeBeyondInline(const char* p) {
  if (p >= end_) return End();
  EntryHeader header;
  const char* const suffix =
      DecodeSeparatedEntry(view_, p, &separated_, &header);
  if (suffix == nullptr) return Fail("header does not fit", p);
  if (!TakeEntry(p, header, suffix)) return false;
  value_ = Slice(separated_.value_end - header.value_size, header.value_size);
  next_ = suffix + header.non_shared;
  return true;
}

bool BlockIterator::Fail(std::string_view detail, const char* at) {
  valid_ = false;
  std::string text(detail);
  text.append(" (entry at byte ");
  text.append(std::to_string(at - view_.entries)).append(")");
  if (!key_.empty()) {
    text.append(", near key ").append(DescribeInternalKey(key_));
  }
  status_ = place_.Corruption("bad entry", text);
  return false;
}

// The slow way to find out whether a key sorts after the last one. `shared`
// need not be all that the two keys have in common, and user keys may be equal,
// or one may begin the other. The new key is last[0, shared) || suffix. It is
// not put together, since keys may be long and many.
bool BlockIterator::SortsBehindLast(const EntryHeader& header,
                                    const char* suffix) const {
  const Slice last = key_bytes_.slice();
  if (last.empty()) return true;
  const size_t shared = header.shared;
  const size_t size = shared + header.non_shared;
  const size_t last_user = last.size() - kInternalKeyTailBytes;
  const size_t user = size - kInternalKeyTailBytes;
  const bool same_user_key =
      user == last_user &&
      (shared >= user ||
       std::memcmp(last.data() + shared, suffix, user - shared) == 0);
  if (same_user_key) {
    char tail[kInternalKeyTailBytes];
    for (size_t i = 0; i < sizeof tail; ++i) {
      const size_t at = user + i;
      tail[i] = at < shared ? last[at] : suffix[at - shared];
    }
    return TailOf(last) > LoadFixed64(tail);
  }
  if (!order_.known()) return true;
  if (order_.IsOfBytes() && shared <= user && shared <= last_user) {
    return order_.CompareUserKeys(
               Slice(last.data() + shared, last_user - shared),
               Slice(suffix, user - shared)) < 0;
  }
  std::string key(last.data(), shared);
  key.append(suffix, header.non_shared);
  return order_.Compare(last, key) < 0;
}

bool BlockIterator::StartAt(uint32_t restart) {
  in_reverse_ = false;
  key_bytes_.clear();
  next_ = view_.entries + view_.RestartOffset(restart);
  separated_.next_restart = restart;
  return Decode(next_);
}

bool BlockIterator::SeekToFirst() {
  if (!status_.ok() || view_.entries_size == 0) return End();
  return StartAt(0);
}

bool BlockIterator::SeekToLast() {
  const auto end = static_cast<uint32_t>(end_ - view_.entries);
  if (!status_.ok() || end <= begin_offset_) return End();
  if (!LoadReverseInterval(end)) return false;
  ShowReverse();
  return true;
}

bool BlockIterator::RestartKey(uint32_t restart, Slice* key) {
  const char* const p = view_.entries + view_.RestartOffset(restart);
  EntryHeader header;
  SeparatedPosition position{restart};
  const char* const bytes =
      view_.separated ? DecodeSeparatedEntry(view_, p, &position, &header)
                      : DecodeEntryHeader(p, view_.limit(), &header);
  if (bytes == nullptr || header.shared != 0 ||
      header.non_shared < smallest_key_) {
    return Fail(
        "restart point " + std::to_string(restart) + " holds no whole key", p);
  }
  *key = Slice(bytes, header.non_shared);
  return true;
}

// Finds the last restart point whose key is smaller than the target; the first
// one if there is none.
bool BlockIterator::SeekRestart(const Slice& target, uint32_t* restart) {
  uint32_t low = 0;
  uint32_t high = view_.num_restarts - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    Slice key;
    if (!RestartKey(middle, &key)) return false;
    if (order_.Compare(key, target) < 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  *restart = low;
  return true;
}

// Returns whether SeekRestart would find `guess`; or, if that begins with the
// target's user key, the restart point before it. False proves nothing.
bool BlockIterator::ProveRestart(const Slice& target, uint32_t guess,
                                 uint32_t* restart) {
  if (guess >= view_.num_restarts) return false;
  Slice key;
  if (!RestartKey(guess, &key)) return false;
  if (order_.Compare(key, target) >= 0) {
    *restart = guess > 0 ? guess - 1 : 0;
    if (*restart == 0) return true;
    return RestartKey(*restart, &key) && order_.Compare(key, target) < 0;
  }
  *restart = guess;
  if (guess + 1 == view_.num_restarts) return true;
  return RestartKey(guess + 1, &key) && order_.Compare(key, target) >= 0;
}

bool BlockIterator::SeekUserKey(const Slice& target) {
  // The timestamp of a read need not be that of any entry, but entries are
  // hashed with theirs.
  if (order_.timestamp_size() != 0) return Seek(target);
  if (!status_.ok() || view_.entries_size == 0 || view_.num_buckets == 0) {
    return Seek(target);
  }
  uint32_t restart;
  const uint8_t bucket = BucketOf(view_, UserKeyOf(target));
  if (ProveRestart(target, bucket, &restart)) {
    return SeekFromRestart(target, restart);
  }
  return status_.ok() ? Seek(target) : false;
}

bool BlockIterator::Seek(const Slice& target) {
  if (!status_.ok() || view_.entries_size == 0) return End();
  uint32_t restart;
  if (!SeekRestart(target, &restart)) return false;
  return SeekFromRestart(target, restart);
}

// Puts the key of an entry together, from what the words say of it and what the
// entry has itself. Returns false if that is not the whole key.
bool BlockIterator::StandOn(const WordSeek& found) {
  constexpr size_t kWord = sizeof found.bytes;
  const char* const p = view_.entries + found.offset;
  EntryHeader header;
  checked::DecodeHeader(p, checked_limit_, &header);
  const size_t key_size = size_t{header.shared} + header.non_shared;
  if (header.shared > found.prefix.size() + kWord ||
      header.shared + kInternalKeyTailBytes > key_size) {
    return false;
  }
  in_reverse_ = false;
  // There is room for the block's largest key and some more bytes.
  char* const key = key_bytes_.data();
  std::memcpy(key, found.prefix.data(), found.prefix.size());
  StoreFixed32(key + found.prefix.size(), __builtin_bswap32(found.bytes));
  DecodeChecked(p);
  return true;
}

bool BlockIterator::Seek(const Slice& target, const EntryWords& words) {
  constexpr size_t kLinesAhead = 8;
  if (checked_limit_ == view_.entries) return Seek(target);
  const WordSeek found = words.Seek(view_, order_, UserKeyOf(target));
  if (found.ends == WordSeek::Ends::kUnknown) return Seek(target);
  if (found.ends == WordSeek::Ends::kBehind ||
      view_.entries + found.offset >= checked_limit_) {
    return End();
  }
  // A walk may follow, which will not know the next block for a while.
  if (fetch_distance_ == 0) fetch_distance_ = kLinesAhead * 64;
  if (!StandOn(found)) return Seek(target);
  if (!found.maybe_next || order_.Compare(key_, target) >= 0) return true;
  return Next();
}

bool BlockIterator::SeekFromRestart(const Slice& target, uint32_t restart) {
  bool on_entry = StartAt(restart);
  while (on_entry && order_.Compare(key_, target) < 0) {
    on_entry = Decode(next_);
  }
  return on_entry;
}

uint32_t BlockIterator::LastRestartBefore(uint32_t offset) const {
  if (in_reverse_ && interval_restart_ > 0 &&
      offset == view_.RestartOffset(interval_restart_)) {
    return interval_restart_ - 1;
  }
  uint32_t low = 0;
  uint32_t high = view_.num_restarts - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    if (view_.RestartOffset(middle) < offset) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Decodes the entries from a restart point up to `end`, and keeps those from
// number `first` on, as long as the budget lasts. Once it is used up, sets
// *over, keeps nothing, and only records the sizes of the keys. Ends at the
// last entry. Requires: an entry begins at `end`.
bool BlockIterator::KeepInterval(uint32_t restart, uint32_t end, size_t first,
                                 bool* over) {
  *over = false;
  reverse_.clear();
  reverse_keys_.clear();
  interval_key_sizes_.clear();
  bool on_entry = StartAt(restart);
  while (on_entry) {
    interval_key_sizes_.push_back(static_cast<uint32_t>(key_.size()));
    *over = *over || (first == 0 && reverse_keys_.size() > kReverseBudgetBytes);
    if (!*over && interval_key_sizes_.size() > first) {
      reverse_.push_back({static_cast<uint32_t>(reverse_keys_.size()),
                          static_cast<uint32_t>(key_.size()),
                          static_cast<uint32_t>(current_ - view_.entries),
                          value_});
      reverse_keys_.Append(key_);
    }
    if (next_ >= view_.entries + end) break;
    on_entry = Decode(next_);
  }
  if (!on_entry) return End();
  if (next_ != view_.entries + end) {
    return Fail("entry runs into the next restart point", current_);
  }
  return true;
}

bool BlockIterator::LoadReverseInterval(uint32_t end) {
  if (!DecodeReverseInterval(end)) return false;
  in_reverse_ = true;
  reverse_position_ = reverse_count_ - 1;
  reverse_begin_ = 0;
  while (reverse_[reverse_begin_].offset < begin_offset_ &&
         reverse_begin_ < reverse_position_) {
    ++reverse_begin_;
  }
  return true;
}

// Keys that share long prefixes can be far larger together than the block. Then
// only as many keys from the end are kept as the budget allows; those before
// them are decoded again when the walk comes there.
bool BlockIterator::DecodeReverseInterval(uint32_t end) {
  interval_restart_ = LastRestartBefore(end);
  interval_end_ = end;
  if (checked_limit_ != view_.entries) return LoadCheckedInterval(end);
  bool over;
  if (!KeepInterval(interval_restart_, end, 0, &over)) return false;
  if (over) {
    size_t first = interval_key_sizes_.size() - 1;
    size_t bytes = interval_key_sizes_[first];
    while (first > 1 &&
           bytes + interval_key_sizes_[first - 1] <= kReverseBudgetBytes) {
      bytes += interval_key_sizes_[--first];
    }
    if (!KeepInterval(interval_restart_, end, first, &over)) return false;
  }
  reverse_count_ = reverse_.size();
  return true;
}

// Each key is put together from the one before it and its suffix, in a place of
// its own that is wide enough for any key.
bool BlockIterator::LoadCheckedInterval(uint32_t end) {
  const size_t stride = view_.checked.largest_key + checked::kWide;
  const size_t most = view_.checked.largest_interval;
  if (reverse_.size() < most) reverse_.resize(most);
  reverse_keys_.clear();
  reverse_keys_.Reserve(stride * most);
  const char* p = view_.entries + view_.RestartOffset(interval_restart_);
  const char* const stop = view_.entries + end;
  const char* last = p;
  size_t n = 0;
  for (; p < stop; ++n) {
    EntryHeader header;
    const char* const suffix =
        checked::DecodeHeader(p, checked_limit_, &header);
    char* const key = reverse_keys_.data() + n * stride;
    checked::Copy(key, last, header.shared);
    checked::Copy(key + header.shared, suffix, header.non_shared);
    const Slice value(suffix + header.non_shared, header.value_size);
    reverse_[n] = {static_cast<uint32_t>(n * stride),
                   header.shared + header.non_shared,
                   static_cast<uint32_t>(p - view_.entries), value};
    last = key;
    p = value.end();
  }
  reverse_count_ = n;
  return true;
}

Slice BlockIterator::KeyInBlock() const {
  EntryHeader header;
  const char* bytes;
  if (view_.separated) {
    bytes = DecodeEntryNumbers(current_, view_.limit(), &header);
    const uint32_t restart = LastRestartBefore(offset() + 1);
    SeparatedPosition position{restart};
    if (view_.RestartOffset(restart) == offset()) {
      bytes = DecodeSeparatedEntry(view_, current_, &position, &header);
    }
  } else {
    bytes = DecodeEntryHeader(current_, view_.limit(), &header);
  }
  if (bytes == nullptr || header.shared != 0) return {};
  return {bytes, header.non_shared};
}

// Moves the forward state to the entry of the backward walk.
void BlockIterator::LeaveReverse() {
  in_reverse_ = false;
  key_bytes_.clear();
  key_bytes_.Append(key_);
  key_ = key_bytes_.slice();
  const bool last = reverse_position_ + 1 == reverse_count_;
  next_ = view_.entries +
          (last ? interval_end_ : reverse_[reverse_position_ + 1].offset);
  separated_ = {interval_restart_ + 1, value_.end()};
}

// Else the walk turns around here.
bool BlockIterator::NextUnchecked() {
  if (in_reverse_) LeaveReverse();
  return Decode(next_);
}

bool BlockIterator::PrevInterval() {
  const auto offset = static_cast<uint32_t>(current_ - view_.entries);
  if (offset <= begin_offset_) return End();
  if (checked_limit_ != view_.entries) {
    if (!LoadReverseInterval(offset)) return false;
    ShowReverse();
    return true;
  }
  // Entries of one interval were compared when they were decoded. The two
  // entries on both sides of a restart point are compared here.
  key_behind_.clear();
  key_behind_.Append(key_);
  if (!LoadReverseInterval(offset)) return false;
  ShowReverse();
  if (order_.Forbids(key_, key_behind_.slice())) {
    return Fail("key is not smaller than the one after it", current_);
  }
  return true;
}

}  // namespace ashlar::internal
