// A rule of where data blocks end that is neither engine's own, for both.
//
// Used by plan_fields.cc and their_options.cc. One table each, one thread.
#ifndef ASHLAR_TEST_INTEROP_OWN_BLOCKS_H_
#define ASHLAR_TEST_INTEROP_OWN_BLOCKS_H_

#include <cstdint>
#include <string_view>

namespace ashlar::interop {

// Blocks of some 16 keys; many versions of some keys have one each.
class OwnBlocks {
 public:
  // Before each key but the first: whether a block ends there.
  bool EndBefore(std::string_view internal_key) {
    constexpr size_t kTail = 8;
    uint32_t sum = 0;
    for (const char c : internal_key.substr(0, internal_key.size() - kTail)) {
      sum += static_cast<uint8_t>(c);
    }
    const bool first = !any_;
    any_ = true;
    return !first && sum % 16 == 0;
  }

 private:
  bool any_ = false;
};

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_OWN_BLOCKS_H_
