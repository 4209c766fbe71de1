// The binary search index: one index block, with one entry per data block.
//
//   separator i  with  last key of block i <= separator i < first key of i + 1
//   value        the block's handle, whole or as a difference to the one
//                before; and the block's first key, if the index type has that
//
// Separators are user keys if no user key spans two blocks, else internal keys.
// All of a file have the same form. FORMAT.md, "Index and metaindex".
//
// A builder belongs to one thread at a time. A reader does not change:
// thread-safe.
#ifndef ASHLAR_TABLE_INDEX_BINARY_SEARCH_INDEX_H_
#define ASHLAR_TABLE_INDEX_BINARY_SEARCH_INDEX_H_

#include <memory>

#include "ashlar/table/options.h"
#include "table/index/index.h"
#include "table/index/index_builder.h"

namespace ashlar::internal {

class BinarySearchIndexBuilder : public IndexBuilder {
 public:
  using IndexBuilder::IndexBuilder;
  static std::unique_ptr<IndexBuilder> New(const TableOptions& options,
                                           bool has_first_keys) {
    return std::make_unique<BinarySearchIndexBuilder>(options, has_first_keys);
  }
  Status Write(IndexSink* sink, WrittenIndex* written) override;
};

class BinarySearchIndexReader final : public IndexReader {
 public:
  static Status Open(const IndexSource& source, const BlockPlace& root,
                     const LoadIndexBlock& load_root,
                     std::unique_ptr<IndexReader>* index);

  Status Part(size_t, IndexHold* part) const override {
    if (!has_root()) [[unlikely]]
      return HoldRoot(part);
    *part = IndexHold(&root());
    return {};
  }

 private:
  explicit BinarySearchIndexReader(const IndexSource& source)
      : IndexReader(source, false) {}
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_BINARY_SEARCH_INDEX_H_
