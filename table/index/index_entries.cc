#include "table/index/index_entries.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "table/block/block.h"
#include "table/index/varint_groups.h"

namespace ashlar::internal {

namespace {

// Returns the separator that a stored one stands for. *whole has its bytes if
// they differ from those that are stored. Separators keep their sequence
// numbers.
Slice RestoreSeparator(const Slice& stored, const IndexForm& form,
                       std::string* whole) {
  const size_t timestamp = form.keys.stripped_timestamp;
  const size_t tail = form.user_keys ? 0 : kInternalKeyTailBytes;
  if (timestamp == 0 || stored.size() < tail) return stored;
  form.keys.RestoreUserKey(Slice(stored.data(), stored.size() - tail), whole);
  whole->append(stored.end() - tail, tail);
  return *whole;
}

// The same for a first key.
Slice RestoreFirstKey(const Slice& stored, const KeyForm& keys,
                      std::string* whole) {
  if (keys.IsAsStored() || stored.size() < kInternalKeyTailBytes) return stored;
  keys.Restore(stored, whole);
  return *whole;
}

// DecodeDeltaEntry for the usual case: key sizes of one byte each, no first
// key, and the end of the block not near.
[[gnu::always_inline]] inline const char* DecodeUsualDeltaEntry(
    const char* p, const char* limit, const IndexForm& form,
    IndexEntry* entry) {
  constexpr ptrdiff_t kMost = 2 + 127 + 3 * sizeof(uint64_t);
  const auto shared = static_cast<uint8_t>(limit - p >= kMost ? p[0] : 0x80);
  const auto non_shared = static_cast<uint8_t>(p[1]);
  if ((shared | non_shared) >= 0x80 || form.first_keys) [[unlikely]]
    return DecodeDeltaEntry(p, limit, form, entry);
  const char* const value = p + 2 + non_shared;
  uint64_t offset;
  uint64_t size;
  const char* next = DecodeShortVarint(value, &offset);
  if (shared == 0) {
    if (next != nullptr) next = DecodeShortVarint(next, &size);
  } else {
    // The first number is the difference of the sizes.
    size = entry->handle.size + static_cast<uint64_t>(ZigzagDecode(offset));
    offset = entry->handle.End();
  }
  if (next == nullptr) [[unlikely]]
    return DecodeDeltaEntry(p, limit, form, entry);
  entry->shared = shared;
  entry->suffix = Slice(p + 2, non_shared);
  entry->handle = {offset, size};
  return next;
}

// Copies n bytes. May read and write up to kCopied bytes; `to` has that room,
// and `from` has it if `limit` says so.
[[gnu::always_inline]] inline void CopyShort(const char* from,
                                             const char* limit, size_t n,
                                             char* to) {
  constexpr size_t kCopied = 32;
  static_assert(kCopied <= Buffer::kSlack);
  if (n <= kCopied && static_cast<size_t>(limit - from) >= kCopied) {
    std::array<char, kCopied> bytes;
    std::memcpy(bytes.data(), from, kCopied);
    std::memcpy(to, bytes.data(), kCopied);
  } else {
    std::memcpy(to, from, n);
  }
}

// Goes through the entries in order, and names the first fault.
class FaultFinder {
 public:
  FaultFinder(const BlockPlace& place, const IndexChecks& checks)
      : place_(place), checks_(checks) {}

  Status Look(const Slice& stored, const IndexEntry& entry) {
    std::string whole;
    const Slice key = RestoreSeparator(stored, checks_.form, &whole);
    if (key.size() < checks_.smallest_separator()) {
      return Fault(checks_.order.timestamp_size() == 0
                       ? " has a key that is not an internal key"
                       : " has a key that is shorter than its timestamp and "
                         "tail");
    }
    Status status = LookAtHandle(entry.handle);
    if (!status.ok()) return status;
    if (count_ != 0 && checks_.order.known() &&
        !checks_.Ascends(last_key_, key)) {
      return Fault(" is not larger than the one before it");
    }
    if (checks_.form.first_keys) {
      status = LookAtFirstKey(entry.first_key, key);
      if (!status.ok()) return status;
    }
    last_key_.assign(key.data(), key.size());
    last_handle_ = entry.handle;
    ++count_;
    return {};
  }

 private:
  std::string Which() const { return "entry " + std::to_string(count_); }
  Status Fault(const char* what) const {
    return place_.Corruption("bad index entry", Which() + what);
  }
  Status LookAtHandle(const BlockHandle& handle) const {
    if (!handle.FitsBelow(checks_.file_limit)) {
      return place_.Corruption(
          "bad block handle",
          Which() + " names offset " + std::to_string(handle.offset) +
              " size " + std::to_string(handle.size) + ", expected to end by " +
              std::to_string(checks_.file_limit));
    }
    if (count_ != 0 && handle.offset < last_handle_.End()) {
      return place_.Corruption(
          "bad block handle",
          Which() + " names offset " + std::to_string(handle.offset) +
              ", expected " + std::to_string(last_handle_.End()) +
              " or more, where the block before it ends");
    }
    return {};
  }
  Status LookAtFirstKey(const Slice& stored, const Slice& separator) const {
    std::string whole;
    const Slice first_key = RestoreFirstKey(stored, checks_.form.keys, &whole);
    if (first_key.size() < checks_.order.smallest_key()) {
      return Fault(" has a first key that is not an internal key");
    }
    if (!checks_.order.known()) return {};
    if (checks_.CompareWithKey(separator, first_key) < 0) {
      return Fault(" has a first key after its separator");
    }
    if (count_ != 0 && checks_.CompareWithKey(last_key_, first_key) >= 0) {
      return Fault(" has a first key not after the separator before it");
    }
    return {};
  }

