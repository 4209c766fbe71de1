// Compares iterators over tables and sources of an application, merged, with a
// sorted list of all their entries.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/merging_iterator.h"
#include "test/support/compared_walk.h"
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
  Mixture(RandomTable table_in, Random* random) : table(std::move(table_in)) {
    const auto parts =
        DealEntries(table.model.entries(), random->Below(7), random);
    for (const auto& part : parts) AddChild(part, random);
    stored = SortEntries(parts, table.model);
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
      // Every second one gets its bounds later.
      const bool is_late = iterators.size() % 2 == 1;
      ReadOptions at_first = options;
      if (is_late) {
        at_first.iterate_lower_bound = options.iterate_upper_bound;
        at_first.iterate_upper_bound = nullptr;
      }
      iterators.push_back(
          child.reader != nullptr
              ? child.reader->NewIterator(at_first)
              : NewSourceIterator(order,
                                  std::make_unique<MapSource>(
                                      child.map.get(), &sources, child.keeps),
                                  at_first));
      if (is_late) {
        Require(iterators.back().SetBounds(options.iterate_lower_bound,
                                           options.iterate_upper_bound));
      }
    }
    return {order, std::move(iterators)};
  }

  // Returns what iterators with these options show.
  std::vector<PlacedEntry> Shown(const ReadOptions& options) const {
    std::vector<PlacedEntry> shown;
    const auto before = [&](const Slice& a, const Slice& b) {
      return table.options.comparator->Compare(a, b) < 0;
    };
    for (const PlacedEntry& placed : stored) {
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
  std::vector<PlacedEntry> stored;  // in the order of a walk forward
};

// Expects the walk to be where it must be, and its entry to be pinned if its
// child keeps its entries.
void ExpectRight(const ComparedWalk& walk, const Mixture& mixture) {
  ASSERT_NO_FATAL_FAILURE(walk.ExpectRight());
  const MergingIterator& it = walk.it();
  if (!it.Valid()) return;
  const bool keeps = mixture.children[it.child()].keeps;
  ASSERT_EQ(it.IsKeyPinned(), keeps);
  ASSERT_EQ(it.IsValuePinned(), keeps);
}

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
    const ReadOptions options =
        SomeOptions(mixture, &low, &high, &bytes, &random);
    ComparedWalk walk(mixture.table.model, mixture.Shown(options),
                      mixture.NewIterator(options));
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
        ASSERT_NO_FATAL_FAILURE(ExpectRight(walk, mixture));
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
