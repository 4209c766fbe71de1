#include "table/read/resolved_entries.h"

#include <functional>
#include <utility>

#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

// A walk does not keep the memory of a larger blob for the next one.
constexpr uint64_t kMostReused = uint64_t{1} << 20;

}  // namespace

ResolvedEntries::ResolvedEntries(const OpenedTable* table,
                                 const ReadOptions& options,
                                 std::unique_ptr<Iterator::State> stored)
    : State(table->order, options, table->counters,
            {.shows_block = false, .pins_values = options.pin_data}),
      table_(*table),
      options_(options),
      stored_(std::move(stored)),
      window_(table->file.get(), options.readahead_size, options.async_io,
              table->counters, table->readahead),
      charge_(table->charges.iterators.Sibling()) {
  usable = stored_->usable;
  window_.ChargeTo(table->charges.read_ahead.Sibling());
  window_.AskFirst(table->source.gate());
}

Slice ResolvedEntries::TargetWithType(const Slice& internal_key, uint8_t type) {
  target_.assign(internal_key.data(), internal_key.size());
  target_[internal_key.size() - kInternalKeyTailBytes] =
      static_cast<char>(type);
  return target_;
}

// An entry is stored with another type than it is shown with. So both seeks
// take all entries of the sequence number, and pass over those that are shown
// on the other side of the key.
bool ResolvedEntries::Seek(const Slice& internal_key) {
  if (!usable) return false;  // then there is no target
  bool on_entry = Show(stored_->Seek(TargetWithType(internal_key, 0xff)));
  while (on_entry && table_.order.Compare(shown.key, internal_key) < 0) {
    on_entry = NextBlock();
  }
  return on_entry;
}

bool ResolvedEntries::SeekForPrev(const Slice& internal_key) {
  if (!usable) return false;
  bool on_entry = Show(stored_->SeekForPrev(TargetWithType(internal_key, 0)));
  while (on_entry && table_.order.Compare(shown.key, internal_key) > 0) {
    on_entry = PrevBlock();
  }
  return on_entry;
}

void ResolvedEntries::ShowStored() {
  shown = stored_->shows_block
              ? Entry{stored_->block.key(), stored_->block.value()}
              : stored_->shown;
}

bool ResolvedEntries::Show(bool on_entry) {
  shows_resolved_ = false;
  if (!on_entry) return false;
  ShowStored();
  if (!EmbeddedBlobs::MayRefer(TypeOf(shown.key))) return true;
  const Status status = options_.pin_data ? ResolveOnce() : Resolve();
  if (!status.ok()) return Fail(status);
  if (!resolved_->value.followed()) return true;
  shows_resolved_ = true;
  shown = {resolved_->key, resolved_->value.value(), options_.pin_data};
  return true;
}

// Makes *resolved_ the current entry. Shown values must not change while
// pinned ones share them.
Status ResolvedEntries::Resolve() {
  if (resolved_ == nullptr || is_shared_ || options_.pin_data ||
      resolved_->value.room() > kMostReused) {
    resolved_ = std::make_shared<Resolved>();
    is_shared_ = false;
  }
  ResolvedValue& value = resolved_->value;
  Status status =
      table_.blobs->Resolve(shown.key, shown.value, options_,
                            options_.pin_data ? nullptr : &window_, &value);
  if (!status.ok() || !value.followed()) return status;
  resolved_->key.assign(shown.key.data(), shown.key.size());
  resolved_->key[shown.key.size() - kInternalKeyTailBytes] =
      static_cast<char>(value.type());
  return Charge();
}

// With pin_data: what a walk comes to again is there already.
Status ResolvedEntries::ResolveOnce() {
  const auto found = kept_.find(shown.key.ToStringView());
  if (found != kept_.end()) {
    resolved_ = found->second;
    return {};
  }
  Status status = Resolve();
  if (!status.ok() || !resolved_->value.followed()) return status;
  kept_.emplace(shown.key.ToString(), resolved_);
  kept_bytes_ += resolved_->value.room() + 2 * shown.key.size();
  return {};
}

Status ResolvedEntries::Charge() {
  if (!charge_.any()) [[likely]]
    return {};
  return charge_.Cover(RoundUpCharge(kept_bytes_ + resolved_->value.room()));
}

Status ResolvedEntries::PinValue(const Slice& bytes, PinnableSlice* value) {
  if (!shows_resolved_) return stored_->PinValue(bytes, value);
  if (!resolved_->value.owns()) return PinCopy(bytes, value);
  return OrMemoryLimit([&] {
    using Share = std::shared_ptr<Resolved>;
    auto share = std::make_unique<Share>(resolved_);
    Cleanable pin;
    pin.RegisterCleanup(
        [](void* held, void*) { delete static_cast<Share*>(held); },
        share.release(), nullptr);
    is_shared_ = true;
    value->Pin(bytes, std::move(pin));
    return Status();
  });
}

Status ResolvedEntries::KeepValue() {
  if (shows_resolved_) return State::KeepValue();
  Status kept = stored_->KeepValue();
  if (stored_->CurrentStatus().ok()) ShowStored();
  return kept;
}

Status ResolvedEntries::DelegatePins(Cleanable* keeper) {
  // What may fail comes first. Until the end the keeper's map is empty.
  auto entries = std::make_unique<KeptEntries>();
  KeptEntries* const delegated = entries.get();
  keeper->RegisterCleanup(
      [](void* held, void*) { delete static_cast<KeptEntries*>(held); },
      delegated, nullptr);
  static_cast<void>(entries.release());
  Status status = stored_->DelegatePins(keeper);
  if (!status.ok()) return status;
  shows_resolved_ = false;
  resolved_.reset();
  delegated->swap(kept_);
  kept_bytes_ = 0;
  charge_.Clear();
  return {};
}

}  // namespace ashlar::internal
