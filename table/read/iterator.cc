// The public Iterator: one move at a time of what is behind it.

#include "ashlar/table/iterator.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "table/format/seek_target.h"
#include "table/read/iterator_state.h"
#include "util/mem/buffer.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using namespace internal;

Iterator::Iterator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Iterator::Iterator(Iterator&& other) noexcept = default;
Iterator& Iterator::operator=(Iterator&& other) noexcept = default;
Iterator::~Iterator() = default;

namespace {

// Does a move, and returns its result. If memory runs out, the walk ends with
// that status, and a seek may begin it again.
template <typename Move>
bool MoveWithin(Iterator::State* s, const Move& move) {
  bool on_entry = false;
  const Status memory = OrMemoryLimit([&] {
    on_entry = move();
    return Status();
  });
  if (!memory.ok()) [[unlikely]]
    return s->Fail(memory);
  return on_entry;
}

}  // namespace

Status Iterator::status() const {
  if (state_ == nullptr) return Status::OutOfMemory();
  return state_->CurrentStatus();
}

void Iterator::Show(bool valid) {
  valid_ = valid;
  if (!valid) return;
  const State& s = *state_;
  is_value_prepared_ = !s.unprepared;
  if (s.shows_block) {
    key_ = s.block.key();
    value_ = s.block.value();
    return;
  }
  key_ = s.shown.key;
  value_ = s.shown.value;
  is_key_pinned_ = s.shown.key_is_pinned;
}

bool Iterator::IsValuePinned() const {
  assert(valid_);
  return state_->pins_values;
}

bool Iterator::PrepareValue() {
  assert(valid_);
  State& s = *state_;
  if (s.unprepared) Show(MoveWithin(&s, [&s] { return s.Prepare(); }));
  return valid_;
}

Status Iterator::PinValue(PinnableSlice* value) {
  assert(valid_);
  if (!PrepareValue()) return status();
  return state_->PinValue(value_, value);
}

void Iterator::SetValueKeeper(ValueKeeper keeper) {
  if (state_ != nullptr) state_->SetValueKeeper(std::move(keeper));
}

Status Iterator::KeepValue() {
  assert(valid_);
  if (!PrepareValue()) return status();
  State& s = *state_;
  if (!s.value_keeper) {
    return Status::InvalidArgument("KeepValue without a keeper");
  }
  Status kept = OrMemoryLimit([&s] { return s.KeepValue(); });
  Show(s.CurrentStatus().ok());
  return kept;
}

Status Iterator::State::KeepValue() {
  PinnableSlice pinned;
  Status status = PinValue(shown.value, &pinned);
  if (!status.ok()) return status;
  Cleanable pin;
  shown.value = pinned.DelegatePinTo(&pin);
  value_keeper(std::move(pin));
  return {};
}

Status Iterator::DelegatePinsTo(Cleanable* keeper) {
  if (state_ == nullptr) return Status::OutOfMemory();
  if (!state_->pins_values) {
    return Status::InvalidArgument("DelegatePinsTo needs pin_data");
  }
  Status moved = OrMemoryLimit([&] { return state_->DelegatePins(keeper); });
  if (moved.ok()) Show(false);
  return moved;
}

Status internal::PinCopy(const Slice& bytes, PinnableSlice* value) {
  std::unique_ptr<Buffer> copy;
  Status copied = OrMemoryLimit([&] {
    copy = std::make_unique<Buffer>();
    copy->Append(bytes);
    return Status();
  });
  if (!copied.ok()) return copied;
  const Slice own = copy->slice();
  Cleanable pin;
  pin.RegisterCleanup(
      [](void* buffer, void*) { delete static_cast<Buffer*>(buffer); },
      copy.release(), nullptr);
  value->Pin(own, std::move(pin));
  return {};
}

void Iterator::SeekToFirst() {
  if (state_ == nullptr) return;
  State& s = *state_;
  const HistogramTimer timer(s.counters, Histogram::kDbSeek);
  s.counters.CountSeek();
  Show(MoveWithin(&s, [&s] { return s.SeekToFirst(); }));
}

