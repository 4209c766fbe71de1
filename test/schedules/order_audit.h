// Which memory orders of the code are needed: each is taken for a weaker one in
// turn, and the scenarios, in weak memory, are to show that.
#ifndef ASHLAR_TEST_SCHEDULES_ORDER_AUDIT_H_
#define ASHLAR_TEST_SCHEDULES_ORDER_AUDIT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "test/schedules/scenario.h"

namespace ashlar::testing {

struct AuditedOrder {
  std::string site;      // OrderSite::Name
  std::string weaker;    // the order in its place
  std::string shown_by;  // "clock: <the fault>". Empty: nothing shows it
};

// Tries up to `schedules` schedules of each scenario that executes an order,
// until one shows a fault. Requires: at most 64 scenarios, which have no fault
// as they are.
std::vector<AuditedOrder> AuditOrders(std::span<const Scenario> scenarios,
                                      uint64_t seed, uint64_t schedules);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SCHEDULES_ORDER_AUDIT_H_
