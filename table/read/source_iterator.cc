#include "table/read/source_iterator.h"

#include <utility>

#include "table/block/block_iterator.h"
#include "table/format/seek_target.h"
#include "table/read/opened_table.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace internal {
namespace {

KeyOrder OrderBy(const Comparator* comparator) {
  return KeyOrder(comparator == nullptr ? BytewiseComparator() : comparator);
}

}  // namespace

SourceIterator::SourceIterator(const Comparator* comparator,
                               std::unique_ptr<EntrySource> source,
                               const ReadOptions& options)
    : State(OrderBy(comparator), options, ReadCounters(),
            {.shows_block = false,
             .pins_values = source != nullptr && source->KeepsEntries(),
             .may_grow = true}),
      order_(OrderBy(comparator)),
      source_(std::move(source)),
      versions_(order_, options),
      skips_(options),
      status_(comparator == nullptr
                  ? Status::InvalidArgument("an iterator over a source needs a "
                                            "comparator; it is null")
                  : CheckOptions(options)) {
  usable = status_.ok();
  lower_ = BeforeAll(options.iterate_lower_bound);
  upper_ = BeforeAll(options.iterate_upper_bound);
}

// Returns the internal key before all versions of a bound.
std::optional<std::string> SourceIterator::BeforeAll(const Slice* bound) const {
  if (bound == nullptr) return std::nullopt;
  std::string key;
  AppendFirstTarget(*bound, Slice(), timestamp_size, kMaxSequenceNumber, &key);
  return key;
}

Status SourceIterator::SetBounds(const Slice* lower, const Slice* upper) {
  std::optional<std::string> new_lower = BeforeAll(lower);
  upper_ = BeforeAll(upper);
  lower_ = std::move(new_lower);
  Begin();
  return {};
}

Status SourceIterator::CheckOptions(const ReadOptions& options) const {
  if (source_ == nullptr) {
    return Status::InvalidArgument("the source of an iterator is null");
  }
  const std::string name(source_->Name());
  if (options.prefix_same_as_start && !options.total_order_seek) {
    return Status::InvalidArgument(
        name + ": prefix_same_as_start is for tables; set bounds instead");
  }
  if (options.pin_data && !pins_values) {
    return Status::InvalidArgument(
        name + ": pin_data needs a source that keeps its entries");
  }
  return CheckTimestampSize(order_, options);
}

bool SourceIterator::Fail(const Status& error) {
  status_ = error;
  return false;
}

bool SourceIterator::BadKey(std::string_view why, Status::SubCode subcode) {
  return Fail(Status::InvalidArgument(std::string(source_->Name()) + ": key " +
                                          DescribeInternalKey(entry_.key) +
                                          " " + std::string(why),
                                      subcode));
}

bool SourceIterator::BadOrder(const Slice& last, bool forward) {
  if (order_.Compare(entry_.key, last) == 0) {
    return BadKey(forward ? "comes twice: Next moved from it to it"
                          : "comes twice: Prev moved from it to it",
                  Status::SubCode::kDuplicateKey);
  }
  return BadKey((forward ? "is out of order: Next moved to it from "
                         : "is out of order: Prev moved to it from ") +
                    DescribeInternalKey(last),
                Status::SubCode::kKeyOutOfOrder);
}

// Takes the result of a move of the source: checks the entry by itself, or asks
// why there is none. Returns whether there is an entry.
bool SourceIterator::Take(bool on_entry) {
  if (!on_entry) [[unlikely]] {
    status_ = source_->status();
    return false;
  }
  if (entry_.key.size() < order_.smallest_key()) [[unlikely]] {
    return BadKey(
        timestamp_size == 0
            ? "is shorter than its tail of 8 bytes"
            : "is shorter than its timestamp and its tail of 8 bytes");
  }
  const auto type = static_cast<uint8_t>(TypeOf(entry_.key));
  if (!IsDataBlockType(type)) [[unlikely]] {
    return BadKey(type == static_cast<uint8_t>(ValueType::kTypeRangeDeletion)
                      ? "is a range deletion, which a source must not have"
                      : "has an unknown type");
  }
  return true;
}

// Moves the source by one entry. Requires: it is at an entry.
bool SourceIterator::Step(bool forward) {
  Slice last = entry_.key;
  if (!pins_values) {
    last_.assign(last.data(), last.size());
    last = last_;
  }
  entry_ = {};
  if (!Take(forward ? source_->Next(&entry_) : source_->Prev(&entry_))) {
    return false;
  }
  const int order = order_.Compare(last, entry_.key);
  if (forward ? order < 0 : order > 0) [[likely]]
    return true;
  return BadOrder(last, forward);
}

