// Filters at the level of bits: hashes in, payload out, and the reverse.
//
// FilterBitsBuilder collects the hashes of one filter, or of one partition
// after the other, and makes the payload. FilterBitsReader asks a payload of
// any kind; which kind it is, the payload says itself. What the kinds are
// stands in registry.cc, one row each. What is hashed (whole keys, prefixes)
// is not their business: full_filter.h.
//
// A builder belongs to one thread, which may have a crew help it to finish; a
// reader may be asked by any number.
#ifndef ASHLAR_TABLE_FILTER_FILTER_BITS_H_
#define ASHLAR_TABLE_FILTER_FILTER_BITS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ashlar/table/options.h"
#include "ashlar/util/slice.h"
#include "table/filter/hash_collector.h"
#include "table/filter/ribbon_shape.h"
#include "util/hash/filter_hash.h"
#include "util/mem/buffer.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

struct FilterKind;     // registry.h
class MemoryFit;       // memory_fit.h
struct RibbonKernels;  // ribbon_kernels.h

// The hash that every filter we write stores keys and prefixes by.
inline uint64_t HashForFilter(const Slice& bytes) {
  return FilterHash(bytes.data(), bytes.size());
}

// Bits a key as RocksDB takes them: below 1 is 1, above 100 is 100.
struct FilterDensity {
  explicit FilterDensity(double bits);
  double bits_per_key;
  int millibits;  // rounded
};

class FilterBitsBuilder {
 public:
  // Not for FilterType::kNone. fit_memory: sizes are those that allocators hand
  // out (memory_fit.h). guard: each filter is proven when it is finished
  // (verify_filter.h).
  FilterBitsBuilder(FilterType type, double bits_per_key,
                    bool fit_memory = false, HashGuard guard = HashGuard::kOff);
  ~FilterBitsBuilder();
  FilterBitsBuilder(FilterBitsBuilder&& other) noexcept;
  FilterBitsBuilder& operator=(FilterBitsBuilder&& other) noexcept;

  // The hash of a key, or of a prefix where only prefixes are added.
  void Add(uint64_t hash) { hashes_.Add(hash); }
  // Those of a key and its prefix, where both are added.
  void AddPair(uint64_t key, uint64_t prefix) { hashes_.AddPair(key, prefix); }

  // What is in the filter, without repetitions that were dropped.
  uint64_t num_hashes() const { return hashes_.size(); }
  // Bytes of the payload if it were made now.
  uint64_t SizeEstimate() const;
  // So many hashes about fill a payload of so many bytes, as RocksDB counts.
  uint64_t HashesIn(uint64_t bytes) const;

  // Appends the payload, nothing where nothing was added, and is as new then.
  // Large filters are built by parts, which workers of the crew share; the
  // payload is the same. Returns MemoryLimit when there is no memory for it;
  // guarded, Corruption if the filter is not one of all hashes that were added.
  Status Finish(Buffer* out, const WorkerCrew& crew = {});
  // What was added, to be finished elsewhere; is as new then.
  FilterBitsBuilder Take();

  // RocksDB's word for this kind of filter among the properties.
  std::string_view policy_name() const;

 private:
  FilterBitsBuilder(const FilterKind* kind, const FilterDensity& density);
  FilterDensity ChooseDensity();
  Status Build(Buffer* out, const WorkerCrew& crew);

  const FilterKind* kind_;
  FilterDensity density_;
  std::unique_ptr<MemoryFit> fit_;  // null: sizes are as they come
  HashCollector hashes_;
};

// A payload taken apart: which fields count depends on the kind.
struct ParsedFilter {
  const char* data = nullptr;
  int probes = 0;
  uint32_t num_lines = 0;
  int line_shift = 0;  // legacy Bloom: bytes of a line, as a power of two
  // Ribbon.
  uint32_t seed_mask = 0;
  RibbonShape shape;
  uint64_t num_segments = 0;
  const RibbonKernels* ribbon = nullptr;

  bool (*may_match)(const ParsedFilter&, uint64_t hash) = nullptr;
  // Bit i: the answer to hash i. At most kFilterBatchMax of them.
  uint64_t (*batch)(const ParsedFilter&, const uint64_t* hashes,
                    size_t n) = nullptr;
  // Fetches what `batch` will look at. Null: nothing.
  void (*prefetch)(const ParsedFilter&, const uint64_t* hashes,
                   size_t n) = nullptr;
  uint64_t (*hash)(const Slice& bytes) = nullptr;  // null: HashForFilter
};

inline constexpr size_t kFilterBatchMax = 64;

// Asks a filter payload. The bytes must outlive it.
class FilterBitsReader {
 public:
  enum class Kind : uint8_t {
    kEmpty,  // matches nothing
    kBloom,  // one cache line a key
    kRibbon,
    kLegacyBloom,
    kAlways,  // matches everything: reserved, or unknown, or damaged
  };

  // Matches everything.
  FilterBitsReader() : FilterBitsReader(Slice("\0\0\0\0\0", 6)) {}
  explicit FilterBitsReader(const Slice& payload);

  // Whether a payload that says to be of a kind we know cannot be one. (To
  // MayMatch it matches everything.)
  static bool IsDamaged(const Slice& payload);

  Kind kind() const { return kind_; }
  // Of a key or prefix, for the two below: the kinds hash differently.
  uint64_t Hash(const Slice& bytes) const {
    return parsed_.hash == nullptr ? HashForFilter(bytes) : parsed_.hash(bytes);
  }

  // False: nothing with this hash was added.
  bool MayMatch(uint64_t hash) const {
    return parsed_.may_match(parsed_, hash);
  }
  bool MayMatchBytes(const Slice& bytes) const { return MayMatch(Hash(bytes)); }
  // The same for up to kFilterBatchMax hashes together, which waits for memory
  // but once: bit i answers hash i.
  uint64_t MayMatchBatch(std::span<const uint64_t> hashes) const {
    return parsed_.batch(parsed_, hashes.data(), hashes.size());
  }
  // Begins to fetch from memory what MayMatchBatch of these will need. For who
  // has a batch in hand and knows the next: asked in turn, with the next one
  // fetched first, no batch waits for memory.
  void Prefetch(std::span<const uint64_t> hashes) const {
    if (parsed_.prefetch == nullptr) return;
    parsed_.prefetch(parsed_, hashes.data(), hashes.size());
  }

 private:
  Kind kind_ = Kind::kAlways;
  ParsedFilter parsed_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_FILTER_BITS_H_
