// The audit of memory orders tells those that a scenario needs from others.

#include "test/schedules/order_audit.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ashlar::testing {
namespace {

std::vector<Scenario> Named(std::string_view end) {
  std::vector<Scenario> named;
  for (const Scenario& scenario : WeakScenarios()) {
    if (scenario.name.ends_with(end)) named.push_back(scenario);
  }
  EXPECT_FALSE(named.empty());
  return named;
}

// Of the order that has these words: what shows that it may not be weaker.
std::string ShownBy(const std::vector<AuditedOrder>& orders,
                    std::string_view words, std::string_view weaker) {
  const auto found =
      std::find_if(orders.begin(), orders.end(), [&](const auto& order) {
        return order.site.find(words) != std::string::npos &&
               order.weaker == weaker;
      });
  if (found != orders.end()) return found->shown_by;
  ADD_FAILURE() << "no " << words;
  return {};
}

TEST(OrderAudit, ShowsOrdersThatAreNeeded) {
  const std::vector<AuditedOrder> orders = AuditOrders(Named("_kept"), 1, 500);
  EXPECT_NE(ShownBy(orders, "load acquire", "relaxed"), "");
  EXPECT_NE(ShownBy(orders, "store release", "relaxed"), "");
  EXPECT_NE(ShownBy(orders, "load seq_cst", "acquire"), "");
  EXPECT_NE(ShownBy(orders, "read-modify-write seq_cst", "acq_rel"), "");
}

// Publishing needs no order of all threads.
TEST(OrderAudit, ShowsNothingForOrdersThatAreTooStrong) {
  const std::vector<AuditedOrder> orders =
      AuditOrders(Named("publish_stronger_kept"), 1, 500);
  EXPECT_EQ(ShownBy(orders, "load seq_cst", "acquire"), "");
  EXPECT_EQ(ShownBy(orders, "read-modify-write seq_cst", "acq_rel"), "");
}

}  // namespace
}  // namespace ashlar::testing
