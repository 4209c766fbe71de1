// MergingIterator: the children, the moves of a walk, and its turns. The tree
// (read/merge_tree.h) says which child is next.

#include "ashlar/table/merging_iterator.h"

#include <chrono>
#include <utility>

#include "table/read/iterator_state.h"
#include "table/read/merge_tree.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

// During this scope the seeks of a child go on with its walk.
class SameWalk {
 public:
  explicit SameWalk(Iterator* child) : state_(Iterator::State::Of(child)) {
    if (state_ != nullptr) state_->KeepPrefix(true);
  }
  SameWalk(const SameWalk&) = delete;
  SameWalk& operator=(const SameWalk&) = delete;
  ~SameWalk() {
    if (state_ != nullptr) state_->KeepPrefix(false);
  }

 private:
  Iterator::State* const state_;
};

}  // namespace

struct MergingIterator::State {
  State(const Comparator* comparator, std::vector<Iterator> of)
      : timestamp_size(comparator->timestamp_size()),
        tree(comparator, std::move(of)),
        children(tree.children()) {}

  void Begin(bool forward) {
    tree.TurnTo(forward);
    status = Status();
  }
  bool forward() const { return tree.forward(); }
  // Returns a copy. What a seek is given may point into the current entry,
  // which goes when its child moves, before the others have sought.
  Slice KeepTarget(const Slice& user_key) {
    target.assign(user_key.data(), user_key.size());
    return target;
  }
  void BringOn(const Slice& user_key, SequenceNumber snapshot);
  bool Build();
  bool Step();
  bool TurnTo(bool to_forward);
  bool Failed(size_t child);

  const size_t timestamp_size;
  internal::MergeTree tree;
  std::vector<Iterator>& children;
  std::string target;  // kept for its memory
  Status status;

  size_t winner() const { return tree.winner(); }

 private:
  void TurnChild(size_t i, const Slice& user_key);
};

bool MergingIterator::State::Failed(size_t child) {
  if (children[child].Valid()) return false;
  Status found = children[child].status();
  if (found.ok()) return false;
  status = std::move(found);
  return true;
}

// Does part by part of the seeks of all children, so that their waits for
// memory overlap. What memory does not suffice for, the seeks do alone.
void MergingIterator::State::BringOn(const Slice& user_key,
                                     SequenceNumber snapshot) {
  using Child = Iterator::State;
  using enum Child::SeekPart;
  using Clock = std::chrono::steady_clock;
  constexpr size_t kFewest = 3;
  if (children.size() < kFewest) return;
  bool is_timed = false;
  for (const Iterator& child : children) {
    const Child* const state = Child::Of(child);
    is_timed = is_timed ||
               (state != nullptr &&
                state->counters.MeasuresAt(StatsLevel::kExceptDetailedTimers));
  }
  const Clock::time_point begin = is_timed ? Clock::now() : Clock::time_point();
  internal::OrMemoryLimit([&] {
    for (Iterator& child : children) {
      if (Child* const state = Child::Of(&child)) {
        state->AimAt(user_key, snapshot);
        state->BringOn(kIndex);
      }
    }
    for (const auto part : {kSlot, kBlock, kEntry}) {
      for (Iterator& child : children) {
        if (Child* const state = Child::Of(&child)) state->BringOn(part);
      }
    }
    return Status();
  }).IgnoreError();
  if (!is_timed) return;
  // Each seek counts with an equal share of it.
  const auto share =
      (Clock::now() - begin) / static_cast<int64_t>(children.size());
  for (Iterator& child : children) {
    if (Child* const state = Child::Of(&child)) state->brought_on = share;
  }
}

// Finds the first entry, after a seek has moved all children. Returns false if
// no child is at an entry, or if one has an error.
bool MergingIterator::State::Build() {
  for (size_t i = 0; i < children.size(); ++i) {
    if (Failed(i)) return false;
  }
  if (children.empty()) return false;
  tree.Build();
  return children[winner()].Valid();
}

// Moves the winner by one entry.
bool MergingIterator::State::Step() {
  const size_t last = winner();
  if (forward()) {
    children[last].Next();
  } else {
    children[last].Prev();
  }
  if (Failed(last)) return false;
  tree.Replay();
  return children[winner()].Valid();
}

