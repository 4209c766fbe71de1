#include "tools/ashlar/rows/row_buffer.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "ashlar/table/internal_key.h"

namespace ashlar::tool {
namespace {

// The sizes that precede each record's key and value.
struct Sizes {
  uint32_t key;
  uint32_t value;
};

// Returns the first eight bytes of the key after `skipped` bytes, as a
// big-endian number.
uint64_t WordAt(const Slice& key, size_t skipped) {
  if (key.size() <= skipped) return 0;
  char bytes[sizeof(uint64_t)] = {};
  std::memcpy(bytes, key.data() + skipped,
              std::min(key.size() - skipped, sizeof bytes));
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return __builtin_bswap64(word);
}

size_t CommonBytes(const Slice& a, const Slice& b, size_t most) {
  size_t n = std::min({a.size(), b.size(), most});
  if (std::memcmp(a.data(), b.data(), n) == 0) return n;
  n = 0;
  while (a[n] == b[n]) ++n;
  return n;
}

}  // namespace

RowBuffer::RowBuffer(const SortedEntryForm* form, size_t bytes)
    : form_(form), wanted_(bytes / sizeof(Place)) {}

bool RowBuffer::Allocate(size_t bytes) {
  const size_t needed = bytes / sizeof(Place) + 1;
  if (memory_ != nullptr && needed <= capacity_) return true;
  if (!empty()) return false;
  capacity_ = std::max(wanted_, needed);
  memory_.reset();
  // Takes as much of the wanted memory as the machine has.
  while (capacity_ > needed) {
    memory_.reset(new (std::nothrow) Place[capacity_]);
    if (memory_ != nullptr) return true;
    capacity_ = std::max(capacity_ / 2, needed);
  }
  memory_ = std::make_unique_for_overwrite<Place[]>(capacity_);
  return true;
}

char* RowBuffer::data() const { return reinterpret_cast<char*>(memory_.get()); }

bool RowBuffer::Add(const Row& row, uint64_t number) {
  const Sizes sizes = {static_cast<uint32_t>(form_->KeySize(row)),
                       static_cast<uint32_t>(form_->ValueSize(row))};
  const size_t needed = sizeof sizes + sizes.key + sizes.value;
  if (!Allocate(used_ + needed + (count_ + 1) * sizeof(Place))) return false;
  char* const record = data() + used_;
  std::memcpy(record, &sizes, sizeof sizes);
  char* const key = record + sizeof sizes;
  form_->Write(row, number, key, key + sizes.key);
  used_ += needed;
  ++count_;
  return true;
}

void RowBuffer::Clear() {
  used_ = 0;
  count_ = 0;
  // A larger buffer was only for a row of unusual size.
  if (capacity_ > wanted_) Free();
}

void RowBuffer::Free() {
  used_ = 0;
  count_ = 0;
  capacity_ = 0;
  memory_.reset();
}

RowBuffer::Record RowBuffer::RecordAt(uint64_t offset) const {
  const char* const record = data() + offset;
  Sizes sizes;
  std::memcpy(&sizes, record, sizeof sizes);
  const char* const key = record + sizeof sizes;
  return {Slice(key, sizes.key), Slice(key + sizes.key, sizes.value)};
}

std::span<RowBuffer::Place> RowBuffer::places() const {
  return {memory_.get() + (capacity_ - count_), count_};
}

void RowBuffer::Entry(size_t i, Slice* key, Slice* value) const {
  const Record record = RecordAt(places()[i].offset);
  *key = record.key;
  *value = record.value;
}

void RowBuffer::Prefetch(size_t i) const {
  const char* const record = data() + places()[i].offset;
  constexpr size_t kLine = 64;
  __builtin_prefetch(record);
  __builtin_prefetch(record + kLine);
  __builtin_prefetch(record + 2 * kLine);
}

// Returns the length of the prefix that all keys share, which does not help to
// compare them.
size_t RowBuffer::SharedPrefix() const {
  if (empty()) return 0;
  const Slice first = form_->UserKey(RecordAt(0).key);
  size_t shared = first.size();
  for (uint64_t at = 0; at < used_ && shared > 0;) {
    const Record record = RecordAt(at);
    shared = CommonBytes(first, form_->UserKey(record.key), shared);
    at = static_cast<uint64_t>(record.value.end() - data());
  }
  return shared;
}

void RowBuffer::FillPlaces() {
  const bool falling = form_->user_keys() == ReverseBytewiseComparator();
  const bool of_bytes = falling || form_->user_keys() == BytewiseComparator();
  const size_t shared = of_bytes ? SharedPrefix() : 0;
  const std::span<Place> filled = places();
  uint64_t at = 0;
  for (Place& place : filled) {
    const Record record = RecordAt(at);
    place.offset = at;
    place.word = of_bytes ? WordAt(form_->UserKey(record.key), shared) : 0;
    if (falling) place.word = ~place.word;
    at = static_cast<uint64_t>(record.value.end() - data());
  }
}

void RowBuffer::Sort() {
  FillPlaces();
  const Comparator& order = *form_->order();
  const std::span<Place> sorted = places();
  std::sort(sorted.begin(), sorted.end(), [&](const Place& a, const Place& b) {
    if (a.word != b.word) return a.word < b.word;
    if (a.offset == b.offset) return false;
    const int result = order.Compare(UserKeyOf(RecordAt(a.offset).key),
                                     UserKeyOf(RecordAt(b.offset).key));
    return result != 0 ? result < 0 : a.offset < b.offset;
  });
}

}  // namespace ashlar::tool
