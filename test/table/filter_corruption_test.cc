// Tests TableOptions::detect_filter_construct_corruption. A hash that changes
// in memory before the filter is built, and a filter that lost a key, fail the
// build with a message that names the cause. This holds for every kind of
// filter and any number of threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "table/filter/bloom.h"
#include "table/filter/filter_bits.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/spoiled_build.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::Buffer;
using internal::FilterBitsBuilder;
using internal::FilterBitsReader;
using internal::HashCollector;
using internal::HashGuard;
using internal::WorkerCrew;

constexpr FilterType kTypes[] = {FilterType::kBloom, FilterType::kRibbon};
// The first three are kept together, the fourth is dealt out to parts, and the
// last is built by a crew.
constexpr size_t kCounts[] = {1, 50, 5000, 40000, 70000};

std::vector<uint64_t> RandomHashes(size_t count) {
  Random random(count);
  std::vector<uint64_t> hashes(count);
  for (uint64_t& hash : hashes) hash = random.Next();
  return hashes;
}

struct Finished {
  Status status;
  std::string payload;
};

Finished Finish(FilterType type, const std::vector<uint64_t>& hashes,
                HashGuard guard, const WorkerCrew& crew = {}) {
  FilterBitsBuilder builder(type, 10, false, guard);
  for (const uint64_t hash : hashes) builder.Add(hash);
  Buffer out;
  Finished finished;
  finished.status = builder.Finish(&out, crew);
  finished.payload = out.slice().ToString();
  return finished;
}

std::string HashesChanged(size_t count) {
  return "Corruption: its " + std::to_string(count) +
         " hashes changed in memory after they were collected";
}

TEST(FilterCorruption, SoundFiltersAreTheSame) {
  WorkerPool pool(3);
  for (const FilterType type : kTypes) {
    for (const size_t count : kCounts) {
      const std::vector<uint64_t> hashes = RandomHashes(count);
      const Finished expected = Finish(type, hashes, HashGuard::kOff);
      for (const WorkerCrew& crew :
           {WorkerCrew(), WorkerCrew(pool.state(), 3)}) {
        const Finished guarded = Finish(type, hashes, HashGuard::kOn, crew);
        Require(guarded.status);
        EXPECT_TRUE(guarded.payload == expected.payload);
      }
    }
  }
}

// Each bit of the first hash, of one in the middle, and of the last.
TEST(FilterCorruption, AnyBitOfAHash) {
  for (const FilterType type : kTypes) {
    for (const size_t count : kCounts) {
      const std::vector<uint64_t> hashes = RandomHashes(count);
      const int step = count > 10000 ? 9 : 1;
      for (int bit = 0; bit < 64; bit += step) {
        for (const size_t which : {size_t{0}, count / 2, count - 1}) {
          const Spoiling spoiling(
              {.before_filter = [&](const HashCollector& collected) {
                EXPECT_TRUE(
                    FlipHash(collected, hashes[which], uint64_t{1} << bit));
              }});
          const Status status = Finish(type, hashes, HashGuard::kOn).status;
          EXPECT_EQ(status.ToString(), HashesChanged(count)) << bit;
        }
      }
    }
  }
}

// A hash may also change while the filter is built or after that. Nobody can
// say then whether the filter has the right hashes.
TEST(FilterCorruption, HashesThatChangeLate) {
  WorkerPool pool(3);
  for (const FilterType type : kTypes) {
    for (const size_t count : kCounts) {
      const std::vector<uint64_t> hashes = RandomHashes(count);
      const Spoiling spoiling(
          {.after_filter = [&](const HashCollector& all, char*, size_t) {
            EXPECT_TRUE(FlipHash(all, hashes[count / 3], 1));
          }});
      for (const WorkerCrew& crew :
           {WorkerCrew(), WorkerCrew(pool.state(), 3)}) {
        const Status status = Finish(type, hashes, HashGuard::kOn, crew).status;
        EXPECT_EQ(status.ToString(), HashesChanged(count));
      }
    }
  }
}

