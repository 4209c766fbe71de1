#include "test/support/compared_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace ashlar::testing {

std::vector<std::vector<Entry>> DealEntries(const std::vector<Entry>& entries,
                                            size_t n, Random* random) {
  std::vector<std::vector<Entry>> children(n);
  if (n == 0) return children;
  const uint64_t run = random->OneIn(2) ? 1 : 20;
  size_t child = 0;
  for (const Entry& entry : entries) {
    if (random->OneIn(run)) child = random->Below(n);
    children[child].push_back(entry);
    const size_t other = random->Below(n);
    if (other == child || !random->OneIn(10) ||
        TypeOf(entry.key) != ValueType::kTypeValue) {
      continue;
    }
    children[other].push_back({entry.key, "of " + std::to_string(other)});
  }
  return children;
}

std::vector<PlacedEntry> SortEntries(
    const std::vector<std::vector<Entry>>& children, const Model& model) {
  std::vector<PlacedEntry> all;
  for (size_t i = 0; i < children.size(); ++i) {
    for (const Entry& entry : children[i]) all.push_back({entry, i});
  }
  std::stable_sort(all.begin(), all.end(),
                   [&](const PlacedEntry& a, const PlacedEntry& b) {
                     return model.Less(a.entry.key, b.entry.key);
                   });
  return all;
}

ComparedWalk::ComparedWalk(const Model& model, std::vector<PlacedEntry> shown,
                           MergingIterator it)
    : model_(model), shown_(std::move(shown)), it_(std::move(it)) {}

int64_t ComparedWalk::FirstFrom(const std::string& key) const {
  const auto found = std::find_if(
      shown_.begin(), shown_.end(),
      [&](const PlacedEntry& at) { return !model_.Less(at.entry.key, key); });
  return found - shown_.begin();
}

int64_t ComparedWalk::FirstAfter(const std::string& key) const {
  const auto found = std::find_if(
      shown_.begin(), shown_.end(),
      [&](const PlacedEntry& at) { return model_.Less(key, at.entry.key); });
  return found - shown_.begin();
}

void ComparedWalk::Begin(Random* random) {
  constexpr SequenceNumber kFrom[] = {0, 7, 100, 300, kMaxSequenceNumber};
  const std::string key = RandomTarget(model_, random);
  const SequenceNumber from = random->Pick(kFrom);
  switch (random->Below(6)) {
    case 0:
      it_.SeekToFirst();
      position_ = 0;
      return;
    case 1:
      it_.SeekToLast();
      position_ = std::ssize(shown_) - 1;
      return;
    case 2:
    case 3:
      it_.Seek(key, from);
      position_ =
          FirstFrom(MakeInternalKey(key, from, static_cast<ValueType>(0xff)));
      return;
    default:
      it_.SeekForPrev(key, from);
      position_ =
          FirstAfter(MakeInternalKey(key, from, ValueType::kTypeDeletion)) - 1;
  }
}

void ComparedWalk::Step(bool forward) {
  forward ? it_.Next() : it_.Prev();
  position_ += forward ? 1 : -1;
}

void ComparedWalk::ExpectRight() const {
  ASSERT_TRUE(it_.status().ok()) << it_.status().ToString();
  const bool inside = position_ >= 0 && position_ < std::ssize(shown_);
  ASSERT_EQ(it_.Valid(), inside);
  if (!inside) return;
  const PlacedEntry& expected = shown_[static_cast<size_t>(position_)];
  ASSERT_TRUE(it_.key() == Slice(expected.entry.key))
      << "found " << DescribeInternalKey(it_.key()) << ", expected "
      << DescribeInternalKey(expected.entry.key);
  ASSERT_EQ(it_.child(), expected.child);
  ASSERT_TRUE(it_.value() == Slice(expected.entry.value));
}

}  // namespace ashlar::testing
