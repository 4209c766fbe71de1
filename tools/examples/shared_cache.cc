// Keeps values of one type in a cache that threads share:
//   shared_cache

#include <cstdio>
#include <memory>
#include <string>

#include "ashlar/cache/cache_options.h"
#include "ashlar/cache/typed_cache.h"

namespace {

// A value that takes time to make. The cache charges what the value says it
// takes.
struct Basket {
  std::string fruit;
  size_t ApproximateMemoryUsage() const {
    return sizeof *this + fruit.capacity();
  }
};

using Baskets = ashlar::TypedCache<Basket, ashlar::CacheEntryRole::kDataBlock>;

// Returns the basket from the cache, or makes it and stores it there for the
// next caller. The handle keeps the basket alive, whatever the cache does
// meanwhile.
Baskets::Handle Get(Baskets& baskets, uint64_t number, int* made) {
  const ashlar::CacheKey key = {/*file=*/42, /*block=*/number};
  Baskets::Handle basket = baskets.Lookup(key);
  if (basket) return basket;
  ++*made;
  return baskets.InsertAndHold(
      key, std::make_unique<Basket>(Basket{std::string(900, 'a')}));
}

}  // namespace

int main() {
  ashlar::HyperClockCacheOptions options;
  options.capacity = 1 << 20;
  options.estimated_entry_charge = 1000;  // of a basket
  auto cache = ashlar::NewHyperClockCache(options);
  if (!cache.ok()) {
    std::fprintf(stderr, "%s\n", cache.status().ToString().c_str());
    return 1;
  }
  Baskets baskets(*cache);  // each thread, or each reader, may have its own

  int made = 0;
  size_t bytes = 0;
  for (uint64_t i = 0; i < 5000; ++i) {
    bytes += Get(baskets, i * i % 500, &made)->fruit.size();
  }
  std::printf("%d of 5000 baskets made, %zu bytes read, %zu of %zu in use\n",
              made, bytes, (*cache)->GetUsage(), (*cache)->GetCapacity());
  return made < 5000 && (*cache)->GetPinnedUsage() == 0 ? 0 : 1;
}
