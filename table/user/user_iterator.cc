// UserIterator: how keys are found in the merged entries of all inputs.
//
// Parts. A MergingIterator (`entries_`) walks over the stored entries of all
// tables and memtables: all versions, none hidden. UserWalk decides by its
// table, below, what they mean. RangeCover says what range deletions hide, and
// ShownValue makes the value. Bounds, timestamps newer than the read's, and the
// filters of prefixes are left to the children of the MergingIterator.
//
// Where the walk is, between two calls:
//
//   place        direction  entries_ is                           the key is
//   -----------  ---------  ------------------------------------  ------------
//   kAtEntry     forward    at the entry that is shown            entries_'s
//   kAfterKey    forward    at or behind the value (or deletion)  a copy
//                           beneath the operands that were
//                           merged
//   kBeforeKey   backward   at the newest version of the key      a copy
//                           before, or at no entry
//
//   call                    moves                                 place after
//   ----------------------  ------------------------------------  ------------
//   Next from kAtEntry      entries_.Next                         kAtEntry,
//   Next from kAfterKey     nothing                               or kAfterKey
//   Next from kBeforeKey    Seek behind the versions of the key   if the next
//                                                                 key is merged
//   Prev from kAtEntry or   SeekForPrev in front of the versions  kBeforeKey
//     kAfterKey             of the key
//   Prev from kBeforeKey    nothing                               kBeforeKey
//
// So a turn is a seek of all inputs, as it is in a MergingIterator whose
// children have ended. It holds for a memtable that grows meanwhile, and for
// children that end with a prefix, without a further rule.
//
// What an entry means, in a walk forward (versions come newest first):
//
//   of the key that was shown or deleted    passed over
//   sequence number above the snapshot      passed over
//   a deletion, or under a range deletion   the key is not there: the rest of
//                                           its versions is passed over
//   a merge operand                         it and older ones are collected, up
//                                           to the first version that is none,
//                                           and merged: kAfterKey
//   any other                               shown where it is: kAtEntry
//
// And in a walk backward (versions come oldest first), for each version of the
// key before: one above the snapshot is passed over; a deletion, or one under a
// range deletion, forgets what was collected; a merge operand is added to it;
// any other replaces it. What is left in front of the newest version is shown.
//
// Many versions. After max_sequential_skip_in_iterations of one key the walk
// forward seeks behind them, or, if they are above the snapshot, to the first
// that is not. The walk backward then seeks the newest version that is seen,
// reads from there as a walk forward does, and seeks back in front of the key.
// Where keys have timestamps there is no such seek: versions are ordered by
// timestamp first, so the snapshot finds no place.
//
// Prefix. UserWalk compares the prefix of each key with that of the walk.
// Children of tables also end with a prefix by themselves, and ask their
// filters. They take it from the key of a seek, and the seeks of turns and of
// keys with many versions are not the user's. So before each seek UserWalk says
// whether its walk has a prefix (Iterator::State::EndWithPrefix). It has none
// after a seek to a key without, and none between SeekToFirst or SeekToLast and
// the first key that is shown. Where it has one, the keys of its own seeks have
// that one too.
//
// Cost. A key of one version takes a step of the MergingIterator, a copy of the
// key, one comparison with the next key, and two comparisons if there are range
// deletions. Backward the value is copied too.
//
// Rejected. Hiding by the children (VisibleEntries applies snapshot and range
// deletions of one table): a range deletion must hide entries of other inputs,
// and deletions must be seen to hide older versions. Fragments of all inputs
// merged in advance: an iterator that shows ten keys would pay for all range
// deletions. Passing over a deleted range by a seek of each older input, as
// RocksDB does: a MergingIterator does not know which of its children are
// older; so a scan over a deleted range reads what is there.
//
// Tests: test/table/user_iterator_property_test.cc against a list of all
// versions, user_iterator_test.cc, and test/interop/rocksdb_user_iterators.cc.

#include "ashlar/table/user_iterator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ashlar/table/merging_iterator.h"
#include "table/read/iterator_state.h"
#include "table/read/reader_internals.h"
#include "table/user/user_walk.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using internal::KeyOrder;
using internal::OpenedTable;
using internal::RangeCover;
using internal::UserWalk;

