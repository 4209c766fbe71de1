// The chart of trade-offs: sizes against speeds of writing, with the best
// results at the top right. Pure functions.
#ifndef ASHLAR_TOOLS_ASHLAR_PAGE_TRADE_OFFS_H_
#define ASHLAR_TOOLS_ASHLAR_PAGE_TRADE_OFFS_H_

#include <string>
#include <vector>

namespace ashlar::tool {

// Names are HTML.
struct TradeOff {
  std::string name;
  std::string short_name;  // for labels, which must be short
  double share;            // of the raw size
  double write_speed;      // MB/s
  bool is_best;            // no other is both smaller and faster
};

// `now` is the share of the blocks as stored. Requires: there is one trade-off
// at least.
std::string RenderTradeOffs(const std::vector<TradeOff>& trade_offs,
                            double now);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_TRADE_OFFS_H_
