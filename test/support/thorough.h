// Whether tests run in full. `make thorough` sets ASHLAR_THOROUGH. Without it,
// some tests run a part that takes seconds under a sanitizer.
#ifndef ASHLAR_TEST_SUPPORT_THOROUGH_H_
#define ASHLAR_TEST_SUPPORT_THOROUGH_H_

#include <cstdlib>

namespace ashlar::testing {

inline bool IsThorough() { return std::getenv("ASHLAR_THOROUGH") != nullptr; }

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_THOROUGH_H_
