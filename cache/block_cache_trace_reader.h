// BlockCacheTraceReader: reads a trace of a block cache, access by access.
//
// It reads two formats, and tells them apart by their first bytes: the traces
// of BlockCacheTracer, and RocksDB's traces of its block cache. Use it for
// analyses of your own; `ashlar cache-sim` replays traces with it. A trace may
// be larger than memory: the reader holds a few hundred KiB of it, or one
// record of RocksDB if that is larger (at most 64 MiB).
//
// Bytes of a trace are not trusted: whatever they are, a read ends with an
// access, the end, or an error that names the file and the byte. Not a check
// that a trace makes sense: RocksDB's format has no checksums.
//
// For one thread at a time.
#ifndef ASHLAR_CACHE_BLOCK_CACHE_TRACE_READER_H_
#define ASHLAR_CACHE_BLOCK_CACHE_TRACE_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// Which program's format a trace has.
enum class BlockCacheTraceFormat : uint8_t { kAshlar, kRocksDB };

// What the beginning of a trace says.
struct BlockCacheTraceHeader {
  BlockCacheTraceFormat format = BlockCacheTraceFormat::kAshlar;
  // One block in this many is in the trace, with all its accesses. 0: the trace
  // does not say, as those of RocksDB never do.
  uint32_t sampling_frequency = 0;
  // The release of RocksDB that wrote the trace. 0 for traces of Ashlar.
  uint32_t rocksdb_major = 0;
  uint32_t rocksdb_minor = 0;
};

// The kind of a block.
enum class BlockAccessKind : uint8_t {
  kData,
  kIndex,
  kFilter,
  kDictionary,
  kRangeDeletion,
};
// The number of kinds.
inline constexpr size_t kBlockAccessKinds = 5;
// Returns a word such as "range_deletion".
ASHLAR_EXPORT std::string_view WordFor(BlockAccessKind kind);

// What asked for the block. The numbers are those in RocksDB's traces. Traces
// of Ashlar have the first four only.
enum class BlockAccessCaller : uint8_t {
  kUnknown = 0,  // also a number that this release does not know
  kUserGet = 1,
  kUserMultiGet = 2,
  kUserIterator = 3,
  kUserApproximateSize = 4,
  kUserVerifyChecksum = 5,
  kSstDump = 6,
  kExternalIngestion = 7,
  kRepair = 8,
  kPrefetch = 9,
  kCompaction = 10,
  kCompactionRefill = 11,
  kFlush = 12,
  kSstFileReader = 13,
  kUncategorized = 14,
};
// The number of callers.
inline constexpr size_t kBlockAccessCallers = 15;
// Returns a word such as "user_multi_get".
ASHLAR_EXPORT std::string_view WordFor(BlockAccessCaller caller);

// One access to a block, as a trace records it.
struct BlockAccess {
  // What stands for a level or a number that the trace does not have.
  static constexpr int32_t kUnknownLevel = -1;
  static constexpr uint64_t kUnknownNumber = ~uint64_t{0};

  // RocksDB: microseconds since 1970. Ashlar: since the trace began.
  uint64_t micros = 0;
  BlockAccessKind kind = BlockAccessKind::kData;
  BlockAccessCaller caller = BlockAccessCaller::kUnknown;
  bool is_hit = false;
  // Names the block: 16 bytes, or any number in traces of old releases. In
  // traces of Ashlar, both words of the cache key. Valid until the next call.
  Slice block_key;
  // What the block was charged in the cache, in bytes. 0: unknown. RocksDB does
  // not know it of blocks that were not put into the cache, and Ashlar does not
  // of blocks that were missing. At most 2^40.
  uint64_t block_bytes = 0;

  // The members from here on are in traces of RocksDB only.
  // Whether a block that was missing was not to be put into the cache.
  bool no_insert = false;
  int32_t level = kUnknownLevel;
  uint64_t column_family_id = 0;
  Slice column_family_name;  // valid until the next call
  uint64_t table_number = kUnknownNumber;

  // For kUserGet and kUserMultiGet only. Accesses of one Get have the same
  // `get_id`, which is not 0.
  uint64_t get_id = 0;
  bool is_of_snapshot = false;
  // The key that was looked up: an internal key, or empty. Valid until the next
  // call.
  Slice referenced_key;
  // For their data blocks only: the bytes of key and value that were found, the
  // entries in the block (an estimate), and whether the key is in the block.
  uint64_t referenced_bytes = 0;
  uint64_t entries_in_block = 0;
  bool has_referenced_key = false;
};

class ASHLAR_EXPORT BlockCacheTraceReader {
 public:
  // Reads the next `n` bytes of the file to `out`. Sets *got to less than `n`
  // only at the end of the file.
  using Read = std::function<Status(char* out, size_t n, size_t* got)>;

  // `name`: the name of the file, for messages.
  BlockCacheTraceReader(const std::string& name, Read read);
  BlockCacheTraceReader(const BlockCacheTraceReader&) = delete;
  BlockCacheTraceReader& operator=(const BlockCacheTraceReader&) = delete;
  ~BlockCacheTraceReader();

  // Reads the header. Call it first. Returns NotSupported for an unknown
  // version, and for traces of other kinds that RocksDB writes; Corruption for
  // anything else that is not a trace.
  Status ReadHeader(BlockCacheTraceHeader* header);

  // Reads the next access. Sets *found to false at the end of the trace, where
  // it may be called again, and after an error. Requires: ReadHeader succeeded.
  //
  // Accesses come in the order of the file. In traces of Ashlar, a thread that
  // seldom reads comes late there: sort by `micros` what needs the true order.
  Status Next(BlockAccess* access, bool* found);

  // After an error: returns whether the file ends too early, inside a record or
  // before its end record. The accesses before are then as good as any, and the
  // trace may still be being written.
  bool is_cut_off() const;

  // Returns whether a file that begins with `bytes` is a trace of this kind.
  // Pass kProbeBytes of them, or the whole of a shorter file.
  static constexpr size_t kProbeBytes = 30;
  static bool IsTrace(const Slice& bytes);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_BLOCK_CACHE_TRACE_READER_H_
