#include "tools/bench/ashlar_index.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "table/index/index_encoder.h"
#include "table/index/parsed_index.h"
#include "tools/bench/key_draw.h"
#include "tools/bench/stopwatch.h"

namespace ashlar::bench {

namespace {

using internal::BlockHandle;
using internal::IndexForm;
using internal::KeyOrder;
using internal::ParsedIndex;

constexpr uint64_t kFileLimit = uint64_t{1} << 50;
constexpr IndexForm kForm = {.user_keys = true, .delta_handles = true};

// Makes the index block of a table of the workload, whose data blocks have
// about options.block_size bytes each. Returns the number of data blocks.
size_t MakeIndexBlock(const BenchOptions& options, const Workload& workload,
                      std::string* block) {
  const uint64_t entry_bytes = workload.raw_bytes() / workload.num();
  const uint64_t step =
      std::max<uint64_t>(1, options.block_size / (entry_bytes + 1));
  internal::IndexEncoder encoder(kForm, 1);
  std::string key(workload.key_size(), '\0');
  BlockHandle handle = {0, options.block_size};
  size_t blocks = 0;
  for (uint64_t i = step - 1; i < workload.num(); i += step) {
    workload.Key(i, key.data());
    encoder.Add(key, handle, Slice());
    handle.offset = handle.End();
    ++blocks;
  }
  bool uniform;
  *block = encoder.Finish(-1, &uniform).ToString();
  return blocks;
}

Status Parse(const std::string& block, std::unique_ptr<ParsedIndex>* index) {
  *index = std::make_unique<ParsedIndex>(KeyOrder(BytewiseComparator()), kForm);
  return (*index)->Parse(block, {}, kFileLimit);
}

Status ParseAgainAndAgain(const BenchOptions& options, const std::string& block,
                          size_t num_blocks, RunResult* result) {
  const uint64_t times = options.num_reads() / num_blocks + 1;
  const Stopwatch watch;
  for (uint64_t i = 0; i < times; ++i) {
    std::unique_ptr<ParsedIndex> index;
    Status status = Parse(block, &index);
    if (!status.ok()) return status;
    result->file_bytes = index->MemoryUsage();
  }
  result->measured = watch.Stop();
  result->operations = times * num_blocks;
  result->bytes = times * block.size();
  return {};
}

}  // namespace

Status RunIndex(const std::string& benchmark, const BenchOptions& options,
                const Workload& workload, RunResult* result) {
  std::string block;
  const size_t num_blocks = MakeIndexBlock(options, workload, &block);
  if (num_blocks == 0) return Status::InvalidArgument("too few entries");
  if (benchmark == "indexparse") {
    return ParseAgainAndAgain(options, block, num_blocks, result);
  }
  std::vector<std::unique_ptr<ParsedIndex>> tables(
      static_cast<size_t>(options.tables));
  for (auto& table : tables) {
    Status status = Parse(block, &table);
    if (!status.ok()) return status;
    for (size_t i = 0; i < num_blocks; ++i) {
      table->Note(i, static_cast<uint32_t>(i), block.data());
    }
  }
  KeyDraw draw(options, 1);
  Random random(2);
  std::string key(workload.key_size(), '\0');
  const Stopwatch watch;
  for (uint64_t i = 0; i < options.num_reads(); ++i) {
    const ParsedIndex& index = *tables[random.Below(tables.size())];
    workload.Key(draw.Next(), key.data());
    const auto search = index.BeginFind(key);
    const size_t at = index.EndFind(search, key, 0);
    if (at == index.size()) continue;
    result->found += index.handle(at).size != 0 &&
                             index.hint(at).slot == static_cast<uint32_t>(at)
                         ? 1
                         : 0;
  }
  result->measured = watch.Stop();
  result->operations = options.num_reads();
  result->bytes = result->operations * key.size();
  result->file_bytes = tables.front()->MemoryUsage();
  return {};
}

}  // namespace ashlar::bench
