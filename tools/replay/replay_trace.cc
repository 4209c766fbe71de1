#include "tools/replay/replay_trace.h"

#include <algorithm>
#include <memory>

#include "tools/replay/trace_accesses.h"

namespace ashlar::sim {

namespace {

// Does what is done with each access.
class Replay {
 public:
  Replay(const ReplayOptions& options, TraceReplay* result)
      : unknown_block_bytes_(
            std::max<uint64_t>(1, options.unknown_block_bytes)),
        result_(result) {}

  Status MakeCaches(const ReplayOptions& options) {
    for (const SimulatedCacheKind* kind : options.caches) {
      for (const uint64_t size : options.sizes) {
        const uint64_t part = size / result_->sampling_frequency;
        auto cache = SimulatedCache::Make(
            *kind, {.capacity = std::max<uint64_t>(1, part),
                    .charge_metadata = options.charge_metadata});
        if (!cache.ok()) return cache.status().WithPrefix(kind->name);
        caches_.push_back(std::move(cache).value());
        result_->results.push_back({.cache = kind, .size = size, .misses = {}});
      }
    }
    return {};
  }

  Status Step(const TraceAccess& access) {
    CountSizes(access);
    TraceReplay& to = *result_;
    if (to.accesses.all == 0) to.first_micros = access.micros;
    to.first_micros = std::min(to.first_micros, access.micros);
    to.last_micros = std::max(to.last_micros, access.micros);
    to.accesses.Add(access);
    if (!access.is_hit) to.recorded_misses.Add(access);
    const uint64_t bytes = ChargeOf(access);
    for (size_t i = 0; i < caches_.size(); ++i) {
      bool was_found = false;
      Status status = caches_[i]->Access(access.block, bytes, access.kind,
                                         access.no_insert, &was_found);
      if (!status.ok()) return status;
      if (!was_found) to.results[i].misses.Add(access);
    }
    // A read that may not fill the cache is no use: the block may be as far
    // from the cache afterwards as before.
    auto distance = access.no_insert ? distances_.Look(access.block, bytes)
                                     : distances_.Use(access.block, bytes);
    if (distance) *distance *= to.sampling_frequency;
    to.reuse.Add(static_cast<size_t>(access.kind), distance);
    return {};
  }

 private:
  uint64_t ChargeOf(const TraceAccess& access) const {
    return access.bytes != 0 ? access.bytes : unknown_block_bytes_;
  }
  void CountSizes(const TraceAccess& access) {
    if (access.block >= charges_.size()) charges_.resize(access.block + 1);
    if (access.bytes == 0) ++result_->unknown_sizes;
    uint64_t& charge = charges_[access.block];
    if (charge == 0) ++result_->blocks;
    result_->block_bytes += ChargeOf(access) - charge;
    charge = ChargeOf(access);
  }

  const uint64_t unknown_block_bytes_;
  TraceReplay* const result_;
  std::vector<std::unique_ptr<SimulatedCache>> caches_;
  ReuseDistances distances_;
  std::vector<uint64_t> charges_;  // the last one of each block; 0: none yet
};

uint32_t FrequencyOf(const ReplayOptions& options,
                     const BlockCacheTraceHeader& header) {
  const uint32_t frequency = options.sampling_frequency != 0
                                 ? options.sampling_frequency
                                 : header.sampling_frequency;
  return std::max(1U, frequency);
}

}  // namespace

Status ReplayTrace(const std::string& path, const ReplayOptions& options,
                   TraceReplay* replay) {
  constexpr uint64_t kAccessesBetweenLooks = 4096;
  auto trace = TraceAccesses::Open(path);
  if (!trace.ok()) return trace.status();
  replay->header = (*trace)->header();
  replay->sampling_frequency = FrequencyOf(options, replay->header);
  Replay work(options, replay);
  if (Status s = work.MakeCaches(options); !s.ok()) return s;
  TraceAccess access;
  bool found = true;
  while (true) {
    if (replay->accesses.all % kAccessesBetweenLooks == 0 &&
        !options.on_progress((*trace)->file_offset())) {
      replay->was_stopped = true;
      return {};
    }
    Status status = (*trace)->Next(&access, &found);
    if (!found) {
      replay->is_cut_off = (*trace)->is_cut_off();
      return status;
    }
    if (Status s = work.Step(access); !s.ok()) return s;
  }
}

}  // namespace ashlar::sim
