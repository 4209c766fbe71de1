#include "port/cpu.h"

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace ashlar::internal {

namespace {

CpuFeatures Detect() {
  CpuFeatures found;
#if defined(__x86_64__)
  __builtin_cpu_init();
  found.sse42 = __builtin_cpu_supports("sse4.2") != 0;
  found.avx2 = __builtin_cpu_supports("avx2") != 0;
  found.bmi2 = __builtin_cpu_supports("bmi2") != 0;
  found.popcnt = __builtin_cpu_supports("popcnt") != 0;
  found.avx512_popcount = __builtin_cpu_supports("avx512f") != 0 &&
                          __builtin_cpu_supports("avx512vl") != 0 &&
                          __builtin_cpu_supports("avx512dq") != 0 &&
                          __builtin_cpu_supports("avx512vpopcntdq") != 0;
#elif defined(__aarch64__) && defined(__linux__)
  found.arm_crc = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#endif
  return found;
}

}  // namespace

const CpuFeatures& Cpu() {
  static const CpuFeatures features = Detect();
  return features;
}

}  // namespace ashlar::internal
