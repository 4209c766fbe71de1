#include "cache/secondary/saved_value.h"

#include "ashlar/cache/hash/key_hash.h"
#include "third-party/xxhash_lib.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

constexpr size_t kChecksumBytes = sizeof(uint64_t);

uint64_t ChecksumOf(const CacheKey& key, CacheEntryRole role,
                    const Slice& bytes) {
  const HashSeed seed = {.a = 0x2545f4914f6cdd1d,
                         .b = static_cast<uint64_t>(role)};
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), KeyHash(key, seed));
}

}  // namespace

bool SaveValue(const CacheKey& key, const void* value, const CacheItemOps& ops,
               Buffer* out) {
  out->clear();
  const size_t size = ops.saved_size(value);
  if (size > SIZE_MAX / 2 || !out->TryReserve(size + kChecksumBytes)) {
    return false;
  }
  ops.save_to(value, out->data());
  const uint64_t checksum = ChecksumOf(key, ops.role, Slice(out->data(), size));
  StoreFixed64(out->data() + size, checksum);
  out->Advance(size + kChecksumBytes);
  return true;
}

std::optional<Slice> OpenSavedValue(const CacheKey& key, CacheEntryRole role,
                                    const Slice& saved) {
  if (saved.size() < kChecksumBytes) return std::nullopt;
  const Slice bytes(saved.data(), saved.size() - kChecksumBytes);
  if (LoadFixed64(bytes.end()) != ChecksumOf(key, role, bytes)) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace ashlar::internal
