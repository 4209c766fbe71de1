// EntrySorter and its parts against std::stable_sort, with so little memory
// that there are many runs and merges of runs; and its errors.

#include "ashlar/table/entry_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/table/table_builder.h"
#include "table/sort/piece_merge.h"
#include "table/sort/word_sort.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "test/table/sort_oracle.h"

namespace ashlar::testing {
namespace {

using Entries = std::vector<OwnedEntry>;

// Compares byte by byte from the end. Its order has no words.
class FromTheEnd final : public Comparator {
 public:
  std::string_view Name() const override { return "test.FromTheEnd"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return Turned(a).compare(Turned(b));
  }

 private:
  static std::string Turned(const Slice& key) {
    const std::string text = key.ToString();
    return {text.rbegin(), text.rend()};
  }
};

const Comparator* SomeComparator(uint64_t random) {
  static const FromTheEnd from_the_end;
  const Comparator* const all[] = {
      BytewiseComparator(), ReverseBytewiseComparator(), &from_the_end,
      BytewiseComparatorWithU64Ts(), ReverseBytewiseComparatorWithU64Ts()};
  return all[random % std::size(all)];
}

// Returns what the sorter makes of the entries, and what it counted.
Entries Sorted(const EntrySorterOptions& options, const Entries& entries,
               SortProgress* progress = nullptr) {
  auto sorter = EntrySorter::Create(options);
  Require(sorter.status());
  for (const OwnedEntry& entry : entries) {
    Require((*sorter)->Add(entry.view()));
  }
  Entries sorted;
  Require((*sorter)->ForEach([&](const SortEntry& entry) {
    sorted.push_back(Owned(entry));
    return Status();
  }));
  const SortProgress counts = (*sorter)->progress();
  EXPECT_EQ(counts.entries, entries.size());
  EXPECT_EQ(counts.merged, entries.size());
  if (progress != nullptr) *progress = counts;
  return sorted;
}

// Any way in which entries are cut into pieces.
TEST(PieceMerge, ShowsAllInOrder) {
  ForEachSeed(1, 60, [](uint64_t seed) {
    Random draw(seed);
    const Comparator* const order = SomeComparator(draw.Next());
    const bool internal_keys = draw.OneIn(2);
    Entries entries = DrawEntries(
        {draw.Below(2000), internal_keys, order->timestamp_size()}, &draw);
    const internal::StoredForm form(order, internal_keys);
    internal::EntryBuffer buffer(&form, size_t{1} << 20);
    const uint64_t size = draw.Pick({1, 3, 50, 5000});
    for (const OwnedEntry& entry : entries) {
      ASSERT_TRUE(buffer.Add(entry.view()));
      if (draw.OneIn(size)) buffer.SortPiece(buffer.ClosePiece());
    }
    if (buffer.open_bytes() > 0) buffer.SortPiece(buffer.ClosePiece());
    Entries merged;
    for (internal::PieceMerge m(&buffer); m.Valid(); m.Next()) {
      const auto [key, value] = m.record();
      merged.push_back(Owned(form.Read(key, value)));
    }
    SortByOracle(*order, internal_keys, &entries);
    ASSERT_EQ(merged, entries);
  });
}

TEST(EntryBuffer, AnEntryLargerThanTheBuffer) {
  const internal::StoredForm form(BytewiseComparator(), false);
  internal::EntryBuffer buffer(&form, 1000);
  const std::string large(5000, 'v');
  ASSERT_TRUE(buffer.Add({.user_key = "a", .value = "1"}));
  EXPECT_FALSE(buffer.Add({.user_key = "b", .value = large, .number = 1}));
  buffer.Clear();
  ASSERT_TRUE(buffer.Add({.user_key = "b", .value = large, .number = 1}));
  buffer.SortPiece(buffer.ClosePiece());
  internal::PieceMerge merge(&buffer);
  EXPECT_EQ(form.Read(merge.record().key, merge.record().value).value, large);
  // Then it has its usual size again.
  buffer.Clear();
  const Slice half(large.data(), large.size() / 2);
  ASSERT_TRUE(buffer.Add({.user_key = "a", .value = "1"}));
  EXPECT_FALSE(buffer.Add({.user_key = "b", .value = half, .number = 1}));
}

TEST(EntrySorter, AnyMemoryAndThreads) {
  uint64_t most_runs = 0;
  ForEachSeed(1, 16, [&most_runs](uint64_t seed) {
    Random draw(seed);
    EntrySorterOptions options;
    options.comparator = SomeComparator(draw.Next());
    options.internal_keys = draw.OneIn(2);
    Entries entries =
        DrawEntries({draw.Pick({0u, 1u, 500u, 4000u}), options.internal_keys,
                     options.comparator->timestamp_size()},
                    &draw);
    Entries expected = entries;
    SortByOracle(*options.comparator, options.internal_keys, &expected);
    WorkerPool pool(2);
    for (const uint64_t memory : {1, 150000, 400000, 4 << 20}) {
      options.memory = memory;
      for (const uint32_t threads : {1, 2, 3, 4}) {
        options.threads = threads;
        options.worker_pool = threads == 3 ? &pool : nullptr;
        SCOPED_TRACE(std::to_string(memory) + " bytes, " +
                     std::to_string(threads) + " threads");
        SortProgress progress;
        ASSERT_EQ(Sorted(options, entries, &progress), expected);
        most_runs = std::max(most_runs, progress.runs);
      }
    }
  });
  // Two runs are merged at once, so there were merges of merges.
  EXPECT_GT(most_runs, 20u);
}

// As many entries as fit into one buffer need no file.
TEST(EntrySorter, ScratchFilesOnlyIfNeeded) {
  Random draw(1);
  const Entries entries = DrawEntries({4000}, &draw);
  SortProgress progress;
  const TestFolder folder;
  EntrySorterOptions options;
  options.temp_folder = folder / "none";
  Sorted(options, entries, &progress);
  EXPECT_EQ(progress.runs, 0u);
  EXPECT_EQ(progress.run_bytes, 0u);
  options.memory = 1;
  options.temp_folder = folder.path();
  Sorted(options, entries, &progress);
  EXPECT_GT(progress.runs, 2u);
  // No more than two runs are merged at once, so entries are written again and
  // again.
  EXPECT_GT(progress.run_bytes, 3 * progress.entry_bytes);
  EXPECT_TRUE(folder.Names().empty());
}

// What is known not to fit is written before the memory is full, which changes
// nothing else.
TEST(EntrySorter, ExpectedBytes) {
  constexpr size_t kEntries = 30;
  Entries entries(kEntries);
  for (size_t i = 0; i < kEntries; ++i) {
    entries[i].key = std::to_string((7 * i) % kEntries);
    entries[i].value.assign(size_t{1} << 20, static_cast<char>('a' + i));
    entries[i].number = i;
  }
  Entries expected = entries;
  SortByOracle(*BytewiseComparator(), false, &expected);
  for (const uint32_t threads : {1, 2}) {
    EntrySorterOptions options;
    options.memory = uint64_t{128} << 20;
    options.threads = threads;
    SortProgress progress;
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{30} << 20}) {
      options.expected_bytes = bytes;
      EXPECT_TRUE(Sorted(options, entries, &progress) == expected);
      EXPECT_EQ(progress.runs, 0u);
    }
    options.expected_bytes = uint64_t{200} << 20;
    EXPECT_TRUE(Sorted(options, entries, &progress) == expected);
    EXPECT_EQ(progress.runs, 2u);
  }
}

