// Which optional instructions this CPU has, found once.
//
// Used where a kernel is chosen at run time. Thread-safe. Not for choosing at
// compile time: what the compiler may assume of every target machine is its
// own affair.

#ifndef ASHLAR_PORT_CPU_H_
#define ASHLAR_PORT_CPU_H_

namespace ashlar::internal {

struct CpuFeatures {
  bool sse42 = false;
  bool avx2 = false;
  bool bmi2 = false;
  bool popcnt = false;
  bool avx512_popcount = false;  // F, VL, DQ and VPOPCNTDQ
  bool arm_crc = false;
};

// Includes what the operating system must allow (wide registers).
const CpuFeatures& Cpu();

}  // namespace ashlar::internal

#endif  // ASHLAR_PORT_CPU_H_
