#include "test/schedules/order_audit.h"

#include <utility>

#include "test/schedules/campaign.h"
#include "test/schedules/order_sites.h"

namespace ashlar::testing {

namespace {

constexpr double kNoLimit = 1e9;

// Returns what the scenario shows, or an empty string.
std::string Show(const Scenario& scenario, uint64_t seed, uint64_t schedules) {
  Campaign campaign(scenario, schedules, true);
  campaign.RunSeeds(seed, schedules, kNoLimit);
  if (campaign.result().faults.empty()) return {};
  return std::string(scenario.name) + ": " + campaign.result().faults[0].text;
}

std::string ShowAny(std::span<const Scenario> scenarios, const OrderSite& site,
                    uint64_t seed, uint64_t schedules) {
  for (size_t i = 0; i < scenarios.size(); ++i) {
    if ((site.scenarios >> i & 1) == 0) continue;
    std::string shown = Show(scenarios[i], seed, schedules);
    if (!shown.empty()) return shown;
  }
  return {};
}

}  // namespace

std::vector<AuditedOrder> AuditOrders(std::span<const Scenario> scenarios,
                                      uint64_t seed, uint64_t schedules) {
  for (size_t i = 0; i < scenarios.size(); ++i) {
    NoteSitesOf(static_cast<uint32_t>(i));
    static_cast<void>(Show(scenarios[i], seed, schedules));
  }
  EndNoting();
  std::vector<AuditedOrder> audited;
  for (const OrderSite& site : NotedSites()) {
    for (const std::memory_order weaker : WeakerOrders(site.step, site.order)) {
      WeakenOrder(&site, weaker);
      audited.push_back({site.Name(), std::string(NameOfOrder(weaker)),
                         ShowAny(scenarios, site, seed, schedules)});
    }
  }
  WeakenOrder(nullptr, {});
  return audited;
}

}  // namespace ashlar::testing
