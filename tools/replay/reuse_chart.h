// Draws two charts of each trace, one above the other: how far apart the uses
// of blocks are, and what caches miss because of it.
//
// Both have bytes on the x axis, so that a cache of a size is right below the
// distances that it covers. Pure functions: numbers in, text out.
#ifndef ASHLAR_TOOLS_REPLAY_REUSE_CHART_H_
#define ASHLAR_TOOLS_REPLAY_REUSE_CHART_H_

#include <string>
#include <vector>

#include "tools/replay/replay_trace.h"

namespace ashlar::sim {

struct NamedReplay {
  std::string name;
  TraceReplay replay;
};

// Returns an SVG. Requires: all were replayed with the same caches and sizes.
std::string DrawReuse(const std::vector<NamedReplay>& replays);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_REPLAY_REUSE_CHART_H_
