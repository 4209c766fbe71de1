// Data flow of building: each part of the collected hashes has a range of lines
// to itself, except that it may share its first and last line with a neighbour.
// So a crew first clears the lines, then sets those of every other part, then
// those of the parts between. No thread waits for another one, no bit needs an
// atomic, and one thread or many make the same bytes.

#include "table/filter/bloom.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <span>
#include <utility>

#include "port/cpu.h"
#include "port/huge_pages.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

constexpr int kMostProbes = 24;  // in filters that we write
constexpr int kMaxReadableProbes = 30;
// The largest number of lines whose bytes are counted by 32 bits.
constexpr uint64_t kMaxFilterBytes = 0xFFFFFFC0;

// How many hashes ahead of the current one a line is prefetched.
constexpr size_t kPrefetchAhead = 16;

// The multiplier of probe n: its value does not wait for the probe before it.
constexpr uint32_t Multiplier(int n) {
  uint32_t product = 1;
  for (int i = 0; i < n; ++i) product *= kBloomProbeMultiplier;
  return product;
}

// On older processors a shift by a variable takes three steps, and a load one.
constexpr std::array<uint8_t, 8> kBitOfByte = {1, 2, 4, 8, 16, 32, 64, 128};

template <size_t... kProbe>
void SetBits(char* line, [[maybe_unused]] uint32_t x,
             std::index_sequence<kProbe...>) {
  [[maybe_unused]] const auto set = [line](uint32_t probe) {
    const uint32_t bit = probe >> kBloomBitShift;
    line[bit / 8] = static_cast<char>(line[bit / 8] | kBitOfByte[bit % 8]);
  };
  (set(x * std::integral_constant<uint32_t, Multiplier(kProbe)>::value), ...);
}

// Sets the bits of n hashes. Each line is prefetched well before its turn.
template <size_t kProbes>
void SetAll(const uint64_t* hashes, size_t n, uint32_t num_lines, char* lines) {
  const size_t ahead = std::min(n, kPrefetchAhead);
  char* pending[kPrefetchAhead];
  for (size_t i = 0; i < ahead; ++i) {
    pending[i] = lines + BloomLineOf(hashes[i], num_lines);
    __builtin_prefetch(pending[i], 1);
  }
  for (size_t i = 0; i < n; ++i) {
    char* const line = pending[i % kPrefetchAhead];
    if (i + ahead < n) {
      char* const next = lines + BloomLineOf(hashes[i + ahead], num_lines);
      __builtin_prefetch(next, 1);
      pending[i % kPrefetchAhead] = next;
    }
    SetBits(line, static_cast<uint32_t>(hashes[i] >> 32),
            std::make_index_sequence<kProbes>());
  }
}

// One function per number of probes, so that the probes need no loop.
using SetAllFunction = void (*)(const uint64_t*, size_t, uint32_t, char*);
constexpr auto kSetAll = []<size_t... kProbes>(
                             std::index_sequence<kProbes...>) {
  return std::array<SetAllFunction, sizeof...(kProbes)>{&SetAll<kProbes>...};
}(std::make_index_sequence<kMostProbes + 1>());

using SetLines = void (*)(const uint64_t*, size_t, uint32_t, char*, int);
SetLines SetLinesFunction([[maybe_unused]] int probes) {
#if defined(__x86_64__)
  if (Cpu().avx512_popcount && probes <= kBloomVectorProbes) {
    return SetBloomLinesAvx512;
  }
#endif
  return SetBloomLinesPortable;
}

uint64_t LinesFor(uint64_t num_hashes, int millibits) {
  const uint64_t bits_in_thousandths =
      num_hashes * static_cast<uint64_t>(millibits);
  const uint64_t bytes =
      std::min((bits_in_thousandths + 7999) / 8000, kMaxFilterBytes);
  return (bytes + kBloomLineBytes - 1) / kBloomLineBytes;
}

// Returns the first line that no hash before this part goes to, or the line
// before that.
uint64_t FirstLine(uint64_t part, uint32_t num_lines) {
  return part * num_lines / HashCollector::kParts;
}

