// The rules, and the loop that applies them.
//
// Snapshots S1 < S2 < ... divide sequence numbers into stripes
// (snapshot_stripes.h). q is the sequence number of an entry, `earliest` is S1,
// or the largest number without snapshots. "At the bottom" is a compaction, not
// a flush, whose options say bottommost and not allow_ingest_behind. "Lowest"
// is a key that no deeper file may have: at the bottom every key is. "Below" is
// a timestamp below full_history_ts_low; without timestamps every key counts as
// below.
//
// A user key begins with its newest version. Each version that is met, whether
// it is written or dropped, becomes "the last" for the next one. With
// timestamps a version goes on with the key of the one before it if it has the
// same timestamp, or if both are below; else it begins a key.
//
//   the first version of a key   is shown to the filter, if it is a value,
//                                blob index or entity (filter_entries.cc)
//
// Then the first rule that fits decides:
//
//   entry and condition                          what becomes of it
//   ------------------------------------------   ----------------------------
//   single deletion                              single_deletion.cc
//   in the stripe of the last version            dropped: hidden
//   deletion, q <= earliest, lowest, below;      dropped: it hides nothing.
//     not in a flush, not ingest-behind          Older versions are hidden
//   deletion at the bottom, below                the rest of its stripe goes.
//                                                Written if an older version
//                                                is left, else dropped
//   timed put, q <= earliest, lowest;            range-deleted: dropped. If it
//     not in a flush                             would be at its preferred
//                                                sequence number: as it is.
//                                                Else a value with that number
//   merge operand                                merge_walk.cc
//   anything else                                dropped if a newer range
//                                                deletion of its stripe is over
//                                                it, else written
//
// What is written gets sequence number 0 (and with timestamps the timestamp 0)
// at the bottom if q <= earliest, q <= preserve_seqno_after, and it is below;
// merge operands and timed puts never do.
//
// In a flush, a timed put is written with the preferred sequence number of its
// time, or as a value if that is not smaller than q.
//
// These are RocksDB 11.8's rules, its oddities included, since a mixed
// installation must not see keys come and go.
// test/table/compaction_cases_test.cc compares with outputs of RocksDB.

#include "ashlar/table/compaction_iterator.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ashlar/table/entry/timed_value.h"
#include "table/compaction/iterator_state.h"
#include "table/compaction/paused.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

std::vector<std::string> BeginsOf(const RangeDeletionAggregator* deletions,
                                  bool is_flush) {
  std::vector<std::string> begins;
  if (deletions == nullptr || is_flush) return begins;
  deletions->VisitBegins(
      [&](const Slice& key) { begins.push_back(key.ToString()); });
  return begins;
}

}  // namespace

CompactionCounts& CompactionCounts::operator+=(const CompactionCounts& other) {
  input_entries += other.input_entries;
  input_raw_key_bytes += other.input_raw_key_bytes;
  input_raw_value_bytes += other.input_raw_value_bytes;
  input_deletions += other.input_deletions;
  output_entries += other.output_entries;
  dropped_hidden += other.dropped_hidden;
  dropped_obsolete += other.dropped_obsolete;
  dropped_range_deleted += other.dropped_range_deleted;
  dropped_by_filter += other.dropped_by_filter;
  dropped_single_deletions += other.dropped_single_deletions;
  dropped_single_deleted += other.dropped_single_deleted;
  single_deletion_mismatches += other.single_deletion_mismatches;
  merged_operands += other.merged_operands;
  merge_results += other.merge_results;
  zeroed_sequences += other.zeroed_sequences;
  static_assert(sizeof(*this) == 15 * sizeof(uint64_t));
  return *this;
}