void Iterator::SeekToLast() {
  if (state_ == nullptr) return;
  State& s = *state_;
  const HistogramTimer timer(s.counters, Histogram::kDbSeek);
  s.counters.CountSeek();
  Show(MoveWithin(&s, [&s] { return s.SeekToLast(); }));
}

void Iterator::Seek(const Slice& user_key, SequenceNumber snapshot) {
  if (state_ == nullptr) return;
  State& s = *state_;
  HistogramTimer timer(s.counters, Histogram::kDbSeek);
  timer.Include(std::exchange(s.brought_on, {}));
  s.counters.CountSeek();
  Show(MoveWithin(&s, [&] {
    s.AimAt(user_key, snapshot);
    return s.Seek(s.seek_target);
  }));
}

Status Iterator::SetBounds(const Slice* lower, const Slice* upper) {
  if (state_ == nullptr) return Status::OutOfMemory();
  if (!state_->usable) return state_->CurrentStatus();
  Status set = OrMemoryLimit([&] { return state_->SetBounds(lower, upper); });
  if (set.ok()) Show(false);
  return set;
}

bool Iterator::AtUpperBound() const {
  return !valid_ && state_ != nullptr && state_->AtUpperBound();
}

void Iterator::State::AimAt(const Slice& user_key, SequenceNumber most) {
  seek_target.clear();
  if (!usable) return;
  // What the options hide of the key itself need not be passed over.
  AppendFirstTarget(user_key, newest, timestamp_size, std::min(most, snapshot),
                    &seek_target);
}

void Iterator::SeekForPrev(const Slice& user_key, SequenceNumber snapshot) {
  if (state_ == nullptr) return;
  State& s = *state_;
  const HistogramTimer timer(s.counters, Histogram::kDbSeek);
  s.counters.CountSeek();
  Show(MoveWithin(&s, [&] {
    s.seek_target.clear();
    AppendLastTarget(user_key, s.timestamp_size, snapshot, &s.seek_target);
    return s.SeekForPrev(s.seek_target);
  }));
}

bool Iterator::State::AimAtInternal(const Slice& internal_key) {
  seek_target.clear();
  if (!usable) return false;
  if (internal_key.size() < timestamp_size + kInternalKeyTailBytes) {
    return Fail(Status::InvalidArgument(
        "cannot seek an internal key of " +
        std::to_string(internal_key.size()) + " bytes, expected at least " +
        std::to_string(timestamp_size + kInternalKeyTailBytes)));
  }
  seek_target.assign(internal_key.data(), internal_key.size());
  return true;
}

void Iterator::SeekInternal(const Slice& internal_key) {
  if (state_ == nullptr) return;
  State& s = *state_;
  const HistogramTimer timer(s.counters, Histogram::kDbSeek);
  s.counters.CountSeek();
  Show(MoveWithin(&s, [&] {
    return s.AimAtInternal(internal_key) && s.Seek(s.seek_target);
  }));
}

void Iterator::SeekForPrevInternal(const Slice& internal_key) {
  if (state_ == nullptr) return;
  State& s = *state_;
  const HistogramTimer timer(s.counters, Histogram::kDbSeek);
  s.counters.CountSeek();
  Show(MoveWithin(&s, [&] {
    return s.AimAtInternal(internal_key) && s.SeekForPrev(s.seek_target);
  }));
}

// Most steps stay within a block, and so need no more than this.
void Iterator::Next() {
  assert(valid_);
  State& s = *state_;
  bool in_block = false;
  const bool on_entry = MoveWithin(&s, [&] {
    in_block = s.block.Next();
    return in_block || s.NextBlock();
  });
  if (!in_block) [[unlikely]]
    return Show(on_entry);
  key_ = s.block.key();
  value_ = s.block.value();
}

void Iterator::Prev() {
  assert(valid_);
  State& s = *state_;
  bool in_block = false;
  const bool on_entry = MoveWithin(&s, [&] {
    in_block = s.block.Prev();
    return in_block || s.PrevBlock();
  });
  if (!in_block) [[unlikely]]
    return Show(on_entry);
  key_ = s.block.key();
  value_ = s.block.value();
}

}  // namespace ashlar
