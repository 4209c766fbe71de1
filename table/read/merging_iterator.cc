// A tree of losers over the children: each inner node holds the child that lost
// there, so a step compares once per level, on the way from one leaf to the
// root. A child that wins again and again is only compared with the best of the
// others. The first bytes of the keys, as a word, decide most comparisons.

#include "ashlar/table/merging_iterator.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "table/format/key_order.h"
#include "table/read/iterator_state.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using internal::KeyOrder;

struct MergingIterator::State {
  State(const Comparator* comparator, std::vector<Iterator> of)
      : order(comparator),
        falling(comparator == ReverseBytewiseComparator()),
        children(std::move(of)),
        words(children.size()),
        losers(children.size()) {}

  void Begin(bool forward_in) {
    forward = forward_in;
    status = Status();
  }
  bool Build();
  bool Step();
  bool TurnTo(bool to_forward);
  bool Failed(size_t child);

  const KeyOrder order;
  const bool falling;
  std::vector<Iterator> children;
  std::vector<uint64_t> words;
  std::vector<size_t> losers;  // by node; node 0 has the winner
  // The best of the others, if it is known.
  size_t second = kUnknown;
  bool forward = true;
  Status status;

  size_t winner() const { return losers[0]; }

 private:
  static constexpr size_t kUnknown = ~size_t{0};

  void TakeWord(size_t child);
  bool ComesFirst(size_t a, size_t b) const;
  void TurnChild(size_t i, const Slice& user_key);
  void Replay(size_t child);
  void FindSecond();
};

bool MergingIterator::State::Failed(size_t child) {
  if (children[child].Valid()) return false;
  Status found = children[child].status();
  if (found.ok()) return false;
  status = std::move(found);
  return true;
}

// Takes the first bytes of the child's key as a word. If two keys differ in
// these bytes, the smaller word is that of the smaller key.
void MergingIterator::State::TakeWord(size_t child) {
  if (!order.IsOfBytes() || !children[child].Valid()) return;
  const Slice user_key = children[child].user_key();
  char bytes[sizeof(uint64_t)] = {};
  if (!user_key.empty()) {
    std::memcpy(bytes, user_key.data(),
                std::min(user_key.size(), sizeof bytes));
  }
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  word = __builtin_bswap64(word);
  words[child] = falling ? ~word : word;
}

// Returns whether the walk meets the entry of a before that of b.
bool MergingIterator::State::ComesFirst(size_t a, size_t b) const {
  if (!children[a].Valid() || !children[b].Valid()) {
    return children[a].Valid() || (!children[b].Valid() && a < b);
  }
  if (words[a] != words[b]) return (words[a] < words[b]) == forward;
  const int result = order.Compare(children[a].key(), children[b].key());
  if (result != 0) return (result < 0) == forward;
  return (a < b) == forward;
}

// Builds the tree, after all children have moved. Returns false if no child is
// at an entry, or if one has an error.
bool MergingIterator::State::Build() {
  const size_t n = children.size();
  second = kUnknown;
  for (size_t i = 0; i < n; ++i) {
    if (Failed(i)) return false;
    TakeWord(i);
  }
  if (n == 0) return false;
  std::vector<size_t> winners(2 * n);
  for (size_t i = 0; i < n; ++i) winners[n + i] = i;
  for (size_t node = n - 1; node > 0; --node) {
    const size_t a = winners[2 * node];
    const size_t b = winners[2 * node + 1];
    const bool first = ComesFirst(a, b);
    winners[node] = first ? a : b;
    losers[node] = first ? b : a;
  }
  losers[0] = winners[1];
  return children[winner()].Valid();
}

void MergingIterator::State::Replay(size_t child) {
  size_t best = child;
  for (size_t node = (child + children.size()) / 2; node > 0; node /= 2) {
    if (ComesFirst(losers[node], best)) std::swap(losers[node], best);
  }
  losers[0] = best;
}

// The second best lost to the winner, so it is one of those on the winner's way
// to the root.
void MergingIterator::State::FindSecond() {
  for (size_t node = (winner() + children.size()) / 2; node > 0; node /= 2) {
    if (second == kUnknown || ComesFirst(losers[node], second)) {
      second = losers[node];
    }
  }
}

// Moves the winner by one entry.
bool MergingIterator::State::Step() {
  const size_t last = winner();
  if (forward) {
    children[last].Next();
  } else {
    children[last].Prev();
  }
  if (Failed(last)) return false;
  TakeWord(last);
  if (second != kUnknown && ComesFirst(last, second)) {
    return children[last].Valid();
  }
  second = kUnknown;
  Replay(last);
  if (winner() == last) FindSecond();
  return children[winner()].Valid();
}

// Moves a child other than the winner to the first entry that the walk, turned
// around, meets after the winner's. In the direction so far the child's entry
// is after that, so it goes back over one entry. A child that has come to its
// end has all its entries on the other side. A child that has grown since it
// came to where it is may have to go back over more than one.
void MergingIterator::State::TurnChild(size_t i, const Slice& user_key) {
  Iterator& child = children[i];
  const auto step = [&] { forward ? child.Next() : child.Prev(); };
  if (child.Valid()) {
    step();
  } else if (forward) {
    child.Seek(user_key);
  } else {
    child.SeekForPrev(user_key, 0);
  }
  const Iterator::State* const state = Iterator::State::Of(child);
  if (state == nullptr || !state->may_grow) return;
  for (TakeWord(i); !ComesFirst(winner(), i); TakeWord(i)) step();
}

// Turns the walk around: all other children, and then the winner itself, whose
// entry is the current one.
bool MergingIterator::State::TurnTo(bool to_forward) {
  forward = to_forward;
  const Slice current = WithoutTimestamp(UserKeyOf(children[winner()].key()),
                                         order.timestamp_size());
  for (size_t i = 0; i < children.size(); ++i) {
    if (i != winner()) TurnChild(i, current);
  }
  Iterator& at = children[winner()];
  if (forward) {
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
    for (Iterator& child : s->children) child.Seek(user_key, snapshot);
    return s->Build();
  });
}

void MergingIterator::SeekForPrev(const Slice& user_key,
                                  SequenceNumber snapshot) {
  MoveBy([&](State* s) {
    s->Begin(false);
    for (Iterator& child : s->children) child.SeekForPrev(user_key, snapshot);
    return s->Build();
  });
}

void MergingIterator::Next() {
  assert(valid_);
  MoveBy([](State* s) { return s->forward ? s->Step() : s->TurnTo(true); });
}

void MergingIterator::Prev() {
  assert(valid_);
  MoveBy([](State* s) { return s->forward ? s->TurnTo(false) : s->Step(); });
}

}  // namespace ashlar
