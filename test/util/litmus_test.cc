// What the atomics of util/sync forbid, on the machine that runs the test: the
// litmus tests of memory models (Alglave and others, "Herding cats", 2014).
//
// Two threads or four run through rows of cells at the same time, so that some
// cells are touched at nearly the same moment. An outcome that is forbidden
// must not occur in any. x86-64 itself forbids most, but for a store that a
// load overtakes: there this finds a change that is not one of all threads'
// order, and elsewhere a compiler that moves accesses. For weaker machines,
// test/schedules/weak_memory_test.cc tries all outcomes that C++ allows.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "port/threads.h"
#include "util/sync/atomic.h"
#include "util/sync/one_order_atomic.h"

namespace ashlar::internal {
namespace {

constexpr size_t kCells = 512;
constexpr int kRows = 200;

// On lines of their own, so that they are not changed together.
template <typename Word>
struct Cell {
  alignas(64) Word x{0};
  alignas(64) Word y{0};
  // What each thread saw, written by it alone.
  struct alignas(64) Seen {
    uint32_t first = 0;
    uint32_t second = 0;
  };
  std::array<Seen, 4> seen;
};

// Runs work(thread, cell) in each thread for each cell of a row, and then
// counts the cells for which happened(cell) is true, in all rows together.
template <typename Word>
int CountOutcomes(
    size_t num_threads,
    const std::function<void(size_t thread, Cell<Word>* cell)>& work,
    const std::function<bool(const Cell<Word>& cell)>& happened) {
  int outcomes = 0;
  for (int row = 0; row < kRows; ++row) {
    const auto cells = std::make_unique<Cell<Word>[]>(kCells);
    AcqRelAtomic<uint32_t> ready(0);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < num_threads; ++t) {
      threads.emplace_back([&, t] {
        uint32_t before = ready.Load();
        while (!ready.CompareExchange(&before, before + 1)) {
        }
        while (ready.Load() < num_threads) port::YieldThread();
        for (size_t i = 0; i < kCells; ++i) work(t, &cells[i]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < kCells; ++i) outcomes += happened(cells[i]) ? 1 : 0;
  }
  return outcomes;
}

void Raise(OneOrderAtomic<uint32_t>* word) { word->Exchange(1); }
void Raise(AcqRelAtomic<uint32_t>* word) { word->Store(1); }

// Each thread changes one word and then looks at the other's.
template <typename Word>
int CountOvertakenStores() {
  return CountOutcomes<Word>(
      2,
      [](size_t t, Cell<Word>* cell) {
        Raise(t == 0 ? &cell->x : &cell->y);
        cell->seen[t].first = (t == 0 ? cell->y : cell->x).Load();
      },
      [](const Cell<Word>& cell) {
        return cell.seen[0].first == 0 && cell.seen[1].first == 0;
      });
}

TEST(Litmus, NoLoadOvertakesAChangeOfOneOrder) {
  EXPECT_EQ(CountOvertakenStores<OneOrderAtomic<uint32_t>>(), 0);
  // How weak this machine is. Nothing forbids it, and nothing promises it.
  RecordProperty("overtaken", CountOvertakenStores<AcqRelAtomic<uint32_t>>());
}

TEST(Litmus, WhatIsPublishedIsSeenWhole) {
  using Word = AcqRelAtomic<uint32_t>;
  EXPECT_EQ(CountOutcomes<Word>(
                2,
                [](size_t t, Cell<Word>* cell) {
                  if (t == 0) {
                    cell->x.Store(1);
                    cell->y.Store(1);
                    return;
                  }
                  cell->seen[t].first = cell->y.Load();
                  cell->seen[t].second = cell->x.Load();
                },
                [](const Cell<Word>& cell) {
                  return cell.seen[1].first == 1 && cell.seen[1].second == 0;
                }),
            0);
}

TEST(Litmus, NoChangeIsSeenBeforeItsCause) {
  using Word = AcqRelAtomic<uint32_t>;
  // A thread sees x and then changes y. A third sees y, and so x.
  EXPECT_EQ(CountOutcomes<Word>(
                3,
                [](size_t t, Cell<Word>* cell) {
                  if (t == 0) return cell->x.Store(1);
                  if (t == 1) {
                    if (cell->x.Load() == 1) cell->y.Store(1);
                    return;
                  }
                  cell->seen[t].first = cell->y.Load();
                  cell->seen[t].second = cell->x.Load();
                },
                [](const Cell<Word>& cell) {
                  return cell.seen[2].first == 1 && cell.seen[2].second == 0;
                }),
            0);
}

TEST(Litmus, AWordDoesNotGoBack) {
  using Word = RelaxedAtomic<uint32_t>;
  EXPECT_EQ(CountOutcomes<Word>(
                2,
                [](size_t t, Cell<Word>* cell) {
                  if (t == 0) return cell->x.Store(1);
                  cell->seen[t].first = cell->x.Load();
                  cell->seen[t].second = cell->x.Load();
                },
                [](const Cell<Word>& cell) {
                  return cell.seen[1].first == 1 && cell.seen[1].second == 0;
                }),
            0);
}

TEST(Litmus, AllThreadsSeeOneOrder) {
  using Word = OneOrderAtomic<uint32_t>;
  EXPECT_EQ(CountOutcomes<Word>(
                4,
                [](size_t t, Cell<Word>* cell) {
                  Word* const words[] = {&cell->x, &cell->y};
                  if (t < 2) return Raise(words[t]);
                  cell->seen[t].first = words[t - 2]->Load();
                  cell->seen[t].second = words[3 - t]->Load();
                },
                [](const Cell<Word>& cell) {
                  return cell.seen[2].first == 1 && cell.seen[2].second == 0 &&
                         cell.seen[3].first == 1 && cell.seen[3].second == 0;
                }),
            0);
}

}  // namespace
}  // namespace ashlar::internal