namespace {

const Comparator* ChooseComparator(const UserIteratorOptions& options,
                                   std::span<const UserIteratorTable> tables) {
  if (options.comparator != nullptr) return options.comparator;
  for (const UserIteratorTable& each : tables) {
    if (each.table != nullptr) return each.table->comparator();
  }
  return BytewiseComparator();
}

bool EndsWithPrefix(const ReadOptions& options) {
  return options.prefix_same_as_start && !options.total_order_seek;
}

// Returns null if no prefix is asked for, or none is known.
std::shared_ptr<const PrefixExtractor> ChoosePrefixes(
    const UserIteratorOptions& options, const ReadOptions& read_options,
    std::span<const UserIteratorTable> tables) {
  if (!EndsWithPrefix(read_options)) return nullptr;
  if (options.prefix_extractor != nullptr) return options.prefix_extractor;
  for (const UserIteratorTable& each : tables) {
    const OpenedTable& table = ReaderInternals::TableOf(*each.table);
    if (table.prefixes != nullptr) return table.prefixes;
  }
  return nullptr;
}

Status CheckTables(const Comparator& comparator,
                   std::span<const UserIteratorTable> tables) {
  for (const UserIteratorTable& each : tables) {
    if (each.table == nullptr) {
      return Status::InvalidArgument("a table of a UserIterator is null");
    }
    const OpenedTable& table = ReaderInternals::TableOf(*each.table);
    Status known = table.CheckOrderKnown("a UserIterator");
    if (!known.ok()) return known;
    if (each.table->comparator()->Name() != comparator.Name()) {
      return table.Named(Status::InvalidArgument(
          "the comparator of the table is " +
          std::string(each.table->comparator()->Name()) +
          ", that of the UserIterator " + std::string(comparator.Name())));
    }
    if (each.smallest.empty() != each.largest.empty() ||
        (!each.smallest.empty() &&
         std::min(each.smallest.size(), each.largest.size()) <
             kInternalKeyTailBytes + comparator.timestamp_size())) {
      return table.Named(Status::InvalidArgument(
          "the bounds of the table are no internal keys"));
    }
  }
  return {};
}

Status CheckOptions(const KeyOrder& order, const ReadOptions& options) {
  if (!options.iter_start_ts.empty() || options.iter_start_seqnum != 0) {
    return Status::NotSupported(
        "a UserIterator shows each key once, and so takes neither "
        "iter_start_ts nor iter_start_seqnum");
  }
  return internal::CheckTimestampSize(order, options);
}

}  // namespace

struct UserIterator::State {
  Status Open(const UserIteratorOptions& options,
              const ReadOptions& read_options,
              std::span<const UserIteratorTable> tables,
              std::vector<UserIteratorMemory> memory_in);
  Status AddMemory(const Comparator* comparator, const ReadOptions& options,
                   RangeCover* cover, std::vector<Iterator>* children);
  static void AddTables(const ReadOptions& options,
                        const PrefixExtractor* prefixes,
                        std::span<const UserIteratorTable> tables,
                        RangeCover* cover, std::vector<Iterator>* children,
                        std::vector<Iterator::State*>* by_prefix);

  std::vector<UserIteratorMemory> memory;
  Status unusable;  // an error that stays
  Status no_memory;
  std::optional<UserWalk> walk;
  size_t timestamp_size = 0;
};

Status UserIterator::State::AddMemory(const Comparator* comparator,
                                      const ReadOptions& options,
                                      RangeCover* cover,
                                      std::vector<Iterator>* children) {
  for (UserIteratorMemory& each : memory) {
    Status added = cover->Add(each.range_deletions);
    if (!added.ok()) return added;
    if (each.entries == nullptr) continue;
    children->push_back(
        NewSourceIterator(comparator, std::move(each.entries), options));
  }
  return {};
}

void UserIterator::State::AddTables(const ReadOptions& options,
                                    const PrefixExtractor* prefixes,
                                    std::span<const UserIteratorTable> tables,
                                    RangeCover* cover,
                                    std::vector<Iterator>* children,
                                    std::vector<Iterator::State*>* by_prefix) {
  for (const UserIteratorTable& each : tables) {
    const OpenedTable& table = ReaderInternals::TableOf(*each.table);
    ReadOptions of_table = options;
    of_table.prefix_same_as_start = prefixes != nullptr &&
                                    table.prefixes != nullptr &&
                                    table.prefixes->Name() == prefixes->Name();
    children->push_back(each.table->NewIterator(of_table));
    Iterator::State* const state = Iterator::State::Of(&children->back());
    if (of_table.prefix_same_as_start && state != nullptr) {
      by_prefix->push_back(state);
    }
    if (table.range_deletions != nullptr) {
      cover->Add(&table.range_deletions->fragments, each.smallest,
                 each.largest);
    }
  }
}

