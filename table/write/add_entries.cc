// How entries get into a block: they are checked and counted.

#include "table/write/builder_state.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

// By type: an entry of a data block must have a value smaller than this. 0:
// data blocks have no such entries.
constexpr std::array<uint64_t, 256> MakeValueLimits() {
  std::array<uint64_t, 256> limits = {};
  const auto set = [&limits](ValueType type, uint64_t most_bytes) {
    limits[static_cast<uint8_t>(type)] = most_bytes + 1;
  };
  for (const ValueType type :
       {ValueType::kTypeDeletion, ValueType::kTypeSingleDeletion,
        ValueType::kTypeDeletionWithTimestamp}) {
    set(type, 0);
  }
  for (const ValueType type :
       {ValueType::kTypeValue, ValueType::kTypeMerge, ValueType::kTypeBlobIndex,
        ValueType::kTypeSetWithDelete, ValueType::kTypeWideColumnEntity,
        ValueType::kTypeValuePreferredSeqno}) {
    set(type, TableBuilder::kMaxValueBytes);
  }
  return limits;
}
constexpr std::array<uint64_t, 256> kValueLimits = MakeValueLimits();

// Below this, readers still accept a block with one more range deletion.
constexpr uint64_t kMaxRangeDeletionBytes =
    internal::kMostReadableBlockBytes - 4 * TableBuilder::kMaxUserKeyBytes;
std::string Describe(const Slice& user_key, uint64_t tail) {
  return DescribeInternalKey(MakeInternalKey(
      user_key, tail >> 8, static_cast<ValueType>(tail & 0xff)));
}

}  // namespace

Status TableBuilder::State::BadEntry(const Slice& user_key, uint64_t tail,
                                     std::string_view why,
                                     Status::SubCode subcode) const {
  return Status::InvalidArgument(
      "entry " + std::to_string(properties.num_entries + 1) + ": key " +
          Describe(user_key, tail) + " " + std::string(why),
      subcode);
}

// Adds what the quick way does not: range deletions, and keys with timestamps.
// Refuses what no data block takes.
Status TableBuilder::State::AddUnusual(const Slice& user_key, uint64_t tail,
                                       const Slice& value) {
  if (user_key.size() > kMaxUserKeyBytes) {
    return BadEntry(
        user_key, tail,
        "is larger than " + std::to_string(kMaxUserKeyBytes) + " bytes");
  }
  if (user_key.size() < timestamps.size()) {
    return BadEntry(user_key, tail,
                    "is shorter than the timestamp of " +
                        std::to_string(timestamps.size()) +
                        " bytes that it must end in");
  }
  const auto type = static_cast<ValueType>(tail & 0xff);
  if (type == ValueType::kTypeRangeDeletion) {
    return AddRangeDeletion(user_key, tail, value);
  }
  if (value.size() < kValueLimits[tail & 0xff]) {
    return AddWithTimestamp(user_key, tail, value);
  }
  if (kValueLimits[tail & 0xff] == 1) {
    return BadEntry(user_key, tail,
                    "is a deletion, and has a value of " +
                        std::to_string(value.size()) + " bytes");
  }
  if (kValueLimits[tail & 0xff] != 0) {
    return BadEntry(user_key, tail,
                    "has a value of " + std::to_string(value.size()) +
                        " bytes, more than " + std::to_string(kMaxValueBytes));
  }
  return BadEntry(user_key, tail, "has a value type that a table cannot hold");
}