TEST(SortByWord, KeepsTheOrderOfEqualWords) {
  struct Item {
    uint64_t word;
    size_t number;
    bool operator==(const Item& other) const = default;
  };
  ForEachSeed(1, 50, [](uint64_t seed) {
    Random draw(seed);
    // All bytes differ, or few of them, or none.
    const uint64_t bits =
        draw.Pick<uint64_t>({~uint64_t{0}, 0xff00, 0x70000003, 0});
    std::vector<Item> items(draw.Below(1000));
    for (size_t i = 0; i < items.size(); ++i) {
      items[i] = {(draw.Next() & bits) | (0x1200000000 & ~bits), i};
    }
    std::vector<Item> expected = items;
    std::stable_sort(
        expected.begin(), expected.end(),
        [](const Item& a, const Item& b) { return a.word < b.word; });
    std::vector<Item> room(items.size());
    internal::SortByWord(std::span<Item>(items), std::span<Item>(room));
    EXPECT_TRUE(items == expected);
  });
}

TEST(EntrySorter, AFolderThatIsMissing) {
  Random draw(1);
  const Entries entries = DrawEntries({6000}, &draw);
  const TestFolder folder;
  for (const uint32_t threads : {1, 2}) {
    auto sorter = EntrySorter::Create(
        {.memory = 1, .temp_folder = folder / "none", .threads = threads});
    ASSERT_TRUE(sorter.ok());
    Status status;
    for (size_t i = 0; i < entries.size() && status.ok(); ++i) {
      status = (*sorter)->Add(entries[i].view());
    }
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
    EXPECT_EQ(status.subcode(), Status::SubCode::kPathNotFound);
    EXPECT_NE(
        status.message().find("make a scratch file in " + (folder / "none")),
        std::string_view::npos)
        << status.ToString();
    // The sorter has failed for good.
    EXPECT_TRUE((*sorter)->Add(entries[0].view()).IsIOError());
    const auto ignore = [](const SortEntry& /*entry*/) { return Status(); };
    EXPECT_TRUE((*sorter)->ForEach(ignore).IsIOError());
  }
}

