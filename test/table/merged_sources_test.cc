// Compares iterators over tables and sources of an application, merged, with a
// sorted list of all their entries.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/merging_iterator.h"
#include "test/support/faulty_file.h"
#include "test/support/map_source.h"
#include "test/support/random.h"
#include "test/support/random_table.h"

namespace ashlar::testing {
namespace {

// Tables and maps that together have the entries of a random table. Some
// entries are in several of them.
struct Mixture {
  struct Child {
    std::unique_ptr<TableReader> reader;
    std::unique_ptr<EntryMap> map;  // if there is no reader
    bool keeps = false;
  };
  struct Placed {
    Entry entry;
    size_t child;
  };

  Mixture(RandomTable table_in, Random* random) : table(std::move(table_in)) {
    const size_t n = random->Below(7);
    std::vector<std::vector<Entry>> parts(n);
    const uint64_t run = random->OneIn(2) ? 1 : 20;
    size_t child = 0;
    for (const Entry& entry : table.model.entries()) {
      if (n == 0) break;
      if (random->OneIn(run)) child = random->Below(n);
      parts[child].push_back(entry);
      const size_t other = random->Below(n);
      if (other == child || !random->OneIn(10) ||
          TypeOf(entry.key) != ValueType::kTypeValue) {
        continue;
      }
      parts[other].push_back({entry.key, "of " + std::to_string(other)});
    }
    for (size_t i = 0; i < n; ++i) {
      for (const Entry& entry : parts[i]) stored.push_back({entry, i});
      AddChild(parts[i], random);
    }
    std::stable_sort(stored.begin(), stored.end(),
                     [&](const Placed& a, const Placed& b) {
                       return table.model.Less(a.entry.key, b.entry.key);
                     });
  }
  Mixture(const Mixture&) = delete;
  Mixture& operator=(const Mixture&) = delete;

  void AddChild(const std::vector<Entry>& entries, Random* random) {
    Child child;
    const Comparator* const order = table.options.comparator;
    if (random->OneIn(2)) {
      child.map = std::make_unique<EntryMap>(MapOf(entries, order));
      child.keeps = random->OneIn(2);
    } else {
      ReaderOptions options;
      if (order == ShorterFirstComparator()) options.comparator = order;
      auto opened = TableReader::Open(
          NewFaultyFile("part.sst", BuildTable(table.options, entries), &files),
          options);
      Require(opened.status());
      child.reader = std::move(opened).value();
    }
    children.push_back(std::move(child));
  }

  MergingIterator NewIterator(const ReadOptions& options) {
    const Comparator* const order = table.options.comparator;
    std::vector<Iterator> iterators;
    iterators.reserve(children.size());
    for (const Child& child : children) {
      iterators.push_back(
          child.reader != nullptr
              ? child.reader->NewIterator(options)
              : NewSourceIterator(order,
                                  std::make_unique<MapSource>(
                                      child.map.get(), &sources, child.keeps),
                                  options));
    }
    return {order, std::move(iterators)};
  }

  // Returns what iterators with these options show.
  std::vector<Placed> Shown(const ReadOptions& options) const {
    std::vector<Placed> shown;
    const auto before = [&](const Slice& a, const Slice& b) {
      return table.options.comparator->Compare(a, b) < 0;
    };
    for (const Placed& placed : stored) {
      const Slice user_key = UserKeyOf(placed.entry.key);
      if (SequenceOf(placed.entry.key) > options.snapshot ||
          (options.iterate_lower_bound != nullptr &&
           before(user_key, *options.iterate_lower_bound)) ||
          (options.iterate_upper_bound != nullptr &&
           !before(user_key, *options.iterate_upper_bound))) {
        continue;
      }
      shown.push_back(placed);
    }
    return shown;
  }

  RandomTable table;
  FaultPlan files;
  SourceFaults sources;
  std::vector<Child> children;
  std::vector<Placed> stored;  // in the order of a walk forward
};

// A walk over a Mixture, and the position where it must be.
class ComparedWalk {
 public:
  ComparedWalk(Mixture* mixture, const ReadOptions& options)
      : mixture_(*mixture),
        shown_(mixture->Shown(options)),
        it_(mixture->NewIterator(options)) {}

