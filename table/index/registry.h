// The index types: one row each, by the number that files store.
//
// Used by builder and reader. To add a type: its file, and a row in
// registry.cc. Constants and pure functions: thread-safe.
#ifndef ASHLAR_TABLE_INDEX_REGISTRY_H_
#define ASHLAR_TABLE_INDEX_REGISTRY_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "ashlar/table/options.h"
#include "table/index/index.h"
#include "table/index/index_builder.h"

namespace ashlar::internal {

struct IndexTypeRow {
  IndexType type;
  // Whether the entries have the first keys of their data blocks.
  bool has_first_keys;
  std::unique_ptr<IndexBuilder> (*new_builder)(const TableOptions& options,
                                               bool has_first_keys);
  // Opens the index whose root block is at `root`. `load_root` reads that block
  // if it is read now; source.load reads it later, and all others.
  Status (*open)(const IndexSource& source, const BlockPlace& root,
                 const LoadIndexBlock& load_root,
                 std::unique_ptr<IndexReader>* index);
};

// Returns the row of the type with this number, or null.
const IndexTypeRow* FindIndexType(uint32_t number);

// Returns a builder of the type that the options name.
std::unique_ptr<IndexBuilder> NewIndexBuilder(const TableOptions& options);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_REGISTRY_H_