TEST(EntrySorter, EntriesThatCannotBeSorted) {
  EXPECT_TRUE(EntrySorter::Create({.comparator = nullptr})
                  .status()
                  .IsInvalidArgument());
  auto sorter =
      EntrySorter::Create({.comparator = BytewiseComparatorWithU64Ts()});
  ASSERT_TRUE(sorter.ok());
  EXPECT_TRUE((*sorter)->Add({.user_key = "1234567"}).IsInvalidArgument());
  const std::string long_key(TableBuilder::kMaxUserKeyBytes - 7, 'k');
  EXPECT_TRUE((*sorter)->Add({.user_key = long_key}).IsInvalidArgument());
  // Never read, because its size is too large.
  const Slice huge(long_key.data(), TableBuilder::kMaxValueBytes);
  EXPECT_TRUE((*sorter)
                  ->Add({.user_key = "12345678", .value = huge})
                  .IsInvalidArgument());
  // The sorter can still be used, once.
  EXPECT_TRUE((*sorter)->Add({.user_key = "12345678", .number = 7}).ok());
  std::vector<uint64_t> numbers;
  const auto take = [&numbers](const SortEntry& entry) {
    numbers.push_back(entry.number);
    return Status();
  };
  EXPECT_TRUE((*sorter)->ForEach(take).ok());
  EXPECT_EQ(numbers, std::vector<uint64_t>{7});
  EXPECT_TRUE((*sorter)->Add({.user_key = "12345678"}).IsInvalidArgument());
  EXPECT_TRUE((*sorter)->ForEach(take).IsInvalidArgument());
}

TEST(EntrySorter, AnErrorOfTheTakerEndsIt) {
  Random draw(1);
  const Entries entries = DrawEntries({6000}, &draw);
  for (const uint64_t memory : {1, 1 << 30}) {
    auto sorter = EntrySorter::Create({.memory = memory});
    ASSERT_TRUE(sorter.ok());
    for (const OwnedEntry& entry : entries)
      Require((*sorter)->Add(entry.view()));
    int taken = 0;
    const Status status = (*sorter)->ForEach([&taken](const SortEntry&) {
      return ++taken == 10 ? Status::NotFound("enough") : Status();
    });
    EXPECT_TRUE(status.IsNotFound());
    EXPECT_EQ(taken, 10);
  }
}

