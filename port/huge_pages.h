// Asking for huge pages where much memory is about to be touched.
//
// Each page that is touched for the first time costs a trip into the kernel,
// and a huge page needs one for what would else need 512. Advice only: nothing
// depends on it. Thread-safe.
#ifndef ASHLAR_PORT_HUGE_PAGES_H_
#define ASHLAR_PORT_HUGE_PAGES_H_

#include <cstddef>

namespace ashlar::port {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// For the whole huge pages within [memory, memory + n).
void AdviseHugePages(void* memory, size_t n);

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_HUGE_PAGES_H_
