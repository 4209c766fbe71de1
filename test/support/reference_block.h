// Key-value blocks for the reference reader: FORMAT.md, sections 5 and 8.3.
//
// Only the reference reader uses this. The functions are pure and throw on any
// fault.
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
  Handle handle;          // only in index blocks
  std::string first_key;  // only in index blocks of type 3
};

enum class ValueForm { kBytes, kFullHandle, kDeltaHandle };

struct BlockForm {
  ValueForm values = ValueForm::kBytes;
  bool has_first_keys = false;
  // Only data blocks may have a hash index, or values apart from the keys.
  bool is_data = false;
};

struct BlockParts {
  std::string_view entries;
  std::string_view values;  // only if they are apart from the keys
  bool separated = false;
  std::string_view buckets;  // of the hash index, one byte each
  std::vector<uint32_t> restarts;
};

BlockParts SplitBlock(std::string_view block);

// Checks everything, including that the hash index fits these entries.
std::vector<Item> ReadItems(std::string_view block, const BlockForm& form);

}  // namespace ashlar::testing::reference

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_BLOCK_H_