// Moves a child other than the winner to the first entry that the walk, turned
// around, meets after the winner's. In the direction so far the child's entry
// is after that, so it goes back over one entry. A child that has come to its
// end has all its entries on the other side. A child that has grown since it
// came to where it is may have to go back over more than one.
void MergingIterator::State::TurnChild(size_t i, const Slice& user_key) {
  Iterator& child = children[i];
  const SameWalk same_walk(&child);
  const auto step = [&] { forward() ? child.Next() : child.Prev(); };
  if (child.Valid()) {
    step();
  } else if (forward()) {
    child.Seek(user_key);
  } else {
    child.SeekForPrev(user_key, 0);
  }
  const Iterator::State* const state = Iterator::State::Of(child);
  if (state == nullptr || !state->may_grow) return;
  while (!tree.ComesFirst(winner(), i)) step();
}

// Turns the walk around: all other children, and then the winner itself, whose
// entry is the current one.
bool MergingIterator::State::TurnTo(bool to_forward) {
  tree.TurnTo(to_forward);
  const Slice current =
      WithoutTimestamp(UserKeyOf(children[winner()].key()), timestamp_size);
  for (size_t i = 0; i < children.size(); ++i) {
    if (i != winner()) TurnChild(i, current);
  }
  Iterator& at = children[winner()];
  if (to_forward) {
    at.Next();
  } else {
    at.Prev();
  }
  return Build();
}

// If there is no memory for a state, state_ stays null, and the status says so.
MergingIterator::MergingIterator(const Comparator* comparator,
                                 std::vector<Iterator> children) {
  internal::OrMemoryLimit([&] {
    state_ = std::make_unique<State>(comparator, std::move(children));
    return Status();
  }).IgnoreError();
}
MergingIterator::MergingIterator(MergingIterator&& other) noexcept = default;
MergingIterator& MergingIterator::operator=(MergingIterator&& other) noexcept =
    default;
MergingIterator::~MergingIterator() = default;

Status MergingIterator::status() const {
  return state_ == nullptr ? Status::OutOfMemory() : state_->status;
}

template <typename Move>
void MergingIterator::MoveBy(const Move& move) {
  valid_ = false;
  if (state_ == nullptr) return;
  Status memory = internal::OrMemoryLimit([&] {
    valid_ = move(state_.get());
    return Status();
  });
  if (!memory.ok()) state_->status = std::move(memory);
  if (valid_) Show();
}

void MergingIterator::Show() {
  const State& s = *state_;
  child_ = s.winner();
  key_ = s.children[child_].key();
  value_ = s.children[child_].value();
}

const Iterator& MergingIterator::current() const {
  assert(valid_);
  return state_->children[child_];
}

bool MergingIterator::PrepareValue() {
  assert(valid_);
  if (state_->children[child_].PrepareValue()) {
    Show();
    return true;
  }
  valid_ = false;
  return !state_->Failed(child_);
}

Status MergingIterator::PinValue(PinnableSlice* value) {
  assert(valid_);
  if (!PrepareValue()) return status();
  return state_->children[child_].PinValue(value);
}

void MergingIterator::SeekToFirst() {
  MoveBy([](State* s) {
    s->Begin(true);
    for (Iterator& child : s->children) child.SeekToFirst();
    return s->Build();
  });
}

void MergingIterator::SeekToLast() {
  MoveBy([](State* s) {
    s->Begin(false);
    for (Iterator& child : s->children) child.SeekToLast();
    return s->Build();
  });
}

void MergingIterator::Seek(const Slice& user_key, SequenceNumber snapshot) {
  MoveBy([&](State* s) {
    s->Begin(true);
    const Slice target = s->KeepTarget(user_key);
    s->BringOn(target, snapshot);
    for (Iterator& child : s->children) child.Seek(target, snapshot);
    return s->Build();
  });
}

void MergingIterator::SeekForPrev(const Slice& user_key,
                                  SequenceNumber snapshot) {
  MoveBy([&](State* s) {
    s->Begin(false);
    const Slice target = s->KeepTarget(user_key);
    for (Iterator& child : s->children) child.SeekForPrev(target, snapshot);
    return s->Build();
  });
}

void MergingIterator::Next() {
  assert(valid_);
  MoveBy([](State* s) { return s->forward() ? s->Step() : s->TurnTo(true); });
}

void MergingIterator::Prev() {
  assert(valid_);
  MoveBy([](State* s) { return s->forward() ? s->TurnTo(false) : s->Step(); });
}

}  // namespace ashlar
