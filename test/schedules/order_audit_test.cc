// The audit of memory orders tells those that a scenario needs from others.

#include "test/schedules/order_audit.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ashlar::testing {
namespace {

TEST(OrderAudit, TellsWhichOrdersAreNeeded) {
  std::vector<Scenario> kept;
  for (const Scenario& scenario : WeakScenarios()) {
    if (scenario.name.ends_with("_kept")) kept.push_back(scenario);
  }
  const std::vector<AuditedOrder> orders = AuditOrders(kept, 1, 500);
  const auto shown = [&](std::string_view words, std::string_view weaker) {
    const auto found =
        std::find_if(orders.begin(), orders.end(), [&](const auto& order) {
          return order.site.find(words) != std::string::npos &&
                 order.weaker == weaker;
        });
    EXPECT_NE(found, orders.end()) << words;
    return found == orders.end() ? "" : found->shown_by;
  };
  EXPECT_NE(shown("load acquire", "relaxed"), "");
  EXPECT_NE(shown("store release", "relaxed"), "");
  EXPECT_NE(shown("load seq_cst", "acquire"), "");
  EXPECT_NE(shown("read-modify-write seq_cst", "acq_rel"), "");
  for (const AuditedOrder& order : orders) {
    EXPECT_EQ(order.site.find("relaxed"), std::string::npos)
        << "nothing is weaker";
  }
}

}  // namespace
}  // namespace ashlar::testing
