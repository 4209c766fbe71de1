// Recomputes checksums of tables whose bytes were changed on purpose.
//
// So tests can show a decoder damage that no checksum detects, which the
// decoder must withstand by itself.
#ifndef ASHLAR_TEST_SUPPORT_RESIGN_H_
#define ASHLAR_TEST_SUPPORT_RESIGN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"

namespace ashlar::testing {

// Returns every block of a sound table, the footer last.
std::vector<BlockInfo> BlocksOf(const std::string& table);

// Returns block number `index` of that kind. Throws if there is none.
BlockInfo FindBlock(const std::vector<BlockInfo>& blocks, BlockKind kind,
                    uint64_t index = 0);

// Recomputes the checksum in a block's trailer, or the footer's checksum.
void Resign(const BlockInfo& block, std::string* table);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_RESIGN_H_
