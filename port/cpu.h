// Which optional instructions this CPU has, found out once.
//
// Used where a kernel is chosen at run time. Thread-safe. Not for choosing at
// compile time: the compiler itself decides what it may assume of every target
// machine.

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

// Returns the features. A feature counts only if the operating system allows it
// too (wide registers).
const CpuFeatures& Cpu();

}  // namespace ashlar::internal

#endif  // ASHLAR_PORT_CPU_H_