bool SourceIterator::SeekSource(const Slice& internal_key) {
  entry_ = {};
  if (!Take(source_->Seek(internal_key, &entry_))) return false;
  if (order_.Compare(entry_.key, internal_key) >= 0) [[likely]]
    return true;
  return BadKey(
      "is before the target of Seek, " + DescribeInternalKey(internal_key),
      Status::SubCode::kKeyOutOfOrder);
}

// Moves to the last entry that is not after the key.
bool SourceIterator::LastUpTo(const Slice& internal_key) {
  bool on_entry = false;
  if (SeekSource(internal_key)) {
    if (order_.Compare(entry_.key, internal_key) == 0) return true;
    on_entry = Step(false);
  } else if (status_.ok()) {
    entry_ = {};
    on_entry = Take(source_->SeekToLast(&entry_));
  }
  while (on_entry && order_.Compare(entry_.key, internal_key) > 0) {
    on_entry = Step(false);
  }
  return on_entry;
}

bool SourceIterator::Hides(const Slice& key) const {
  if (versions_.Excludes(key)) return true;
  if (newest.empty()) return false;
  return order_.comparator()->CompareTimestamp(
             TimestampOf(UserKeyOf(key), timestamp_size), newest) > 0;
}

bool SourceIterator::PassForward(bool on_entry) {
  for (; on_entry; on_entry = Step(true)) {
    if (upper_ && order_.Compare(entry_.key, *upper_) >= 0) {
      at_upper_bound_ = true;
      return false;
    }
    if (skips_.IsOver()) return Fail(SkipCount::Error());
    if (!Hides(entry_.key)) return Show();
    skips_.Add();
  }
  return false;
}

bool SourceIterator::PassBackward(bool on_entry) {
  for (; on_entry; on_entry = Step(false)) {
    if (lower_ && order_.Compare(entry_.key, *lower_) < 0) return false;
    if (skips_.IsOver()) return Fail(SkipCount::Error());
    if (!Hides(entry_.key)) return Show();
    skips_.Add();
  }
  return false;
}

bool SourceIterator::Show() {
  shown = {entry_.key, entry_.value, pins_values};
  return true;
}

// Begins a walk. Returns false if the options are wrong.
bool SourceIterator::Begin() {
  if (!usable) return false;
  skips_.Begin();
  at_upper_bound_ = false;
  status_ = Status();
  return true;
}

bool SourceIterator::SeekToFirst() {
  if (!Begin()) return false;
  if (lower_) return PassForward(SeekSource(*lower_));
  entry_ = {};
  return PassForward(Take(source_->SeekToFirst(&entry_)));
}

bool SourceIterator::SeekToLast() {
  if (!Begin()) return false;
  if (upper_) return PassBackward(LastUpTo(*upper_));
  entry_ = {};
  return PassBackward(Take(source_->SeekToLast(&entry_)));
}

bool SourceIterator::Seek(const Slice& internal_key) {
  if (!Begin()) return false;
  const bool below = lower_ && order_.Compare(internal_key, *lower_) < 0;
  return PassForward(SeekSource(below ? Slice(*lower_) : internal_key));
}

bool SourceIterator::SeekForPrev(const Slice& internal_key) {
  if (!Begin()) return false;
  const bool above = upper_ && order_.Compare(internal_key, *upper_) > 0;
  return PassBackward(LastUpTo(above ? Slice(*upper_) : internal_key));
}

Status SourceIterator::PinValue(const Slice& bytes, PinnableSlice* value) {
  Cleanable pin;
  bool shared = false;
  Status asked = OrMemoryLimit([&] {
    shared = source_->ShareValue(&pin);
    return Status();
  });
  if (!asked.ok()) return asked;
  if (!shared) return PinCopy(bytes, value);
  value->Pin(bytes, std::move(pin));
  return {};
}

}  // namespace internal

Iterator NewSourceIterator(const Comparator* comparator,
                           std::unique_ptr<EntrySource> source,
                           const ReadOptions& options) {
  std::unique_ptr<Iterator::State> state;
  const Status made = internal::OrMemoryLimit([&] {
    state = std::make_unique<internal::SourceIterator>(
        comparator, std::move(source), options);
    return Status();
  });
  // An iterator without a state is one for which there was no memory.
  return Iterator(made.ok() ? std::move(state) : nullptr);
}

}  // namespace ashlar
