// Threads that share a table cache: an opening is done by one thread, its table
// or its error goes to all that wait, and every file that was opened is closed.
// Run in full by `make thorough`.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/statistics.h"
#include "test/support/random.h"
#include "test/support/run_together.h"
#include "test/support/thorough.h"
#include "test/table/table_cache_fixture.h"

namespace ashlar::testing {
namespace {

constexpr int kThreads = 32;

class TableCacheStress : public ::testing::Test {
 protected:
  TableCacheStress() {
    options_.open = files_.Function();
    options_.reader_options.statistics = std::make_shared<Statistics>();
  }
  uint64_t Counted(Ticker ticker) const {
    return options_.reader_options.statistics->GetTickerCount(ticker);
  }
  // Opens table 1 when the test says so.
  OpenTableFunction Held(HeldOpening* held) {
    return [this, held](uint64_t number, TableToOpen* table) {
      held->Pass();
      table->file = files_.Open(number);
      return Status();
    };
  }

  CountingFiles files_;
  TableCacheOptions options_;
};

TEST_F(TableCacheStress, ManyThreadsOpenATableOnce) {
  // With a limit of 0, also: every thread gets it before it can be closed.
  for (const int limit : {-1, 0}) {
    options_.max_open_files = limit;
    const auto cache = MakeTableCache(options_);
    for (uint64_t number = 0; number < 20; ++number) {
      const int before = files_.Openings(number);
      std::barrier all_have_it(kThreads);
      RunTogether(kThreads, [&](int) -> std::string {
        const TableHandle table = MustFind(cache.get(), number);
        all_have_it.arrive_and_wait();
        return table->properties().num_entries == 20 ? "" : "wrong table";
      });
      ASSERT_EQ(files_.Openings(number), before + 1);
    }
    EXPECT_EQ(files_.open(), limit == 0 ? 0 : 20);
  }
}

TEST_F(TableCacheStress, AnErrorGoesToAllWhoWaitAndToNobodyElse) {
  HeldOpening held;
  std::atomic<int> calls = 0;
  options_.open = [&](uint64_t number, TableToOpen* table) {
    if (calls++ == 0) {
      held.Pass();
      return Status::IOError("once");
    }
    table->file = files_.Open(number);
    return Status();
  };
  const auto cache = MakeTableCache(options_);
  std::atomic<int> errors = 0;
  std::vector<std::thread> threads;
  const auto find = [&] {
    const auto found = cache->Find(1);
    if (!found.ok()) {
      EXPECT_EQ(found.status().message(), "table 1: once");
      ++errors;
    }
  };
  threads.emplace_back(find);
  held.begun.acquire();
  for (int i = 1; i < kThreads; ++i) threads.emplace_back(find);
  held.go.release();
  for (std::thread& thread : threads) thread.join();
  // Those that came after the error opened the table, together.
  EXPECT_GE(errors, 1);
  EXPECT_LE(calls, 2);
  EXPECT_EQ(files_.Openings(1), errors == kThreads ? 0 : 1);
  EXPECT_TRUE(cache->Find(1).ok());
}

TEST_F(TableCacheStress, WaitersOpenItThemselvesAfterAnException) {
  HeldOpening held;
  std::atomic<int> calls = 0;
  options_.open = [&](uint64_t number, TableToOpen* table) {
    if (calls++ == 0) {
      held.Pass();
      throw std::runtime_error("mine");
    }
    table->file = files_.Open(number);
    return Status();
  };
  const auto cache = MakeTableCache(options_);
  std::thread first([&] {
    EXPECT_THROW(static_cast<void>(cache->Find(1)), std::runtime_error);
  });
  held.begun.acquire();
  std::vector<std::thread> threads;
  for (int i = 1; i < kThreads; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(cache->Find(1).ok()); });
  }
  held.go.release();
  first.join();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 2);
}

// A Find that begins after an Evict gets a new reader, also if another thread
// was opening the table. That thread keeps what it opened.
TEST_F(TableCacheStress, EvictForgetsAnOpening) {
  const auto cache = MakeTableCache(options_);
  HeldOpening held;
  TableHandle old;
  std::thread opening(
      [&] { old = std::move(cache->Find(1, Held(&held))).value(); });
  held.begun.acquire();
  EXPECT_FALSE(cache->FindOpen(1));
  EXPECT_TRUE(cache->Evict(1));
  EXPECT_FALSE(cache->Evict(1));
  const TableHandle anew = MustFind(cache.get(), 1);
  EXPECT_EQ(anew->file().name(), "1.1.sst");
  held.go.release();
  opening.join();
  EXPECT_EQ(old->file().name(), "1.2.sst");
  // The late reader does not take the place of the new one.
  EXPECT_EQ(cache->FindOpen(1).get(), anew.get());
  EXPECT_EQ(MustFind(cache.get(), 1).get(), anew.get());
  EXPECT_EQ(files_.open(), 2);
  old.Reset();
  EXPECT_EQ(files_.open(), 1);
}

// What was deleted while it was opened leaves the block cache as well.
TEST_F(TableCacheStress, EvictForgetsAnOpeningThatNobodyReplaces) {
  LruCacheOptions lru;
  const auto blocks = std::move(NewLruCache(lru)).value();
  options_.reader_options.block_cache = blocks;
  const auto cache = MakeTableCache(options_);
  HeldOpening held;
  TableHandle old;
  std::thread opening(
      [&] { old = std::move(cache->Find(1, Held(&held))).value(); });
  held.begun.acquire();
  EXPECT_TRUE(cache->EvictDeleted(1));
  held.go.release();
  opening.join();
  EXPECT_FALSE(cache->FindOpen(1));
  GetResult result;
  Require(old->Get("key00001", &result));
  result.Reset();
  EXPECT_EQ(blocks->GetOccupancyCount(), 1u);
  old.Reset();
  EXPECT_EQ(blocks->GetOccupancyCount(), 0u);
  EXPECT_EQ(MustFind(cache.get(), 1)->file().name(), "1.2.sst");
}

