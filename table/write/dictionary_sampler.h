// DictionarySampler: the data blocks that wait until a compression dictionary
// is made of them.
//
// Data flow. BlockSink adds blocks instead of storing them, until they have
// more bytes than the limit, or the file ends, or the block cache has no room
// to charge more. Then it takes the dictionary, and stores the blocks, in
// order. Which bytes become samples is RocksDB's rule (FORMAT.md, "Compression
// dictionary"), so that equal input gives equal dictionaries. One thread at a
// time.
//
// Memory. Blocks are in chunks, so that more of them never need a copy of those
// that are there. The charge is taken before a chunk is, and includes what the
// samples will take.
#ifndef ASHLAR_TABLE_WRITE_DICTIONARY_SAMPLER_H_
#define ASHLAR_TABLE_WRITE_DICTIONARY_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/compression.h"
#include "ashlar/util/slice.h"
#include "cache/charge/memory_charge.h"
#include "util/compress/dictionary.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class DictionarySampler {
 public:
  enum class Added : uint8_t {
    kYes,
    kNotCharged,  // the cache has no room
    kNoMemory,
  };

  // More than `limit` bytes of blocks together are enough; 0: no number is.
  DictionarySampler(CompressionType type, const CompressionOptions& options,
                    uint64_t limit, MemoryCharge charge = {})
      : type_(type),
        options_(options),
        limit_(limit),
        charge_(std::move(charge)) {}

  // Adds a copy of a block. Adds nothing unless it returns kYes.
  [[nodiscard]] Added Add(const Slice& block);
  bool full() const { return limit_ != 0 && bytes_ > limit_; }

  // Returns the size of all blocks together.
  uint64_t bytes() const { return bytes_; }
  size_t size() const { return blocks_.size(); }
  Slice block(size_t i) const { return blocks_[i]; }

  // Returns the samples that RocksDB would take of these blocks.
  DictionarySamples TakeSamples() const;
  // Returns the dictionary; empty if the blocks give none.
  std::string MakeDictionary() const;

 private:
  uint64_t ChargeWith(uint64_t chunk, uint64_t more) const;

  const CompressionType type_;
  const CompressionOptions options_;
  const uint64_t limit_;
  MemoryCharge charge_;
  std::vector<Buffer> chunks_;  // none of them grows
  uint64_t chunk_bytes_ = 0;    // the memory of all of them
  std::vector<Slice> blocks_;   // in the chunks
  uint64_t bytes_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_DICTIONARY_SAMPLER_H_