void SetAllLines(const HashCollector& hashes, const WorkerCrew& crew,
                 uint32_t num_lines, int probes, char* lines) {
  constexpr uint32_t kParts = HashCollector::kParts;
  const auto clear = [&](uint32_t part) {
    char* const begin = lines + FirstLine(part, num_lines) * kBloomLineBytes;
    char* const end = lines + FirstLine(part + 1, num_lines) * kBloomLineBytes;
    std::memset(begin, 0, static_cast<size_t>(end - begin));
    return true;
  };
  const auto set_lines = SetLinesFunction(probes);
  const auto set = [&](uint32_t part) {
    hashes.ForEachRun(part, [&](std::span<const uint64_t> run) {
      set_lines(run.data(), run.size(), num_lines, lines, probes);
    });
    return true;
  };
  // None of the calls fails.
  const bool done =
      crew.ForEach(kParts, clear) &&
      crew.ForEach(kParts / 2, [&](uint32_t i) { return set(2 * i); }) &&
      crew.ForEach(kParts / 2, [&](uint32_t i) { return set(2 * i + 1); });
  assert(done);
  static_cast<void>(done);
}

const char* LineAt(const ParsedFilter& filter, uint64_t hash) {
  return filter.data + BloomLineOf(hash, filter.num_lines);
}

// A payload need not begin at a cache line, but those that tables hold do.
void FetchLines(const ParsedFilter& filter, const uint64_t* hashes, size_t n,
                const char** lines) {
  const bool aligned =
      reinterpret_cast<uintptr_t>(filter.data) % kBloomLineBytes == 0;
  for (size_t i = 0; i < n; ++i) {
    lines[i] = LineAt(filter, hashes[i]);
    __builtin_prefetch(lines[i]);
    if (!aligned) __builtin_prefetch(lines[i] + kBloomLineBytes - 1);
  }
}

void Prefetch(const ParsedFilter& filter, const uint64_t* hashes, size_t n) {
  const char* lines[kFilterBatchMax];
  FetchLines(filter, hashes, n, lines);
}

bool MayMatch(const ParsedFilter& filter, uint64_t hash) {
  return BloomLineMatchesPortable(
      LineAt(filter, hash), static_cast<uint32_t>(hash >> 32), filter.probes);
}

uint64_t MayMatchBatch(const ParsedFilter& filter, const uint64_t* hashes,
                       size_t n) {
  const char* lines[kFilterBatchMax];
  FetchLines(filter, hashes, n, lines);
  uint64_t answers = 0;
  for (size_t i = 0; i < n; ++i) {
    const bool may = BloomLineMatchesPortable(
        lines[i], static_cast<uint32_t>(hashes[i] >> 32), filter.probes);
    answers |= uint64_t{may} << i;
  }
  return answers;
}

#if defined(__x86_64__) || defined(__aarch64__)
template <auto kLineMatches>
bool MayMatchBy(const ParsedFilter& filter, uint64_t hash) {
  return kLineMatches(LineAt(filter, hash), static_cast<uint32_t>(hash >> 32),
                      filter.probes);
}

template <auto kLinesMatch>
uint64_t MayMatchBatchBy(const ParsedFilter& filter, const uint64_t* hashes,
                         size_t n) {
  const char* lines[kFilterBatchMax];
  FetchLines(filter, hashes, n, lines);
  return kLinesMatch(lines, hashes, n, filter.probes);
}
#endif

}  // namespace

void SetBloomLinesPortable(const uint64_t* hashes, size_t n, uint32_t num_lines,
                           char* lines, int probes) {
  kSetAll[static_cast<size_t>(probes)](hashes, n, num_lines, lines);
}

// RocksDB found these by measurement. Bits beyond the last row of the table
// give fewer and fewer probes each.
int BloomProbes(int millibits) {
  constexpr int kUpTo[] = {2080,  3580,  5100,  6640,  8300,  10070,
                           11720, 14001, 16050, 18300, 22001, 25501};
  constexpr int kFormulaUpTo = 50000;
  int probes = 1;
  for (const int limit : kUpTo) {
    if (millibits <= limit) return probes;
    ++probes;
  }
  if (millibits > kFormulaUpTo) return kMostProbes;
  return (millibits - 1) / 2000 - 1;
}

