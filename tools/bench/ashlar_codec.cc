#include "tools/bench/ashlar_codec.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include "ashlar/table/inspect.h"
#include "ashlar/util/file.h"
#include "tools/bench/workload.h"
#include "util/compress/codec.h"
#include "util/mem/buffer.h"

namespace ashlar::bench {

Status BareCodec::Add(const std::string& path) {
  const auto file = OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  TableInspection table;
  InspectOptions options;
  options.data_blocks = InspectOptions::DataBlocks::kList;
  Status status = InspectTable(**file, options, &table);
  if (!status.ok()) return status;
  std::ifstream stream(path, std::ios::binary);
  // Payloads point into it.
  auto bytes = std::string(std::istreambuf_iterator<char>(stream), {});
  files_.push_back(std::move(bytes));
  for (const BlockInfo& block : table.blocks) {
    if (block.kind != BlockKind::kData) continue;
    const char* const at = files_.back().data() + block.offset;
    payloads_.push_back(
        {Slice(at, block.size), static_cast<CompressionType>(at[block.size])});
  }
  return {};
}

Status BareCodec::Run(uint64_t n, uint64_t seed, RunResult* result) const {
  using Clock = std::chrono::steady_clock;
  // Blocks between two looks at the clock.
  constexpr uint64_t kAtOnce = 8;
  const bool in_order = n == 0;
  if (in_order) n = payloads_.size();
  Random random(seed);
  internal::Decompressor decompressor;
  internal::Buffer stored;
  internal::Buffer out;
  std::vector<Payload> some;
  Clock::duration taken{};
  for (uint64_t i = 0; i < n;) {
    stored.clear();
    some.clear();
    for (uint64_t end = std::min(n, i + kAtOnce); i < end; ++i) {
      some.push_back(payloads_[in_order ? i : random.Below(payloads_.size())]);
      stored.Append(some.back().bytes);
    }
    const char* at = stored.data();
    const auto begin = Clock::now();
    for (const Payload& payload : some) {
      const Slice bytes(at, payload.bytes.size());
      at += bytes.size();
      out.clear();
      if (payload.type == CompressionType::kNoCompression) continue;
      Status status = decompressor.Decompress(payload.type, 2, bytes,
                                              {size_t{1} << 30}, &out, nullptr);
      if (!status.ok()) return status;
      result->bytes += out.size();
    }
    taken += Clock::now() - begin;
  }
  result->measured.seconds = std::chrono::duration<double>(taken).count();
  result->measured.cpu_seconds = result->measured.seconds;
  result->blocks_loaded = n;
  return {};
}

}  // namespace ashlar::bench
