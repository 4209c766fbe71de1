// BlockSource: reads the block at a handle.
//
// It reads the block from the file, compares it with its checksum, and
// decompresses it. It knows no cache; DataBlocks and MetadataCache do. Every
// message names kind and place of the block; callers put the file's name in
// front.
//
// A reader has one, which any number of threads may use, each with a workspace
// of its own. Declare and TakeDictionary are called first, while the table is
// opened.
#ifndef ASHLAR_TABLE_LOAD_BLOCK_SOURCE_H_
#define ASHLAR_TABLE_LOAD_BLOCK_SOURCE_H_

#include <cstdint>
#include <memory>

#include "ashlar/util/file.h"
#include "ashlar/util/status.h"
#include "cache/charge/memory_charge.h"
#include "table/counters/read_counters.h"
#include "table/format/block_place.h"
#include "table/format/footer.h"
#include "table/load/dictionary_store.h"
#include "table/load/file_gate.h"
#include "table/load/file_window.h"
#include "table/meta/properties_block.h"
#include "util/compress/codec.h"
#include "util/mem/aligned_bytes.h"
#include "util/mem/buffer.h"

namespace ashlar {
class CustomCodec;
class FilterPolicy;
}  // namespace ashlar

namespace ashlar::internal {

class BlockRoom;
class CustomBlocks;

// What one thread needs to load blocks. It is kept between loads, for its
// memory.
struct BlockWorkspace {
  Decompressor decompressor;
  Buffer stored;
};

// A block that is ready to be parsed. `contents` points into `owned`, into
// `room`, into the window that it was read through, or into the file's own
// memory.
struct LoadedBlock {
  Slice contents;
  Buffer owned;
  // If this is not null, and its size is known before the block is decompressed
  // or read, the block goes there and not into `owned`.
  BlockRoom* room = nullptr;
};

// A block as it is stored in the file.
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
              uint64_t max_uncompressed_bytes, ReadCounters counters = {});

  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;
  ~BlockSource();

  const RandomAccessFile& file() const { return *file_; }
  // What reads of the file ask first. To be set while the table is opened.
  void AskFirst(const FileGate& gate) { gate_ = gate; }
  const FileGate& gate() const { return gate_; }
  const Footer& footer() const { return footer_; }

  // From then on a block with another compression type is Corruption. If the
  // file names a codec of an application, that of `codecs` decompresses, or
  // nothing does.
  void Declare(const DeclaredCompression& declared,
               std::span<const std::shared_ptr<const CustomCodec>> codecs);
  // From then on data blocks are decompressed with this dictionary. Requires:
  // Declare was called. Returns Corruption if it is empty.
  Status TakeDictionary(const Slice& contents, const BlockPlace& place);
  // From then on data blocks are decompressed with the dictionary that this
  // store holds. Requires: Declare was called, KeepsDictionary() is false, and
  // the store outlives the use of this.
  void UseDictionaryOf(const DictionaryStore* store) {
    dictionary_store_ = store;
  }
  // Returns whether TakeDictionary must be called: the codec keeps it.
  bool KeepsDictionary() const { return custom_ != nullptr; }
  // Returns the compression types whose blocks the file may have.
  std::bitset<256> types() const;
  // Returns Corruption if this cannot be a dictionary.
  static Status CheckDictionary(const Slice& contents, const BlockPlace& place);
  // From then on the filters of the file are of this policy of the
  // application. Null: of a built-in kind.
  void UseFilterPolicy(std::shared_ptr<const FilterPolicy> policy) {
    filter_policy_ = std::move(policy);
  }
  const std::shared_ptr<const FilterPolicy>& filter_policy() const {
    return filter_policy_;
  }
  // Returns whether the file declares that no block is compressed.
  bool AllRaw() const { return declared_.declared && declared_.types.none(); }
  uint64_t dictionary_bytes() const { return dictionary_bytes_; }

  // Sets where parts of this file are charged that are kept outside of the
  // cache. Must outlive this.
  void ChargeKept(MemoryCharge* charge) { kept_charge_ = charge; }
  // Returns null if nothing is charged.
  MemoryCharge* kept_charge() const {
    return kept_charge_ != nullptr && kept_charge_->any() ? kept_charge_
                                                          : nullptr;
  }

  // Reads the block at `place`. With a window, reads through that; without,
  // reads into *scratch, and the payload points there. Computes the checksum if
  // `checksum`, but does not compare it.
  Status ReadStored(const BlockPlace& place, bool checksum, FileWindow* window,
                    Buffer* scratch, StoredBlock* stored) const;
  // Does the same for bytes that were read already, trailer included. Returns
  // Corruption if there are too few.
  Status Interpret(const BlockPlace& place, const Slice& data, bool checksum,
                   StoredBlock* stored) const;
  // Returns Corruption if the block would not end before the footer. For
  // callers that read the bytes themselves.
  Status CheckPlace(const BlockPlace& place) const;
  // Returns ok if both checksums agree, else Corruption with both.
  static Status CheckChecksum(const BlockPlace& place,
                              const StoredBlock& stored);
  // Decompresses the payload, and appends the result to *out. Returns
  // Corruption if that is not possible, or if the file does not declare the
  // compression type.
  Status Decompress(const BlockPlace& place, const StoredBlock& stored,
                    Decompressor* decompressor, Buffer* out) const;

  // Does all of the above. `window` may be null. *block is overwritten, except
  // block->room; its buffer is reused.
  Status Load(const BlockPlace& place, bool verify_checksum, FileWindow* window,
              BlockWorkspace* workspace, LoadedBlock* block) const;
  // Does the same for bytes that were read already. The contents then point
  // into block->owned, into block->room or into `data`.
  Status LoadFrom(const BlockPlace& place, const Slice& data,
                  bool verify_checksum, LoadedBlock* block) const;
  // Does the same without a window, and with a workspace that the thread keeps.
  // Without a room, the contents always point into block->owned.
  Status LoadOwned(const BlockPlace& place, bool verify_checksum,
                   LoadedBlock* block) const;
  // Does the same into *bytes. Without a window, an uncompressed block is read
  // to where it stays.
  Status LoadAligned(const BlockPlace& place, bool verify_checksum,
                     FileWindow* window, AlignedBytes* bytes) const;

 private:
  Status DecompressInto(const BlockPlace& place, const StoredBlock& stored,
                        Decompressor* decompressor, LoadedBlock* block) const;
  Status LoadRaw(const BlockPlace& place, bool verify_checksum,
                 Decompressor* decompressor, LoadedBlock* block) const;
  Status CheckType(const BlockPlace& place, const StoredBlock& stored) const;
  // Makes *dictionary that of the block at `place`, or null. It lives as long
  // as *held.
  Status NeedDictionary(const BlockPlace& place, CachedDictionaryHandle* held,
                        const DecompressionDictionary** dictionary) const {
    *dictionary = place.kind == BlockKind::kData ? dictionary_.get() : nullptr;
    return place.kind == BlockKind::kData && dictionary_store_ != nullptr
               ? dictionary_store_->Hold(held, dictionary)
               : Status();
  }

  const RandomAccessFile* file_;
  FileGate gate_;
  Footer footer_;
  uint64_t max_uncompressed_bytes_;
  ReadCounters counters_;
  MemoryCharge* kept_charge_ = nullptr;
  DeclaredCompression declared_;
  std::unique_ptr<const DecompressionDictionary> dictionary_;
  const DictionaryStore* dictionary_store_ = nullptr;
  uint64_t dictionary_bytes_ = 0;
  std::shared_ptr<const FilterPolicy> filter_policy_;
  std::unique_ptr<CustomBlocks> custom_;  // null: all codecs are built in
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_BLOCK_SOURCE_H_
