// A second, deliberately naive decoder of the table format.
//
// What it is: a reader written from table/FORMAT.md alone. It shares no code
// with the library, so a fault in one does not hide a fault in the other. It
// prefers clarity to speed, and it checks everything it can.
// Who uses it: tests that compare what the library wrote or read.
// Thread safety: pure functions.
// What it is not: a model for production code. It throws, copies and holds the
// whole table in memory. Its parts are the files reference_*.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_READER_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ashlar::testing {

struct ReferenceEntry {
  std::string user_key;
  uint64_t sequence = 0;
  uint8_t type = 0;
  std::string value;
};

struct ReferenceTable {
  uint32_t format_version = 0;
  uint8_t checksum_type = 0;

  // Data blocks in file order. The sequence is the stored one, unless a
  // non-zero global sequence number replaces it.
  std::vector<ReferenceEntry> entries;
  std::vector<ReferenceEntry> range_deletions;    // In stored order.
  std::map<std::string, std::string> properties;  // Raw values.
  // Name to (offset, size), without absent ones.
  std::map<std::string, std::pair<uint64_t, uint64_t>> meta_blocks;
  std::string filter;  // Payload of fullfilter.*, or empty.
  // Separator as stored, and (offset, size) of its data block.
  std::vector<std::pair<std::string, std::pair<uint64_t, uint64_t>>> index;
};

// Decodes `file` completely. Throws std::runtime_error with a message on any
// fault and on anything that it does not support.
ReferenceTable ReadReferenceTable(std::string_view file);

// False only if `filter` rules `user_key` out (FORMAT.md, section 9).
bool ReferenceFilterMayMatch(std::string_view filter,
                             std::string_view user_key);

// One line per entry, then one per range deletion:
// hex(user_key) SPACE sequence SPACE type SPACE hex(value) LF
std::string CanonicalDump(const ReferenceTable& table);

// The frozen filter hash H64 (FORMAT.md, section 9.2).
uint64_t ReferenceFilterHash(std::string_view data);

// CHK(block, type), without context (FORMAT.md, section 4).
uint32_t ReferenceBlockChecksum(uint8_t checksum_type, std::string_view block,
                                uint8_t compression_type);

// What the context adds to a stored checksum (FORMAT.md, section 4.1).
uint32_t ReferenceContextModifier(uint32_t base, uint64_t offset);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_READER_H_
