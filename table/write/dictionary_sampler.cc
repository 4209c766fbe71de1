#include "table/write/dictionary_sampler.h"

#include <algorithm>

namespace ashlar::internal {

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
