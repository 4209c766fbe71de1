// CompressionSamples: estimates how large the data blocks of a table would be
// with a fast codec, and with a slow one, from some of the blocks.
//
// Used by the table builder if TableOptions::sample_for_compression asks for
// it. One thread at a time. It changes no block, and counts in no statistics.
#ifndef ASHLAR_TABLE_WRITE_COMPRESSION_SAMPLES_H_
#define ASHLAR_TABLE_WRITE_COMPRESSION_SAMPLES_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "ashlar/table/table_properties.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "util/compress/codec.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// What one block, or several together, would take with each of the two codecs,
// in bytes without trailers.
struct SampledBytes {
  uint64_t fast = 0;
  uint64_t slow = 0;
};

class CompressionSamples {
 public:
  // The samples are the first block and each `one_in`-th block after it. No
  // chance is involved, so that equal entries give equal files. Returns
  // MemoryLimit if there is no memory for the codecs. Requires: one_in > 0.
  static Result<std::unique_ptr<CompressionSamples>> Create(uint64_t one_in);

  // Takes the next data block. Returns what it would take with each codec, if
  // it is a sample. Throws std::bad_alloc.
  std::optional<SampledBytes> Take(const Slice& block);

  // Sets the two estimates. The table's other blocks are taken to shrink as the
  // samples do. Requires: the sizes and counts of data blocks are complete.
  void Describe(TableProperties* properties) const;

 private:
  explicit CompressionSamples(uint64_t one_in) : one_in_(one_in) {}
  uint64_t SizeWith(Compressor* codec, const Slice& block);

  const uint64_t one_in_;
  uint64_t blocks_to_pass_ = 0;  // until the next sample
  // Null: the library was built without such a codec. The block then counts as
  // it is.
  std::unique_ptr<Compressor> fast_;
  std::unique_ptr<Compressor> slow_;
  Buffer payload_;  // of one block; nobody reads it
  uint64_t raw_bytes_ = 0;
  SampledBytes sum_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_COMPRESSION_SAMPLES_H_
