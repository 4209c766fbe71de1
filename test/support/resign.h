// Right checksums for tables whose bytes were changed on purpose.
//
// Damage that no checksum sees is what a decoder must withstand by itself.
#ifndef ASHLAR_TEST_SUPPORT_RESIGN_H_
#define ASHLAR_TEST_SUPPORT_RESIGN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"

namespace ashlar::testing {

// Every block of a sound table, the footer last.
std::vector<BlockInfo> BlocksOf(const std::string& table);

// The first block of that kind (of that number). Throws when there is none.
BlockInfo FindBlock(const std::vector<BlockInfo>& blocks, BlockKind kind,
                    uint64_t index = 0);

// Recomputes the checksum behind a block, or that of the footer.
void Resign(const BlockInfo& block, std::string* table);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_RESIGN_H_
