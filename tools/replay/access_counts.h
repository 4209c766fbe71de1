// AccessCounts: numbers of accesses by what asked for the block, what kind of
// block it is, and the level of its table.
//
// A plain value.
#ifndef ASHLAR_TOOLS_REPLAY_ACCESS_COUNTS_H_
#define ASHLAR_TOOLS_REPLAY_ACCESS_COUNTS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "ashlar/cache/block_cache_trace_reader.h"
#include "tools/replay/trace_accesses.h"

namespace ashlar::sim {

struct AccessCounts {
  // Levels from 0 to 62 have their own number. The rest counts as unknown.
  static constexpr size_t kLevels = 64;
  static constexpr size_t kUnknownLevel = kLevels - 1;

  static size_t PlaceOfLevel(int32_t level) {
    return level < 0 || level >= static_cast<int32_t>(kUnknownLevel)
               ? kUnknownLevel
               : static_cast<size_t>(level);
  }

  void Add(const TraceAccess& access) {
    ++all;
    ++by_caller[static_cast<size_t>(access.caller)];
    ++by_kind[static_cast<size_t>(access.kind)];
    ++by_level[PlaceOfLevel(access.level)];
  }

  uint64_t all = 0;
  std::array<uint64_t, kBlockAccessCallers> by_caller = {};
  std::array<uint64_t, kBlockAccessKinds> by_kind = {};
  std::array<uint64_t, kLevels> by_level = {};
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_REPLAY_ACCESS_COUNTS_H_
