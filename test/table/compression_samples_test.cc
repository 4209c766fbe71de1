// Tests TableOptions::sample_for_compression: the estimates that a table's
// properties get, and what collectors see of the samples.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/properties_collector.h"
#include "test/support/random.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr uint64_t kTrailerBytes = 5;

// Returns entries that fill some ten blocks of 4 KiB. Each block shrinks, and
// no two shrink alike.
std::vector<Entry> ShrinkingEntries() {
  Random random(11);
  std::vector<Entry> entries;
  for (int i = 0; i < 250; ++i) {
    entries.push_back(Value("key" + std::to_string(1000 + i), 7,
                            random.Bytes(i / 4) + std::string(120, 'z')));
  }
  return entries;
}
// Returns entries that no codec makes smaller.
std::vector<Entry> StiffEntries() {
  Random random(12);
  std::vector<Entry> entries;
  for (int i = 0; i < 20; ++i) {
    entries.push_back(
        Value("key" + std::to_string(1000 + i), 7, random.Bytes(1000)));
  }
  return entries;
}

TableOptions With(CompressionType codec, uint64_t one_in) {
  TableOptions options;
  options.compression = codec;
  options.sample_for_compression = one_in;
  return options;
}

TableProperties PropertiesOf(const std::string& file) {
  return OpenTable(file)->properties();
}

// What a collector saw of one block.
struct SeenBlock {
  uint64_t raw = 0;
  uint64_t fast = 0;  // 0: the block was no sample
  uint64_t slow = 0;
};

class BlockWitness : public TablePropertiesCollector {
 public:
  explicit BlockWitness(std::vector<SeenBlock>* seen) : seen_(seen) {}
  Status AddUserKey(const Slice& /*user_key*/, const Slice& /*value*/,
                    ValueType /*type*/, SequenceNumber /*sequence*/,
                    uint64_t /*file_size*/) override {
    return {};
  }
  void SampledBlock(uint64_t fast_bytes, uint64_t slow_bytes) override {
    next_.fast = fast_bytes;
    next_.slow = slow_bytes;
  }
  void BlockAdd(uint64_t raw_bytes) override {
    next_.raw = raw_bytes;
    seen_->push_back(std::exchange(next_, {}));
  }
  Status Finish(std::map<std::string, std::string>* /*properties*/) override {
    return {};
  }

 private:
  std::vector<SeenBlock>* seen_;
  SeenBlock next_;
};
class WitnessFactory : public TablePropertiesCollectorFactory {
 public:
  explicit WitnessFactory(std::vector<SeenBlock>* seen) : seen_(seen) {}
  std::unique_ptr<TablePropertiesCollector> CreateTablePropertiesCollector(
      const TablePropertiesCollectorContext& /*context*/) override {
    return std::make_unique<BlockWitness>(seen_);
  }
  std::string_view Name() const override { return "BlockWitness"; }

 private:
  std::vector<SeenBlock>* seen_;
};

TEST(CompressionSamples, OfEveryBlockGiveTheSizesOfTheCodecs) {
  const std::vector<Entry> entries = ShrinkingEntries();
  const TableProperties fast = PropertiesOf(
      BuildTable(With(CompressionType::kLZ4Compression, 1), entries));
  const TableProperties slow =
      PropertiesOf(BuildTable(With(CompressionType::kZSTD, 1), entries));
  const TableProperties plain = PropertiesOf(
      BuildTable(With(CompressionType::kNoCompression, 1), entries));
  EXPECT_GT(plain.num_data_blocks, 9U);
  EXPECT_LT(slow.data_size, fast.data_size);
  for (const TableProperties& each : {fast, slow, plain}) {
    EXPECT_EQ(each.fast_compression_estimated_data_size, fast.data_size);
    EXPECT_EQ(each.slow_compression_estimated_data_size, slow.data_size);
  }
}

