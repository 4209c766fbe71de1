// Where a table's keys lie between the first and the last of them.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_SPACE_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::tool {

// From one user key to another one, both included, in no certain order.
struct KeySpan {
  std::string first;
  std::string last;
  uint64_t bytes = 0;  // of the data block that lies here
  bool bad = false;
};

struct KeySpace {
  static constexpr size_t kParts = 120;
  struct Part {
    double bytes = 0;  // of data blocks, as far as they lie here
    bool bad = false;
    bool deleted = false;   // by a range deletion, at least in part
    std::string first_key;  // of the first block that begins here
  };
  std::vector<Part> parts;  // none: nothing is known of the keys
  std::string first_key;
  std::string last_key;
  // Of the parts, those that hold more than next to nothing, and the fewest
  // that hold half of all.
  size_t used_parts = 0;
  size_t half_parts = 0;
};

// Parts are equal by the first eight bytes behind what all keys begin with. A
// place where only digits are found counts as one that can hold no others, so
// that keys of digits do not look as if they left most of the space empty.
// `reverse`: larger keys first.
KeySpace MakeKeySpace(
    const std::vector<KeySpan>& blocks,
    const std::vector<std::pair<std::string, std::string>>& deletions,
    bool reverse);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_SPACE_H_