  const BlockPlace& place_;
  const IndexChecks& checks_;
  size_t count_ = 0;
  std::string last_key_;
  BlockHandle last_handle_;
};

}  // namespace

int IndexChecks::CompareWithKey(const Slice& separator,
                                const Slice& internal_key) const {
  if (!form.user_keys) return order.Compare(separator, internal_key);
  const int compared =
      order.CompareUserKeys(separator, UserKeyOf(internal_key));
  return compared == 0 ? 1 : compared;
}

Status FindFault(const BlockView& view, const BlockPlace& place,
                 const IndexChecks& checks) {
  FaultFinder finder(place, checks);
  return ForEachIndexEntry(view, place, checks.form,
                           [&](const Slice& key, const IndexEntry& entry) {
                             return finder.Look(key, entry);
                           });
}

bool IndexEntries::TakeFirstKey(const Slice& stored,
                                const IndexChecks& checks) {
  std::string whole;
  const Slice first_key = RestoreFirstKey(stored, checks.form.keys, &whole);
  first_keys_.Append(first_key);
  first_key_ends_.push_back(first_keys_.size());
  return first_key.size() >= checks.order.smallest_key();
}

template <bool kDelta>
bool IndexEntries::WalkEntries(const BlockView& view,
                               const IndexChecks& checks) {
  const size_t smallest = checks.smallest_separator() -
                          std::min(checks.form.keys.stripped_timestamp,
                                   checks.order.timestamp_size());
  keys_.Reserve(view.entries_size);
  key_ends_.reserve(view.num_restarts);
  handles_.reserve(view.num_restarts);
  KeyBudget budget(view.entries_size);
  IndexEntry entry;
  Slice last_key;
  uint64_t next_offset = 0;
  bool sound = true;
  for (const char* p = view.entries; p < view.limit();) {
    p = kDelta ? DecodeUsualDeltaEntry(p, view.limit(), checks.form, &entry)
               : DecodeFullEntry(p, view.limit(), checks.form, &entry);
    if (p == nullptr || entry.shared > last_key.size()) return false;
    const size_t size = entry.shared + entry.suffix.size();
    if (!budget.Take(size)) return false;
    const size_t last_begin = keys_.size() - last_key.size();
    keys_.Reserve(size);
    char* const key = keys_.end();
    CopyShort(keys_.data() + last_begin, keys_.end() + Buffer::kSlack,
              entry.shared, key);
    CopyShort(entry.suffix.data(), view.limit(), entry.suffix.size(),
              key + entry.shared);
    keys_.Advance(size);
    last_key = Slice(key, size);
    key_ends_.push_back(keys_.size());
    handles_.push_back(entry.handle);
    sound &= size >= smallest;
    sound &= entry.handle.FitsBelow(checks.file_limit);
    sound &= entry.handle.offset >= next_offset;
    next_offset = entry.handle.End();
    if (checks.form.first_keys) sound &= TakeFirstKey(entry.first_key, checks);
  }
  return sound;
}

bool IndexEntries::Walk(const BlockView& view, const IndexChecks& checks) {
  Clear();
  const bool sound = checks.form.delta_handles
                         ? WalkEntries<true>(view, checks)
                         : WalkEntries<false>(view, checks);
  if (sound && checks.form.keys.stripped_timestamp != 0) {
    RestoreSeparators(checks);
  }
  return sound;
}

// Puts timestamps that are not stored back into all separators.
void IndexEntries::RestoreSeparators(const IndexChecks& checks) {
  Buffer restored;
  restored.Reserve(keys_.size() + size() * checks.form.keys.stripped_timestamp);
  std::string whole;
  uint64_t begin = 0;
  for (uint64_t& end : key_ends_) {
    const Slice stored(keys_.data() + begin, static_cast<size_t>(end - begin));
    begin = end;
    restored.Append(RestoreSeparator(stored, checks.form, &whole));
    end = restored.size();
  }
  keys_ = std::move(restored);
}

bool IndexEntries::SeparatorsAscend(const IndexChecks& checks) const {
  for (size_t i = 1; i < size(); ++i) {
    if (!checks.Ascends(separator(i - 1), separator(i))) return false;
  }
  return true;
}

bool IndexEntries::FirstKeysAreBetween(const IndexChecks& checks) const {
  for (size_t i = 0; i < size(); ++i) {
    if (checks.CompareWithKey(separator(i), first_key(i)) < 0) return false;
    if (i != 0 && checks.CompareWithKey(separator(i - 1), first_key(i)) >= 0) {
      return false;
    }
  }
  return true;
}

void IndexEntries::Clear() {
  constexpr size_t kMostKept = size_t{1} << 20;
  const size_t kept =
      keys_.capacity() + first_keys_.capacity() +
      (key_ends_.capacity() + first_key_ends_.capacity()) * sizeof(uint64_t) +
      handles_.capacity() * sizeof(BlockHandle);
  if (kept > kMostKept) {
    *this = IndexEntries();
    return;
  }
  keys_.clear();
  key_ends_.clear();
  handles_.clear();
  first_keys_.clear();
  first_key_ends_.clear();
}

}  // namespace ashlar::internal
