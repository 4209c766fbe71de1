// CompressionVerifier: proves that a compressed block can be read back.
//
// For TableOptions::verify_compression. Each thread that compresses has a
// verifier of its own, which its BlockCompressor owns: a decompressor, and a
// buffer that grows to the largest block that the thread met. All of them share
// the digested dictionary, which does not change.
//
// It proves what codec and memory did between the original block and the stored
// one. It does not look at blocks that are stored raw. One thread at a time.
#ifndef ASHLAR_TABLE_WRITE_COMPRESSION_VERIFIER_H_
#define ASHLAR_TABLE_WRITE_COMPRESSION_VERIFIER_H_

#include <memory>
#include <string>

#include "ashlar/util/compression.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "util/compress/codec.h"
#include "util/compress/custom_blocks.h"
#include "util/compress/dictionary.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class CompressionVerifier {
 public:
  // `dictionary` is the one that blocks are compressed with; null: none.
  explicit CompressionVerifier(
      std::shared_ptr<const DecompressionDictionary> dictionary)
      : dictionary_(std::move(dictionary)) {}
  // Does the same for blocks that a codec of the application compresses.
  explicit CompressionVerifier(std::shared_ptr<const CustomBlocks> custom)
      : custom_(std::move(custom)) {}

  // Decompresses `payload`, and compares the result with `raw`. Returns
  // Corruption if they differ; it says what the codec returned instead, but not
  // where the block is: the caller adds that with LocateUnverified. Takes at
  // most raw.size() bytes, whatever size the payload declares.
  Status Verify(CompressionType type, const Slice& raw, const Slice& payload);

 private:
  std::shared_ptr<const DecompressionDictionary> dictionary_;
  std::shared_ptr<const CustomBlocks> custom_;  // null: the codec is built in
  Decompressor decompressor_;
  Buffer decompressed_;
};

// Returns the error of BlockCompressor::Compress, the verifier's or that of a
// codec of the application, with the names of file and block in front.
Status LocateUnverified(const Status& cause, const std::string& file_name,
                        const BlockPlace& place);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_COMPRESSION_VERIFIER_H_