CompactionIterator::State::State(CompactionIteratorOptions options_in,
                                 std::vector<Iterator> inputs,
                                 RangeDeletionAggregator* deletions_in)
    : options(std::move(options_in)),
      order(options.comparator),
      timestamp_size(order.timestamp_size()),
      stripes(options.snapshots),
      earliest(stripes.earliest()),
      drops_deletions(!options.is_flush && !options.allow_ingest_behind),
      at_bottom(drops_deletions && options.bottommost),
      zero_up_to(std::min(earliest, options.preserve_seqno_after)),
      deletions(deletions_in != nullptr && deletions_in->empty()
                    ? nullptr
                    : deletions_in),
      may_be_plain(timestamp_size == 0 &&
                   options.compaction_filter == nullptr &&
                   deletions == nullptr),
      input(options.comparator, std::move(inputs),
            BeginsOf(deletions, options.is_flush)),
      next_progress(
          options.on_progress ? 0 : std::numeric_limits<uint64_t>::max()) {}

// If the application wants no more, ends the input. All loops over entries end
// with it, also those that look ahead.
void CompactionIterator::State::ReportProgress() {
  next_progress = counts.input_raw_key_bytes + counts.input_raw_value_bytes +
                  CompactionIteratorOptions::kProgressBytes;
  if (options.on_progress(counts)) return;
  input.Stop(internal::Paused());
}

// Makes the entry's user key the current one, if it is not. Returns whether the
// entry is the first version of a key to the filter.
bool CompactionIterator::State::BeginVersion(const Entry& entry) {
  const size_t common = has_current ? current.CommonPrefix(entry.user_key) : 0;
  const size_t size = entry.user_key.size();
  if (has_current && common == size && current.user_key().size() == size) {
    return false;
  }
  bool goes_on = false;
  if (timestamp_size != 0) [[unlikely]] {
    const bool below = IsBelowLow(entry.user_key);
    goes_on = has_current && below && last_below &&
              Plain(CurrentKey()) == Plain(entry.user_key);
    last_below = below;
  }
  current.Replace(entry.user_key, common, entry.tail);
  has_current = true;
  if (goes_on) return true;
  last_sequence = kNone;
  last_stripe = 0;
  outputted = false;
  zeroed = false;
  return true;
}

bool CompactionIterator::State::Drop(uint64_t* count) {
  ++*count;
  input.Next();
  return false;
}

// Shows the entry, which may get sequence number 0.
bool CompactionIterator::State::Emit(const Entry& entry) {
  shown = entry;
  shown_is_begin = false;
  ++counts.output_entries;
  if (!at_bottom || entry.sequence() > zero_up_to ||
      entry.type() == ValueType::kTypeMerge ||
      entry.type() == ValueType::kTypeValuePreferredSeqno ||
      !IsBelowOrPlain(entry.user_key)) {
    return true;
  }
  shown.tail &= 0xff;
  zeroed = true;
  if (entry.sequence() != 0) ++counts.zeroed_sequences;
  if (timestamp_size != 0) {
    key_buffer = Plain(entry.user_key).ToString();
    key_buffer.append(timestamp_size, '\0');
    shown.user_key = key_buffer;
  }
  return true;
}

bool CompactionIterator::State::EmitInput(const Entry& entry) {
  input_is_at_shown = true;
  return Emit(entry);
}

bool CompactionIterator::State::ShowPending() {
  const OwnedEntry& entry = pending[next_pending++];
  return Emit({entry.user_key, entry.tail, entry.value});
}

bool CompactionIterator::State::TakeDeletionAtBottom(const Entry& entry) {
  const SequenceNumber below = stripes.Below(entry.sequence());
  const uint64_t tail = entry.tail;
  for (input.Next(); InputHasCurrentKey(); input.Next()) {
    if (input.at_begin()) continue;
    if (below != 0 && input.tail() >> 8 <= below) break;
    CountInput();
    ++counts.dropped_hidden;
  }
  if (InputHasCurrentKey()) return Emit({CurrentKey(), tail, Slice()});
  ++counts.dropped_obsolete;
  return false;
}

