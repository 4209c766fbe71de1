#include "table/filter/hash_collector.h"

#include <algorithm>
#include <new>
#include <utility>

namespace ashlar::internal {

namespace {

constexpr size_t kTogether = 32768;  // hashes that stay in part 0
constexpr size_t kFirstTogether = 512;
constexpr size_t kFirstOfPart = 1024;
constexpr size_t kPageBytes = port::kHugePageBytes;
constexpr size_t kPage = kPageBytes / sizeof(uint64_t);
constexpr size_t kPagesAtOnce = 16;  // of address space

// 66 KiB. The parts fill at about the same pace: were chunks a multiple of 4
// KiB apart, all of them would be written to through the same few lines of the
// nearest cache. These are an odd number of lines apart.
constexpr size_t kLine = 64 / sizeof(uint64_t);
constexpr size_t kChunksInPage = 31;
constexpr size_t kLargestChunk = kPage / kChunksInPage / kLine * kLine;
static_assert(kLargestChunk / kLine % 2 == 1);

}  // namespace

size_t HashCollector::Grow(uint64_t hash) {
  if (empty()) first_ = hash;
  if (capacity_ >= kTogether && !is_dealt_out_) DealOut();
  const size_t part = PartOf(hash);
  if (next_[part] != end_[part]) return part;
  std::vector<Chunk>& chunks = chunks_[part];
  const size_t first = is_dealt_out_ ? kFirstOfPart : kFirstTogether;
  const size_t most = is_dealt_out_ ? kLargestChunk : kTogether - capacity_;
  const size_t capacity =
      std::min(chunks.empty() ? first : chunks.back().capacity * 2, most);
  uint64_t* const hashes = NewChunk(capacity);
  next_[part] = hashes;
  end_[part] = hashes + capacity;
  chunks.push_back({hashes, capacity});
  capacity_ += capacity;
  return part;
}

void HashCollector::DealOut() {
  const std::vector<Chunk> together = std::move(chunks_[0]);
  const auto memory = std::move(small_);
  // Declared last, so given back before the memory is free: never too late.
  const MemoryCharge charged = std::move(charge_);
  small_.clear();
  chunks_[0].clear();
  next_[0] = end_[0] = nullptr;
  capacity_ = 0;
  is_dealt_out_ = true;
  parting_ = choose_(first_);
  for (const Chunk& chunk : together) {
    for (size_t i = 0; i < chunk.capacity; ++i) Put(chunk.hashes[i]);
  }
}

uint64_t* HashCollector::NewChunk(size_t capacity) {
  if (capacity < kLargestChunk || capacity_ < kPage) {
    charge_.AddOrThrow(capacity * sizeof(uint64_t));
    std::unique_ptr<uint64_t, Free> memory(
        static_cast<uint64_t*>(std::malloc(capacity * sizeof(uint64_t))));
    if (memory == nullptr) throw std::bad_alloc();
    return small_.emplace_back(std::move(memory)).get();
  }
  if (touched_.size() < capacity) {
    charge_.AddOrThrow(kPageBytes);
    if (untouched_.empty()) {
      const auto& region = large_.emplace_back(kPagesAtOnce * kPageBytes);
      untouched_ = {static_cast<uint64_t*>(region.data()),
                    kPagesAtOnce * kPage};
    }
    touched_ = untouched_.first(kPage);
    untouched_ = untouched_.subspan(kPage);
    port::UseHugePages(touched_.data(), kPageBytes);
  }
  uint64_t* const hashes = touched_.data();
  touched_ = touched_.subspan(capacity);
  return hashes;
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
  small_.clear();
  large_.clear();
  touched_ = untouched_ = {};
  capacity_ = 0;
  size_ = 0;
  last_ = 0;
  has_prefix_ = false;
  guard_sum_ = 0;
  parting_ = {};
  is_dealt_out_ = false;
  charge_.Clear();
}

}  // namespace ashlar::internal
