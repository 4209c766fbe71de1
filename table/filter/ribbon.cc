// Data flow of building: each part of the collected hashes has a range of slots
// for its equations. The thread that takes the part fills that range. Equations
// that lead beyond it are inserted when all parts are done, on the calling
// thread. The calling thread also solves, since each slot needs those after it.
// One time in twenty a seed is needed that is not the one by which the hashes
// were parted. It scatters the parts over all slots, and the calling thread
// tries it alone.

#include "table/filter/ribbon.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "table/filter/bloom.h"
#include "table/filter/ribbon_kernels.h"
#include "table/filter/ribbon_solver.h"

namespace ashlar::internal {

namespace {

// RocksDB's limit: it makes no Ribbon filter of more hashes.
constexpr uint64_t kMostHashes = 950'000'000;
// With fewer slots a Bloom filter is made if it is not larger.
constexpr uint64_t kFewSlots = 1024;
constexpr int kSeeds = 256;

// How many equations 2^8 to 2^17 slots hold, so that one seed in twenty fails.
// Measured by RocksDB; the formula goes on from the last.
constexpr std::array kHashesOfPower = {248.851, 499.532, 1001.26, 2003.97,
                                       4005.59, 8000.39, 15966.6, 31828.1,
                                       63447.3, 126506.0};
constexpr int kFirstPower = 8;
constexpr int kLastPower = 17;

double HashesOfPower(int power) {
  if (power < kFirstPower) return 0;
  if (power <= kLastPower) {
    return kHashesOfPower[static_cast<size_t>(power - kFirstPower)];
  }
  constexpr double kGrowth = 0.0038;  // of slots per hash, each power
  const double slots_per_hash =
      std::ldexp(1.0, kLastPower) / kHashesOfPower.back() -
      kLastPower * kGrowth + power * kGrowth;
  return std::ldexp(1.0, power) / slots_per_hash;
}

// Returns the rate of false positives of a Bloom filter of b bits per key with
// k probes.
double BloomRate(double b, int k) {
  return std::pow(1.0 - std::exp(-k / b), k);
}

uint8_t FirstSeed(uint64_t first_hash) {
  return static_cast<uint8_t>(first_hash);
}

// Returns the number of segments of the solution for the rate of false
// positives that was asked for. The first hash decides how a fraction of a
// block is rounded.
uint64_t SegmentsFor(uint64_t num_slots, uint64_t first_hash, double one_in) {
  if (!(one_in > 1.0)) return 1;
  one_in = std::min(one_in, 4294967295.0);
  const int columns =
      static_cast<int>(std::bit_width(static_cast<uint64_t>(one_in))) - 1;
  const double upper_rate = std::ldexp(1.0, -columns);
  const double lower_rate = std::ldexp(1.0, -(columns + 1));
  const double portion =
      (1.0 / one_in - lower_rate) / (upper_rate - lower_rate);
  const double bias =
      (static_cast<double>(first_hash >> 32) + 0.5) / std::ldexp(1.0, 32);
  const uint64_t num_blocks = num_slots / kRibbonWidth;
  const uint64_t num_starts = num_slots - (kRibbonWidth - 1);
  const auto upper_start_block = static_cast<uint64_t>(
      (portion * static_cast<double>(num_starts) + bias) / kRibbonWidth);
  return num_blocks * static_cast<uint64_t>(columns) +
         (num_blocks - upper_start_block);
}

// What to make of a number of hashes. No slots: a Bloom filter.
struct Plan {
  uint64_t num_slots;
  uint64_t num_segments;
};

Plan PlanFor(uint64_t n, uint64_t first_hash, const FilterDensity& density) {
  if (n > kMostHashes) return {0, 0};
  const uint64_t slots = RibbonSlots(n);
  const uint64_t segments =
      SegmentsFor(slots, first_hash, RibbonOneIn(density));
  const uint64_t bytes = segments * sizeof(Uint128) + kFilterMetadataBytes;
  if (slots < kFewSlots && BloomSize(n, first_hash, density) < bytes) {
    return {0, 0};
  }
  return {slots, segments};
}

// How many buckets the hashes of a part are put into. Each is a range of
// starts.
constexpr int kBucketBits = 4;
constexpr size_t kBuckets = size_t{1} << kBucketBits;
constexpr int kBucketShift = HashCollector::kPartShift - kBucketBits;

size_t BucketOf(uint64_t h) { return (h >> kBucketShift) % kBuckets; }

// Takes the hashes of one part, masked and rehashed; in the order of their
// buckets if the parts were made with the same mask. Returns how many there
// are.
size_t TakePart(const HashCollector& hashes, size_t part, uint32_t mask,
                uint64_t* taken) {
  std::array<size_t, kBuckets> at{};
  size_t n = 0;
  hashes.ForEachRun(part, [&](std::span<const uint64_t> run) {
    for (const uint64_t hash : run) {
      ++at[BucketOf((hash ^ mask) * kRibbonRehash)];
    }
    n += run.size();
  });
  size_t sum = 0;
  for (size_t& count : at) sum += std::exchange(count, sum);
  hashes.ForEachRun(part, [&](std::span<const uint64_t> run) {
    for (const uint64_t hash : run) {
      const uint64_t h = (hash ^ mask) * kRibbonRehash;
      taken[at[BucketOf(h)]++] = h;
    }
  });
  return n;
}

enum class Banded : uint8_t { kYes, kContradiction, kNoMemory };

// Inserts the equations of a part's hashes into the slots before `end`.
Banded BandPart(const HashCollector& hashes, size_t part, uint8_t seed,
                uint64_t num_starts, uint64_t end, RibbonBand* band,
                std::vector<RibbonBand::Equation>* aside) {
  const std::unique_ptr<uint64_t[]> taken(new (std::nothrow)
                                              uint64_t[hashes.PartSize(part)]);
  if (taken == nullptr) return Banded::kNoMemory;
  const size_t n = TakePart(hashes, part, RibbonSeedMask(seed), taken.get());
  const bool inserted = ThisCpusRibbonKernels().insert(
      std::span<const uint64_t>(taken.get(), n), num_starts, band, end, aside);
  return inserted ? Banded::kYes : Banded::kContradiction;
}

// Inserts part by part, whatever slots the hashes go to.
Banded BandInOrder(const HashCollector& hashes, uint8_t seed,
                   const RibbonShape& shape, RibbonBand* band) {
  std::vector<RibbonBand::Equation> none;
  for (size_t part = 0; part < HashCollector::kParts; ++part) {
    const Banded banded = BandPart(hashes, part, seed, shape.num_starts(),
                                   shape.num_slots(), band, &none);
    if (banded != Banded::kYes) return banded;
  }
  return Banded::kYes;
}

// Each part fills a range of slots that no other part touches. Requires: the
// seed is the one by which the hashes were parted.
Banded BandByParts(const HashCollector& hashes, uint8_t seed,
                   const RibbonShape& shape, const WorkerCrew& crew,
                   RibbonBand* band) {
  constexpr uint32_t kParts = HashCollector::kParts;
  std::array<Banded, kParts> banded{};
  std::array<std::vector<RibbonBand::Equation>, kParts> aside;
  const bool all = crew.ForEach(kParts, [&](uint32_t part) {
    const uint64_t end =
        part + 1 == kParts
            ? shape.num_slots()
            : RibbonStart(uint64_t{part + 1} << HashCollector::kPartShift,
                          shape.num_starts());
    banded[part] = BandPart(hashes, part, seed, shape.num_starts(), end, band,
                            &aside[part]);
    return banded[part] == Banded::kYes;
  });
  if (!all) return *std::max_element(banded.begin(), banded.end());
  for (const auto& equations : aside) {
    for (const RibbonBand::Equation& equation : equations) {
      if (!band->InsertAside(equation)) return Banded::kContradiction;
    }
  }
  return Banded::kYes;
}

// Sets *seed to the one that worked.
Banded Band(const HashCollector& hashes, const RibbonShape& shape,
            const WorkerCrew& crew, RibbonBand* band, uint8_t* seed) {
  *seed = FirstSeed(hashes.first());
  const bool parted = hashes.parting() == RibbonParting(hashes.first());
  Banded banded = parted ? BandByParts(hashes, *seed, shape, crew, band)
                         : BandInOrder(hashes, *seed, shape, band);
  for (int tried = 1; tried < kSeeds; ++tried) {
    if (banded != Banded::kContradiction) return banded;
    band->Clear();
    *seed = static_cast<uint8_t>(*seed + 1);
    banded = BandInOrder(hashes, *seed, shape, band);
  }
  return banded;
}

}  // namespace

uint64_t RibbonSlots(uint64_t num_hashes) {
  constexpr uint64_t kFewestSlots = 2 * kRibbonWidth;
  const auto n = static_cast<double>(num_hashes);
  // Rounded as RocksDB does, and with its constant.
  int power = static_cast<int>(std::floor(std::log(n) * 1.4426950409 + 0.5));
  double lower = HashesOfPower(power);
  if (power == 0 || lower == 0) return kFewestSlots;
  double upper = lower;
  if (n < lower) {
    lower = HashesOfPower(--power);
  } else {
    upper = HashesOfPower(power + 1);
  }
  const double portion = (n - lower) / (upper - lower);
  const double slots =
      portion * std::ldexp(1.0, power) + std::ldexp(1.0, power) + 0.999999999;
  const uint64_t whole =
      (static_cast<uint64_t>(slots) + kRibbonWidth - 1) / kRibbonWidth;
  return std::max(whole * kRibbonWidth, kFewestSlots);
}

// The rate of a Bloom filter of this many bits per key, of which some lines
// have more keys than others.
double RibbonOneIn(const FilterDensity& density) {
  const int probes = BloomProbes(density.millibits);
  constexpr double kLineBits = 512;
  const double keys = kLineBits / density.bits_per_key;
  const double deviation = std::sqrt(keys);
  const double crowded = BloomRate(kLineBits / (keys + deviation), probes);
  const double empty = BloomRate(kLineBits / (keys - deviation), probes);
  return 1.0 / ((crowded + empty) / 2.0);
}

HashParting RibbonParting(uint64_t first_hash) {
  return {RibbonSeedMask(FirstSeed(first_hash)), kRibbonRehash};
}

uint64_t RibbonSize(uint64_t num_hashes, uint64_t first_hash,
                    const FilterDensity& density) {
  const Plan plan = PlanFor(num_hashes, first_hash, density);
  if (plan.num_slots == 0) return BloomSize(num_hashes, first_hash, density);
  return plan.num_segments * sizeof(Uint128) + kFilterMetadataBytes;
}

// The band, one more copy of the hashes, equations that are put aside, and, if
// no seed works, a Bloom filter in place of this one.
uint64_t RibbonWorkBytes(uint64_t num_hashes, uint64_t first_hash,
                         const FilterDensity& density) {
  const Plan plan = PlanFor(num_hashes, first_hash, density);
  if (plan.num_slots == 0) return 0;
  constexpr uint64_t kAside =
      2 * HashCollector::kParts * kRibbonWidth * sizeof(RibbonBand::Equation);
  return plan.num_slots * (sizeof(Uint128) + sizeof(uint32_t)) +
         num_hashes * sizeof(uint64_t) + std::min(kAside, num_hashes * 128) +
         BloomSize(num_hashes, first_hash, density) / 2;
}

// Finds the most hashes that fit: sizes grow with the number.
uint64_t RibbonHashesIn(uint64_t bytes, const FilterDensity& density) {
  uint64_t fits = 0;
  for (uint64_t step = std::bit_floor(kMostHashes); step > 0; step /= 2) {
    if (fits + step <= kMostHashes &&
        RibbonSize(fits + step, 0, density) <= bytes) {
      fits += step;
    }
  }
  return fits;
}

bool BuildRibbon(HashCollector* hashes, const FilterDensity& density,
                 const WorkerCrew& crew, Buffer* out) {
  const Plan plan = PlanFor(hashes->size(), hashes->first(), density);
  if (plan.num_slots == 0) return BuildBloom(hashes, density, crew, out);
  const RibbonShape shape(static_cast<uint32_t>(plan.num_slots / kRibbonWidth),
                          plan.num_segments);
  RibbonBand band;
  if (!band.Allocate(plan.num_slots)) return false;
  uint8_t seed;
  const Banded banded = Band(*hashes, shape, crew, &band, &seed);
  if (banded == Banded::kNoMemory) return false;
  if (banded == Banded::kContradiction) {
    return BuildBloom(hashes, density, crew, out);
  }
  if (!hashes->guarded()) hashes->Clear();
  const size_t bytes = plan.num_segments * sizeof(Uint128);
  if (!out->TryReserve(bytes + kFilterMetadataBytes)) return false;
  ThisCpusRibbonKernels().solve(band, shape, out->end());
  out->Advance(bytes);
  out->PushBack(kRibbonMarker);
  out->PushBack(static_cast<char>(seed));
  for (int shift = 0; shift < 24; shift += 8) {
    out->PushBack(static_cast<char>(shape.num_blocks >> shift));
  }
  return true;
}

namespace {

RibbonQuestion QuestionOf(const ParsedFilter& filter, uint64_t hash) {
  const RibbonShape& shape = filter.shape;
  const uint64_t h = (hash ^ filter.seed_mask) * kRibbonRehash;
  const uint64_t start = RibbonStart(h, shape.num_starts());
  const auto block = static_cast<uint32_t>(start / kRibbonWidth);
  const auto k = static_cast<int>(start % kRibbonWidth);
  const RibbonRow row(h);
  return {.first = filter.data + shape.FirstSegment(block) * sizeof(Uint128),
          .end = filter.data + filter.num_segments * sizeof(Uint128),
          .lower = row.coefficients << k,
          // In two steps: a shift by 128 bits is not defined.
          .upper = row.coefficients >> 1 >> (kRibbonWidth - 1 - k),
          .columns = shape.Columns(block),
          .result = row.result};
}

bool MayMatch(const ParsedFilter& filter, uint64_t hash) {
  const RibbonQuestion question = QuestionOf(filter, hash);
  return filter.ribbon->match(&question, 1) != 0;
}

uint64_t MayMatchBatch(const ParsedFilter& filter, const uint64_t* hashes,
                       size_t n) {
  constexpr size_t kLine = 64;
  RibbonQuestion questions[kFilterBatchMax];
  for (size_t i = 0; i < n; ++i) {
    questions[i] = QuestionOf(filter, hashes[i]);
    const size_t bytes = questions[i].columns * 2 * sizeof(Uint128);
    for (size_t at = 0; at < bytes; at += kLine) {
      __builtin_prefetch(questions[i].first + at);
    }
    if (bytes != 0) __builtin_prefetch(questions[i].first + bytes - 1);
  }
  return filter.ribbon->match(questions, n);
}

}  // namespace

FilterKind::Parsed ParseRibbon(const Slice& payload, ParsedFilter* parsed) {
  using enum FilterKind::Parsed;
  const auto meta = [&payload](size_t i) {
    return uint32_t{static_cast<uint8_t>(
        payload[payload.size() - kFilterMetadataBytes + i])};
  };
  const uint32_t num_blocks = meta(2) | meta(3) << 8 | meta(4) << 16;
  const uint64_t num_segments =
      (payload.size() - kFilterMetadataBytes) / sizeof(Uint128);
  if (num_blocks < 2) return kDamaged;
  parsed->data = payload.data();
  parsed->seed_mask = RibbonSeedMask(static_cast<uint8_t>(meta(1)));
  parsed->shape = RibbonShape(num_blocks, num_segments);
  parsed->num_segments = num_segments;
  parsed->ribbon = &ThisCpusRibbonKernels();
  parsed->may_match = MayMatch;
  parsed->batch = MayMatchBatch;
  return kOk;
}

}  // namespace ashlar::internal