bool CompactionIterator::State::TakeTimedPut(const Entry& entry) {
  if (IsRangeDeleted(entry)) return Drop(&counts.dropped_range_deleted);
  TimedValue timed;
  Status decoded = DecodeTimedValue(entry.value, &timed);
  if (!decoded.ok()) return Fail(decoded.WithPrefix(Describe(entry)));
  const SequenceNumber preferred =
      std::min(timed.preferred_sequence, kMaxSequenceNumber);
  if (deletions != nullptr && deletions->WouldDelete(preferred)) {
    return EmitInput(entry);
  }
  const SequenceNumber sequence = entry.sequence() == 0 ? 0 : preferred;
  return EmitInput(
      {entry.user_key, PackTail(sequence, ValueType::kTypeValue), timed.value});
}

// The value of a timed put in a memtable ends in the time of the write.
void CompactionIterator::State::ConvertTimedPut(Entry* entry) {
  TimedValue timed;
  if (!DecodeTimedValue(entry->value, &timed).ok()) return;
  if (options.sequence_at_time) {
    const SequenceNumber preferred =
        options.sequence_at_time(timed.preferred_sequence);
    if (preferred < entry->sequence()) {
      value_buffer.clear();
      AppendTimedValue({timed.value, preferred}, &value_buffer);
      entry->value = value_buffer;
      return;
    }
  }
  entry->SetType(ValueType::kTypeValue);
  entry->value = timed.value;
}

bool CompactionIterator::State::TakeOther(Entry entry) {
  if (IsRangeDeleted(entry)) return Drop(&counts.dropped_range_deleted);
  if (options.is_flush && entry.type() == ValueType::kTypeValuePreferredSeqno)
      [[unlikely]] {
    ConvertTimedPut(&entry);
  }
  return EmitInput(entry);
}

// The other half of a single deletion that was kept for a write-conflict
// snapshot.
bool CompactionIterator::State::TakeEmptied(Entry entry) {
  empties_next = false;
  entry.value = Slice();
  switch (entry.type()) {
    case ValueType::kTypeBlobIndex:
    case ValueType::kTypeWideColumnEntity:
    case ValueType::kTypeValuePreferredSeqno:
      entry.SetType(ValueType::kTypeValue);
      break;
    default:
      break;
  }
  return EmitInput(entry);
}

// Applies the rules to an entry that the filter has seen, if it was to.
bool CompactionIterator::State::Apply(Entry entry) {
  const SequenceNumber before = last_sequence;
  const SequenceNumber stripe_before = last_stripe;
  last_sequence = entry.sequence();
  last_stripe = stripes.Of(last_sequence);
  if (empties_next) [[unlikely]]
    return TakeEmptied(entry);
  if (entry.type() == ValueType::kTypeSingleDeletion) [[unlikely]] {
    return TakeSingleDeletion(entry);
  }
  if (before != kNone && last_stripe >= stripe_before) {
    return Drop(&counts.dropped_hidden);
  }
  const bool all_see = entry.sequence() <= earliest;
  switch (entry.type()) {
    case ValueType::kTypeDeletion:
    case ValueType::kTypeDeletionWithTimestamp:
      if (!IsDeletion(entry)) break;
      if (drops_deletions && all_see && IsLowestOf(entry.user_key)) {
        return Drop(&counts.dropped_obsolete);
      }
      if (at_bottom) return TakeDeletionAtBottom(entry);
      break;
    case ValueType::kTypeValuePreferredSeqno:
      if (all_see && !options.is_flush && IsLowestOf(entry.user_key)) {
        return TakeTimedPut(entry);
      }
      break;
    case ValueType::kTypeMerge:
      return TakeOperands(entry);
    default:
      break;
  }
  return TakeOther(entry);
}

