// Guesses the block size that a table was written with. Files do not record it.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_BLOCK_SIZE_GUESS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_BLOCK_SIZE_GUESS_H_

#include <cstdint>
#include <string>

namespace ashlar::tool {

// Returns a guess from the sizes of the first data blocks. If a table is
// written with the guessed size, the guess for that table is the same. Returns
// the default if the blocks do not show it.
uint64_t GuessBlockSize(const std::string& path);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_BLOCK_SIZE_GUESS_H_
