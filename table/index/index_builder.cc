#include "table/index/index_builder.h"

#include <limits>

#include "ashlar/table/internal_key.h"
#include "table/format/format_version.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

// The largest value type that RocksDB knows: a separator with this tail sorts
// before every version of its user key. Readers do not look at the type.
constexpr uint64_t kSeparatorTail =
    PackTail(kMaxSequenceNumber, ValueType::kTypeValuePreferredSeqno);

Slice PartOf(const std::string& bytes, const std::vector<uint64_t>& ends,
             size_t i) {
  const uint64_t begin = i == 0 ? 0 : ends[i - 1];
  return Slice(bytes.data() + begin, static_cast<size_t>(ends[i] - begin));
}

}  // namespace

IndexBuilder::IndexBuilder(const TableOptions& options, bool has_first_keys)
    : options_(options),
      form_{TraitsOf(options.format_version).may_have_user_key_index,
            TraitsOf(options.format_version).may_have_delta_handles &&
                !options.block_align && !options.embedded_blob_options.enable,
            has_first_keys},
      user_keys_until_(form_.user_keys ? std::numeric_limits<size_t>::max()
                                       : 0) {}

void IndexBuilder::AppendSeparator(const Slice& user_key, uint64_t tail) {
  keys_.append(user_key.data(), user_key.size());
  AppendFixed64(&keys_, tail);
  key_ends_.push_back(keys_.size());
}

void IndexBuilder::AppendFirstKey(const Slice& user_key, uint64_t tail) {
  first_keys_.append(user_key.data(), user_key.size());
  AppendFixed64(&first_keys_, tail);
  first_key_ends_.push_back(first_keys_.size());
}

bool IndexBuilder::Shorten(const Slice& last_user_key,
                           const Slice* next_user_key) {
  using enum IndexShortening;
  const bool wished =
      options_.index_shortening == kShortenSeparatorsAndSuccessor ||
      (options_.index_shortening == kShortenSeparators &&
       next_user_key != nullptr);
  // The comparator shortens keys with their timestamps only.
  if (!wished || !options_.persist_user_defined_timestamps) return false;
  shortened_.assign(last_user_key.data(), last_user_key.size());
  if (next_user_key != nullptr) {
    options_.comparator->FindShortestSeparator(&shortened_, *next_user_key);
  } else {
    options_.comparator->FindShortSuccessor(&shortened_);
  }
  return shortened_.size() <= last_user_key.size() &&
         options_.comparator->Compare(last_user_key, shortened_) < 0;
}

void IndexBuilder::Prepare(const Slice& last_user_key, uint64_t last_tail,
                           const Slice* next_user_key, uint64_t next_tail) {
  last_key_sizes_.push_back(
      static_cast<uint32_t>(last_user_key.size() + kInternalKeyTailBytes));
  if (next_user_key == nullptr) {
    complete_ = true;
  } else if (form_.first_keys) {
    AppendFirstKey(*next_user_key, next_tail);
  }
  if (next_user_key != nullptr && last_user_key == *next_user_key) {
    if (form_.user_keys) user_keys_until_ = key_ends_.size() + 1;
    form_.user_keys = false;
  } else if (Shorten(last_user_key, next_user_key)) {
    AppendSeparator(shortened_, kSeparatorTail);
    return;
  }
  AppendSeparator(last_user_key, last_tail);
}

Slice IndexBuilder::separator(size_t i, bool user_key) const {
  Slice key = PartOf(keys_, key_ends_, i);
  if (user_key) key.remove_suffix(kInternalKeyTailBytes);
  return key;
}

Slice IndexBuilder::first_key(size_t i) const {
  return form_.first_keys ? PartOf(first_keys_, first_key_ends_, i) : Slice();
}

uint64_t IndexBuilder::SizeEstimate() const {
  constexpr uint64_t kEntryOverhead = 12;
  return keys_.size() + first_keys_.size() + key_ends_.size() * kEntryOverhead;
}

}  // namespace ashlar::internal