// Whenever it is cancelled: while runs are written, merged, or passed on.
TEST(EntrySorter, Cancelled) {
  Random draw(1);
  const Entries entries = DrawEntries({9000}, &draw);
  const TestFolder folder;
  for (const uint64_t memory : {1, 1 << 30}) {
    for (const uint32_t threads : {1, 2}) {
      bool is_complete = false;
      for (int last = 0; !is_complete; last += 1 + last / 4) {
        std::atomic<int> asked = 0;
        auto sorter = EntrySorter::Create(
            {.memory = memory,
             .temp_folder = folder.path(),
             .threads = threads,
             .is_cancelled = [&] { return asked++ >= last; }});
        ASSERT_TRUE(sorter.ok());
        Status status;
        for (size_t i = 0; i < entries.size() && status.ok(); ++i) {
          status = (*sorter)->Add(entries[i].view());
        }
        size_t taken = 0;
        if (status.ok()) {
          status = (*sorter)->ForEach([&taken](const SortEntry&) {
            ++taken;
            return Status();
          });
        }
        is_complete = status.ok();
        if (is_complete) {
          // For each run and merge at least, and several times in the last one.
          EXPECT_GE(static_cast<uint64_t>(asked.load()),
                    (*sorter)->progress().runs + 3);
        }
        ASSERT_EQ(is_complete, taken == entries.size());
        ASSERT_EQ(status.IsAborted(), !is_complete) << status.ToString();
        sorter->reset();
        ASSERT_TRUE(folder.Names().empty());
      }
    }
  }
}

// A sorter that is given up while other threads sort and write.
TEST(EntrySorter, DestroyedAtAnyTime) {
  Random draw(1);
  const Entries entries = DrawEntries({6000}, &draw);
  WorkerPool pool(2);
  for (size_t count = 0; count < entries.size(); count += 97) {
    auto sorter = EntrySorter::Create({.memory = 1, .worker_pool = &pool});
    ASSERT_TRUE(sorter.ok());
    for (size_t i = 0; i < count; ++i)
      Require((*sorter)->Add(entries[i].view()));
  }
}

// Sorters that share a pool, whose counts another thread reads.
TEST(EntrySorter, ManySortersOnOnePool) {
  WorkerPool pool(3);
  std::vector<std::thread> users;
  for (uint64_t user = 0; user < 4; ++user) {
    users.emplace_back([user, &pool] {
      Random draw(user);
      Entries entries = DrawEntries({8000}, &draw);
      auto sorter =
          EntrySorter::Create({.memory = 400000, .worker_pool = &pool});
      Require(sorter.status());
      std::atomic<bool> is_done = false;
      std::thread watcher([&] {
        uint64_t seen = 0;
        while (!is_done) {
          const uint64_t now = (*sorter)->progress().entries;
          EXPECT_GE(now, seen);
          seen = now;
        }
      });
      for (const OwnedEntry& entry : entries) {
        Require((*sorter)->Add(entry.view()));
      }
      Entries sorted;
      Require((*sorter)->ForEach([&sorted](const SortEntry& entry) {
        sorted.push_back(Owned(entry));
        return Status();
      }));
      is_done = true;
      watcher.join();
      SortByOracle(*BytewiseComparator(), false, &entries);
      EXPECT_EQ(sorted, entries);
    });
  }
  for (std::thread& user : users) user.join();
}

// Whether the entries fit into memory or not.
TEST(EntrySorter, NumbersMustIncrease) {
  auto sorter = EntrySorter::Create({});
  Require(sorter.status());
  Require((*sorter)->Add({.user_key = "b", .number = 5}));
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{5}, kMaxSequenceNumber + 1}) {
    EXPECT_TRUE((*sorter)
                    ->Add({.user_key = "a", .number = number})
                    .IsInvalidArgument());
  }
  Require((*sorter)->Add({.user_key = "a", .number = kMaxSequenceNumber}));
  size_t entries = 0;
  Require((*sorter)->ForEach([&](const SortEntry&) {
    ++entries;
    return Status();
  }));
  EXPECT_EQ(entries, 2U);
}

}  // namespace
}  // namespace ashlar::testing