// A faulty memory cell changes the same bit of several hashes.
TEST(FilterCorruption, ChangesDoNotCancelOut) {
  const std::vector<uint64_t> hashes = RandomHashes(1000);
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t mask = uint64_t{1} << bit;
    // One hash has the bit set, and the other has it clear.
    const auto is_set = [mask](uint64_t hash) { return (hash & mask) != 0; };
    const uint64_t set = *std::find_if(hashes.begin(), hashes.end(), is_set);
    const uint64_t clear =
        *std::find_if_not(hashes.begin(), hashes.end(), is_set);
    const Spoiling spoiling(
        {.before_filter = [&](const HashCollector& collected) {
          EXPECT_TRUE(FlipHash(collected, set, mask));
          EXPECT_TRUE(FlipHash(collected, clear, mask));
        }});
    const Status status =
        Finish(FilterType::kBloom, hashes, HashGuard::kOn).status;
    EXPECT_EQ(status.ToString(), HashesChanged(hashes.size())) << bit;
  }
}

// One hash overwrites another, as after a stray write.
TEST(FilterCorruption, AHashThatIsThereTwice) {
  const std::vector<uint64_t> hashes = RandomHashes(5000);
  for (const FilterType type : kTypes) {
    const Spoiling spoiling(
        {.before_filter = [&](const HashCollector& collected) {
          EXPECT_TRUE(FlipHash(collected, hashes[10], hashes[10] ^ hashes[99]));
        }});
    EXPECT_EQ(Finish(type, hashes, HashGuard::kOn).status.ToString(),
              HashesChanged(hashes.size()));
  }
}

// A builder can be used again, and the hashes that Take moves are guarded too.
TEST(FilterCorruption, OneFilterAfterTheOther) {
  for (const FilterType type : kTypes) {
    FilterBitsBuilder builder(type, 10, false, HashGuard::kOn);
    for (const size_t count : {100, 40000, 7}) {
      const std::vector<uint64_t> hashes = RandomHashes(count);
      for (const bool spoiled : {false, true}) {
        for (const uint64_t hash : hashes) builder.Add(hash);
        FilterBitsBuilder taken = builder.Take();
        Buffer out;
        const Spoiling spoiling(
            {.before_filter = [&](const HashCollector& collected) {
              EXPECT_EQ(spoiled && FlipHash(collected, hashes[0], 2), spoiled);
            }});
        EXPECT_EQ(taken.Finish(&out).ok(), !spoiled);
        EXPECT_EQ(taken.num_hashes(), 0u);
      }
    }
  }
}

// Returns whether a filter with one changed bit still matches all hashes.
bool KnowsAll(const std::string& payload, const std::vector<uint64_t>& hashes) {
  const FilterBitsReader reader{Slice(payload)};
  if (reader.kind() != FilterBitsReader::Kind::kBloom &&
      reader.kind() != FilterBitsReader::Kind::kRibbon) {
    return false;
  }
  return std::all_of(hashes.begin(), hashes.end(),
                     [&](uint64_t hash) { return reader.MayMatch(hash); });
}

// Every bit of a small filter, with its metadata.
TEST(FilterCorruption, AnyBitOfTheFilter) {
  for (const FilterType type : kTypes) {
    const std::vector<uint64_t> hashes = RandomHashes(900);
    const std::string sound = Finish(type, hashes, HashGuard::kOn).payload;
    ASSERT_EQ(FilterBitsReader(Slice(sound)).kind(),
              type == FilterType::kBloom ? FilterBitsReader::Kind::kBloom
                                         : FilterBitsReader::Kind::kRibbon);
    size_t found = 0;
    for (size_t bit = 0; bit < sound.size() * 8; ++bit) {
      std::string spoiled;
      const Spoiling spoiling({.after_filter = [&](const HashCollector&,
                                                   char* payload, size_t size) {
        payload[bit / 8] = static_cast<char>(payload[bit / 8] ^ 1 << bit % 8);
        spoiled.assign(payload, size);
      }});
      const Status status = Finish(type, hashes, HashGuard::kOn).status;
      ASSERT_EQ(status.ok(), KnowsAll(spoiled, hashes)) << bit;
      found += status.ok() ? 0 : 1;
      // Each bit that is set in a Bloom filter was set by some hash.
      const bool was_set = (sound[bit / 8] >> bit % 8 & 1) != 0;
      if (type == FilterType::kBloom && bit / 8 < sound.size() - 5) {
        ASSERT_EQ(status.ok(), !was_set) << bit;
      }
    }
    // In a Ribbon filter, about every bit that is used matters to some hash.
    EXPECT_GT(found, sound.size() * 8 / 3);
  }
}

