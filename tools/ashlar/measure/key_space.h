// Shows how a table's keys are distributed between the first and the last of
// them.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_SPACE_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::tool {

// A range of user keys, both ends included. Spans come in no particular order.
struct KeySpan {
  std::string first;
  std::string last;
  uint64_t bytes = 0;  // of the data block with these keys
  bool bad = false;
};

struct KeySpace {
  static constexpr size_t kParts = 120;
  struct Part {
    double bytes = 0;  // of data blocks, as far as they are in this part
    bool bad = false;
    bool deleted = false;   // by a range deletion, at least in part
    std::string first_key;  // of the first block that begins in this part
  };
  std::vector<Part> parts;  // empty if the keys are unknown
  std::string first_key;
  std::string last_key;
  // How many parts hold more than a tiny share of the bytes, and the smallest
  // number of parts that hold half of all bytes.
  size_t used_parts = 0;
  size_t half_parts = 0;
};

// Divides the range of keys into equal parts, by the first eight bytes after
// the prefix that all keys share. At each of these eight positions, only some
// bytes count as possible: in text, those between two used digits or two used
// letters; in other keys, those between any two used bytes. So keys of digits
// do not seem to leave most of the space empty. With `reverse`, larger keys
// come first.
KeySpace MakeKeySpace(
    const std::vector<KeySpan>& blocks,
    const std::vector<std::pair<std::string, std::string>>& deletions,
    bool reverse);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_KEY_SPACE_H_
