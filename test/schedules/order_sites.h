// Where the code of the library asks for which memory orders, of what scenarios
// execute, and one of them that is taken for a weaker one.
//
// The table is in memory that child processes share. For one controlled thread
// at a time.
#ifndef ASHLAR_TEST_SCHEDULES_ORDER_SITES_H_
#define ASHLAR_TEST_SCHEDULES_ORDER_SITES_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/util/sync/shared_word.h"

namespace ashlar::testing {

enum class WordStep : uint8_t {
  kLoad,
  kStore,
  kReadModifyWrite,
  kFailedExchange,
};

struct OrderSite {
  const char* file = nullptr;  // as the compiler names it
  uint32_t line = 0;
  uint32_t column = 0;
  WordStep step = WordStep::kLoad;
  std::memory_order order = std::memory_order_relaxed;
  uint64_t scenarios = 0;  // a bit for each that executes it

  // "util/sync/atomic.h:64: load acquire"
  std::string Name() const;
};

// Begins to note sites for scenario 0, or goes on with another one, below 64.
// The second function ends that. Throws std::length_error if there was no room.
void NoteSitesOf(uint32_t scenario);
void EndNoting();
std::span<const OrderSite> NotedSites();

// Until the next call, the site has this order. Null: none is changed.
void WeakenOrder(const OrderSite* site, std::memory_order order);
// The orders that are weaker by one.
std::vector<std::memory_order> WeakerOrders(WordStep step,
                                            std::memory_order order);
std::string_view NameOfOrder(std::memory_order order);

// Returns the order that counts.
std::memory_order OrderOf(const internal::WordOrder& asked, WordStep step);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SCHEDULES_ORDER_SITES_H_