Status UserIterator::State::Open(const UserIteratorOptions& options,
                                 const ReadOptions& read_options,
                                 std::span<const UserIteratorTable> tables,
                                 std::vector<UserIteratorMemory> memory_in) {
  const Comparator* const comparator = ChooseComparator(options, tables);
  const KeyOrder order(comparator);
  timestamp_size = order.timestamp_size();
  Status status = CheckTables(*comparator, tables);
  if (status.ok()) status = CheckOptions(order, read_options);
  if (!status.ok()) return status;
  auto prefixes = ChoosePrefixes(options, read_options, tables);
  if (EndsWithPrefix(read_options) && prefixes == nullptr) {
    return Status::InvalidArgument(
        "prefix_same_as_start: no prefix extractor is known");
  }
  memory = std::move(memory_in);
  ReadOptions all = read_options;
  all.snapshot = kMaxSequenceNumber;
  all.ignore_range_deletions = true;
  all.max_skippable_internal_keys = 0;
  all.allow_unprepared_value = false;
  all.prefix_same_as_start = false;
  auto cover = std::make_unique<RangeCover>(order, read_options);
  std::vector<Iterator> children;
  status = AddMemory(comparator, all, cover.get(), &children);
  if (!status.ok()) return status;
  std::vector<Iterator::State*> by_prefix;
  AddTables(all, prefixes.get(), tables, cover.get(), &children, &by_prefix);
  for (const Iterator& child : children) {
    status = child.status();
    if (!status.ok()) return status;
  }
  if (read_options.ignore_range_deletions) {
    cover = std::make_unique<RangeCover>(order, read_options);
  }
  walk.emplace(order, options, read_options,
               MergingIterator(comparator, std::move(children)),
               std::move(cover), std::move(prefixes), std::move(by_prefix));
  return {};
}

// If there is no memory for a state, state_ stays null, and the status says so.
UserIterator::UserIterator(const UserIteratorOptions& options,
                           const ReadOptions& read_options,
                           std::span<const UserIteratorTable> tables,
                           std::vector<UserIteratorMemory> memory) {
  internal::OrMemoryLimit([&] {
    state_ = std::make_unique<State>();
    state_->unusable = internal::OrMemoryLimit([&] {
      return state_->Open(options, read_options, tables, std::move(memory));
    });
    return Status();
  }).IgnoreError();
}
UserIterator::UserIterator(UserIterator&& other) noexcept = default;
UserIterator& UserIterator::operator=(UserIterator&& other) noexcept = default;
UserIterator::~UserIterator() = default;

Status UserIterator::status() const {
  if (state_ == nullptr) return Status::OutOfMemory();
  if (!state_->unusable.ok()) return state_->unusable;
  return state_->walk->status();
}

template <typename Move>
void UserIterator::MoveBy(const Move& move) {
  valid_ = false;
  if (state_ == nullptr || !state_->unusable.ok()) return;
  UserWalk& walk = *state_->walk;
  Status memory = internal::OrMemoryLimit([&] {
    valid_ = move(&walk);
    return Status();
  });
  if (!memory.ok()) walk.Fail(std::move(memory));
  if (!valid_) return;
  const Slice user_key = walk.user_key();
  key_ = WithoutTimestamp(user_key, state_->timestamp_size);
  timestamp_ = TimestampOf(user_key, state_->timestamp_size);
  value_ = walk.value().value();
}

void UserIterator::SeekToFirst() {
  MoveBy([](UserWalk* walk) { return walk->SeekToFirst(); });
}

void UserIterator::SeekToLast() {
  MoveBy([](UserWalk* walk) { return walk->SeekToLast(); });
}

void UserIterator::Seek(const Slice& user_key) {
  MoveBy([&](UserWalk* walk) { return walk->Seek(user_key); });
}

void UserIterator::SeekForPrev(const Slice& user_key) {
  MoveBy([&](UserWalk* walk) { return walk->SeekForPrev(user_key); });
}

void UserIterator::Next() {
  assert(valid_);
  MoveBy([](UserWalk* walk) { return walk->Next(); });
}

void UserIterator::Prev() {
  assert(valid_);
  MoveBy([](UserWalk* walk) { return walk->Prev(); });
}

std::span<const WideColumn> UserIterator::columns() const {
  assert(valid_);
  return state_->walk->value().columns();
}

bool UserIterator::is_blob_index() const {
  assert(valid_);
  return state_->walk->value().is_blob_index();
}

SequenceNumber UserIterator::sequence() const {
  assert(valid_);
  return state_->walk->sequence();
}

ValueType UserIterator::type() const {
  assert(valid_);
  return state_->walk->type();
}

bool UserIterator::IsKeyPinned() const {
  assert(valid_);
  return state_->walk->IsKeyPinned();
}

bool UserIterator::IsValuePinned() const {
  assert(valid_);
  return state_->walk->IsValuePinned();
}

Status UserIterator::PinValue(PinnableSlice* value) {
  assert(valid_);
  return state_->walk->PinValue(value);
}

}  // namespace ashlar
