#include "util/hash/checksum.h"

#include <cstdlib>

#include "port/cpu.h"
#include "third-party/xxhash_lib.h"
#include "util/hash/crc32c.h"

namespace ashlar::internal {

namespace {

// The library's wide kernels return with the upper halves of the vector
// registers in use. Until these are cleared, each old-style SSE load in our own
// code (and that is what the baseline x86-64 code is made of) has to wait for
// the one before it: building a table took five times as long.
#if defined(__x86_64__)
__attribute__((target("avx"))) void ClearUpperHalves() {
  __builtin_ia32_vzeroupper();
}
#endif

// The library chooses its kernel at the first call, and stores the choice
// without any memory order. The static makes one thread do it before all
// others.
uint32_t Xxh3Low32(const char* data, size_t n) {
  [[maybe_unused]] static const uint64_t chosen = XXH3_64bits("", 0);
  const auto hash = static_cast<uint32_t>(XXH3_64bits(data, n));
#if defined(__x86_64__)
  if (Cpu().avx2) ClearUpperHalves();
#endif
  return hash;
}

// The states come from the library, not from the stack: their layout belongs
// to the version of the shared library that happens to be installed.
uint32_t Xxh32WithLastByte(const char* data, size_t n, uint8_t last_byte) {
  XXH32_state_t* state = XXH32_createState();
  if (state == nullptr) throw std::bad_alloc();
  XXH32_reset(state, 0);
  XXH32_update(state, data, n);
  XXH32_update(state, &last_byte, 1);
  const uint32_t hash = XXH32_digest(state);
  XXH32_freeState(state);
  return hash;
}

uint32_t Xxh64WithLastByte(const char* data, size_t n, uint8_t last_byte) {
  XXH64_state_t* state = XXH64_createState();
  if (state == nullptr) throw std::bad_alloc();
  XXH64_reset(state, 0);
  XXH64_update(state, data, n);
  XXH64_update(state, &last_byte, 1);
  const uint64_t hash = XXH64_digest(state);
  XXH64_freeState(state);
  return static_cast<uint32_t>(hash);
}

uint32_t Crc32cWithLastByte(const char* data, size_t n, uint8_t last_byte) {
  const char last = static_cast<char>(last_byte);
  return MaskCrc32c(Crc32cExtend(Crc32c(data, n), &last, 1));
}

}  // namespace

uint32_t ChecksumWithLastByte(ChecksumType type, const char* data, size_t n,
                              uint8_t last_byte) {
  switch (type) {
    case ChecksumType::kNoChecksum:
      return 0;
    case ChecksumType::kCRC32c:
      return Crc32cWithLastByte(data, n, last_byte);
    case ChecksumType::kxxHash:
      return Xxh32WithLastByte(data, n, last_byte);
    case ChecksumType::kxxHash64:
      return Xxh64WithLastByte(data, n, last_byte);
    case ChecksumType::kXXH3:
      return Xxh3Low32(data, n) ^ (last_byte * kXxh3LastBytePrime);
  }
  return 0;
}

uint32_t Checksum(ChecksumType type, const char* data, size_t n) {
  switch (type) {
    case ChecksumType::kNoChecksum:
      return 0;
    case ChecksumType::kCRC32c:
      return MaskCrc32c(Crc32c(data, n));
    case ChecksumType::kxxHash:
      return XXH32(data, n, 0);
    case ChecksumType::kxxHash64:
      return static_cast<uint32_t>(XXH64(data, n, 0));
    case ChecksumType::kXXH3:
      if (n == 0) return 0;
      return ChecksumWithLastByte(type, data, n - 1,
                                  static_cast<uint8_t>(data[n - 1]));
  }
  return 0;
}

// As the library chooses. It does not report its choice.
std::string_view Xxh3Path() {
#if defined(__x86_64__)
#if __has_include(<xxh_x86dispatch.h>)
  if (__builtin_cpu_supports("avx512f") != 0) return "avx512";
  if (Cpu().avx2) return "avx2";
#endif
  return "sse2";
#elif defined(__aarch64__)
  // Each of these processors has it, and the library asks no further.
  return "neon";
#else
  return "portable";
#endif
}

}  // namespace ashlar::internal