  void Begin(Random* random) {
    constexpr SequenceNumber kFrom[] = {0, 7, 100, 300, kMaxSequenceNumber};
    const std::string key = RandomTarget(mixture_.table.model, random);
    const SequenceNumber from = random->Pick(kFrom);
    const auto less = [&](const std::string& a, const std::string& b) {
      return mixture_.table.model.Less(a, b);
    };
    const auto first = [&](const std::string& target, bool after_equals) {
      return std::find_if(shown_.begin(), shown_.end(),
                          [&](const Mixture::Placed& at) {
                            return after_equals ? less(target, at.entry.key)
                                                : !less(at.entry.key, target);
                          }) -
             shown_.begin();
    };
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
        position_ = first(
            MakeInternalKey(key, from, static_cast<ValueType>(0xff)), false);
        return;
      default:
        it_.SeekForPrev(key, from);
        position_ =
            first(MakeInternalKey(key, from, ValueType::kTypeDeletion), true) -
            1;
    }
  }
  void Step(bool forward) {
    forward ? it_.Next() : it_.Prev();
    position_ += forward ? 1 : -1;
  }
  void ExpectRight() const {
    ASSERT_TRUE(it_.status().ok()) << it_.status().ToString();
    const bool inside = position_ >= 0 && position_ < std::ssize(shown_);
    ASSERT_EQ(it_.Valid(), inside);
    if (!inside) return;
    const Mixture::Placed& expected = shown_[static_cast<size_t>(position_)];
    ASSERT_TRUE(it_.key() == Slice(expected.entry.key))
        << "found " << DescribeInternalKey(it_.key()) << ", expected "
        << DescribeInternalKey(expected.entry.key);
    ASSERT_EQ(it_.child(), expected.child);
    ASSERT_TRUE(it_.value() == Slice(expected.entry.value));
    const Mixture::Child& child = mixture_.children[it_.child()];
    ASSERT_EQ(it_.IsKeyPinned(), child.keeps);
    ASSERT_EQ(it_.IsValuePinned(), child.keeps);
  }
  const MergingIterator& it() const { return it_; }

 private:
  const Mixture& mixture_;
  const std::vector<Mixture::Placed> shown_;
  MergingIterator it_;
  int64_t position_ = 0;
};

// Bounds and snapshot at random; the bounds are views of *low and *high.
ReadOptions SomeOptions(const Mixture& mixture, Slice* low, Slice* high,
                        std::string* bytes, Random* random) {
  ReadOptions options;
  std::string keys[2] = {RandomTarget(mixture.table.model, random),
                         RandomTarget(mixture.table.model, random)};
  // Now and then the bounds exclude everything.
  if (!random->OneIn(8) &&
      mixture.table.options.comparator->Compare(keys[1], keys[0]) < 0) {
    std::swap(keys[0], keys[1]);
  }
  *bytes = keys[0] + keys[1];
  *low = Slice(bytes->data(), keys[0].size());
  *high = Slice(bytes->data() + keys[0].size(), keys[1].size());
  if (random->OneIn(2)) options.iterate_lower_bound = low;
  if (random->OneIn(2)) options.iterate_upper_bound = high;
  if (random->OneIn(3)) options.snapshot = random->Below(500);
  return options;
}

// Walks at random. With `faults`, moves of sources and reads of files fail at
// random: what was shown before is right, and the next seek starts again.
void CompareWalks(uint64_t seed, bool faults, uint64_t* errors) {
  Random random(seed);
  Mixture mixture(MakeRandomTable(&random), &random);
  for (int n = 0; n < 4; ++n) {
    Slice low;
    Slice high;
    std::string bytes;
    ComparedWalk walk(&mixture,
                      SomeOptions(mixture, &low, &high, &bytes, &random));
    ASSERT_FALSE(walk.it().Valid());
    for (int i = 0; i < 12; ++i) {
      mixture.files.fail_at = mixture.sources.fail_at = 0;
      if (faults && random.OneIn(2)) {
        mixture.files.fail_at = mixture.files.operations + random.Below(9);
        mixture.sources.fail_at = mixture.sources.moves + random.Below(40);
        mixture.sources.kind = random.OneIn(2) ? SourceFaults::Kind::kStatus
                                               : SourceFaults::Kind::kNoMemory;
      }
      walk.Begin(&random);
      bool forward = random.OneIn(2);
      for (uint64_t steps = random.Below(50);; --steps) {
        if (faults && !walk.it().status().ok()) {
          const Status status = walk.it().status();
          ASSERT_TRUE(status.IsIOError() || status.IsMemoryLimit())
              << status.ToString();
          ASSERT_FALSE(walk.it().Valid());
          ++*errors;
          break;
        }
        ASSERT_NO_FATAL_FAILURE(walk.ExpectRight());
        if (steps == 0 || !walk.it().Valid()) break;
        if (random.OneIn(6)) forward = !forward;
        walk.Step(forward);
      }
    }
  }
}

TEST(MergedSources, AnyWalkShowsWhatTheSortedListHas) {
  uint64_t errors = 0;
  ForEachSeed(52000, 300,
              [&](uint64_t seed) { CompareWalks(seed, false, &errors); });
}

TEST(MergedSources, AnErrorAtAnyMoveEndsTheWalkUntilTheNextSeek) {
  uint64_t errors = 0;
  ForEachSeed(53000, 200,
              [&](uint64_t seed) { CompareWalks(seed, true, &errors); });
  EXPECT_TRUE(errors > 100 || std::getenv("ASHLAR_TEST_SEED") != nullptr)
      << errors;
}

}  // namespace
}  // namespace ashlar::testing
