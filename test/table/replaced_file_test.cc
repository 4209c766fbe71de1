// Tests a file that is replaced while it is read. Each reader goes on with the
// file that it opened, and values outlive reader and file. Batches, single
// reads and scans share a cache that is too small for all blocks.

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/file.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "util/sync/atomic.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 1500;

struct Version {
  std::string name;
  std::shared_ptr<const TableReader> reader;
};

std::string ValueIn(const std::string& version, size_t i) {
  return version + "/" + std::to_string(i);
}

class ReplacedFile {
 public:
  explicit ReplacedFile(const ReaderOptions& options) : options_(options) {
    Replace(0);
  }

  // Replaces the file with another one of the same name, and opens a reader of
  // it.
  void Replace(int number) {
    const std::string name = "version" + std::to_string(number);
    std::vector<Entry> entries = SomeEntries(kEntries);
    for (size_t i = 0; i < entries.size(); ++i) {
      entries[i].value = ValueIn(name, i);
    }
    TableOptions table;
    table.block_size = 400;
    auto file = AtomicFile::Create(path_, {.sync = false});
    Require(file.status());
    Require(
        (*file)->file()->Append(BuildTable(table, entries, FixedBuild(name))));
    Require((*file)->Commit());
    auto opened = TableReader::Open(path_, options_);
    Require(opened.status());
    const std::scoped_lock lock(mutex_);
    now_ = {name, std::move(opened).value()};
  }

  Version Now() {
    const std::scoped_lock lock(mutex_);
    return now_;
  }

 private:
  const TestFolder folder_;
  const std::string path_ = folder_ / "table.sst";
  const ReaderOptions options_;
  std::mutex mutex_;
  Version now_;
};

// Keeps values that a thread has read, and expects that they do not change.
class KeptValues {
 public:
  void Keep(PinnableSlice value, std::string expected, Random* random) {
    auto& place = kept_[random->Below(kept_.size())];
    Check(place);
    place = {std::move(value), std::move(expected)};
  }
  ~KeptValues() {
    for (const auto& place : kept_) Check(place);
  }

 private:
  using Place = std::pair<PinnableSlice, std::string>;
  static void Check(const Place& place) {
    EXPECT_EQ(place.first.slice().ToString(), place.second);
  }
  std::vector<Place> kept_ = std::vector<Place>(40);
};

void ReadBatch(const Version& version, const std::vector<Entry>& entries,
               Random* random, KeptValues* kept) {
  const size_t n = 1 + random->Below(70);
  std::vector<size_t> numbers(n);
  std::vector<Slice> keys;
  for (size_t& i : numbers) {
    i = random->Below(entries.size());
    keys.emplace_back(UserKeyOf(entries[i].key));
  }
  std::vector<GetResult> results(n);
  std::vector<Status> statuses(n);
  version.reader->MultiGet({}, keys, kMaxSequenceNumber, results, statuses);
  for (size_t k = 0; k < n; ++k) {
    ASSERT_TRUE(statuses[k].ok()) << statuses[k].ToString();
    const std::string expected = ValueIn(version.name, numbers[k]);
    ASSERT_EQ(results[k].value.ToString(), expected);
    kept->Keep(std::move(results[k].value), expected, random);
  }
}

void ReadOne(const Version& version, const std::vector<Entry>& entries,
             Random* random, KeptValues* kept) {
  const size_t i = random->Below(entries.size());
  GetResult result;
  Require(version.reader->Get(UserKeyOf(entries[i].key), &result));
  kept->Keep(std::move(result.value), ValueIn(version.name, i), random);
}

void ReadSome(const Version& version, const std::vector<Entry>& entries,
              Random* random) {
  size_t i = random->Below(entries.size());
  Iterator it = version.reader->NewIterator();
  it.Seek(UserKeyOf(entries[i].key));
  for (int steps = 0; steps < 50 && it.Valid(); ++steps, it.Next(), ++i) {
    ASSERT_EQ(it.value().ToString(), ValueIn(version.name, i));
  }
  Require(it.status());
}

TEST(ReplacedFile, ReadersAndBatchesGoOn) {
  constexpr int kVersions = 8;
  constexpr int kThreads = 5;
  HyperClockCacheOptions cache;
  cache.capacity = 60000;
  cache.estimated_entry_charge = 600;
  for (const bool mapped : {false, true}) {
    ReaderOptions options;
    options.block_cache = std::move(NewHyperClockCache(cache)).value();
    options.allow_mmap_reads = mapped;
    ReplacedFile file(options);
    const std::vector<Entry> entries = SomeEntries(kEntries);
    internal::RelaxedAtomic<bool> done(false);
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(kThreads));
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Random random(static_cast<uint64_t>(t));
        KeptValues kept;
        while (!done.Load()) {
          const Version version = file.Now();
          for (int round = 0; round < 10; ++round) {
            if (t < 3) ReadBatch(version, entries, &random, &kept);
            if (t == 3) ReadOne(version, entries, &random, &kept);
            if (t == 4) ReadSome(version, entries, &random);
            if (::testing::Test::HasFatalFailure()) return;
          }
        }
      });
    }
    for (int number = 1; number < kVersions; ++number) file.Replace(number);
    done.Store(true);
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace ashlar::testing
