#include "table/filter/hash_collector.h"

#include <algorithm>

namespace ashlar::internal {

namespace {

constexpr size_t kFirstChunk = 32;
// 64 KiB: small enough for the allocator to hand out again what an earlier
// filter gave back. Huge pages were no faster when there were some, and three
// times as slow when the kernel had to make room for them.
constexpr size_t kLargestChunk = 8192;

}  // namespace

size_t HashCollector::Grow(uint64_t hash) {
  if (empty()) {
    first_ = hash;
    parting_ = choose_(hash);
  }
  const size_t part = PartOf(hash);
  if (next_[part] != end_[part]) return part;
  std::vector<Chunk>& chunks = chunks_[part];
  const size_t capacity =
      chunks.empty() ? kFirstChunk
                     : std::min(chunks.back().capacity * 2, kLargestChunk);
  auto* const memory =
      static_cast<uint64_t*>(std::malloc(capacity * sizeof(uint64_t)));
  if (memory == nullptr) std::abort();
  next_[part] = memory;
  end_[part] = memory + capacity;
  chunks.push_back({decltype(Chunk::hashes)(memory), capacity});
  capacity_ += capacity;
  return part;
}

uint64_t HashCollector::size() const {
  uint64_t n = capacity_;
  for (size_t part = 0; part < kParts; ++part) {
    n -= static_cast<uint64_t>(end_[part] - next_[part]);
  }
  return n;
}

uint64_t HashCollector::PartSize(size_t part) const {
  uint64_t n = 0;
  ForEachRun(part, [&n](std::span<const uint64_t> run) { n += run.size(); });
  return n;
}

void HashCollector::Clear() {
  for (size_t part = 0; part < kParts; ++part) {
    chunks_[part].clear();
    next_[part] = end_[part] = nullptr;
  }
  capacity_ = 0;
  last_ = 0;
  has_prefix_ = false;
  parting_ = {};
}

}  // namespace ashlar::internal
