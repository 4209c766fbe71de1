#include "table/read/table_iterator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "util/mem/memory_limit.h"
#include "util/mem/thread_spare.h"

namespace ashlar::internal {

namespace {

// What a thread keeps of its last iterator: the memory for keys, and that of
// the object itself.
struct KeyMemory {
  Buffer key;
  std::string seek_target;
};
using SpareKeyMemory = ThreadSpare<KeyMemory, TableIterator>;

struct FreeMemory {
  void operator()(void* memory) const { ::operator delete(memory); }
};
using ObjectMemory = std::unique_ptr<void, FreeMemory>;
using SpareObjectMemory = ThreadSpare<ObjectMemory, TableIterator>;

}  // namespace

// The class is final, so each object has the same size.
void* TableIterator::operator new(size_t size) {
  ObjectMemory memory = SpareObjectMemory::Take();
  return memory != nullptr ? memory.release() : ::operator new(size);
}

void TableIterator::operator delete(void* memory, size_t /*size*/) {
  SpareObjectMemory::Keep(ObjectMemory(memory));
}

TableIterator::TableIterator(const OpenedTable* opened,
                             const ReadOptions& read_options)
    : State(opened->order, read_options, opened->counters,
            {.shows_block = true, .pins_values = read_options.pin_data}),
      table(opened),
      options(read_options),
      limiting(LimitScope::Limiting(options)),
      window(opened->file.get(), read_options.readahead_size,
             read_options.async_io, opened->counters, opened->readahead),
      passing_charge(opened->charges.iterators.Sibling()),
      kept_charge(opened->charges.iterators.Sibling()),
      ahead(&opened->data.cache()),
      at(&opened->index),
      bounds(*opened, read_options.iterate_lower_bound,
             read_options.iterate_upper_bound),
      // A read at a timestamp may leave out the first entry, and what follows
      // references to blobs needs the value at once.
      defers(read_options.allow_unprepared_value &&
             read_options.timestamp.empty() && opened->order.known() &&
             opened->blobs == nullptr),
      status(opened->Named(opened->CheckRead(read_options))) {
  usable = status.ok();
  KeyMemory memory = SpareKeyMemory::Take();
  block.GiveKeyMemory(std::move(memory.key));
  seek_target = std::move(memory.seek_target);
  window.AskFirst(opened->source.gate());
  window.ChargeTo(opened->charges.read_ahead.Sibling());
  WorkerPool* const pool = read_options.worker_pool;
  // To read uncompressed blocks takes a core less time than to get them from
  // another core, unless the reads wait for a device.
  const bool is_worth_it = !opened->source.AllRaw() || read_options.async_io;
  if (pool != nullptr && pool->threads() != 0 && is_worth_it &&
      !LimitScope::LimitsReads(read_options)) {
    decoder = std::make_unique<DecodeAhead>(
        DecodeAhead::Walk{&opened->index, &opened->data, opened->file.get(),
                          &options},
        pool->state(), opened->charges.read_ahead.Sibling());
  }
}

TableIterator::~TableIterator() {
  HandOver();
  // The thread must not keep the memory of one huge key for ever.
  constexpr size_t kMostKept = size_t{64} << 10;
  KeyMemory memory = {block.TakeKeyMemory(), std::move(seek_target)};
  if (memory.key.capacity() + memory.seek_target.capacity() <= kMostKept) {
    SpareKeyMemory::Keep(std::move(memory));
  }
}

bool TableIterator::Fail(const Status& error) {
  status = table->Named(error);
  // A walk must not go on in a damaged block.
  LetGo();
  return false;
}

void TableIterator::LetGo() {
  HandOver();
  at_upper_bound = false;
  unprepared = false;
  shows_block = true;
  block.Clear();
  passing.Clear();
  loaded = &passing;
  ahead.Clear();
  if (decoder != nullptr) decoder->Clear();
  has_block = false;
}

// Handles the result of a move within the block: returns on_entry, or takes
// over the block's error.
bool TableIterator::PassOn(bool on_entry) {
  if (!on_entry && !block.status().ok()) return Fail(block.status());
  return on_entry;
}

// Keeps the window from reading ahead over the bounds, as far as this part of
// the index shows where they are.
void TableIterator::LimitWindow() {
  const ParsedIndex* const part = at.note().part;
  if (part == limited_in) return;
  limited_in = part;
  const size_t size = part->size();
  const size_t first = bounds.lower() ? part->Find(*bounds.lower()) : size;
  const size_t last = bounds.upper() ? part->Find(*bounds.upper()) : size;
  // The lower bound may also be in a part before this one, if it is not after
  // the first block here.
  const bool begins_here = first != 0 && first != size;
  window.LimitTo(begins_here ? part->handle(first).offset : 0,
                 last != size ? part->handle(last).End() : ~uint64_t{0});
}

// Loads the block into *loaded.
Status TableIterator::TakeBlock(const BlockPlace& place) {
  const bool was_ahead = ahead.Take(place, loaded) ||
                         (decoder != nullptr && decoder->Take(place, loaded));
  if (!was_ahead) {
    table->data.Fetch(at.note());
    if (bounds.any()) LimitWindow();
    Status loading = table->data.LoadForWalk(
        place, options, {&window, &workspace}, loaded, at.note());
    if (!loading.ok()) return loading;
    if (decoder != nullptr) decoder->NoteLoaded(loaded->was_found());
  }
  return table->RestoreData(place, newest, loaded);
}

// Does the same for a block that is kept: finds it there, or adds it.
Status TableIterator::TakeKeptBlock(const BlockPlace& place) {
  const auto added = kept.try_emplace({place.handle.offset, place.handle.size});
  const auto found = added.first;
  loaded = &found->second;
  if (!added.second) return {};
  // A block that could not be loaded is not kept.
  Status loading = OrMemoryLimit([&] {
    Status taken = TakeBlock(place);
    if (taken.ok()) taken = loaded->MakeOwn(place);
    // A node of the map is about twice as large as what is in it.
    return taken.ok() ? kept_charge.Add(2 * sizeof *found + loaded->own_room())
                      : taken;
  });
  if (loading.ok()) return {};
  loaded = &passing;
  kept.erase(found);
  return loading;
}

// The size of a block is known only when it is there. Its charge is taken
// before the walk uses it.
Status TableIterator::ChargePassing() {
  return passing_charge.Cover(
      RoundUpCharge(passing.own_room() + workspace.stored.room()));
}

// Returns whether the walk may show the first key of the cursor's block, from
// the index. The walk wants the first entry at or after the internal key.
// Requires: defers.
bool TableIterator::TakesKeyFromIndex(const Slice& internal_key) const {
  if (has_block && block_offset == at.handle().offset) return false;
  const Slice first_key = at.first_key();
  return !first_key.empty() &&
         IsDataBlockType(static_cast<uint8_t>(TypeOf(first_key))) &&
         !bounds.ExcludeAsLarger(first_key) &&
         (internal_key.empty() ||
          table->order.Compare(internal_key, first_key) <= 0);
}

bool TableIterator::ShowFirstKey() {
  LetGo();
  unprepared = true;
  shows_block = false;
  shown = {at.first_key(), Slice()};
  return true;
}

bool TableIterator::Prepare() {
  const LimitScope limits(limiting);
  unprepared = false;
  shows_block = true;
  if (!LoadBlock()) return false;
  if (PassOn(block.SeekToFirst())) {
    if (!CheckBlockBegin()) return false;
    if (block.key() == at.first_key()) return true;
  }
  return status.ok() && Fail(block.place().Corruption(
                            "first key differs from that in the index",
                            "expected " + DescribeInternalKey(at.first_key())));
}

bool TableIterator::LoadBlock() {
  if (has_block && block_offset == at.handle().offset) return true;
  has_block = false;
  HandOver();
  const BlockPlace place = at.place();
  Status loading = options.pin_data ? TakeKeptBlock(place) : TakeBlock(place);
  if (loading.ok() && passing_charge.any()) [[unlikely]]
    loading = ChargePassing();
  if (!loading.ok()) return Fail(loading);
  if (table->order.known()) loaded->CheckOnce(table->order, place, &block);
  block.Reset(loaded->view(), place);
  if (!bounds.Narrow(at, &block, &cut_above)) return PassOn(false);
  block_offset = place.handle.offset;
  has_block = true;
  return true;
}

bool TableIterator::BadSeparator() {
  return Fail(
      block.place().Corruption("key on the wrong side of its index separator",
                               DescribeInternalKey(block.key())));
}

// Checks the key of the block iterator, the first of its block. It must be
// after the separator of the block before, and be the first key in the index if
// that has first keys.
bool TableIterator::CheckBlockBegin() {
  if (table->order.known() && at.CompareSeparatorBefore(block.key()) >= 0) {
    return BadSeparator();
  }
  const Slice first_key = at.first_key();
  // A read at a timestamp may have left out the entry with that key.
  if (first_key.empty() || !newest.empty() ||
      table->order.CompareUserKeys(UserKeyOf(first_key),
                                   UserKeyOf(block.key())) == 0) {
    return true;
  }
  return Fail(block.place().Corruption(
      "first key differs from that in the index",
      "expected " + DescribeInternalKey(first_key) + ", found " +
          DescribeInternalKey(block.key())));
}

// Checks the last key of a block: it must not be after the block's separator.
bool TableIterator::CheckBlockEnd() {
  return !table->order.known() || at.CompareSeparator(block.key()) >= 0 ||
         BadSeparator();
}

// Ends the walk: after the last block, before the first, or where the index is
// damaged.
bool TableIterator::AtEnd() {
  if (!at.status().ok()) return Fail(at.status());
  LetGo();
  return false;
}

// Ends a walk forward, where what follows is known to be outside.
bool TableIterator::AtEndByBound() {
  LetGo();
  at_upper_bound = true;
  return false;
}

// Prefetches a block that another core has written.
void TableIterator::FetchFromOtherCore(const BlockView& next, bool forward) {
  if (!forward) return block.FetchAlong(next, forward);
  constexpr size_t kLine = 64;
  constexpr size_t kMost = 4096;
  const size_t size = std::min<size_t>(next.entries_size, kMost);
  for (size_t i = 0; i < size; i += kLine) {
    __builtin_prefetch(next.entries + i);
  }
}

// Prepares the walk's next block. To be called when it has come to a block.
void TableIterator::LookOn(bool forward) {
  if (decoder != nullptr &&
      decoder->LookOn(at, forward, [this, forward](const IndexCursor& scout) {
        return forward ? bounds.EndBefore(scout) : bounds.BeginBehind(scout);
      })) {
    ahead.Clear();
    const BlockView* const next = decoder->next();
    if (next != nullptr) FetchFromOtherCore(*next, forward);
    return;
  }
  ahead.LookOn(at, forward);
  const BlockView* const next = ahead.next();
  if (next != nullptr) block.FetchAlong(*next, forward);
}

// Moves to the first entry of the cursor's block, or of the first block after
// it that has any.
bool TableIterator::FirstFrom(bool on_block) {
  for (; on_block; on_block = at.Next()) {
    if (bounds.EndBefore(at)) return AtEndByBound();
    if (defers && TakesKeyFromIndex(Slice())) return ShowFirstKey();
    if (!LoadBlock()) return false;
    LookOn(true);
    if (PassOn(block.SeekToFirst())) return CheckBlockBegin();
    if (!status.ok()) return false;
    if (cut_above) return AtEndByBound();
  }
  return AtEnd();
}

bool TableIterator::LastFrom(bool on_block) {
  for (; on_block && !bounds.BeginBehind(at); on_block = at.Prev()) {
    if (!LoadBlock()) return false;
    LookOn(false);
    if (PassOn(block.SeekToLast())) return CheckBlockEnd();
    if (!status.ok()) return false;
  }
  return AtEnd();
}

// Begins a walk. Returns false if it has nothing to walk over.
bool TableIterator::BeginWalk(Direction direction) {
  at_upper_bound = false;
  is_sought = false;
  sought_failed = false;
  if (!usable) return false;
  status = Status();
  ahead.Clear();
  if (unprepared) [[unlikely]]
    LetGo();
  if (decoder != nullptr) decoder->Clear();
  if (!bounds.exclude_all()) return true;
  return direction == Direction::kForward ? AtEndByBound() : AtEnd();
}

bool TableIterator::SeekToFirst() {
  const LimitScope limits(limiting);
  if (!BeginWalk(Direction::kForward)) return false;
  return bounds.lower() ? SeekInside(*bounds.lower())
                        : FirstFrom(at.SeekToFirst());
}

bool TableIterator::SeekToLast() {
  const LimitScope limits(limiting);
  if (!BeginWalk(Direction::kBackward)) return false;
  if (bounds.upper()) {
    const bool on_block = at.Seek(*bounds.upper());
    if (on_block || !at.status().ok()) return LastFrom(on_block);
  }
  return LastFrom(at.SeekToLast());
}

// Returns whether keys can be sought.
bool TableIterator::CheckSeek() {
  if (!usable) return false;
  Status known = table->CheckOrderKnown("a seek");
  return known.ok() || Fail(known);
}

bool TableIterator::SeekInBlock(const Slice& internal_key) {
  // Readers of one file may have different comparators of the same name.
  if (!table->order.IsOfBytes()) return block.Seek(internal_key);
  const EntryWords words = loaded->Words(table->order);
  return words.any() ? block.Seek(internal_key, words)
                     : block.Seek(internal_key);
}

// Moves to the first entry at or after a key that is not below the lower bound.
// `sought` says that `at` is at its block already.
bool TableIterator::SeekInside(const Slice& internal_key, bool sought) {
  if (!sought && !at.Seek(internal_key)) return AtEnd();
  if (bounds.EndBefore(at)) return AtEndByBound();
  if (defers && TakesKeyFromIndex(internal_key)) return ShowFirstKey();
  if (!LoadBlock()) return false;
  if (PassOn(SeekInBlock(internal_key))) return true;
  if (!status.ok()) return false;
  if (cut_above) return AtEndByBound();
  // The block ends before the key, although its separator does not.
  return FirstFrom(at.Next());
}

bool TableIterator::Seek(const Slice& internal_key) {
  const LimitScope limits(limiting);
  const bool sought = is_sought;
  if (std::exchange(sought_failed, false)) return false;
  if (!CheckSeek() || !BeginWalk(Direction::kForward)) return false;
  if (bounds.ExcludeAsLarger(internal_key)) return AtEndByBound();
  return SeekInside(bounds.ExcludeAsSmaller(internal_key)
                        ? Slice(*bounds.lower())
                        : internal_key,
                    sought);
}

// Finds the block of seek_target in the index. Returns false if the Seek is to
// do that itself, because it may end before, or has limits or help.
bool TableIterator::FindSought() {
  if (!usable || limiting != nullptr || decoder != nullptr || defers ||
      bounds.any() || !table->order.known()) {
    return false;
  }
  if (at.Seek(seek_target)) return true;
  if (!at.status().ok()) sought_failed = !Fail(at.status());
  return false;
}

void TableIterator::BringOn(SeekPart part) {
  if (part == SeekPart::kIndex) {
    sought_failed = false;
    is_sought = FindSought();
  }
  if (!is_sought) return;
  switch (part) {
    case SeekPart::kIndex:
      return;
    case SeekPart::kSlot:
      return table->data.Fetch(at.note());
    case SeekPart::kBlock:
      if (unprepared) [[unlikely]]
        LetGo();
      ahead.Clear();
      is_sought = LoadBlock();
      sought_failed = !is_sought;
      return;
    case SeekPart::kEntry:
      if (table->order.IsOfBytes()) {
        loaded->MadeWords().Fetch(loaded->view(), table->order,
                                  UserKeyOf(seek_target));
      }
      return;
  }
}

bool TableIterator::SeekForPrev(const Slice& internal_key) {
  const LimitScope limits(limiting);
  if (!CheckSeek() || !BeginWalk(Direction::kBackward)) return false;
  if (bounds.ExcludeAsSmaller(internal_key)) return AtEnd();
  if (bounds.ExcludeAsLarger(internal_key) || !SeekInside(internal_key)) {
    return status.ok() && SeekToLast();
  }
  if (table->order.Compare(key(), internal_key) == 0) return true;
  if (PassOn(block.Prev())) return true;
  return status.ok() && PrevBlock();
}

bool TableIterator::PassBlock(uint64_t* entries, BlobWorkspace* blobs) {
  if (!LoadBlock()) return false;
  if (!PassOn(block.SeekToFirst())) return status.ok();
  if (!CheckBlockBegin()) return false;
  do {
    if (blobs != nullptr) [[unlikely]] {
      Status resolved = table->blobs->Resolve(
          block.key(), block.value(), options, &blobs->window, &blobs->value);
      if (!resolved.ok()) return Fail(resolved);
    }
    ++*entries;
  } while (block.Next());
  PassOn(false);
  return status.ok() && CheckBlockEnd();
}

// Moves on after the block's last entry, where `block` is no longer valid but
// still has that entry's key; or takes over the damage that the block met.
bool TableIterator::NextBlock() {
  const LimitScope limits(limiting);
  if (unprepared) {
    if (!Prepare()) return false;
    if (block.Next()) return true;
  }
  if (!PassOn(false) && !status.ok()) return false;
  if (!CheckBlockEnd()) return false;
  return cut_above ? AtEndByBound() : FirstFrom(at.Next());
}

Status TableIterator::SetBounds(const Slice* lower, const Slice* upper) {
  if (lower != nullptr || upper != nullptr) {
    Status known = table->CheckOrderKnown("a bound");
    if (!known.ok()) return table->Named(known);
  }
  bounds = WalkBounds(*table, lower, upper);
  // The block was narrowed by the bounds that were, and so was the window.
  LetGo();
  is_sought = false;
  sought_failed = false;
  limited_in = nullptr;
  window.LimitTo(0, ~uint64_t{0});
  status = Status();
  return {};
}

bool TableIterator::PrevBlock() {
  const LimitScope limits(limiting);
  if (unprepared) {
    LetGo();
    return LastFrom(at.Prev());
  }
  if (!PassOn(false) && !status.ok()) return false;
  if (block.begins_late()) return AtEnd();
  return CheckBlockBegin() && LastFrom(at.Prev());
}

Status TableIterator::PinValue(const Slice& bytes, PinnableSlice* value) {
  if (!loaded->HasOwnBytes()) return PinCopy(bytes, value);
  Cleanable pin;
  Status shared = OrMemoryLimit([&] {
    loaded->Share(&pin);
    return Status();
  });
  if (!shared.ok()) return shared;
  value->Pin(bytes, std::move(pin));
  return {};
}

// Needs no memory: KeepValue has made the block one that is shared.
void TableIterator::PassToKeeper() {
  is_to_keep = false;
  Cleanable pin;
  loaded->Share(&pin);
  value_keeper(std::move(pin));
}

void TableIterator::SetValueKeeper(ValueKeeper keeper) {
  HandOver();
  value_keeper = std::move(keeper);
}

// Makes the bytes of the block its own, and goes back to the entry.
Status TableIterator::OwnBlock() {
  const std::string key = block.key().ToString();
  const BlockPlace place = at.place();
  Status owned = loaded->MakeOwn(place);
  if (!owned.ok()) return owned;
  // Callers hold the key until they move. The walk would move its memory, if
  // the block begins with longer keys.
  shown_key = block.TakeKeyMemory();
  // From here on the iterator is at its entry again, or at none.
  Status found = OrMemoryLimit([&]() -> Status {
    block.Reset(loaded->view(), place);
    bool on_entry =
        bounds.Narrow(at, &block, &cut_above) && block.SeekToFirst();
    // Not by a search, for which the order of keys would have to be known.
    while (on_entry && block.key() != Slice(key)) on_entry = block.Next();
    if (on_entry) return {};
    if (!block.status().ok()) return block.status();
    return place.Corruption("entry not found again", DescribeInternalKey(key));
  });
  if (!found.ok()) Fail(found);
  return CurrentStatus();
}

Status TableIterator::KeepValue() {
  if (is_to_keep) return {};
  if (!loaded->HasOwnBytes()) {
    Status owned = OwnBlock();
    if (!owned.ok()) return owned;
  }
  loaded->MakeShared();
  is_to_keep = true;
  return {};
}

Status TableIterator::DelegatePins(Cleanable* keeper) {
  if (kept.empty()) return {};
  auto blocks = std::make_unique<KeptBlocks>();
  keeper->RegisterCleanup(
      [](void* held, void*) { delete static_cast<KeptBlocks*>(held); },
      blocks.get(), nullptr);
  KeptBlocks* const moved = blocks.release();
  LetGo();
  moved->swap(kept);
  kept_charge.Clear();
  return {};
}

}  // namespace ashlar::internal
