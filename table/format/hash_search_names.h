// The names in the metaindex of the two blocks of a hash search index
// (table/index/hash_search_index.h).
#ifndef ASHLAR_TABLE_FORMAT_HASH_SEARCH_NAMES_H_
#define ASHLAR_TABLE_FORMAT_HASH_SEARCH_NAMES_H_

#include <string_view>

namespace ashlar::internal {

inline constexpr std::string_view kHashIndexPrefixesName =
    "rocksdb.hashindex.prefixes";
inline constexpr std::string_view kHashIndexMetadataName =
    "rocksdb.hashindex.metadata";

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_HASH_SEARCH_NAMES_H_
