// Lets a test program take its processor for an older one, so that it runs the
// kernels of that one. The linker (--wrap) puts this in the place of Cpu().
//
// ASHLAR_TEST_CPU: `plain` has no optional instruction, `avx2` all but those of
// AVX-512. Without it, the processor is what it is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "port/cpu.h"
#include "table/filter/ribbon_kernels.h"
#include "table/index/word_tree_kernels.h"

namespace ashlar::internal {

const CpuFeatures& RealCpu() asm("__real__ZN6ashlar8internal3CpuEv");
const CpuFeatures& OlderCpu() asm("__wrap__ZN6ashlar8internal3CpuEv");

namespace {

std::string_view AskedCpu() {
  const char* const asked = std::getenv("ASHLAR_TEST_CPU");
  return asked == nullptr ? "" : asked;
}

CpuFeatures FeaturesOf(std::string_view cpu) {
  CpuFeatures features;
  if (cpu == "plain") return features;
  features = RealCpu();
  if (cpu == "avx2") features.avx512_popcount = false;
  return features;
}

}  // namespace

const CpuFeatures& OlderCpu() {
  static const CpuFeatures features = FeaturesOf(AskedCpu());
  return features;
}

namespace {

TEST(OlderCpu, HasNoKernelsThatItCannotRun) {
#if defined(__x86_64__)
  if (AskedCpu().empty()) return;
  EXPECT_NE(&ThisCpusRibbonKernels(), &kAvx512RibbonKernels);
  EXPECT_FALSE(Cpu().avx512_popcount);
#endif
  if (AskedCpu() != "plain") return;
  EXPECT_EQ(&ThisCpusRibbonKernels(), &kPortableRibbonKernels);
#if !defined(__aarch64__)
  EXPECT_EQ(&ThisCpusWordTreeKernels(), &kPortableWordTreeKernels);
#endif
  EXPECT_FALSE(Cpu().sse42 || Cpu().avx2 || Cpu().arm_crc);
}

}  // namespace

}  // namespace ashlar::internal
