#include "ashlar/cache/secondary_cache.h"

namespace ashlar {

void SecondaryCache::WaitAll(
    std::span<SecondaryCacheResultHandle* const> handles) {
  for (SecondaryCacheResultHandle* const handle : handles) handle->Wait();
}

}  // namespace ashlar
