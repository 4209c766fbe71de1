// BlockSource: "give me the block at this handle".
//
// Reads it from the file, compares it with its checksum, decompresses it.
// Every message names kind and place; the file's name is put in front by the
// callers. One for a reader, used by any number of threads; each brings a
// workspace of its own.
#ifndef ASHLAR_TABLE_LOAD_BLOCK_SOURCE_H_
#define ASHLAR_TABLE_LOAD_BLOCK_SOURCE_H_

#include <cstdint>
#include <memory>

#include "ashlar/util/file.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/counters/read_counters.h"
#include "table/format/block_place.h"
#include "table/format/footer.h"
#include "table/load/file_window.h"
#include "table/meta/properties_block.h"
#include "util/compress/codec.h"
#include "util/compress/dictionary.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// What one thread needs to load blocks; kept between loads.
struct BlockWorkspace {
  Decompressor decompressor;
  Buffer stored;
};

// A block ready to be parsed. `contents` lies in `owned`, or in the window
// that it was read through, or in the file's own memory.
struct LoadedBlock {
  Slice contents;
  Buffer owned;
};

// A block as it stands in the file.
struct StoredBlock {
  Slice payload;
  uint8_t compression_type = 0;
  uint32_t stored_checksum = 0;
  uint32_t computed_checksum = 0;

  bool matches() const { return stored_checksum == computed_checksum; }
};

class BlockSource {
 public:
  BlockSource(const RandomAccessFile* file, const Footer& footer,
              uint64_t max_uncompressed_bytes, ReadCounters counters = {})
      : file_(file),
        footer_(footer),
        max_uncompressed_bytes_(max_uncompressed_bytes),
        counters_(counters) {}

  const RandomAccessFile& file() const { return *file_; }
  const Footer& footer() const { return footer_; }

  // From then on a block of another type is damage.
  void Declare(const DeclaredCompression& declared) { declared_ = declared; }
  // From then on data blocks are decompressed with it. After Declare.
  Status TakeDictionary(const Slice& contents, const BlockPlace& place);
  // Whether the file declares that no block is compressed.
  bool AllRaw() const { return declared_.declared && declared_.types.none(); }
  uint64_t dictionary_bytes() const {
    return dictionary_ == nullptr ? 0 : dictionary_->bytes().size();
  }

  // The bytes of a block, through the window, or without one into *scratch,
  // where the payload then lies. Computes the checksum if asked.
  Status ReadStored(const BlockPlace& place, bool checksum, FileWindow* window,
                    Buffer* scratch, StoredBlock* stored) const;
  // The same of bytes that were read already, with the trailer: all of them, or
  // as many as there were.
  Status Interpret(const BlockPlace& place, const Slice& data, bool checksum,
                   StoredBlock* stored) const;
  // Where the block must end, for who reads it himself.
  Status CheckPlace(const BlockPlace& place) const;
  // ok, or the mismatch.
  static Status CheckChecksum(const BlockPlace& place,
                              const StoredBlock& stored);
  // Appends the uncompressed bytes to *out.
  Status Decompress(const BlockPlace& place, const StoredBlock& stored,
                    Decompressor* decompressor, Buffer* out) const;

  // All of the above. window may be null. *block is overwritten; its buffer is
  // used again.
  Status Load(const BlockPlace& place, bool verify_checksum, FileWindow* window,
              BlockWorkspace* workspace, LoadedBlock* block) const;
  // The same of bytes that were read already. contents then lie in block->owned
  // or in `data`.
  Status LoadFrom(const BlockPlace& place, const Slice& data,
                  bool verify_checksum, LoadedBlock* block) const;
  // The same without a window and with the thread's own workspace; contents
  // always lie in block->owned.
  Status LoadOwned(const BlockPlace& place, bool verify_checksum,
                   LoadedBlock* block) const;

 private:
  const RandomAccessFile* file_;
  Footer footer_;
  uint64_t max_uncompressed_bytes_;
  ReadCounters counters_;
  DeclaredCompression declared_;
  std::unique_ptr<const DecompressionDictionary> dictionary_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_BLOCK_SOURCE_H_
