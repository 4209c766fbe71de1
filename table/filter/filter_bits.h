// Filters at the level of bits: hashes in, payload out, and the reverse.
//
// FilterBitsBuilder collects the hashes of one filter, or of one partition
// after the other, and makes the payload. FilterBitsReader asks a payload of
// any kind; the payload itself says of which. registry.cc has the kinds, one
// row each. What is hashed (whole keys, prefixes) is decided in full_filter.h.
//
// A filter of an application's policy (table/filter_policy.h) gets bytes, not
// hashes. Both classes hide that: the builder passes bytes on. The "hash" that
// a reader of an application's filter returns contains the policy's answer. So
// code that asks filters by Hash and MayMatch asks these too.
//
// A builder belongs to one thread, which may have a crew help it to finish. Any
// number of threads may ask a reader.
#ifndef ASHLAR_TABLE_FILTER_FILTER_BITS_H_
#define ASHLAR_TABLE_FILTER_FILTER_BITS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ashlar/table/filter_policy.h"
#include "ashlar/table/options.h"
#include "ashlar/util/slice.h"
#include "table/filter/custom_filter.h"
#include "table/filter/hash_collector.h"
#include "table/filter/ribbon_shape.h"
#include "util/hash/filter_hash.h"
#include "util/mem/buffer.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

struct FilterKind;     // registry.h
class MemoryFit;       // memory_fit.h
struct RibbonKernels;  // ribbon_kernels.h

// Returns the hash by which every filter that we write holds keys and prefixes.
inline uint64_t HashForFilter(const Slice& bytes) {
  return FilterHash(bytes.data(), bytes.size());
}

// Bits per key as RocksDB takes them: below 1 counts as 1, above 100 as 100.
struct FilterDensity {
  explicit FilterDensity(double bits);
  double bits_per_key;
  int millibits;  // rounded
};

class FilterBitsBuilder {
 public:
  // fit_memory: sizes are those of pieces that allocators hand out
  // (memory_fit.h). guard: each filter is proven when it is finished
  // (verify_filter.h). Requires: type is not kNone.
  FilterBitsBuilder(FilterType type, double bits_per_key,
                    bool fit_memory = false, HashGuard guard = HashGuard::kOff);
  // Makes filters of a policy of the application.
  explicit FilterBitsBuilder(std::shared_ptr<const FilterPolicy> policy);
  ~FilterBitsBuilder();
  FilterBitsBuilder(FilterBitsBuilder&& other) noexcept;
  FilterBitsBuilder& operator=(FilterBitsBuilder&& other) noexcept;

  // From then on memory is charged like this: hashes as they come, and what a
  // filter takes before it is built. The charge of a finished filter stays
  // until the next one, or until the builder ends. If a charge is refused,
  // calls that add hashes throw MemoryRefused, and Finish returns it. Requires:
  // nothing was added.
  void ChargeTo(const MemoryCharge& like);

  // Returns what takes the keys if the policy is the application's; else null,
  // and the next two functions take their hashes.
  CustomFilterBuilder* custom() { return custom_.get(); }
  // Adds the hash of a key; or of a prefix, if only prefixes are added.
  void Add(uint64_t hash) { hashes_.Add(hash); }
  // Adds the hashes of a key and of its prefix, if both are added.
  void AddPair(uint64_t key, uint64_t prefix) { hashes_.AddPair(key, prefix); }

  // Returns how many hashes the filter has, without repetitions that were
  // dropped.
  uint64_t num_hashes() const {
    return custom_ == nullptr ? hashes_.size() : custom_->added();
  }
  // Returns the size of the payload if it were made now, in bytes.
  uint64_t SizeEstimate() const;
  // Returns about how many hashes fill a payload of this many bytes, as RocksDB
  // counts.
  uint64_t HashesIn(uint64_t bytes) const;

  // Appends the payload to *out, or nothing if nothing was added. Afterwards
  // the builder is as new. A large filter is built by parts, which workers of
  // the crew share; the payload is the same. Returns MemoryLimit if there is no
  // memory for it; and, if guarded, Corruption if the filter does not have all
  // hashes that were added.
  Status Finish(Buffer* out, const WorkerCrew& crew = {});
  // Returns a builder with all that was added, to be finished elsewhere.
  // Afterwards this one is as new.
  FilterBitsBuilder Take();

  // Returns RocksDB's name of this kind of filter in the properties.
  std::string_view policy_name() const;

 private:
  FilterBitsBuilder(const FilterKind* kind, const FilterDensity& density);
  FilterDensity ChooseDensity();
  Status Build(Buffer* out, const WorkerCrew& crew);

