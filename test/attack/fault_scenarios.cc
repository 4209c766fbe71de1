#include "test/attack/fault_scenarios.h"

#include <algorithm>
#include <array>

#include "ashlar/util/compression.h"
#include "ashlar/util/prefix_extractor.h"

namespace ashlar::testing {

namespace {

std::array<char, 16384> warned;
size_t warned_size = 0;

TableOptions SmallBlocks(CompressionType codec) {
  TableOptions options;
  options.block_size = 200;
  options.metadata_block_size = 150;
  options.compression = codec;
  options.filter = FilterType::kBloom;
  return options;
}

std::vector<FaultedTable> MakeTables() {
  std::vector<FaultedTable> tables = {
      {"plain", SmallBlocks(CompressionType::kNoCompression)},
      {"compressed", SmallBlocks(DefaultCompressionType())},
      {"partitioned", SmallBlocks(DefaultCompressionType())},
      {"hash index", SmallBlocks(CompressionType::kNoCompression)},
      {"first keys", SmallBlocks(DefaultCompressionType())},
      {"dictionary", SmallBlocks(DefaultCompressionType())},
  };
  TableOptions& partitioned = tables[2].options;
  partitioned.index_type = IndexType::kTwoLevelIndexSearch;
  partitioned.partition_filters = true;
  partitioned.filter = FilterType::kRibbon;
  tables[3].options.index_type = IndexType::kHashSearch;
  tables[3].options.prefix_extractor = NewFixedPrefixExtractor(4);
  tables[4].options.index_type = IndexType::kBinarySearchWithFirstKey;
  tables[4].options.format_version = 7;
  tables[5].options.compression_opts.max_dict_bytes = 512;
  return tables;
}

}  // namespace

void Warnings::Clear() { warned_size = 0; }
void Warnings::Add(std::string_view text) {
  const size_t n = std::min(text.size(), warned.size() - warned_size);
  std::copy_n(text.data(), n, warned.data() + warned_size);
  warned_size += n;
}
std::string_view Warnings::Text() { return {warned.data(), warned_size}; }

std::vector<FaultScenario> AllFaultScenarios() {
  std::vector<FaultScenario> scenarios;
  AddWritingScenarios(&scenarios);
  AddCompactionScenarios(&scenarios);
  AddReadingScenarios(&scenarios);
  return scenarios;
}

const std::vector<FaultedTable>& FaultedTables() {
  static const std::vector<FaultedTable> tables = MakeTables();
  return tables;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    if (!joined.empty()) joined += ", ";
    joined += word;
  }
  return joined;
}

}  // namespace ashlar::testing
