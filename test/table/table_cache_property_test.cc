// Compares the table cache with a naive model: random Finds, releases and
// evictions by one thread, with a limit of tables, of bytes, or both.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "test/support/random.h"
#include "test/table/table_cache_fixture.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kNumbers = 12;
constexpr uint64_t kNoLimit = UINT64_MAX;

// A list of the open tables, from the one that was released first to the one
// that was released last; those in use are in no order.
class Model {
 public:
  explicit Model(uint64_t most) : most_(most) {}

  // Returns how often the table has been opened after this Find.
  int Find(uint64_t number) {
    if (!open_.contains(number)) {
      ++openings_[number];
      MakeRoom(1);
      open_[number] = 0;
    }
    if (open_[number]++ == 0) unused_.remove(number);
    return openings_[number];
  }
  // Releases a handle to opening number `opening` of the table.
  void Release(uint64_t number, int opening) {
    if (left_.contains({number, opening})) {
      if (--left_[{number, opening}] == 0) left_.erase({number, opening});
      return MakeRoom(0);
    }
    if (--open_[number] != 0) return;
    unused_.push_back(number);
    MakeRoom(0);
  }
  bool Evict(uint64_t number) {
    const auto found = open_.find(number);
    if (found == open_.end()) return false;
    if (found->second != 0) left_[{number, openings_[number]}] = found->second;
    unused_.remove(number);
    open_.erase(found);
    return true;
  }
  void CloseUnused() {
    for (const uint64_t number : unused_) open_.erase(number);
    unused_.clear();
  }
  bool IsOpen(uint64_t number) const { return open_.contains(number); }
  uint64_t Open() const { return open_.size() + left_.size(); }

 private:
  void MakeRoom(uint64_t more) {
    while (Open() + more > most_ && !unused_.empty()) {
      open_.erase(unused_.front());
      unused_.pop_front();
    }
  }

  const uint64_t most_;
  std::map<uint64_t, int> open_;  // and how many handles refer to it
  std::list<uint64_t> unused_;
  // Opening number and handles of tables that were evicted while in use.
  std::map<std::pair<uint64_t, int>, int> left_;
  std::map<uint64_t, int> openings_;
};

struct Held {
  uint64_t number;
  int opening;
  TableHandle handle;
};

class Experiment {
 public:
  Experiment(Random* random, CountingFiles* files,
             const TableCacheOptions& options, uint64_t most)
      : random_(random),
        files_(files),
        most_(most),
        model_(most),
        cache_(MakeTableCache(options)) {}

  void Step() {
    const uint64_t number = random_->Below(kNumbers);
    switch (random_->Below(20)) {
      case 0:
        EXPECT_EQ(random_->OneIn(2) ? cache_->Evict(number)
                                    : cache_->EvictDeleted(number),
                  model_.Evict(number));
        break;
      case 1:
        if (random_->OneIn(5)) {
          cache_->CloseUnused();
          model_.CloseUnused();
        }
        break;
      case 2: {
        TableHandle handle = cache_->FindOpen(number);
        ASSERT_EQ(static_cast<bool>(handle), model_.IsOpen(number));
        if (handle) Hold(number, model_.Find(number), std::move(handle));
        break;
      }
      default:
        random_->OneIn(2) || held_.empty() ? Find(number) : Release();
    }
    Check();
  }

 private:
  void Find(uint64_t number) {
    const int opening = model_.Find(number);
    TableHandle handle = MustFind(cache_.get(), number);
    EXPECT_EQ(handle->file().name(),
              std::to_string(number) + "." + std::to_string(opening) + ".sst");
    Hold(number, opening, std::move(handle));
  }
  void Hold(uint64_t number, int opening, TableHandle handle) {
    held_.push_back({number, opening, std::move(handle)});
    // Mostly few are held, so that tables come and go.
    while (held_.size() > 3 && !random_->OneIn(4)) Release();
  }
  void Release() {
    const size_t i = random_->Below(held_.size());
    std::swap(held_[i], held_.back());
    Held last = std::move(held_.back());
    held_.pop_back();
    last.handle.Reset();
    model_.Release(last.number, last.opening);
  }
  void Check() {
    ASSERT_EQ(cache_->OpenTables(), model_.Open());
    ASSERT_EQ(files_->open(), static_cast<int>(model_.Open()));
    // What exceeds the limit is in use.
    ASSERT_LE(model_.Open(), std::max<uint64_t>(most_, held_.size()));
    for (const Held& held : held_) {
      ASSERT_EQ(held.handle->properties().num_entries, 20u);
    }
  }

  Random* const random_;
  CountingFiles* const files_;
  const uint64_t most_;
  Model model_;
  const std::unique_ptr<TableCache> cache_;
  std::vector<Held> held_;
};

TEST(TableCacheProperty, IsAnExactLruListWithinItsLimits) {
  ForEachSeed(1, 300, [](uint64_t seed) {
    Random random(seed);
    CountingFiles files;
    TableCacheOptions options;
    options.open = files.Function();
    options.table_cache_numshardbits = 0;
    uint64_t most = kNoLimit;
    uint64_t bytes_each = 0;
    {
      const auto cache = MakeTableCache(options);
      const TableHandle table = MustFind(cache.get(), 1);
      bytes_each = table->ExpectedMemoryUsage();
      ASSERT_EQ(cache->MemoryUsage(), bytes_each);
    }
    CountingFiles counted;
    options.open = counted.Function();
    if (!random.OneIn(4)) {
      most = random.Below(8);
      options.max_open_files = static_cast<int>(most);
    }
    if (random.OneIn(2)) {
      const uint64_t by_bytes = random.Below(8);
      options.max_table_bytes =
          by_bytes * bytes_each + random.Below(bytes_each);
      // With both limits a table counts as a part of the bytes.
      const uint64_t bytes = *options.max_table_bytes;
      const uint64_t charge =
          most == kNoLimit || most == 0
              ? bytes_each
              : std::max(bytes_each, (bytes + most - 1) / most);
      most = most == 0 ? 0 : bytes / charge;
    }
    Experiment experiment(&random, &counted, options, most);
    for (int i = 0; i < 300 && !::testing::Test::HasFailure(); ++i) {
      experiment.Step();
    }
  });
}

// With shards the order is that of each shard, but the limit is the sum.
TEST(TableCacheProperty, ShardsKeepTheLimitTogether) {
  CountingFiles files;
  TableCacheOptions options;
  options.open = files.Function();
  options.max_open_files = 300;  // 4 shards
  const auto cache = MakeTableCache(options);
  for (uint64_t number = 0; number < 1000; ++number) {
    MustFind(cache.get(), number);
    ASSERT_LE(files.open(), 300);
  }
  EXPECT_GE(files.open(), 290);
  EXPECT_EQ(cache->OpenTables(), static_cast<uint64_t>(files.open()));
}

}  // namespace
}  // namespace ashlar::testing
