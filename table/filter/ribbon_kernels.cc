#include "table/filter/ribbon_kernels.h"

#include "port/cpu.h"

namespace ashlar::internal {

namespace {

bool Insert(std::span<const uint64_t> hashes, uint64_t num_starts,
            RibbonBand* band, uint64_t end,
            std::vector<RibbonBand::Equation>* aside) {
  return InsertRibbonRows(hashes, num_starts, band, end, aside);
}

void SolveAll(const RibbonBand& band, const RibbonShape& shape,
              char* segments) {
  SolveRibbonByColumn(band, shape, segments);
}

uint64_t Match(const RibbonQuestion* questions, size_t n) {
  uint64_t answers = 0;
  for (size_t i = 0; i < n; ++i) {
    answers |= uint64_t{RibbonMatches(questions[i])} << i;
  }
  return answers;
}

}  // namespace

const RibbonKernels kPortableRibbonKernels = {Insert, SolveAll, Match};

const RibbonKernels& ThisCpusRibbonKernels() {
#if defined(__x86_64__)
  if (Cpu().avx512_popcount) return kAvx512RibbonKernels;
  if (Cpu().avx2 && Cpu().bmi2 && Cpu().popcnt) return kAvx2RibbonKernels;
#endif
  return kPortableRibbonKernels;
}

}  // namespace ashlar::internal
