// DictionarySampler: the data blocks that wait until a compression dictionary
// is made of them.
//
// Data flow. BlockSink adds blocks instead of storing them, until they have
// more bytes than the limit, or the file ends. Then it takes the dictionary,
// and stores the blocks, in order. Which bytes become samples is RocksDB's rule
// (FORMAT.md, "Compression dictionary"), so that equal input gives equal
// dictionaries. One thread at a time.
#ifndef ASHLAR_TABLE_WRITE_DICTIONARY_SAMPLER_H_
#define ASHLAR_TABLE_WRITE_DICTIONARY_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/compression.h"
#include "ashlar/util/slice.h"
#include "util/compress/dictionary.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class DictionarySampler {
 public:
  // More than `limit` bytes of blocks together are enough; 0: no number is.
  DictionarySampler(CompressionType type, const CompressionOptions& options,
                    uint64_t limit)
      : type_(type), options_(options), limit_(limit) {}

  // Adds a block. Returns false, and adds nothing, if memory runs out.
  [[nodiscard]] bool Add(const Slice& block) {
    if (!blocks_.TryReserve(block.size())) return false;
    blocks_.Append(block);
    ends_.push_back(blocks_.size());
    return true;
  }
  bool full() const { return limit_ != 0 && blocks_.size() > limit_; }

  // Returns the size of all blocks together.
  uint64_t bytes() const { return blocks_.size(); }
  size_t size() const { return ends_.size(); }
  Slice block(size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return Slice(blocks_.data() + begin, ends_[i] - begin);
  }

  // Returns the samples that RocksDB would take of these blocks.
  DictionarySamples TakeSamples() const;
  // Returns the dictionary; empty if the blocks give none.
  std::string MakeDictionary() const;

 private:
  const CompressionType type_;
  const CompressionOptions options_;
  const uint64_t limit_;
  Buffer blocks_;  // end to end
  std::vector<size_t> ends_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_DICTIONARY_SAMPLER_H_
