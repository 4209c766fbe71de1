// KeyWords: the first bytes of keys as numbers, by which most keys are compared
// with one instruction.
//
// A word is the eight bytes after a prefix that all keys to be compared share,
// so that it tells many keys apart. Smaller words are those of smaller keys; of
// equal words the comparator decides. Only the orders of bytes have words: with
// other comparators all words are 0. A plain value.
#ifndef ASHLAR_TABLE_SORT_KEY_WORD_H_
#define ASHLAR_TABLE_SORT_KEY_WORD_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

// Returns the length of the prefix that both keys share, but at most `most`.
inline size_t SharedBytes(const Slice& a, const Slice& b, size_t most) {
  size_t n = std::min({a.size(), b.size(), most});
  if (n == 0 || std::memcmp(a.data(), b.data(), n) == 0) return n;
  n = 0;
  while (a[n] == b[n]) ++n;
  return n;
}

class KeyWords {
 public:
  explicit KeyWords(const Comparator* user_keys)
      : falling_(user_keys == ReverseBytewiseComparator()),
        of_bytes_(falling_ || user_keys == BytewiseComparator()) {}

  bool of_bytes() const { return of_bytes_; }
  // Requires: all user keys share this many bytes.
  void SetShared(size_t bytes) { shared_ = bytes; }

  uint64_t Of(const Slice& user_key) const {
    if (!of_bytes_) return 0;
    const uint64_t word = WordAt(user_key);
    return falling_ ? ~word : word;
  }

 private:
  uint64_t WordAt(const Slice& key) const {
    char bytes[sizeof(uint64_t)] = {};
    if (key.size() > shared_) {
      std::memcpy(bytes, key.data() + shared_,
                  std::min(key.size() - shared_, sizeof bytes));
    }
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    if constexpr (std::endian::native == std::endian::little) {
      word = __builtin_bswap64(word);
    }
    return word;
  }

  bool falling_;
  bool of_bytes_;
  size_t shared_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_KEY_WORD_H_
