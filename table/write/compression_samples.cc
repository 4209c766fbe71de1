#include "table/write/compression_samples.h"

#include <cmath>
#include <utility>

#include "ashlar/util/compression.h"
#include "table/format/block_handle.h"
#include "util/compress/registry.h"

namespace ashlar::internal {

namespace {

// Returns a compressor of the first of the two types that is built in, at its
// default level; null if neither is.
Result<std::unique_ptr<Compressor>> CompressorOf(CompressionType first,
                                                 CompressionType second) {
  for (const CompressionType type : {first, second}) {
    if (IsCompressionSupported(type)) return NewCompressor(type, {});
  }
  return std::unique_ptr<Compressor>();
}

// Returns what all data blocks take, with their trailers, if they shrink as the
// samples did.
uint64_t Estimate(uint64_t sampled_bytes, uint64_t sampled_raw_bytes,
                  const TableProperties& properties) {
  const double ratio = sampled_raw_bytes == 0
                           ? 1.0
                           : static_cast<double>(sampled_bytes) /
                                 static_cast<double>(sampled_raw_bytes);
  const double contents =
      ratio * static_cast<double>(properties.uncompressed_data_size);
  const uint64_t trailers = properties.num_data_blocks * kBlockTrailerSize;
  return static_cast<uint64_t>(std::llround(contents)) + trailers;
}

}  // namespace

Result<std::unique_ptr<CompressionSamples>> CompressionSamples::Create(
    uint64_t one_in) {
  auto fast = CompressorOf(CompressionType::kLZ4Compression,
                           CompressionType::kSnappyCompression);
  if (!fast.ok()) return fast.status();
  auto slow =
      CompressorOf(CompressionType::kZSTD, CompressionType::kZlibCompression);
  if (!slow.ok()) return slow.status();
  std::unique_ptr<CompressionSamples> made(new CompressionSamples(one_in));
  made->fast_ = std::move(fast).value();
  made->slow_ = std::move(slow).value();
  return made;
}

std::optional<SampledBytes> CompressionSamples::Take(const Slice& block) {
  if (blocks_to_pass_ > 0) {
    --blocks_to_pass_;
    return std::nullopt;
  }
  blocks_to_pass_ = one_in_ - 1;
  const SampledBytes taken = {SizeWith(fast_.get(), block),
                              SizeWith(slow_.get(), block)};
  raw_bytes_ += block.size();
  sum_.fast += taken.fast;
  sum_.slow += taken.slow;
  return taken;
}

uint64_t CompressionSamples::SizeWith(Compressor* codec, const Slice& block) {
  if (codec == nullptr || block.size() > kMaxCompressibleBytes) {
    return block.size();
  }
  payload_.clear();
  payload_.Reserve(block.size());
  const size_t size = codec->Compress(block, payload_.end(), block.size());
  return size == 0 ? block.size() : size;
}

void CompressionSamples::Describe(TableProperties* properties) const {
  properties->fast_compression_estimated_data_size =
      Estimate(sum_.fast, raw_bytes_, *properties);
  properties->slow_compression_estimated_data_size =
      Estimate(sum_.slow, raw_bytes_, *properties);
}

}  // namespace ashlar::internal