  const FilterKind* kind_;
  FilterDensity density_;
  std::unique_ptr<MemoryFit> fit_;  // null: sizes are not fitted
  HashCollector hashes_;
  std::unique_ptr<CustomFilterBuilder> custom_;  // null: kind_ is built in
  MemoryCharge filter_charge_;                   // what is not hashes
};

// A parsed payload. Which fields count depends on the kind.
struct ParsedFilter {
  const char* data = nullptr;
  int probes = 0;
  uint32_t num_lines = 0;
  int line_shift = 0;  // legacy Bloom: log2 of the bytes of a line
  // Ribbon only.
  uint32_t seed_mask = 0;
  RibbonShape shape;
  uint64_t num_segments = 0;
  const RibbonKernels* ribbon = nullptr;
  const FilterReader* custom = nullptr;  // of an application's policy

  bool (*may_match)(const ParsedFilter&, uint64_t hash) = nullptr;
  // Bit i is the answer to hash i. Requires: n <= kFilterBatchMax.
  uint64_t (*batch)(const ParsedFilter&, const uint64_t* hashes,
                    size_t n) = nullptr;
  // Prefetches what `batch` will look at. Null: there is nothing to prefetch.
  void (*prefetch)(const ParsedFilter&, const uint64_t* hashes,
                   size_t n) = nullptr;
  // Null: HashForFilter.
  uint64_t (*hash)(const ParsedFilter&, const Slice& bytes) = nullptr;
};

inline constexpr size_t kFilterBatchMax = 64;

// Asks a filter payload, whose bytes must outlive it.
class FilterBitsReader {
 public:
  enum class Kind : uint8_t {
    kEmpty,  // matches nothing
    kBloom,  // one cache line per key
    kRibbon,
    kLegacyBloom,
    kCustom,  // of an application's policy
    kAlways,  // matches everything: reserved, or unknown, or damaged
  };

  // Matches everything.
  FilterBitsReader() : FilterBitsReader(Slice("\0\0\0\0\0", 6)) {}
  explicit FilterBitsReader(const Slice& payload);
  // Asks a filter of an application's policy, whose reader is given.
  explicit FilterBitsReader(std::shared_ptr<const FilterReader> reader);

  // Returns whether a payload claims a kind that we know, but cannot be of that
  // kind. (MayMatch then returns true for everything.)
  static bool IsDamaged(const Slice& payload);

  Kind kind() const { return kind_; }
  // Returns the hash of a key or prefix for MayMatch: the kinds hash
  // differently.
  uint64_t Hash(const Slice& bytes) const {
    return parsed_.hash == nullptr ? HashForFilter(bytes)
                                   : parsed_.hash(parsed_, bytes);
  }

  // Returns whether that is HashForFilter, as of all kinds that we write.
  bool UsesCommonHash() const { return parsed_.hash == nullptr; }

  // Returns false if nothing with this hash was added.
  bool MayMatch(uint64_t hash) const {
    return parsed_.may_match(parsed_, hash);
  }
  bool MayMatchBytes(const Slice& bytes) const { return MayMatch(Hash(bytes)); }
  // The same for several hashes, whose waits for memory overlap: bit i is the
  // answer to hash i. Requires: at most kFilterBatchMax hashes.
  uint64_t MayMatchBatch(std::span<const uint64_t> hashes) const {
    return parsed_.batch(parsed_, hashes.data(), hashes.size());
  }
  // Returns the reader of an application's policy, which is better asked for
  // several keys at once; null if the filter is built in.
  const FilterReader* custom() const { return custom_.get(); }

  // Prefetches what MayMatchBatch of these hashes will need. A caller that
  // prefetches the next batch before it asks the current one never waits for
  // memory.
  void Prefetch(std::span<const uint64_t> hashes) const {
    if (parsed_.prefetch == nullptr) return;
    parsed_.prefetch(parsed_, hashes.data(), hashes.size());
  }

 private:
  Kind kind_ = Kind::kAlways;
  ParsedFilter parsed_;
  std::shared_ptr<const FilterReader> custom_;  // of kCustom
};

// Makes *bits what asks the filter with this payload, of `policy`, or of a
// built-in kind if that is null. Returns Corruption if a policy says that it is
// damaged; *bits then matches everything. *bits keeps the policy. The payload
// must outlive *bits.
Status ReadFilterBits(const Slice& payload,
                      const std::shared_ptr<const FilterPolicy>& policy,
                      FilterBitsReader* bits);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_FILTER_BITS_H_
