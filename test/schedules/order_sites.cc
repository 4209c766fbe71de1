#include "test/schedules/order_sites.h"

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>

namespace ashlar::testing {

namespace {

struct Table {
  static constexpr size_t kMost = 512;

  std::array<OrderSite, kMost> sites;
  size_t count = 0;
  bool is_full = false;  // for more
};

struct Weakened {
  OrderSite site;
  std::memory_order order;
};

// All three are set before a child begins. No scenario: nothing is noted.
Table* table = nullptr;
uint64_t scenario_bit = 0;
std::optional<Weakened> weakened;

bool IsSame(const OrderSite& site, const internal::WordOrder& asked,
            WordStep step) {
  return site.line == asked.where.line() &&
         site.column == asked.where.column() && site.step == step &&
         site.order == asked.order &&
         std::strcmp(site.file, asked.where.file_name()) == 0;
}

void Note(const internal::WordOrder& asked, WordStep step) {
  for (size_t i = 0; i < table->count; ++i) {
    if (!IsSame(table->sites[i], asked, step)) continue;
    table->sites[i].scenarios |= scenario_bit;
    return;
  }
  if (table->count == Table::kMost) {
    table->is_full = true;
    return;
  }
  table->sites[table->count++] = {asked.where.file_name(),
                                  asked.where.line(),
                                  asked.where.column(),
                                  step,
                                  asked.order,
                                  scenario_bit};
}

std::string_view NameOfStep(WordStep step) {
  switch (step) {
    case WordStep::kLoad:
      return "load";
    case WordStep::kStore:
      return "store";
    case WordStep::kReadModifyWrite:
      return "read-modify-write";
    case WordStep::kFailedExchange:
      return "failed exchange";
  }
  return "";
}

}  // namespace

std::string OrderSite::Name() const {
  std::string_view name = file;
  const size_t floor = name.rfind("util/");
  const size_t cache = name.rfind("cache/");
  if (floor != name.npos) {
    name = name.substr(floor);
  } else if (cache != name.npos) {
    name = name.substr(cache);
  }
  return std::string(name) + ":" + std::to_string(line) + ": " +
         std::string(NameOfStep(step)) + " " + std::string(NameOfOrder(order));
}

void NoteSitesOf(uint32_t scenario) {
  scenario_bit = uint64_t{1} << scenario;
  if (table != nullptr) {
    if (scenario == 0) *table = Table();
    return;
  }
  void* const memory = ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  table = new (memory) Table();
}

void EndNoting() {
  scenario_bit = 0;
  if (table->is_full) throw std::length_error("too many memory orders");
}

std::span<const OrderSite> NotedSites() {
  if (table == nullptr) return {};
  return std::span<const OrderSite>(table->sites).first(table->count);
}

void WeakenOrder(const OrderSite* site, std::memory_order order) {
  weakened.reset();
  if (site != nullptr) weakened = Weakened{*site, order};
}

std::vector<std::memory_order> WeakerOrders(WordStep step,
                                            std::memory_order order) {
  switch (order) {
    case std::memory_order_seq_cst:
      if (step == WordStep::kStore) return {std::memory_order_release};
      if (step == WordStep::kReadModifyWrite)
        return {std::memory_order_acq_rel};
      return {std::memory_order_acquire};
    case std::memory_order_acq_rel:
      return {std::memory_order_acquire, std::memory_order_release};
    case std::memory_order_acquire:
    case std::memory_order_release:
      return {std::memory_order_relaxed};
    default:
      return {};
  }
}

std::string_view NameOfOrder(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
    default:
      return "consume";
  }
}

std::memory_order OrderOf(const internal::WordOrder& asked, WordStep step) {
  if (scenario_bit != 0) Note(asked, step);
  if (weakened && IsSame(weakened->site, asked, step)) return weakened->order;
  return asked.order;
}

}  // namespace ashlar::testing
