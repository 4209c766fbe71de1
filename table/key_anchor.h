// KeyAnchor: one of several user keys that are about evenly spread in a table
// (TableReader::ApproximateKeyAnchors).
//
// A plain struct.
#ifndef ASHLAR_TABLE_KEY_ANCHOR_H_
#define ASHLAR_TABLE_KEY_ANCHOR_H_

#include <cstdint>
#include <string>

namespace ashlar {

struct KeyAnchor {
  std::string user_key;  // without timestamp; need not be in the table
  // Of the file, between the anchor before it, or the first block, and this
  // one.
  uint64_t bytes = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_KEY_ANCHOR_H_