Status TableBuilder::State::AddRangeDeletion(const Slice& begin, uint64_t tail,
                                             const Slice& end) {
  if (end.size() > kMaxUserKeyBytes) {
    return BadEntry(begin, tail,
                    "has an end of more than " +
                        std::to_string(kMaxUserKeyBytes) + " bytes");
  }
  if (end.size() < timestamps.size()) {
    return BadEntry(begin, tail,
                    "has an end shorter than the timestamp of " +
                        std::to_string(timestamps.size()) +
                        " bytes that it must end in");
  }
  const Slice timestamp = TimestampOf(begin, timestamps.size());
  Status checked = CheckStripped(begin, tail, timestamp);
  if (!checked.ok()) return checked;
  if (order.WithoutTimestamps().CompareUserKeys(
          WithoutTimestamp(begin, timestamps.size()),
          WithoutTimestamp(end, timestamps.size())) >= 0) {
    return BadEntry(begin, tail,
                    "is not smaller than its end, key " + Describe(end, tail));
  }
  if (type_counts[tail & 0xff] >= kMaxRangeDeletions ||
      range_deletions.SizeEstimate() > kMaxRangeDeletionBytes) {
    return BadEntry(begin, tail,
                    "is one range deletion too many for one table");
  }
  const Slice written_begin = timestamps.AsWritten(begin);
  range_deletions.Add(written_begin, tail, timestamps.AsWritten(end));
  bounds.AddRangeDeletion(written_begin, tail, timestamps.AsWritten(end));
  Status charged = ChargeTail();
  if (!charged.ok()) return charged;
  timestamps.Take(timestamp);
  Count(written_begin.size() + kInternalKeyTailBytes, tail, end.size());
  return {};
}

Status TableBuilder::State::AddEntry(const Slice& user_key, uint64_t tail,
                                     const Slice& value) {
  if (user_key.size() >= quick_key_limit ||
      value.size() >= kValueLimits[tail & 0xff]) [[unlikely]] {
    return AddUnusual(user_key, tail, value);
  }
  return AddChecked(user_key, tail, value);
}

// Without written timestamps, an external file may only have keys with the
// timestamp that readers put back: zeros.
Status TableBuilder::State::CheckStripped(const Slice& user_key, uint64_t tail,
                                          const Slice& timestamp) const {
  if (!unique_user_keys || !timestamps.any() || !timestamps.stripped() ||
      TimestampCollector::IsOldest(timestamp)) {
    return {};
  }
  return BadEntry(user_key, tail,
                  "has a timestamp other than 0, but "
                  "persist_user_defined_timestamps is false");
}

Status TableBuilder::State::AddWithTimestamp(const Slice& user_key,
                                             uint64_t tail,
                                             const Slice& value) {
  const Slice timestamp = TimestampOf(user_key, timestamps.size());
  Status checked = CheckStripped(user_key, tail, timestamp);
  if (!checked.ok()) return checked;
  const uint64_t entries = properties.num_entries;
  const Slice written = timestamps.AsWritten(user_key);
  Status added = embedder.has_value() ? AddEmbedding(written, tail, value)
                                      : AddChecked(written, tail, value);
  if (properties.num_entries != entries) timestamps.Take(timestamp);
  return added;
}

// Says why a key is not larger than the last one, which was added with this
// tail.
[[gnu::noinline, gnu::cold]] Status TableBuilder::State::RefuseOrder(
    const Slice& user_key, uint64_t tail, bool same_user_key,
    uint64_t last_tail) const {
  const bool again = same_user_key && (unique_user_keys || tail == last_tail);
  return BadEntry(
      user_key, tail,
      "is not larger than the last one, " +
          Describe(last_key.user_key(), last_tail),
      again ? Status::SubCode::kDuplicateKey : Status::SubCode::kKeyOutOfOrder);
}

[[gnu::always_inline]] inline Status TableBuilder::State::Append(
    const Slice& added_key, uint64_t tail, const Slice& value,
    const KeyParting& parting) {
  const Slice user_key(added_key.data(), added_key.size());
  const uint64_t key_size = user_key.size() + kInternalKeyTailBytes;
  if (last_key.any()) [[likely]] {
    if (flush_policy.ShouldCut(block.SizeEstimate(), key_size, value.size(),
                               block.NextIsRestart(),
                               block.MoreRestartBytes()) &&
        !block.empty()) {
      status = CutBlock(&added_key, tail);
      if (!status.ok()) return status;
    }
  } else {
    index->Begin(added_key, tail);
    bounds.BeginWith(added_key, tail);
  }
  block.Add(added_key, tail, options.use_delta_encoding ? parting.shared : 0,
            value);
  if (index_takes_keys) [[unlikely]] {
    index->AddKey(WithoutTimestamp(added_key, order.timestamp_size()));
  }
  if (filter.has_value() && !parting.same_user_key) {
    filter->AddKey(WithoutTimestamp(added_key, order.timestamp_size()));
  } else if (filter_partitions.has_value() &&
             !(sink.holds_back() && AddsHeldKeys())) {
    filter_partitions->AddKey(added_key, last_key.user_key());
  }
  last_key.Replace(user_key, parting.common, tail);

  Count(key_size, tail, value.size());
  return {};
}