TEST(FilterCorruption, SaysHowManyHashesAreMissing) {
  for (const FilterType type : kTypes) {
    const std::vector<uint64_t> hashes = RandomHashes(70000);
    size_t missing = 0;
    const Spoiling spoiling(
        {.after_filter = [&](const HashCollector&, char* payload, size_t size) {
          std::fill(payload + size / 2, payload + size / 2 + 500, 0);
          const FilterBitsReader reader{Slice(payload, size)};
          missing = static_cast<size_t>(std::count_if(
              hashes.begin(), hashes.end(),
              [&](uint64_t hash) { return !reader.MayMatch(hash); }));
        }});
    WorkerPool pool(3);
    for (const WorkerCrew& crew : {WorkerCrew(), WorkerCrew(pool.state(), 3)}) {
      const Status status = Finish(type, hashes, HashGuard::kOn, crew).status;
      EXPECT_GT(missing, 100u);
      EXPECT_EQ(status.ToString(),
                "Corruption: the filter that was built does not match " +
                    std::to_string(missing) + " of its 70000 hashes");
    }
  }
}

// The payload says that it is no known filter, so it would match everything.
TEST(FilterCorruption, AFilterOfNoKind) {
  const std::vector<uint64_t> hashes = RandomHashes(100);
  const Spoiling spoiling(
      {.after_filter = [](const HashCollector&, char* payload, size_t size) {
        payload[size - 5] = static_cast<char>(-100);
      }});
  for (const FilterType type : kTypes) {
    const Finished finished = Finish(type, hashes, HashGuard::kOn);
    EXPECT_EQ(finished.status.ToString(),
              "Corruption: its " + std::to_string(finished.payload.size()) +
                  " bytes are neither a Bloom nor a Ribbon filter");
  }
}

// Returns options for each way to write a filter into a table.
std::vector<TableOptions> EveryFilter() {
  std::vector<TableOptions> all;
  for (const FilterType type : kTypes) {
    TableOptions options;
    options.compression = CompressionType::kNoCompression;
    options.filter = type;
    options.detect_filter_construct_corruption = true;
    all.push_back(options);
    options.optimize_filters_for_memory = true;
    all.push_back(options);
    options.optimize_filters_for_memory = false;
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.partition_filters = true;
    options.metadata_block_size = 2000;
    all.push_back(options);
    options.decouple_partitioned_filters = false;
    all.push_back(options);
    options.decouple_partitioned_filters = true;
    options.prefix_extractor = NewFixedPrefixExtractor(7);
    all.push_back(options);
    options.whole_key_filtering = false;
    options.partition_filters = false;
    all.push_back(options);
  }
  return all;
}

constexpr int kEntries = 70000;  // enough for a crew

const std::string& KeyOf(int i) {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> made;
    made.reserve(kEntries);
    for (int k = 0; k < kEntries; ++k) {
      made.push_back("key" + std::to_string(1000000 + k));
    }
    return made;
  }();
  return keys[static_cast<size_t>(i)];
}

// Returns the hash that a filter with these options has of a key.
uint64_t HashOf(const TableOptions& options, int i) {
  const std::string& key = KeyOf(i);
  return internal::HashForFilter(
      options.whole_key_filtering ? Slice(key) : Slice(key.data(), 7));
}

struct Built {
  std::string bytes;
  Status status;
};

Built BuildWith(const TableOptions& options, uint32_t workers) {
  Built built;
  const auto file = NewMemoryWritableFile("new.sst", &built.bytes);
  BuildOptions build = FixedBuild();
  build.workers = workers;
  auto writer = ExternalFileWriter::Create(file.get(), options, build);
  Require(writer.status());
  for (int i = 0; i < kEntries && built.status.ok(); ++i) {
    built.status = (*writer)->Put(KeyOf(i), "the same");
  }
  if (built.status.ok()) built.status = (*writer)->Finish();
  return built;
}

