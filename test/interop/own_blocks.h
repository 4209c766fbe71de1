// A rule for the ends of data blocks that differs from both libraries' own
// rules. Both libraries use it.
//
// Used by plan_fields.cc and their_options.cc. One object per table, one
// thread.
#ifndef ASHLAR_TEST_INTEROP_OWN_BLOCKS_H_
#define ASHLAR_TEST_INTEROP_OWN_BLOCKS_H_

#include <cstdint>
#include <string_view>

namespace ashlar::interop {

// Cuts blocks of about 16 keys, by the sum of a user key's bytes. Where the
// rule cuts at a key, each version of that key has a block of its own.
class OwnBlocks {
 public:
  // Called before each key. Returns true if a block ends there.
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