Status TableBuilder::State::AddChecked(const Slice& added_key, uint64_t tail,
                                       const Slice& value) {
  // A copy in registers, for what is inlined. What is called gets the original:
  // otherwise the copy is in memory, and reading what the caller has just
  // written there stalls the processor.
  const Slice user_key(added_key.data(), added_key.size());
  KeyParting parting;
  if (last_key.any()) [[likely]] {
    parting = PartingOf(order, last_key, user_key, tail);
    if (!MayFollow(parting)) [[unlikely]]
      return RefuseOrder(added_key, tail, parting.same_user_key,
                         last_key.tail());
  }
  return Append(added_key, tail, value, parting);
}

// Returns the tail that an entry is stored with. A value stays in its entry if
// a reference would come before another entry with the same sequence number.
uint64_t TableBuilder::State::StoredTail(const Slice& user_key, uint64_t tail,
                                         const Slice& value) const {
  const uint64_t stored = embedder->TailOf(tail, value);
  const bool out_of_order = stored != tail && last_key.any() &&
                            stored >= last_key.tail() &&
                            last_key.user_key() == user_key;
  return out_of_order ? tail : stored;
}

Status TableBuilder::State::AddEmbedding(const Slice& user_key,
                                         uint64_t added_tail,
                                         const Slice& added_value) {
  const uint64_t tail = StoredTail(user_key, added_tail, added_value);
  KeyParting parting;
  if (last_key.any()) {
    parting = PartingOf(order, last_key, user_key, tail);
    // Keys must ascend as they were added, too.
    const bool ascends = !parting.same_user_key || added_tail < last_added_tail;
    if (!ascends || !MayFollow(parting)) {
      return RefuseOrder(user_key, added_tail, parting.same_user_key,
                         last_added_tail);
    }
  }
  Slice value = added_value;
  status = embedder->Embed(tail, tail != added_tail, &value);
  if (status.ok()) status = Append(user_key, tail, value, parting);
  if (status.ok()) last_added_tail = added_tail;
  return status;
}

Status TableBuilder::State::AddWatched(const Slice& user_key, uint64_t tail,
                                       const Slice& value) {
  const auto type = static_cast<ValueType>(tail & 0xff);
  if (own_flush_policy != nullptr && type != ValueType::kTypeRangeDeletion) {
    flush_policy.Decide(own_flush_policy->Update(
        MakeInternalKey(user_key, tail >> 8, type), value));
  }
  Status added = AddEntry(user_key, tail, value);
  if (!added.ok()) return added;
  return status = collectors.Add(user_key, tail, value, FileSize());
}

Status TableBuilder::Add(const Slice& internal_key, const Slice& value) {
  if (internal_key.size() < kInternalKeyTailBytes) [[unlikely]] {
    return OrMemoryLimit([&] {
      return Status::InvalidArgument(
          "entry " + std::to_string(NumEntries() + 1) + ": key of " +
          std::to_string(internal_key.size()) +
          " bytes is not an internal key: expected at least 8");
    });
  }
  return Add(UserKeyOf(internal_key), TailOf(internal_key), value);
}

Status TableBuilder::Add(const Slice& user_key, uint64_t tail,
                         const Slice& value) {
  State& s = *state_;
  if (!s.status.ok()) [[unlikely]]
    return s.status;
  if (s.finished) [[unlikely]] {
    return Status::InvalidArgument("Add after Finish or Abandon");
  }
  Status added = OrMemoryLimit([&] {
    return s.is_watched ? s.AddWatched(user_key, tail, value)
                        : s.AddEntry(user_key, tail, value);
  });
  if (added.ok()) [[likely]]
    return added;
  // The entry may be half added: the build cannot go on.
  if (added.IsMemoryLimit()) s.status = added;
  // The caller may close the file now.
  if (!s.status.ok()) s.End();
  return added;
}

}  // namespace ashlar
