// The hash search index (index type 1): a binary search index, and two more
// blocks that say which data blocks hold the keys of a prefix.
//
//   rocksdb.hashindex.prefixes   prefixes end to end, in key order, each as
//                                often as a run of its keys begins
//   rocksdb.hashindex.metadata   for each of them: varint32 length | varint32
//                                number of its first data block | varint32 how
//                                many data blocks in a row hold it
//
// RocksDB finds blocks by them if it knows the prefix extractor. Our readers
// search the index alone (docs/decisions.md, 25); verify checks all three. One
// thread at a time.
#ifndef ASHLAR_TABLE_INDEX_HASH_SEARCH_INDEX_H_
#define ASHLAR_TABLE_INDEX_HASH_SEARCH_INDEX_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "table/format/hash_search_names.h"
#include "table/index/binary_search_index.h"

namespace ashlar::internal {

class HashSearchIndexBuilder final : public BinarySearchIndexBuilder {
 public:
  using BinarySearchIndexBuilder::BinarySearchIndexBuilder;
  static std::unique_ptr<IndexBuilder> New(const TableOptions& options,
                                           bool has_first_keys) {
    return std::make_unique<HashSearchIndexBuilder>(options, has_first_keys);
  }

  bool takes_keys() const override { return true; }
  // Takes a key without its timestamp. A key without a prefix could not be
  // found by prefix, nor could one whose prefix reaches into the timestamp. A
  // table with any such key gets neither of the two blocks.
  void AddKey(const Slice& user_key) override;
  uint64_t SizeEstimate() const override {
    return IndexBuilder::SizeEstimate() + prefixes_.size() + metadata_.size();
  }
  Status Write(IndexSink* sink, WrittenIndex* written) override;

 private:
  void EndPrefix();
  bool ReachesBehind(const Slice& user_key);

  bool all_have_prefixes_ = true;
  std::string prefixes_;
  std::string metadata_;
  // The last prefix, which is at the end of prefixes_. If num_blocks_ is 0
  // there is none yet.
  size_t prefix_size_ = 0;
  uint32_t first_block_ = 0;
  uint32_t num_blocks_ = 0;
  std::string with_timestamp_;  // kept for its memory
};

// Walks over the entries of the two blocks, along with the keys of a table.
class HashSearchPrefixes {
 public:
  // Returns Corruption unless both blocks are sound, in a table of num_blocks
  // data blocks.
  static Status Check(const Slice& prefixes, const Slice& metadata,
                      const BlockPlace& metadata_place, uint64_t num_blocks);

  // Takes the contents of both blocks. Requires: Check returned ok.
  HashSearchPrefixes(std::string prefixes, std::string metadata)
      : prefixes_(std::move(prefixes)),
        metadata_(std::move(metadata)),
        rest_of_prefixes_(prefixes_),
        rest_of_metadata_(metadata_) {
    Next();
  }
  HashSearchPrefixes(const HashSearchPrefixes&) = delete;
  HashSearchPrefixes& operator=(const HashSearchPrefixes&) = delete;

  // Returns whether the blocks lead to this data block for the prefix.
  // Requires: calls come in the order of the keys; data blocks may be left out.
  bool Lead(const Slice& prefix, uint64_t block);

 private:
  void Next();

  const std::string prefixes_;
  const std::string metadata_;
  Slice rest_of_prefixes_;
  Slice rest_of_metadata_;
  bool at_end_ = false;
  Slice prefix_;
  uint64_t first_block_ = 0;
  uint64_t last_block_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_HASH_SEARCH_INDEX_H_
