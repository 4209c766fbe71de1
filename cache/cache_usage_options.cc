#include "ashlar/cache/cache_usage_options.h"

#include <algorithm>
#include <array>
#include <string>

#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

using Decision = CacheEntryRoleOptions::Decision;

struct ChargeableRole {
  CacheEntryRole role;
  bool by_default;
};
constexpr std::array<ChargeableRole, 7> kChargeable = {{
    {CacheEntryRole::kCompressionDictionaryBuildingBuffer, true},
    {CacheEntryRole::kWriteBuffer, true},
    {CacheEntryRole::kFilterConstruction, false},
    {CacheEntryRole::kBlockBasedTableReader, false},
    {CacheEntryRole::kFileMetadata, false},
    {CacheEntryRole::kReadAhead, false},
    {CacheEntryRole::kIterator, false},
}};

// Returns null if the role cannot be charged.
const ChargeableRole* Find(CacheEntryRole role) {
  const auto* const found =
      std::find_if(kChargeable.begin(), kChargeable.end(),
                   [role](const ChargeableRole& r) { return r.role == role; });
  return found == kChargeable.end() ? nullptr : found;
}

std::string NameOf(CacheEntryRole role) {
  if (static_cast<size_t>(role) >= kCacheEntryRoles) {
    return "role " + std::to_string(static_cast<unsigned>(role));
  }
  return "k" + std::string(CacheEntryRoleName(role));
}

Status NeedsCache(const std::string& what) {
  return Status::InvalidArgument("cache_usage_options: " + what +
                                 " is kEnabled, but block_cache is null");
}

}  // namespace

bool CacheUsageOptions::Charges(CacheEntryRole role) const {
  const ChargeableRole* const row = Find(role);
  if (row == nullptr) return false;
  const auto own = options_overrides.find(role);
  Decision charged = own == options_overrides.end() ? Decision::kFallback
                                                    : own->second.charged;
  if (charged == Decision::kFallback) charged = options.charged;
  return charged == Decision::kFallback ? row->by_default
                                        : charged == Decision::kEnabled;
}

Status CacheUsageOptions::Validate(const Cache* block_cache) const {
  return internal::OrMemoryLimit([&]() -> Status {
    for (const auto& [role, own] : options_overrides) {
      if (own.charged == Decision::kFallback) continue;
      if (Find(role) == nullptr) {
        return Status::NotSupported("cache_usage_options: " + NameOf(role) +
                                    " cannot be charged: leave it kFallback");
      }
      if (own.charged == Decision::kEnabled && block_cache == nullptr) {
        return NeedsCache(NameOf(role));
      }
    }
    if (options.charged == Decision::kEnabled && block_cache == nullptr) {
      return NeedsCache("options.charged");
    }
    return {};
  });
}

}  // namespace ashlar
