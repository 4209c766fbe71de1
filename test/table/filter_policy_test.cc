// Tests of filters of an application's own policy.

#include "ashlar/table/filter_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/statistics.h"
#include "ashlar/util/prefix_extractor.h"
#include "test/support/tables.h"
#include "test/support/test_filter_policy.h"

namespace ashlar::testing {
namespace {

constexpr int kRows = 900;

std::string KeyOf(int i) {
  char key[24];
  std::snprintf(key, sizeof key, "p%02d-key%05d", i / 30, i);
  return key;
}

std::vector<Entry> Rows() {
  std::vector<Entry> entries;
  for (int i = 0; i < kRows; ++i) {
    // Some keys have versions.
    if (i % 7 == 0) entries.push_back(Value(KeyOf(i), 9, "newer"));
    entries.push_back(Value(KeyOf(i), 7, "value" + std::to_string(i)));
  }
  return entries;
}

struct Shape {
  bool partitioned = false;
  bool whole_keys = true;
  bool prefixes = false;
};

TableOptions OptionsFor(std::shared_ptr<const FilterPolicy> policy,
                        const Shape& shape = {}) {
  TableOptions options;
  options.filter_policy = std::move(policy);
  options.block_size = 500;
  options.metadata_block_size = 400;
  options.partition_filters = shape.partitioned;
  if (shape.partitioned) options.index_type = IndexType::kTwoLevelIndexSearch;
  options.whole_key_filtering = shape.whole_keys;
  if (shape.prefixes) options.prefix_extractor = NewFixedPrefixExtractor(3);
  return options;
}

ReaderOptions ReaderWith(std::shared_ptr<const FilterPolicy> policy,
                         bool cached = false) {
  ReaderOptions options;
  if (policy != nullptr) options.filter_policies = {std::move(policy)};
  if (cached) {
    options.block_cache = NewLruCache({}).value();
    options.cache_index_and_filter_blocks = true;
  }
  return options;
}

using Filter = GetResult::Filter;

// Gets every key and as many that are absent, alone and together.
void CheckReads(const TableReader& reader, Filter present, Filter absent) {
  std::vector<std::string> keys;
  for (int i = 0; i < kRows; ++i) {
    keys.push_back(KeyOf(i));
    // Of a prefix that is not in the table either.
    keys.push_back("q" + KeyOf(i));
  }
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  reader.MultiGet(slices, results, statuses);
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(statuses[i].ok()) << statuses[i].ToString();
    GetResult alone;
    ASSERT_TRUE(reader.Get(keys[i], &alone).ok());
    for (const GetResult* r : {&alone, &results[i]}) {
      EXPECT_EQ(r->state, i % 2 == 0 ? GetResult::State::kFound
                                     : GetResult::State::kNotFound);
      EXPECT_EQ(r->filter, i % 2 == 0 ? present : absent) << keys[i];
    }
  }
}

std::vector<Status> Faults(const std::string& bytes,
                           std::shared_ptr<const FilterPolicy> policy) {
  InspectOptions options;
  if (policy != nullptr) options.filter_policies = {std::move(policy)};
  TableInspection inspection;
  Require(
      InspectTable(*NewMemoryFile("test.sst", bytes), options, &inspection));
  std::vector<Status> faults;
  faults.reserve(inspection.faults.size());
  for (const TableFault& f : inspection.faults) faults.push_back(f.status);
  return faults;
}

// A reader that answers keys one by one needs no function for several.
TEST(FilterReader, AnswersSeveralKeysByEach) {
  class EvenLengths final : public FilterReader {
   public:
    bool MayMatch(const Slice& bytes) const override {
      return bytes.size() % 2 == 0;
    }
  };
  const EvenLengths reader;
  const std::vector<Slice> keys = {"ab", "a", "", "abc", "abcd"};
  EXPECT_EQ(reader.MayMatchBatch(keys), 0b10101U);
  EXPECT_EQ(reader.MayMatchBatch({}), 0U);
}

TEST(CustomFilterPolicy, FullAndPartitionedKeysAndPrefixes) {
  for (const Shape& shape :
       {Shape{false, true, false}, Shape{false, false, true},
        Shape{false, true, true}, Shape{true, true, false},
        Shape{true, false, true}, Shape{true, true, true}}) {
    SCOPED_TRACE(std::to_string(shape.partitioned) +
                 std::to_string(shape.whole_keys) +
                 std::to_string(shape.prefixes));
    const auto policy = std::make_shared<const TestFilterPolicy>();
    const std::string bytes = BuildTable(OptionsFor(policy, shape), Rows());
    PolicyCounts& counts = *policy->counts;
    // There are too few prefixes for two partitions.
    EXPECT_EQ(counts.filters > 1, shape.partitioned && shape.whole_keys);
    if (shape.whole_keys && !shape.partitioned) {
      EXPECT_EQ(counts.added.count(KeyOf(7)), 1u) << "one of two versions";
    }
    if (shape.prefixes && !shape.partitioned) {
      EXPECT_EQ(counts.added.count("p01"), 1u);
    }
    for (const bool cached : {false, true}) {
      const auto reader = OpenTable(bytes, ReaderWith(policy, cached));
      counts.batches = 0;
      CheckReads(*reader, Filter::kMaybe, Filter::kAbsent);
      EXPECT_EQ(counts.batches > 0, !shape.partitioned);
      EXPECT_EQ(reader->properties().filter_policy_name, "listfilter");
      if (!shape.prefixes) continue;
      ReadOptions prefix;
      prefix.prefix_same_as_start = true;
      Iterator it = reader->NewIterator(prefix);
      const int before = counts.single;
      it.Seek("p99");
      EXPECT_FALSE(it.Valid());
      EXPECT_TRUE(it.status().ok());
      EXPECT_EQ(counts.single, before + 1);
      // Every prefix is found from every key of it, also across partitions.
      for (int i = 0; i < kRows; ++i) {
        it.Seek(KeyOf(i));
        ASSERT_TRUE(it.Valid()) << KeyOf(i);
        EXPECT_EQ(it.user_key().ToString(), KeyOf(i));
      }
    }
    EXPECT_EQ(counts.alive, 0);
    for (const Status& fault : Faults(bytes, policy)) {
      ADD_FAILURE() << fault.ToString();
    }
  }
}

TEST(CustomFilterPolicy, TheThreadsOfABuildDoNotChangeTheFile) {
  const auto policy = std::make_shared<const TestFilterPolicy>();
  const TableOptions options = OptionsFor(policy, {true, true, true});
  BuildOptions together = FixedBuild();
  together.parallel_threads = 4;
  EXPECT_EQ(BuildTable(options, Rows(), together),
            BuildTable(options, Rows(), FixedBuild()));
}

TEST(CustomFilterPolicy, AFilterOfAnUnknownPolicyIsNotAsked) {
  for (const bool partitioned : {false, true}) {
    const auto policy = std::make_shared<const TestFilterPolicy>();
    const std::string bytes =
        BuildTable(OptionsFor(policy, {partitioned, true, false}), Rows());
    for (const bool other : {false, true}) {
      ReaderOptions options = ReaderWith(
          other ? std::make_shared<const TestFilterPolicy>("other") : nullptr);
      options.statistics = std::make_shared<Statistics>();
      const auto reader = OpenTable(bytes, options);
      CheckReads(*reader, Filter::kNone, Filter::kNone);
      EXPECT_EQ(
          options.statistics->GetTickerCount(Ticker::kFilterUnknownPolicy), 1u);
    }
    ReaderOptions options = ReaderWith(policy);
    options.statistics = std::make_shared<Statistics>();
    OpenTable(bytes, options);
    EXPECT_EQ(options.statistics->GetTickerCount(Ticker::kFilterUnknownPolicy),
              0u);
    // Nobody can judge it, so it is no fault.
    for (const Status& fault : Faults(bytes, nullptr)) {
      ADD_FAILURE() << fault.ToString();
    }
  }
  ReaderOptions options;
  options.statistics = std::make_shared<Statistics>();
  OpenTable(BuildTable({}, Rows()), options);
  EXPECT_EQ(options.statistics->GetTickerCount(Ticker::kFilterUnknownPolicy),
            0u);
}

TEST(CustomFilterPolicy, DamagedFilters) {
  for (const PolicyFault fault :
       {PolicyFault::kReaderFails, PolicyFault::kNoReader}) {
    for (const bool partitioned : {false, true}) {
      const auto policy = std::make_shared<const TestFilterPolicy>();
      const std::string bytes =
          BuildTable(OptionsFor(policy, {partitioned, true, false}), Rows());
      const auto failing = std::make_shared<const TestFilterPolicy>(
          std::string(policy->CompatibilityName()), fault);
      for (const bool cached : {false, true}) {
        const auto reader = OpenTable(bytes, ReaderWith(failing, cached));
        GetResult result;
        const Status status = reader->Get(KeyOf(3), &result);
        if (partitioned) {
          EXPECT_TRUE(status.IsCorruption()) << status.ToString();
          EXPECT_NE(status.message().find("bad filter in filter-partition"),
                    std::string_view::npos)
              << status.ToString();
        } else {
          EXPECT_TRUE(status.ok()) << status.ToString();
          EXPECT_EQ(result.state, GetResult::State::kFound);
        }
      }
      const std::vector<Status> faults = Faults(bytes, failing);
      ASSERT_FALSE(faults.empty());
      EXPECT_NE(faults[0].message().find("filter policy 'test.ListFilter'"),
                std::string_view::npos)
          << faults[0].ToString();
    }
  }
}

TEST(CustomFilterPolicy, InspectionFindsAKeyThatTheFilterDenies) {
  for (const bool partitioned : {false, true}) {
    const auto policy = std::make_shared<const TestFilterPolicy>(
        "denies", PolicyFault::kDeniesOne);
    const std::string bytes =
        BuildTable(OptionsFor(policy, {partitioned, true, false}), Rows());
    const std::vector<Status> faults = Faults(bytes, policy);
    ASSERT_FALSE(faults.empty());
    EXPECT_NE(faults[0].message().find("filter does not match a key"),
              std::string_view::npos)
        << faults[0].ToString();
  }
}

TEST(CustomFilterPolicy, WhatItDoesWrongFailsTheBuild) {
  for (const PolicyFault fault :
       {PolicyFault::kNoBuilder, PolicyFault::kNoFirstOne,
        PolicyFault::kFinishFails}) {
    for (const bool partitioned : {false, true}) {
      std::string bytes;
      const auto file = NewMemoryWritableFile("test.sst", &bytes);
      auto builder = TableBuilder::Create(
          OptionsFor(std::make_shared<const TestFilterPolicy>("p", fault),
                     {partitioned, true, false}),
          FixedBuild(), file.get());
      ASSERT_TRUE(builder.ok()) << builder.status().ToString();
      for (const Entry& e : Rows()) {
        ASSERT_TRUE((*builder)->Add(e.key, e.value).ok());
      }
      const Status status = (*builder)->Finish();
      EXPECT_TRUE(status.IsAborted()) << status.ToString();
      EXPECT_NE(status.message().find("filter policy 'p'"),
                std::string_view::npos)
          << status.ToString();
    }
  }
}

TEST(CustomFilterPolicy, AFilterInTheCacheKeepsItsPolicy) {
  auto policy = std::make_shared<const TestFilterPolicy>();
  const std::string bytes = BuildTable(OptionsFor(policy), Rows());
  const std::shared_ptr<PolicyCounts> counts = policy->counts;
  ReaderOptions options = ReaderWith(policy, true);
  policy.reset();
  GetResult result;
  ASSERT_TRUE(OpenTable(bytes, options)->Get(KeyOf(1), &result).ok());
  result.Reset();
  options.filter_policies.clear();
  EXPECT_EQ(counts->alive, 1);
  // A reader without the policy does not ask what is in the cache.
  const auto reader = OpenTable(bytes, options);
  ASSERT_TRUE(reader->Get("absent", &result).ok());
  EXPECT_EQ(result.filter, Filter::kNone);
}

TEST(CustomFilterPolicy, OptionsThatDoNotFit) {
  const auto policy = std::make_shared<const TestFilterPolicy>();
  const auto expect = [](const TableOptions& options, const char* words) {
    const Status status = options.Validate();
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_NE(status.message().find(words), std::string_view::npos)
        << status.ToString();
  };
  TableOptions options = OptionsFor(policy);
  options.filter = FilterType::kNone;
  expect(options, "filter_policy is set, but filter is kNone");
  options = OptionsFor(policy);
  options.optimize_filters_for_memory = true;
  expect(options, "optimize_filters_for_memory is true");
  options = OptionsFor(policy);
  options.detect_filter_construct_corruption = true;
  expect(options, "detect_filter_construct_corruption is true");
  for (const char* name : {"", "rocksdb.BuiltinBloomFilter"}) {
    expect(OptionsFor(std::make_shared<const TestFilterPolicy>(name)),
           "expected a name of 1 to 255 bytes");
  }
  const std::string bytes = BuildTable({}, SomeEntries(3));
  ReaderOptions reading;
  reading.filter_policies = {policy, policy};
  EXPECT_NE(
      OpenBytes(bytes, reading).status().message().find("two of the name"),
      std::string_view::npos);
  reading.filter_policies = {nullptr};
  EXPECT_TRUE(OpenBytes(bytes, reading).status().IsInvalidArgument());
}

}  // namespace
}  // namespace ashlar::testing
