// Makes the decompressors of the forms that inputs of `build` may have.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_DECOMPRESSORS_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_DECOMPRESSORS_H_

#include <cstddef>
#include <memory>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/rows/input_bytes.h"

namespace ashlar::tool {

// The most bytes that tell a form.
inline constexpr size_t kFormBytes = 4;

// Sets *decompressor to that of the form whose first bytes these are, or to
// null if they are of none. Returns NotSupported if the program was built
// without the library of that form, and MemoryLimit.
Status FindDecompressor(const Slice& first_bytes,
                        std::unique_ptr<Decompressor>* decompressor);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_DECOMPRESSORS_H_
