// The file of a cache dump: how it is written and read.
//
//   header    magic 8 | version 4 | contents 4 | id 8 | checksum 4
//   record    head, 48 bytes | body
//   ...
//   end       a record without a body
//
// docs/cache_dump.md has the bytes. A record's head has a checksum of its own,
// over the id of the dump and the place of the record too. So the length in a
// sound head can be trusted, and damage in a body costs that body alone. After
// a damaged head, the reader looks for the next sound one. Bytes within a body
// that look like a head (a block may hold a dump) are not taken for one: they
// are at another place than the one that they were made for, or of another
// dump.
//
// Used by DumpBlockCache, LoadBlockCache and WarmTables. One thread at a time.
#ifndef ASHLAR_TABLE_DUMP_DUMP_FORMAT_H_
#define ASHLAR_TABLE_DUMP_DUMP_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "ashlar/cache/cache_entry.h"
#include "ashlar/cache/cache_key.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/file.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

inline constexpr size_t kDumpHeaderBytes = 28;
inline constexpr size_t kDumpHeadBytes = 48;
inline constexpr size_t kDumpKeyBytes = 24;
// The most keys in a record of keys.
inline constexpr size_t kMostDumpKeys = 512;
// The most bytes of a body, stored and uncompressed. Larger blocks are not
// dumped.
inline constexpr size_t kMostDumpBody = size_t{256} << 20;

// The numbers are those in files.
enum class DumpRecordType : uint8_t { kBlock = 1, kKeys = 2, kEnd = 3 };

// One entry of the cache.
struct DumpedKey {
  CacheKey key;
  CacheEntryRole role = CacheEntryRole::kMisc;
  bool was_hit = false;
  // What it was charged in the cache, in bytes; at most 2^32 - 1.
  uint32_t charge = 0;
};

struct DumpRecord {
  DumpRecordType type = DumpRecordType::kBlock;
  // kBlock.
  DumpedKey entry;
  CompressionType compression = CompressionType::kNoCompression;
  uint32_t raw_size = 0;  // of the body before compression
  // kKeys.
  uint32_t num_keys = 0;
  // kEnd: how many entries the dump has.
  uint64_t num_entries = 0;
  // In the reader's memory. Its checksum was compared. Empty for the end.
  Slice body;
};

// Writes a dump to a file, which must outlive it. After an error every call
// returns it.
class DumpWriter {
 public:
  // `id` is to differ from that of every other dump.
  DumpWriter(WritableFile* file, uint64_t id) : file_(file), id_(id) {}

  Status AddHeader(bool has_blocks);
  // Adds a block, whose body is record.body.
  Status AddBlock(const DumpRecord& record);
  // Adds keys: kDumpKeyBytes each, made by AppendDumpKey.
  Status AddKeys(const Slice& keys);
  Status AddEnd();
  // Passes on what is still held back. AddEnd does so itself.
  Status Flush();

  // Returns the bytes of the file so far.
  uint64_t bytes() const { return bytes_; }
  uint64_t entries() const { return entries_; }

 private:
  Status Add(const DumpRecord& record);

  WritableFile* const file_;
  const uint64_t id_;
  Buffer pending_;
  uint64_t bytes_ = 0;
  uint64_t entries_ = 0;
};

void AppendDumpKey(const DumpedKey& entry, Buffer* keys);
// Decodes key i of a record of keys. Returns false if its role is unknown.
bool DecodeDumpKey(const Slice& body, size_t i, DumpedKey* entry);

class DumpReader {
 public:
  enum class Wants : uint8_t { kBlocks, kKeys };

  // The file must outlive it. kKeys: blocks have no bodies, and these are
  // neither read nor compared.
  explicit DumpReader(const RandomAccessFile* file,
                      Wants wants = Wants::kBlocks)
      : file_(file), size_(file->Size()), wants_(wants) {}

  // Reads the header. Call it first. Returns Corruption if the file is no dump
  // or its header is damaged, NotSupported for a later version.
  Status ReadHeader();
  // Reads the next sound record. Sets *found to false at the end of the file,
  // and after the end record. The record's body lives until the next call.
  // Returns only errors of the file, and MemoryLimit.
  Status Next(DumpRecord* record, bool* found);

  // How many pieces of the file were passed over because they are damaged.
  uint64_t damaged() const { return damaged_; }
  // Whether the end record was not met. Known once Next has found no more.
  bool cut_off() const { return !ended_; }

 private:
  // Makes *bytes the n bytes at `offset`, or fewer if the file ends.
  Status Read(uint64_t offset, size_t n, Slice* bytes);
  bool DecodeHead(const Slice& head, uint64_t offset, DumpRecord* record,
                  uint32_t* body_size, uint64_t* checksum) const;
  // Moves to the next place where a sound head may be.
  Status Resynchronise();

  const RandomAccessFile* const file_;
  const uint64_t size_;
  const Wants wants_;
  uint64_t id_ = 0;
  uint64_t next_ = 0;  // where the next record is expected
  uint64_t damaged_ = 0;
  bool ended_ = false;
  // What was read last, and where it is in the file.
  Buffer buffer_;
  Slice window_;
  uint64_t window_at_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DUMP_DUMP_FORMAT_H_
