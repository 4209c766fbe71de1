// Fuzz target: filters of all kinds, queried and built.
//
// Answers are compared with those of the naive reader in test/support, batches
// with single queries, and the kernels with each other.
#include <span>
#include <string>
#include <vector>

#include "table/filter/bloom.h"
#include "table/filter/leveldb_filter.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"
#include "test/support/reference_reader.h"

namespace ashlar {

namespace {

using fuzz::FuzzInput;
using internal::FilterBitsBuilder;
using internal::FilterBitsReader;

constexpr size_t kLineBytes = 64;
constexpr int kMaxProbes = 30;

void CheckAnswer(const FilterBitsReader& reader, const Slice& payload,
                 const Slice& user_key) {
  const uint64_t hash = reader.Hash(user_key);
  const bool answer = reader.MayMatch(hash);
  const uint64_t twice[] = {hash, hash};
  FUZZ_CHECK(reader.MayMatchBatch(twice) == (answer ? 3 : 0));
  FUZZ_CHECK(answer == testing::ReferenceFilterMayMatch(
                           payload.ToStringView(), user_key.ToStringView()));
}

#if defined(__x86_64__)
bool KernelMatches(const char* line, uint32_t x, int probes) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return has_avx2 ? internal::BloomLineMatchesAvx2(line, x, probes)
                  : internal::BloomLineMatchesPortable(line, x, probes);
}
#elif defined(__aarch64__)
bool KernelMatches(const char* line, uint32_t x, int probes) {
  return internal::BloomLineMatchesNeon(line, x, probes);
}
#else
bool KernelMatches(const char* line, uint32_t x, int probes) {
  return internal::BloomLineMatchesPortable(line, x, probes);
}
#endif

void CheckKernels(const Slice& payload, uint32_t x) {
  if (payload.size() < kLineBytes) return;
  for (int probes = 1; probes <= kMaxProbes; ++probes) {
    FUZZ_CHECK(KernelMatches(payload.data(), x, probes) ==
               internal::BloomLineMatchesPortable(payload.data(), x, probes));
  }
}

// A filter built from keys out of these bytes must match all of them.
void CheckBuilt(FilterType type, double bits_per_key, FuzzInput keys) {
  FilterBitsBuilder builder(type, bits_per_key);
  std::vector<Slice> added;
  while (!keys.empty()) {
    added.push_back(keys.Bytes(keys.Byte() % 24));
    builder.Add(internal::HashForFilter(added.back()));
  }
  const uint64_t estimate = builder.SizeEstimate();
  internal::Buffer payload;
  FUZZ_CHECK(builder.Finish(&payload).ok());
  FUZZ_CHECK(payload.size() == (added.empty() ? 0 : estimate));
  const FilterBitsReader reader(payload.slice());
  for (const Slice& key : added) {
    FUZZ_CHECK(reader.MayMatchBytes(key));
    CheckAnswer(reader, payload.slice(), key);
  }
}

void CheckLevelDb(const Slice& block, uint64_t offset, const Slice& key) {
  const auto filter = internal::LevelDbFilter::Parse(block);
  if (!filter.has_value()) return;
  for (const uint64_t at : {offset, offset << 11}) {
    FUZZ_CHECK(filter->MayMatch(at, key) ==
               testing::ReferenceLevelDbFilterMayMatch(block.ToStringView(), at,
                                                       key.ToStringView()));
  }
}

}  // namespace

}  // namespace ashlar

// Input: bits per key; number of bytes of the keys, and the keys; the payload.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::Cost cost(ashlar::fuzz::kCostOfDecoder, size);
  using namespace ashlar;
  FuzzInput input(data, size);
  const double bits_per_key = input.Byte() / 2.0;
  const Slice keys = input.Bytes(input.Byte());
  const Slice payload = input.rest();
  const FilterBitsReader reader(payload);
  FuzzInput cut(reinterpret_cast<const uint8_t*>(keys.data()), keys.size());
  const FuzzInput all = cut;
  while (!cut.empty()) {
    const size_t n = cut.Byte() % 24;
    const Slice key = cut.Bytes(n);
    CheckAnswer(reader, payload, key);
    CheckLevelDb(payload, n, key);
  }
  CheckKernels(payload,
               static_cast<uint32_t>(cut.rest().size()) +
                   static_cast<uint32_t>(internal::HashForFilter(keys)));
  CheckBuilt(FilterType::kBloom, bits_per_key, all);
  CheckBuilt(FilterType::kRibbon, bits_per_key, all);
  return 0;
}
