#include "table/write/dictionary_sampler.h"

#include <algorithm>
#include <utility>

namespace ashlar::internal {

// Returns what to charge once a chunk of this size and a block of `more` bytes
// are there. A vector that grows holds its elements three times for a moment.
uint64_t DictionarySampler::ChargeWith(uint64_t chunk, uint64_t more) const {
  const uint64_t lists = 3 * ((blocks_.size() + 1) * sizeof(Slice) +
                              (chunks_.size() + 1) * sizeof(Buffer));
  const uint64_t samples =
      std::min<uint64_t>(bytes_ + more, SampleBytesFor(type_, options_)) +
      (blocks_.size() + 1) * sizeof(size_t) * 3;
  return chunk_bytes_ + chunk + lists + samples;
}

DictionarySampler::Added DictionarySampler::Add(const Slice& block) {
  constexpr size_t kFirstChunk = size_t{32} << 10;
  constexpr size_t kLargestChunk = size_t{1} << 20;
  Buffer chunk;
  size_t wanted = 0;
  if (chunks_.empty() ||
      chunks_.back().capacity() - chunks_.back().size() < block.size()) {
    wanted = chunks_.empty() ? kFirstChunk : 2 * chunks_.back().capacity();
    wanted = std::max(std::min(wanted, kLargestChunk), block.size());
  }
  const uint64_t room = wanted == 0 ? 0 : chunk.RoomWith(wanted);
  if (charge_.any() &&
      !charge_.Cover(RoundUpCharge(ChargeWith(room, block.size()))).ok()) {
    return Added::kNotCharged;
  }
  if (wanted != 0) {
    if (!chunk.TryReserve(wanted)) return Added::kNoMemory;
    chunks_.push_back(std::move(chunk));
    chunk_bytes_ += room;
  }
  Buffer& to = chunks_.back();
  blocks_.emplace_back(to.end(), block.size());
  to.Append(block);
  bytes_ += block.size();
  return Added::kYes;
}

// Takes whole blocks from all over the file. The step is a prime that is larger
// than any number of blocks, so that no block comes twice.
DictionarySamples DictionarySampler::TakeSamples() const {
  constexpr uint64_t kStep = 545'055'921'143;
  DictionarySamples samples;
  const size_t wanted = SampleBytesFor(type_, options_);
  const size_t step = size() == 0 ? 0 : kStep % size();
  size_t next = size() / 2;
  for (size_t i = 0; i < size() && samples.bytes.size() < wanted; ++i) {
    const Slice from = block(next);
    const size_t length = std::min(from.size(), wanted - samples.bytes.size());
    samples.bytes.append(from.data(), length);
    samples.lengths.push_back(length);
    next += step;
    if (next >= size()) next -= size();
  }
  return samples;
}

std::string DictionarySampler::MakeDictionary() const {
  return internal::MakeDictionary(type_, options_, TakeSamples());
}

}  // namespace ashlar::internal