// In a child of fork the opening thread is missing.
TEST_F(TableCacheStress, AChildOpensWhatItsParentWasOpening) {
  const auto cache = MakeTableCache(options_);
  MustFind(cache.get(), 2);
  HeldOpening held;
  std::thread opening([&] { EXPECT_TRUE(cache->Find(1, Held(&held)).ok()); });
  held.begun.acquire();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(30);  // ends a child that waits for ever
    const bool ok = cache->Find(1).ok() && cache->FindOpen(1) &&
                    cache->FindOpen(2) && cache->Find(3).ok() &&
                    cache->Evict(1) && cache->Find(1).ok();
    ::_exit(ok ? 0 : 1);
  }
  int result = 0;
  ASSERT_EQ(::waitpid(child, &result, 0), child);
  EXPECT_TRUE(WIFEXITED(result) && WEXITSTATUS(result) == 0) << result;
  held.go.release();
  opening.join();
  EXPECT_EQ(files_.Openings(1), 1);
}

// What all threads know of the files of the stress test.
class Residents {
 public:
  explicit Residents(size_t files) : open_(files) {}

  // A file of this number that must not be open when another one is opened,
  // because nothing is evicted.
  class File final : public RandomAccessFile {
   public:
    File(std::unique_ptr<RandomAccessFile> file, std::atomic<int>* open)
        : file_(std::move(file)), open_(open) {
      EXPECT_EQ(open_->fetch_add(1), 0);
    }
    ~File() override { open_->fetch_sub(1); }
    Status Read(uint64_t offset, size_t n, char* scratch,
                Slice* data) const override {
      return file_->Read(offset, n, scratch, data);
    }
    uint64_t Size() const override { return file_->Size(); }
    std::string name() const override { return file_->name(); }

   private:
    const std::unique_ptr<RandomAccessFile> file_;
    std::atomic<int>* const open_;
  };
  std::atomic<int>* Of(uint64_t number) { return &open_[number]; }
  // Returns how many files are open.
  int Open() const {
    int sum = 0;
    for (const std::atomic<int>& n : open_) sum += n;
    return sum;
  }

 private:
  std::vector<std::atomic<int>> open_;
};

// 32 threads, 100,000 tables. Requests are skewed, so that some tables are
// always in use and most come and go.
TEST_F(TableCacheStress, ManyThreadsOpenAndCloseManyTables) {
  const uint64_t tables = IsThorough() ? 100'000 : 500;
  const int requests = IsThorough() ? 20'000 : 400;
  for (const int shard_bits : {0, 6}) {
    options_.max_open_files = static_cast<int>(tables / 10);
    options_.table_cache_numshardbits = shard_bits;
    std::atomic<uint64_t> openings = 0;
    options_.open = [&](uint64_t number, TableToOpen* table) {
      ++openings;
      table->file = files_.Open(number);
      return Status();
    };
    const uint64_t hits = Counted(Ticker::kTableCacheHit);
    const uint64_t misses = Counted(Ticker::kTableCacheMiss);
    const auto cache = MakeTableCache(options_);
    RunTogether(kThreads, [&](int thread) -> std::string {
      Random random(static_cast<uint64_t>(thread));
      std::vector<TableHandle> held;
      for (int i = 0; i < requests; ++i) {
        const uint64_t range = random.OneIn(2) ? tables / 50 : tables;
        const uint64_t number = random.Below(range);
        if (random.OneIn(50)) cache->Evict(number);
        auto found = cache->Find(number);
        if (!found.ok()) return found.status().ToString();
        std::string name = (*found)->file().name();
        if (!name.starts_with(std::to_string(number) + ".")) return name;
        held.push_back(std::move(found).value());
        if (held.size() > 4) held.erase(held.begin());
      }
      return "";
    });
    // Every miss was one opening, and what is open is within the limit.
    EXPECT_EQ(Counted(Ticker::kTableCacheMiss) - misses, openings);
    EXPECT_EQ(Counted(Ticker::kTableCacheHit) - hits,
              uint64_t{kThreads} * static_cast<uint64_t>(requests) - openings);
    EXPECT_LE(files_.open(), options_.max_open_files);
    EXPECT_EQ(cache->OpenTables(), static_cast<uint64_t>(files_.open()));
    cache->CloseUnused();
    EXPECT_EQ(files_.open(), 0);
    EXPECT_EQ(cache->MemoryUsage(), 0u);
  }
}

// Nothing is evicted: no number is ever opened twice, however many threads ask.
TEST_F(TableCacheStress, ATableThatStaysIsOpenedOnce) {
  const uint64_t tables = IsThorough() ? 20'000 : 300;
  Residents residents(tables);
  options_.open = [&](uint64_t number, TableToOpen* table) {
    table->file = std::make_unique<Residents::File>(files_.Open(number),
                                                    residents.Of(number));
    return Status();
  };
  const auto cache = MakeTableCache(options_);
  RunTogether(kThreads, [&](int) -> std::string {
    for (uint64_t number = 0; number < tables; ++number) {
      if (!cache->Find(number).ok()) return "not opened";
    }
    return "";
  });
  EXPECT_EQ(files_.Openings(), tables);
  EXPECT_EQ(residents.Open(), static_cast<int>(tables));
  EXPECT_EQ(Counted(Ticker::kNoFileOpens), tables);
}

}  // namespace
}  // namespace ashlar::testing
