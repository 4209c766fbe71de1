// PrefixSpace: sums up bytes by the prefix of the key, in limited memory.
//
// For `space`. The bytes that a block takes in the file are divided among its
// entries in proportion to their sizes: keys with their tails of 8 bytes, and
// values.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_PREFIX_SPACE_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_PREFIX_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ashlar::tool {

struct SpaceTaken {
  uint64_t entries = 0;
  uint64_t key_bytes = 0;  // of user keys
  uint64_t value_bytes = 0;
  uint64_t stored_bytes = 0;

  void Add(const SpaceTaken& other);
};

class PrefixSpace {
 public:
  using Row = std::pair<std::string, SpaceTaken>;

  // Start the next block, and add its entries. `prefix` is null for an entry
  // that is not wanted.
  void BeginBlock(uint64_t stored_bytes);
  void AddEntry(const std::string_view* prefix, size_t user_key_bytes,
                size_t value_bytes);
  // To be called after the block's last entry.
  void EndBlock();
  void Merge(const PrefixSpace& other);

  // Returns the `count` prefixes that take most, the largest first; with 0, all
  // of them. Sets *others to the sum of the rest.
  std::vector<Row> Largest(uint64_t count, SpaceTaken* others) const;

 private:
  // Neighbouring entries of one prefix in a block.
  struct Run {
    bool wanted = false;
    std::string prefix;
    uint64_t raw_bytes = 0;
    SpaceTaken taken;
  };

  SpaceTaken* At(std::string_view prefix);
  // If there are too many prefixes, drops small ones. Keeps those that the last
  // key begins with, because more of their entries will come.
  void Trim();

  uint64_t block_bytes_ = 0;
  std::vector<Run> runs_;
  std::map<std::string, SpaceTaken, std::less<>> prefixes_;
  size_t prefix_bytes_ = 0;
  std::string last_prefix_;
  SpaceTaken dropped_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_PREFIX_SPACE_H_
