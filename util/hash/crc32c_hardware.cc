// The CRC instructions of x86-64 and ARMv8. Each has a latency of about three
// cycles but can start every cycle, so long input is read as three lanes side
// by side, joined at the end.
#include "util/coding/coding.h"
#include "util/hash/crc32c.h"
#include "util/hash/crc32c_tables.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#define ASHLAR_CRC_TARGET __attribute__((target("sse4.2,crc32")))
#elif defined(__aarch64__)
#include <arm_acle.h>
#ifdef __clang__
#define ASHLAR_CRC_TARGET __attribute__((target("crc")))
#else
#define ASHLAR_CRC_TARGET __attribute__((target("+crc")))
#endif
#endif

namespace ashlar::internal {

#ifdef ASHLAR_CRC_TARGET

namespace {

constexpr size_t kLongLane = 1024;
constexpr size_t kShortLane = 128;
constexpr CrcShift kShiftLong = MakeCrcShift(kLongLane);
constexpr CrcShift kShiftShort = MakeCrcShift(kShortLane);

#if defined(__x86_64__)
// 64 bits wide, as the instruction's register is, which saves one move per
// step.
using CrcRegister = uint64_t;
ASHLAR_CRC_TARGET inline CrcRegister TakeWord(CrcRegister crc, uint64_t word) {
  return _mm_crc32_u64(crc, word);
}
ASHLAR_CRC_TARGET inline CrcRegister TakeByte(CrcRegister crc, uint8_t byte) {
  return _mm_crc32_u8(static_cast<uint32_t>(crc), byte);
}
#else
using CrcRegister = uint32_t;
ASHLAR_CRC_TARGET inline CrcRegister TakeWord(CrcRegister crc, uint64_t word) {
  return __crc32cd(crc, word);
}
ASHLAR_CRC_TARGET inline CrcRegister TakeByte(CrcRegister crc, uint8_t byte) {
  return __crc32cb(crc, byte);
}
#endif

// Three neighbouring lanes of kLane bytes each.
template <size_t kLane>
ASHLAR_CRC_TARGET inline CrcRegister TakeLanes(CrcRegister first,
                                               const char* data,
                                               const CrcShift& shift) {
  CrcRegister second = 0;
  CrcRegister third = 0;
  for (const char* p = data; p < data + kLane; p += 8) {
    first = TakeWord(first, LoadFixed64(p));
    second = TakeWord(second, LoadFixed64(p + kLane));
    third = TakeWord(third, LoadFixed64(p + 2 * kLane));
  }
  const uint32_t joined =
      shift(static_cast<uint32_t>(first)) ^ static_cast<uint32_t>(second);
  return shift(joined) ^ static_cast<uint32_t>(third);
}

}  // namespace

ASHLAR_CRC_TARGET uint32_t Crc32cExtendHardware(uint32_t crc, const char* data,
                                                size_t n) {
  CrcRegister state = static_cast<uint32_t>(~crc);
  for (; n >= 3 * kLongLane; data += 3 * kLongLane, n -= 3 * kLongLane) {
    state = TakeLanes<kLongLane>(state, data, kShiftLong);
  }
  for (; n >= 3 * kShortLane; data += 3 * kShortLane, n -= 3 * kShortLane) {
    state = TakeLanes<kShortLane>(state, data, kShiftShort);
  }
  for (; n >= 8; data += 8, n -= 8) state = TakeWord(state, LoadFixed64(data));
  for (; n > 0; ++data, --n) {
    state = TakeByte(state, static_cast<uint8_t>(*data));
  }
  return ~static_cast<uint32_t>(state);
}

#else

uint32_t Crc32cExtendHardware(uint32_t crc, const char* data, size_t n) {
  return Crc32cExtendPortable(crc, data, n);
}

#endif

}  // namespace ashlar::internal
