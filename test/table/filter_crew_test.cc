// Tests filters that a crew of threads builds. For any number of threads and
// every kind of filter the bytes are the same, and an error in any part is
// returned.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "table/filter/bloom.h"
#include "table/filter/ribbon.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "util/sync/ticket_queue.h"

namespace {

// How many more array allocations with std::nothrow succeed before one fails.
// Negative: none fails. Only the parts of a Ribbon filter make such
// allocations.
std::atomic<int> allocations_until_fault = -1;

bool FailsNow() {
  return allocations_until_fault >= 0 && allocations_until_fault-- == 0;
}

void* Allocate(size_t n) { return std::malloc(n == 0 ? 1 : n); }

}  // namespace

void* operator new[](size_t n) {
  void* const memory = Allocate(n);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new[](size_t n, const std::nothrow_t&) noexcept {
  return FailsNow() ? nullptr : Allocate(n);
}
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept {
  std::free(p);
}

namespace ashlar::testing {
namespace {

using internal::Buffer;
using internal::FilterBitsBuilder;
using internal::FilterBitsReader;
using internal::FilterDensity;
using internal::HashCollector;
using internal::WorkerCrew;

constexpr uint32_t kThreads[] = {1, 2, 3, 4, 8, 16};
constexpr FilterType kTypes[] = {FilterType::kBloom, FilterType::kRibbon};

// Builds small filters with the crew too, which FilterBitsBuilder would not do.
std::string Build(FilterType type, const std::vector<uint64_t>& hashes,
                  const FilterDensity& density, const WorkerCrew& crew) {
  const bool ribbon = type == FilterType::kRibbon;
  HashCollector collector(ribbon ? internal::RibbonParting
                                 : internal::BloomParting);
  for (const uint64_t hash : hashes) collector.Add(hash);
  Buffer out;
  const auto build = ribbon ? internal::BuildRibbon : internal::BuildBloom;
  EXPECT_TRUE(build(&collector, density, crew, &out));
  return out.slice().ToString();
}

TEST(FilterCrew, FiltersOfEverySize) {
  WorkerPool pool(3);
  const WorkerCrew crew(pool.state(), 3);
  constexpr double kDensities[] = {1, 6.5, 10, 40};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    // Some filters are so large that their hashes are dealt out to parts.
    const uint64_t count =
        seed < 250 ? 1 + random.Below(3000) : 32769 + random.Below(6000);
    std::vector<uint64_t> hashes(count);
    for (uint64_t& hash : hashes) hash = random.Next();
    const FilterDensity density(random.Pick(kDensities));
    for (const FilterType type : kTypes) {
      const std::string alone = Build(type, hashes, density, {});
      ASSERT_TRUE(alone == Build(type, hashes, density, crew))
          << "seed " << seed;
      const FilterBitsReader reader{Slice(alone)};
      for (const uint64_t hash : hashes) ASSERT_TRUE(reader.MayMatch(hash));
    }
  }
}

// With the first seed one equation contradicts another, so the filter is built
// again with the next seed.
TEST(FilterCrew, AContradictionInAPart) {
  std::vector<uint64_t> hashes(70000);
  Random random(7);
  for (uint64_t& hash : hashes) hash = random.Next();
  const FilterDensity density(10);
  WorkerPool pool(3);
  const std::string alone = Build(FilterType::kRibbon, hashes, density, {});
  EXPECT_TRUE(alone == Build(FilterType::kRibbon, hashes, density,
                             WorkerCrew(pool.state(), 3)));
  const char seed = alone[alone.size() - 4];
  EXPECT_EQ(seed, static_cast<char>(hashes[0] + 1));
}

TEST(FilterCrew, LargeFiltersForAnyNumberOfThreads) {
  for (const FilterType type : kTypes) {
    for (const uint64_t count : {65535, 65536, 200001}) {
      std::string expected;
      for (const uint32_t threads : {0U, 1U, 2U, 3U, 4U, 8U, 16U}) {
        WorkerPool pool(threads);
        FilterBitsBuilder builder(type, 10);
        Random random(count);
        for (uint64_t i = 0; i < count; ++i) builder.Add(random.Next());
        FilterBitsBuilder taken = builder.Take();
        EXPECT_EQ(builder.num_hashes(), 0u);
        EXPECT_EQ(taken.num_hashes(), count);
        Buffer out;
        Require(taken.Finish(&out, WorkerCrew(pool.state(), threads)));
        if (expected.empty()) expected = out.slice().ToString();
        EXPECT_TRUE(out.slice().ToString() == expected) << threads;
      }
    }
  }
}

// The memory of any part may be missing.
TEST(FilterCrew, AFaultInAPartComesBack) {
  WorkerPool pool(3);
  for (const WorkerCrew& crew : {WorkerCrew(), WorkerCrew(pool.state(), 3)}) {
    for (int part = 0; part <= 64; ++part) {
      FilterBitsBuilder builder(FilterType::kRibbon, 10);
      Random random(8);
      for (int i = 0; i < 70000; ++i) builder.Add(random.Next());
      Buffer out;
      allocations_until_fault = part;
      EXPECT_EQ(builder.Finish(&out, crew).ok(), part == 64);
      EXPECT_EQ(builder.num_hashes(), 0u);
      allocations_until_fault = -1;
    }
  }
}

// Returns options for each way to write a filter.
std::vector<TableOptions> EveryFilter() {
  std::vector<TableOptions> all;
  for (const FilterType type : kTypes) {
    TableOptions options;
    options.compression = CompressionType::kNoCompression;
    options.filter = type;
    all.push_back(options);
    options.partition_filters = true;
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.metadata_block_size = 2000;
    options.decouple_partitioned_filters = true;
    all.push_back(options);
    if (type == FilterType::kBloom) {
      // The size of a filter then depends on the filters before it.
      options.optimize_filters_for_memory = true;
      all.push_back(options);
      options.optimize_filters_for_memory = false;
      options.prefix_extractor = NewFixedPrefixExtractor(7);
      all.push_back(options);
      options.prefix_extractor = nullptr;
    }
    options.decouple_partitioned_filters = false;
    all.push_back(options);
  }
  return all;
}

std::string Describe(const TableOptions& options) {
  return std::string(options.filter == FilterType::kRibbon ? "Ribbon"
                                                           : "Bloom") +
         (options.partition_filters ? ", partitions" : "") +
         (options.decouple_partitioned_filters ? ", decoupled" : "") +
         (options.prefix_extractor != nullptr ? ", prefixes" : "") +
         (options.optimize_filters_for_memory ? ", fitting" : "");
}

constexpr int kEntries = 70000;  // more than may wait, and enough for a crew

struct Built {
  std::string bytes;
  // The estimate shortly before the first waiting partitions are built.
  double estimate = 0;
  Status status;
};

Built BuildWith(const TableOptions& options, BuildOptions build) {
  Built built;
  const auto file = NewMemoryWritableFile("table", &built.bytes);
  build.identity = FixedBuild().identity;
  auto writer = ExternalFileWriter::Create(file.get(), options, build);
  Require(writer.status());
  std::string key = "key1000000";
  for (int i = 0; i < kEntries && built.status.ok(); ++i) {
    built.status = (*writer)->Put(key, "the same");
    for (size_t at = key.size() - 1; ++key[at] > '9'; --at) key[at] = '0';
    if (i != 65000) continue;
    built.estimate = static_cast<double>((*writer)->EstimatedFileSize());
  }
  if (built.status.ok()) built.status = (*writer)->Finish();
  return built;
}

void ExpectSame(const Built& built, const Built& expected) {
  Require(built.status);
  EXPECT_TRUE(built.bytes == expected.bytes);
  EXPECT_NEAR(built.estimate, expected.estimate, expected.estimate / 100);
}

TEST(FilterCrew, TablesAreTheSame) {
  WorkerPool none(0);
  WorkerPool shared(2);
  for (const TableOptions& options : EveryFilter()) {
    SCOPED_TRACE(Describe(options));
    const Built serial = BuildWith(options, {});
    for (const uint32_t threads : kThreads) {
      ExpectSame(BuildWith(options, {.parallel_threads = threads}), serial);
    }
    ExpectSame(BuildWith(options, {.workers = 1}), serial);
    for (WorkerPool* const pool : {&none, &shared}) {
      ExpectSame(BuildWith(options, {.workers = 3, .worker_pool = pool}),
                 serial);
    }
  }
}

TEST(FilterCrew, ManyTablesThroughOnePool) {
  WorkerPool pool(2);
  const std::vector<TableOptions> filters = EveryFilter();
  std::vector<Built> expected(filters.size());
  for (size_t i = 0; i < filters.size(); ++i) {
    expected[i] = BuildWith(filters[i], {});
  }
  std::vector<std::thread> builders;
  for (size_t i = 0; i < filters.size(); ++i) {
    builders.emplace_back([&, i] {
      SCOPED_TRACE(Describe(filters[i]));
      ExpectSame(BuildWith(filters[i], {.workers = 2, .worker_pool = &pool}),
                 expected[i]);
    });
  }
  for (std::thread& builder : builders) builder.join();
}

TEST(FilterCrew, AFaultEndsTheTable) {
  WorkerPool pool(2);
  for (const TableOptions& options : EveryFilter()) {
    if (options.filter != FilterType::kRibbon) continue;
    for (const BuildOptions& build :
         {BuildOptions{}, BuildOptions{.workers = 2},
          BuildOptions{.workers = 2, .worker_pool = &pool}}) {
      for (const int part : {0, 20, 63}) {
        allocations_until_fault = part;
        const Status status = BuildWith(options, build).status;
        allocations_until_fault = -1;
        EXPECT_NE(status.ToString().find("no memory for a filter"),
                  std::string::npos)
            << Describe(options) << ": " << status.ToString();
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