// Returns a spoiler that clears every filter that has one of these hashes.
Spoiler SpoilFilterOf(std::vector<uint64_t> hashes) {
  return {.after_filter = [hashes = std::move(hashes)](
                              const HashCollector& collected, char* payload,
                              size_t size) {
    const bool has_one = std::any_of(
        hashes.begin(), hashes.end(),
        [&](uint64_t hash) { return FlipHash(collected, hash, 0); });
    if (has_one) std::fill(payload, payload + size - 5, 0);
  }};
}

TEST(FilterCorruption, SoundTablesAreTheSame) {
  for (TableOptions options : EveryFilter()) {
    options.detect_filter_construct_corruption = false;
    const Built expected = BuildWith(options, 0);
    Require(expected.status);
    options.detect_filter_construct_corruption = true;
    for (const uint32_t workers : {0, 1, 2, 4}) {
      const Built built = BuildWith(options, workers);
      Require(built.status);
      EXPECT_TRUE(built.bytes == expected.bytes) << workers << " workers";
    }
  }
}

// Two filter partitions are spoiled where there are several. The error names
// the first one.
TEST(FilterCorruption, TablesAreNotMade) {
  for (const TableOptions& options : EveryFilter()) {
    const std::string sound = BuildWith(options, 0).bytes;
    const Spoiling spoiling(SpoilFilterOf(
        {HashOf(options, kEntries / 2), HashOf(options, kEntries - 1)}));
    std::string expected;
    for (const uint32_t workers : {0, 1, 2, 4}) {
      const Built built = BuildWith(options, workers);
      EXPECT_EQ(built.status.subcode(), Status::SubCode::kFilterNotVerified);
      const std::string text = built.status.ToString();
      if (expected.empty()) expected = text;
      EXPECT_EQ(text, expected) << workers << " workers";
      EXPECT_TRUE(sound.starts_with(built.bytes));
    }
    const std::string begin =
        "Corruption: new.sst: detect_filter_construct_corruption failed in ";
    const std::string kind = options.partition_filters
                                 ? "filter-partition block #"
                                 : "filter block: ";
    EXPECT_TRUE(expected.starts_with(begin + kind)) << expected;
    EXPECT_NE(expected.find("the filter that was built does not match "),
              std::string::npos)
        << expected;
    EXPECT_FALSE(expected.starts_with(begin + kind + "0:")) << expected;
  }
}

TEST(FilterCorruption, ChangedHashesOfTables) {
  for (const TableOptions& options : EveryFilter()) {
    const uint64_t hash = HashOf(options, kEntries / 2);
    std::string expected;
    // This case has no crew, because the change moves some hash to the range of
    // another thread.
    {
      const Spoiling spoiling({.before_filter = [&](const HashCollector& all) {
        FlipHash(all, hash, uint64_t{1} << 33);
      }});
      expected = BuildWith(options, 0).status.ToString();
    }
    EXPECT_NE(expected.find("changed in memory after they were collected"),
              std::string::npos)
        << expected;
    const Spoiling spoiling(
        {.after_filter = [&](const HashCollector& all, char*, size_t) {
          FlipHash(all, hash, uint64_t{1} << 33);
        }});
    for (const uint32_t workers : {1, 2, 4}) {
      EXPECT_EQ(BuildWith(options, workers).status.ToString(), expected);
    }
  }
}

TEST(FilterCorruption, NothingIsSeenWithoutIt) {
  for (TableOptions options : EveryFilter()) {
    options.detect_filter_construct_corruption = false;
    Spoiler spoiler;
    spoiler.before_filter = [&](const HashCollector& all) {
      FlipHash(all, HashOf(options, 1), 1);
    };
    spoiler.after_filter = [](const HashCollector&, char* payload, size_t) {
      *payload = static_cast<char>(~*payload);
    };
    const Spoiling spoiling(spoiler);
    Require(BuildWith(options, 0).status);
  }
}

TEST(FilterCorruption, NoFileIsLeft) {
  for (const TableOptions& options : EveryFilter()) {
    const Spoiling spoiling(SpoilFilterOf({HashOf(options, 5)}));
    const TestFolder folder;
    auto writer = ExternalFileWriter::Open(folder / "new.sst", options);
    Require(writer.status());
    for (int i = 0; i < 100; ++i) Require((*writer)->Put(KeyOf(i), "value"));
    const Status status = (*writer)->Finish();
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    EXPECT_EQ(folder.Names(), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace ashlar::testing
