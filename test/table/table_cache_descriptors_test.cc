// A process that runs out of file descriptors: the table cache closes tables
// that nobody uses, and otherwise says what is wrong.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/statistics.h"
#include "test/support/folder.h"
#include "test/support/run_together.h"
#include "test/table/table_cache_fixture.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kTables = 200;

// Lowers the limit of descriptors so that this many are free.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t more) {
    ::getrlimit(RLIMIT_NOFILE, &old_);
    for (; more != 0; ++limit_) {
      if (::fcntl(static_cast<int>(limit_), F_GETFD) < 0) --more;
    }
    const rlimit lower{limit_, old_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &lower);
  }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &old_); }
  rlim_t limit() const { return limit_; }

 private:
  rlimit old_;
  rlim_t limit_ = 0;
};

class TableCacheDescriptors : public ::testing::Test {
 protected:
  TableCacheDescriptors() {
    const std::string table = BuildTable(TableOptions(), SomeEntries(20));
    for (uint64_t i = 0; i < kTables; ++i) WriteFile(Path(i), table);
    options_.open = [this](uint64_t number, TableToOpen* table_to_open) {
      table_to_open->path = Path(number);
      return Status();
    };
    options_.reader_options.statistics = std::make_shared<Statistics>();
  }
  std::string Path(uint64_t number) const {
    return folder_ / (std::to_string(number) + ".sst");
  }
  uint64_t Closed() const {
    return options_.reader_options.statistics->GetTickerCount(
        Ticker::kTableCacheDescriptorEvict);
  }

  const TestFolder folder_;
  TableCacheOptions options_;
};

TEST_F(TableCacheDescriptors, ClosesSomeTablesThatNobodyUses) {
  for (const int shard_bits : {0, 6}) {
    options_.table_cache_numshardbits = shard_bits;
    const uint64_t before = Closed();
    const auto cache = MakeTableCache(options_);
    const DescriptorLimit limit(40);
    for (uint64_t i = 0; i < kTables; ++i) {
      const auto found = cache->Find(i);
      ASSERT_TRUE(found.ok()) << found.status().ToString();
      ASSERT_LE(cache->OpenTables(), 40u);
    }
    EXPECT_EQ(cache->OpenTables(), kTables - (Closed() - before));
    // Some, not all: the tables that were used last are still open.
    EXPECT_GE(cache->OpenTables(), 8u);
    EXPECT_TRUE(cache->FindOpen(kTables - 1));
  }
}

// The order in which they are closed is that of their use.
TEST_F(TableCacheDescriptors, ClosesTheLeastRecentlyUsed) {
  options_.table_cache_numshardbits = 0;
  const auto cache = MakeTableCache(options_);
  const DescriptorLimit limit(40);
  const TableHandle used = MustFind(cache.get(), 0);
  for (uint64_t i = 1; i < 40; ++i) MustFind(cache.get(), i);
  EXPECT_EQ(Closed(), 0u);
  MustFind(cache.get(), 1);
  MustFind(cache.get(), 40);
  EXPECT_EQ(Closed(), 9u);  // a quarter of 39
  for (const uint64_t i : {0, 1, 11, 39, 40}) {
    EXPECT_TRUE(cache->FindOpen(i)) << i;
  }
  for (uint64_t i = 2; i < 11; ++i) EXPECT_FALSE(cache->FindOpen(i)) << i;
}

TEST_F(TableCacheDescriptors, SaysWhatToDoIfAllAreInUse) {
  options_.max_open_files = 1000;
  const auto cache = MakeTableCache(options_);
  std::vector<TableHandle> held;
  Status status;
  rlim_t soft = 0;
  {
    const DescriptorLimit limit(20);
    soft = limit.limit();
    for (uint64_t i = 0; i < 20; ++i) held.push_back(MustFind(cache.get(), i));
    status = cache->Find(20).status();
    EXPECT_EQ(cache->FindOpen(3).get(), held[3].get());
    held.pop_back();
    EXPECT_TRUE(cache->Find(20).ok());
  }
  EXPECT_TRUE(status.IsIOError());
  EXPECT_EQ(status.subcode(), Status::SubCode::kTooManyOpenFiles);
  EXPECT_EQ(status.message(),
            "table 20: open " + Path(20) +
                ": Too many open files; this process may have " +
                std::to_string(soft) +
                " descriptors (RLIMIT_NOFILE), and all 20 open tables of the "
                "cache are in use: raise the limit (ulimit -n), hold fewer "
                "table handles, or close other files; max_open_files is 1000");
  EXPECT_EQ(Closed(), 1u);
}

// No text is searched: an opening function may have words of its own.
TEST_F(TableCacheDescriptors, GoesByTheSubcode) {
  int calls = 0;
  Status error;
  options_.open = [&](uint64_t number, TableToOpen* table) {
    if (number == 1 && ++calls == 1) return error;
    table->path = Path(number);
    return Status();
  };
  const auto cache = MakeTableCache(options_);
  MustFind(cache.get(), 0);
  error = Status::IOError("Too many open files");
  EXPECT_FALSE(cache->Find(1).ok());
  EXPECT_EQ(Closed(), 0u);
  calls = 0;
  error = Status::IOError("nope", Status::SubCode::kTooManyOpenFiles);
  EXPECT_TRUE(cache->Find(1).ok());
  EXPECT_EQ(Closed(), 1u);
}

// Each thread uses at most one table at a time, so no Find may fail, however
// many tables the others are closing or opening at the moment.
TEST_F(TableCacheDescriptors, ManyThreadsShareFewDescriptors) {
  constexpr int kThreads = 8;
  const auto cache = MakeTableCache(options_);
  const auto work = [&](int thread) -> std::string {
    for (uint64_t i = 0; i < 300; ++i) {
      const uint64_t number = (i * static_cast<uint64_t>(thread + 1)) % kTables;
      const auto found = cache->Find(number);
      if (!found.ok()) return found.status().ToString();
    }
    return "";
  };
  // First without a limit: UBSan needs descriptors to check the type of an
  // object for the first time.
  RunTogether(kThreads, work);
  cache->CloseUnused();
  {
    const DescriptorLimit limit(kThreads + 2);
    RunTogether(kThreads, work);
  }
  EXPECT_GT(Closed(), 0u);
}

}  // namespace
}  // namespace ashlar::testing
