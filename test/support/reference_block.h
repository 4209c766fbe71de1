// Key/value blocks for the reference reader: FORMAT.md, sections 5 and 8.3.
//
// Used by the reference reader alone. Pure functions that throw on any fault.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_BLOCK_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_BLOCK_H_

#include <string>
#include <string_view>
#include <vector>

#include "test/support/reference_bytes.h"

namespace ashlar::testing::reference {

struct Item {
  std::string key;
  std::string value;
  Handle handle;          // In index blocks.
  std::string first_key;  // In those of type 3.
};

enum class ValueForm { kBytes, kFullHandle, kDeltaHandle };

struct BlockForm {
  ValueForm values = ValueForm::kBytes;
  bool has_first_keys = false;
  // Only these may have a hash index, or keys and values apart.
  bool is_data = false;
};

struct BlockParts {
  std::string_view entries;
  std::string_view values;  // Only where they are apart.
  bool separated = false;
  std::string_view buckets;  // Of the hash index, one byte each.
  std::vector<uint32_t> restarts;
};

BlockParts SplitBlock(std::string_view block);

// Checks everything, also that the hash index is the one of these entries.
std::vector<Item> ReadItems(std::string_view block, const BlockForm& form);

}  // namespace ashlar::testing::reference

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_BLOCK_H_
