// KeyParting: where a key differs from the key before it. One pass over both
// gives the order check and the shared prefix.
//
// Used by the builder, once per entry. Pure functions: thread-safe.
#ifndef ASHLAR_TABLE_WRITE_KEY_PARTING_H_
#define ASHLAR_TABLE_WRITE_KEY_PARTING_H_

#include <bit>
#include <cstdint>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"
#include "table/format/key_order.h"
#include "table/format/last_key.h"
#include "util/coding/word_compare.h"

namespace ashlar::internal {

// What one comparison of neighbouring keys gives.
struct KeyParting {
  size_t common = 0;  // bytes that the user keys have in common
  size_t shared = 0;  // bytes that the internal keys have in common
  bool ascends = true;
  bool same_user_key = false;
};

// For user keys that are equal, or of which one begins the other: then the
// tails count too. Never inlined, so that PartingOf stays small.
[[gnu::noinline]] inline KeyParting PartingWithTails(const KeyOrder& order,
                                                     const LastKey& last,
                                                     const Slice& user_key,
                                                     uint64_t tail,
                                                     size_t common) {
  if (last.user_key().size() == common && user_key.size() == common) {
    const uint64_t difference = last.tail() ^ tail;
    const size_t shared_tail =
        static_cast<size_t>(std::countr_zero(difference)) / 8;
    return {common, common + shared_tail, last.tail() > tail, true};
  }
  const std::string last_key = last.ToInternalKey();
  const std::string key =
      MakeInternalKey(user_key, tail >> 8, static_cast<ValueType>(tail & 0xff));
  return {common, CommonPrefix(last_key, key), order.Compare(last_key, key) < 0,
          false};
}

// Compares a key with the last one. Requires: last.any(). Always inlined: as a
// call, which the compiler chooses once there are two callers, it costs 42
// instructions for each entry, a twentieth of what a build without a codec
// takes.
[[gnu::always_inline]] inline KeyParting PartingOf(const KeyOrder& order,
                                                   const LastKey& last,
                                                   const Slice& user_key,
                                                   uint64_t tail) {
  const size_t common = last.CommonPrefix(user_key);
  if (common < user_key.size() && common < last.user_key().size()) [[likely]] {
    const bool ascends =
        order.IsOfBytes()
            ? order.AscendsAt(last.ByteAt(common),
                              static_cast<uint8_t>(user_key[common]))
            : order.CompareUserKeys(last.user_key(), user_key) < 0;
    return {common, common, ascends, false};
  }
  return PartingWithTails(order, last, user_key, tail, common);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_KEY_PARTING_H_
