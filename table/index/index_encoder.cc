#include "table/index/index_encoder.h"

#include <algorithm>
#include <cmath>

#include "ashlar/table/internal_key.h"
#include "table/block/entry.h"
#include "util/coding/coding.h"
#include "util/coding/word_compare.h"

namespace ashlar::internal {

void IndexEncoder::Add(const Slice& separator, const BlockHandle& handle,
                       const Slice& first_key) {
  size_t shared = 0;
  if (NextIsRestart()) {
    restarts_.push_back(static_cast<uint32_t>(entries_.size()));
    since_restart_ = 0;
  } else if (num_entries_ != 0 && !WasMoved(handle)) {
    shared = CommonPrefix(last_separator_, separator);
  }
  ++since_restart_;
  ++num_entries_;
  char value[3 * kMaxVarint64Bytes];
  char* p = value;
  if (form_.delta_handles && shared != 0) {
    p = EncodeVarint64(
        p, ZigzagEncode(static_cast<int64_t>(handle.size - last_handle_.size)));
  } else {
    p = EncodeVarint64(p, handle.offset);
    p = EncodeVarint64(p, handle.size);
  }
  const Slice first = form_.first_keys ? first_key : Slice();
  if (form_.first_keys) p = EncodeVarint64(p, first.size());
  const Slice coded(value, static_cast<size_t>(p - value));
  entries_.Reserve(3 * kMaxVarint64Bytes);
  char* header = EncodeVarint64(entries_.end(), shared);
  header = EncodeVarint64(header, separator.size() - shared);
  if (!form_.delta_handles) {
    header = EncodeVarint64(header, coded.size() + first.size());
  }
  entries_.Advance(static_cast<size_t>(header - entries_.end()));
  entries_.Append(Slice(separator.data() + shared, separator.size() - shared));
  entries_.Append(coded);
  entries_.Append(first);
  last_separator_.assign(separator.data(), separator.size());
  last_handle_ = handle;
}

bool IndexEncoder::WasMoved(const BlockHandle& handle) const {
  return alignment_.WasMoved(last_handle_.End(), last_handle_.size,
                             handle.offset);
}

// Returns the key of restart point i, which is stored whole.
Slice IndexEncoder::RestartKey(size_t i) const {
  const char* p = entries_.data() + restarts_[i];
  const char* const limit = entries_.slice().end();
  uint32_t shared = 0;
  uint32_t non_shared = 0;
  uint32_t value_size = 0;
  p = DecodeVarint32(p, limit, &shared);
  p = DecodeVarint32(p, limit, &non_shared);
  if (!form_.delta_handles) p = DecodeVarint32(p, limit, &value_size);
  if (!form_.user_keys) non_shared -= kInternalKeyTailBytes;
  return Slice(p, non_shared);
}

// Takes the eight bytes of each restart key, after what all have in common, as
// a number. Returns whether the steps between these numbers are nearly equal.
bool IndexEncoder::IsUniform(double threshold) const {
  constexpr size_t kLeastRestarts = 3;
  if (threshold < 0 || restarts_.size() < kLeastRestarts) return false;
  const size_t common =
      CommonPrefix(RestartKey(0), RestartKey(restarts_.size() - 1));
  const auto number = [&](size_t i) {
    const Slice key = RestartKey(i);
    uint64_t value = 0;
    for (size_t at = common; at < common + sizeof value; ++at) {
      value =
          value << 8 | (at < key.size() ? static_cast<uint8_t>(key[at]) : 0);
    }
    return value;
  };
  std::vector<double> gaps;
  gaps.reserve(restarts_.size() - 1);
  uint64_t last = number(0);
  double sum = 0;
  for (size_t i = 1; i < restarts_.size(); ++i) {
    const uint64_t next = number(i);
    gaps.push_back(static_cast<double>(next - last));
    sum += gaps.back();
    last = next;
  }
  const double mean = sum / static_cast<double>(gaps.size());
  if (!(mean > 0)) return false;
  double squares = 0;
  for (const double gap : gaps) squares += (gap - mean) * (gap - mean);
  const double deviation =
      std::sqrt(squares / static_cast<double>(gaps.size()));
  return deviation / mean < threshold;
}

Slice IndexEncoder::Finish(double uniform_cv_threshold, bool* uniform) {
  *uniform = IsUniform(uniform_cv_threshold);
  auto packed = static_cast<uint32_t>(restarts_.size());
  if (*uniform) packed |= kUniformFlag;
  std::vector<uint32_t> tail = restarts_;
  tail.push_back(packed);
  entries_.Append(Slice(reinterpret_cast<const char*>(tail.data()),
                        tail.size() * sizeof(uint32_t)));
  return entries_.slice();
}

void IndexEncoder::Clear() {
  entries_.clear();
  restarts_.assign(1, 0);
  since_restart_ = 0;
  num_entries_ = 0;
  last_separator_.clear();
  last_handle_ = BlockHandle();
}

}  // namespace ashlar::internal
