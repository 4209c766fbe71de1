// The block size that a table was written with, which files do not say.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_BLOCK_SIZE_GUESS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_BLOCK_SIZE_GUESS_H_

#include <cstdint>
#include <string>

namespace ashlar::tool {

// From the sizes of its first data blocks, so that a table that is written with
// it has blocks of which the same is guessed. The default where they say
// nothing.
uint64_t GuessBlockSize(const std::string& path);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_BLOCK_SIZE_GUESS_H_
