// Tables for tests of the table cache: small files in memory, whose openings
// are counted.
#ifndef ASHLAR_TEST_TABLE_TABLE_CACHE_FIXTURE_H_
#define ASHLAR_TEST_TABLE_TABLE_CACHE_FIXTURE_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <utility>

#include "ashlar/table/table_cache.h"
#include "test/support/tables.h"

namespace ashlar::testing {

// Opens any file number as the same small table, and counts openings and files
// that are open. The name of a file is its number and how often it was opened:
// "7.1.sst". Must outlive its files.
class CountingFiles {
 public:
  CountingFiles() : contents_(BuildTable(TableOptions(), SomeEntries(20))) {}
  explicit CountingFiles(std::string contents)
      : contents_(std::move(contents)) {}

  OpenTableFunction Function() {
    return [this](uint64_t number, TableToOpen* table) {
      table->file = Open(number);
      return Status();
    };
  }
  std::unique_ptr<RandomAccessFile> Open(uint64_t number) {
    ++open_;
    int times;
    {
      const std::scoped_lock lock(mutex_);
      times = ++openings_[number];
    }
    return std::make_unique<File>(
        std::to_string(number) + "." + std::to_string(times) + ".sst", this);
  }

  // Return how many files are open, and how often one or all were opened.
  int open() const { return open_; }
  int Openings(uint64_t number) {
    const std::scoped_lock lock(mutex_);
    return openings_[number];
  }
  uint64_t Openings() {
    const std::scoped_lock lock(mutex_);
    uint64_t sum = 0;
    for (const auto& [number, n] : openings_) sum += static_cast<uint64_t>(n);
    return sum;
  }

 private:
  class File final : public RandomAccessFile {
   public:
    File(std::string name, CountingFiles* files)
        : name_(std::move(name)), files_(files) {}
    ~File() override { --files_->open_; }
    Status Read(uint64_t offset, size_t n, char* /*scratch*/,
                Slice* data) const override {
      const std::string& all = files_->contents_;
      offset = std::min<uint64_t>(offset, all.size());
      *data = Slice(all.data() + offset,
                    std::min(n, all.size() - static_cast<size_t>(offset)));
      return {};
    }
    uint64_t Size() const override { return files_->contents_.size(); }
    std::string name() const override { return name_; }

   private:
    const std::string name_;
    CountingFiles* const files_;
  };

  const std::string contents_;
  std::atomic<int> open_ = 0;
  std::mutex mutex_;
  std::map<uint64_t, int> openings_;
};

// Holds up an opening function until the test lets it continue.
struct HeldOpening {
  std::binary_semaphore begun{0};
  std::binary_semaphore go{0};

  void Pass() {
    begun.release();
    go.acquire();
  }
};

inline std::unique_ptr<TableCache> MakeTableCache(
    const TableCacheOptions& options) {
  auto made = TableCache::Create(options);
  Require(made.status());
  return std::move(made).value();
}

// Returns a handle to a table that must open.
inline TableHandle MustFind(TableCache* cache, uint64_t number) {
  auto found = cache->Find(number);
  Require(found.status());
  return std::move(found).value();
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_TABLE_TABLE_CACHE_FIXTURE_H_