// A quick way for most entries of most compactions: a value that is the newest
// version of its key, and that neither a filter nor a range deletion nor a
// timestamp can change. Does for it what TakeEntry would. Returns whether the
// entry is one; if not, has done nothing.
bool CompactionIterator::State::TakePlain() {
  if (!may_be_plain || empties_next) return false;
  const Slice key = input.entry_key();
  const uint64_t tail = TailOf(key);
  if (static_cast<ValueType>(tail & 0xff) != ValueType::kTypeValue) {
    return false;
  }
  const Slice user_key = UserKeyOf(key);
  const size_t common = has_current ? current.CommonPrefix(user_key) : 0;
  if (has_current && common == user_key.size() &&
      common == current.user_key().size()) {
    return false;
  }
  shown = {user_key, tail, input.value()};
  shown_is_begin = false;
  input_is_at_shown = true;
  CountInput(shown);
  current.Replace(user_key, common, tail);
  has_current = true;
  outputted = false;
  last_sequence = shown.sequence();
  last_stripe = stripes.Of(last_sequence);
  zeroed = at_bottom && last_sequence <= zero_up_to;
  if (zeroed) {
    shown.tail &= 0xff;
    counts.zeroed_sequences += last_sequence != 0;
  }
  ++counts.output_entries;
  return true;
}

bool CompactionIterator::State::TakeEntry() {
  Entry entry{input.user_key(), input.tail(), input.value()};
  CountInput(entry);
  const bool is_first = BeginVersion(entry);
  if (is_first && options.compaction_filter != nullptr && !empties_next)
      [[unlikely]] {
    if (!FilterEntry(&entry)) return false;
  }
  return Apply(entry);
}

bool CompactionIterator::State::Step() {
  if (input_is_at_shown) {
    input_is_at_shown = false;
    input.Next();
  }
  if (next_pending < pending.size()) {
    ShowPending();
    NoteShown();
    return true;
  }
  pending.clear();
  next_pending = 0;
  while (input.valid()) {
    if (input.at_begin()) [[unlikely]] {
      NoteShown();
      if (options.show_range_deletion_begins) {
        shown = {input.user_key(), input.tail(), Slice()};
        shown_is_begin = true;
        input_is_at_shown = true;
        return true;
      }
      input.Next();
      continue;
    }
    if (TakePlain() || TakeEntry()) {
      NoteShown();
      return true;
    }
    if (!status.ok()) return false;
  }
  status = input.status();
  return false;
}

// If there is no memory for a state, it stays null, and the status says so.
CompactionIterator::CompactionIterator(
    CompactionIteratorOptions options, std::vector<Iterator> inputs,
    RangeDeletionAggregator* range_deletions) {
  internal::OrMemoryLimit([&] {
    state_ = std::make_unique<State>(std::move(options), std::move(inputs),
                                     range_deletions);
    return Status();
  }).IgnoreError();
}
CompactionIterator::CompactionIterator(CompactionIterator&& other) noexcept =
    default;
CompactionIterator& CompactionIterator::operator=(
    CompactionIterator&& other) noexcept = default;
CompactionIterator::~CompactionIterator() = default;

Status CompactionIterator::status() const {
  return state_ == nullptr ? Status::OutOfMemory() : state_->status;
}

const CompactionCounts& CompactionIterator::counts() const {
  static constexpr CompactionCounts kNothing;
  return state_ == nullptr ? kNothing : state_->counts;
}

void CompactionIterator::Show() {
  State& s = *state_;
  valid_ = false;
  Status memory = internal::OrMemoryLimit([&] {
    valid_ = s.Step();
    return Status();
  });
  if (!memory.ok()) [[unlikely]]
    s.status = std::move(memory);
  if (!valid_) return;
  user_key_ = s.shown.user_key;
  tail_ = s.shown.tail;
  value_ = s.shown.value;
  at_range_deletion_ = s.shown_is_begin;
}

void CompactionIterator::SeekToFirst() {
  if (state_ == nullptr) return;
  state_->input.SeekToFirst();
  Show();
}

void CompactionIterator::Seek(const Slice& user_key) {
  if (state_ == nullptr) return;
  state_->input.SkipTo(user_key);
  Show();
}

void CompactionIterator::Next() {
  assert(valid_);
  Show();
}

}  // namespace ashlar