uint64_t BloomSize(uint64_t num_hashes, uint64_t,
                   const FilterDensity& density) {
  return LinesFor(num_hashes, density.millibits) * kBloomLineBytes +
         kFilterMetadataBytes;
}

uint64_t BloomHashesIn(uint64_t bytes, const FilterDensity& density) {
  if (bytes <= kFilterMetadataBytes) return 0;
  const uint64_t lines =
      std::min(bytes - kFilterMetadataBytes, kMaxFilterBytes) / kBloomLineBytes;
  return 8000 * lines * kBloomLineBytes /
         static_cast<uint64_t>(density.millibits);
}

// The line number grows with the low word.
HashParting BloomParting(uint64_t) { return {0, uint64_t{1} << 32}; }

bool BuildBloom(HashCollector* hashes, const FilterDensity& density,
                const WorkerCrew& crew, Buffer* out) {
  const auto num_lines =
      static_cast<uint32_t>(LinesFor(hashes->size(), density.millibits));
  const int probes = BloomProbes(density.millibits);
  const size_t bytes = size_t{num_lines} * kBloomLineBytes;
  if (!out->TryReserve(bytes + kFilterMetadataBytes)) return false;
  char* const lines = out->end();
  port::UseHugePages(lines, bytes);
  // Hashes that were parted for another kind of filter may be in any part.
  const bool parted = hashes->parting() == BloomParting(hashes->first()) &&
                      num_lines >= HashCollector::kParts;
  SetAllLines(*hashes, parted ? crew : WorkerCrew(), num_lines, probes, lines);
  out->Advance(bytes);
  out->PushBack(kBloomMarker);
  out->PushBack(0);
  out->PushBack(static_cast<char>(probes));
  out->PushBack(0);
  out->PushBack(0);
  return true;
}

FilterKind::Parsed ParseBloom(const Slice& payload, ParsedFilter* parsed) {
  using enum FilterKind::Parsed;
  const Slice meta(payload.end() - kFilterMetadataBytes, kFilterMetadataBytes);
  const size_t bytes = payload.size() - kFilterMetadataBytes;
  // Byte 1 says which kind of Bloom filter it is; only 0 is in use.
  if (meta[1] != 0) return kAlways;
  const int probes = static_cast<uint8_t>(meta[2]);
  if (probes < 1 || probes > kMaxReadableProbes || meta[3] != 0 ||
      meta[4] != 0 || bytes % kBloomLineBytes != 0 || bytes > kMaxFilterBytes) {
    return kDamaged;
  }
  parsed->data = payload.data();
  parsed->probes = probes;
  parsed->num_lines = static_cast<uint32_t>(bytes / kBloomLineBytes);
  parsed->may_match = MayMatch;
  parsed->batch = MayMatchBatch;
  parsed->prefetch = Prefetch;
#if defined(__x86_64__)
  if (Cpu().avx2) {
    parsed->may_match = MayMatchBy<BloomLineMatchesAvx2>;
    parsed->batch = MayMatchBatchBy<BloomLinesMatchAvx2>;
  }
  if (Cpu().avx512_popcount && probes <= kBloomLongestMatch) {
    parsed->batch = MayMatchBatchBy<BloomLinesMatchAvx512>;
  }
#elif defined(__aarch64__)
  parsed->may_match = MayMatchBy<BloomLineMatchesNeon>;
  parsed->batch = MayMatchBatchBy<BloomLinesMatchNeon>;
#endif
  return kOk;
}

bool BloomLineMatchesPortable(const char* line, uint32_t x, int probes) {
  for (int i = 0; i < probes; ++i) {
    const uint32_t bit = x >> kBloomBitShift;
    if ((static_cast<uint8_t>(line[bit / 8]) >> (bit % 8) & 1) == 0) {
      return false;
    }
    x *= kBloomProbeMultiplier;
  }
  return true;
}

}  // namespace ashlar::internal