TEST(CompressionSamples, AreNotTakenUnlessAskedFor) {
  const std::string file =
      BuildTable(With(CompressionType::kLZ4Compression, 0), ShrinkingEntries());
  for (const auto& [name, value] : ReadReferenceTable(file).properties) {
    EXPECT_EQ(name.find("sample_for_compression"), std::string::npos) << name;
  }
}

// A codec may fill 896 of 1024 bytes of a block, and no more. A sample may fill
// all of them.
TEST(CompressionSamples, ThatDoNotShrinkCountAsTheyAre) {
  const TableProperties stiff =
      PropertiesOf(BuildTable(With(CompressionType::kZSTD, 1), StiffEntries()));
  EXPECT_EQ(stiff.num_data_blocks_compression_rejected, stiff.num_data_blocks);
  EXPECT_EQ(stiff.fast_compression_estimated_data_size, stiff.data_size);
  EXPECT_LE(stiff.slow_compression_estimated_data_size, stiff.data_size);
}

TEST(CompressionSamples, AreTheFirstBlockAndEachNthAfterIt) {
  const std::vector<Entry> entries = ShrinkingEntries();
  for (const uint64_t one_in : {uint64_t{1}, uint64_t{3}, UINT64_MAX}) {
    std::vector<SeenBlock> seen;
    BuildOptions build = FixedBuild();
    build.table_properties_collector_factories = {
        std::make_shared<WitnessFactory>(&seen)};
    const TableProperties properties = PropertiesOf(
        BuildTable(With(CompressionType::kZSTD, one_in), entries, build));
    ASSERT_EQ(seen.size(), properties.num_data_blocks);
    SeenBlock sum;
    uint64_t raw_of_all = 0;
    for (size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i].fast != 0, i % one_in == 0) << i;
      EXPECT_EQ(seen[i].slow != 0, i % one_in == 0) << i;
      raw_of_all += seen[i].raw;
      if (seen[i].fast == 0) continue;
      EXPECT_NE(seen[i].slow, seen[i].fast) << i;
      sum.raw += seen[i].raw;
      sum.fast += seen[i].fast;
      sum.slow += seen[i].slow;
    }
    const auto expected = [&](uint64_t sampled) {
      return static_cast<double>(sampled) / static_cast<double>(sum.raw) *
                 static_cast<double>(raw_of_all) +
             static_cast<double>(properties.num_data_blocks * kTrailerBytes);
    };
    EXPECT_NEAR(
        static_cast<double>(properties.fast_compression_estimated_data_size),
        expected(sum.fast), 1);
    EXPECT_NEAR(
        static_cast<double>(properties.slow_compression_estimated_data_size),
        expected(sum.slow), 1);
  }
}

TEST(CompressionSamples, AreTheSameWithWorkersAndDictionaries) {
  const std::vector<Entry> entries = ShrinkingEntries();
  const TableProperties expected =
      PropertiesOf(BuildTable(With(CompressionType::kZSTD, 2), entries));
  for (const uint32_t workers : {0U, 2U}) {
    for (const uint32_t dictionary : {0U, 1024U}) {
      TableOptions options = With(CompressionType::kZSTD, 2);
      options.compression_opts.max_dict_bytes = dictionary;
      BuildOptions build = FixedBuild();
      build.workers = workers;
      const TableProperties found =
          PropertiesOf(BuildTable(options, entries, build));
      EXPECT_EQ(found.fast_compression_estimated_data_size,
                expected.fast_compression_estimated_data_size);
      EXPECT_EQ(found.slow_compression_estimated_data_size,
                expected.slow_compression_estimated_data_size);
    }
  }
}

TEST(CompressionSamples, OfATableWithoutDataBlocksAreNone) {
  const std::string file =
      BuildTable(With(CompressionType::kZSTD, 1), {RangeDeleted("a", 3, "b")});
  const TableProperties properties = PropertiesOf(file);
  EXPECT_EQ(properties.num_data_blocks, 0U);
  EXPECT_EQ(properties.fast_compression_estimated_data_size, 0U);
  EXPECT_EQ(properties.slow_compression_estimated_data_size, 0U);
}

}  // namespace
}  // namespace ashlar::testing
