// Cache dumps: what a block cache holds, in a file, so that a restarted process
// need not read it again block by block.
//
//   // Now and then, and before the process ends, in a thread of its own:
//   ashlar::CacheDumpStats dumped;
//   status = ashlar::DumpBlockCache(*cache, "db/cache.dump", {}, &dumped);
//   ...
//   // After the restart, before or while tables are opened and read:
//   ashlar::CacheLoadStats loaded;
//   status = ashlar::LoadBlockCache("db/cache.dump", cache.get(), {}, &loaded);
//
// It corresponds to RocksDB's "CacheDumper" and "CacheDumpedLoader", which load
// into a secondary cache; here the blocks go to the block cache itself.
//
// Contents. A dump has the blocks (data, index and filter blocks, uncompressed
// or compressed), or their keys alone. Blocks are loaded from the dump, which
// needs no table. Keys are for WarmTables, which reads the blocks from open
// tables, in the order of each file. What stays longest in the cache comes
// first, so a load that ends early, or into a smaller cache, has the best of
// it. The second tier of a TieredCache is not dumped.
//
// Safety. A block is found under its key, which comes from the identity of its
// file. So the contract of ReaderOptions::block_cache holds for dumps too:
// files with equal identities are copies of each other. Each record of a dump
// has checksums, over its key too. What is damaged is skipped, counted, and
// costs only itself. Nothing is loaded that was not compared. A dump is as
// trusted as the tables: somebody who can write one can make reads wrong.
//
// What is not dumped: blocks of files without an identity, since nothing finds
// them after a restart; index blocks whose comparator is not built in, or whose
// file does not store whole keys; values that are not blocks of tables.
//
// Thread safety. All functions may run while other threads use the cache and
// the tables. No lock is held for longer than a lookup of the cache holds one.
// Each call works in the calling thread. To end it early, return false from
// on_progress.
#ifndef ASHLAR_TABLE_CACHE_DUMP_H_
#define ASHLAR_TABLE_CACHE_DUMP_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/cache_key.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/status.h"

namespace ashlar {

class TableReader;

// The time, for deadlines and rates. One thread at a time uses it.
class ASHLAR_EXPORT CacheDumpClock {
 public:
  virtual ~CacheDumpClock();
  // Returns microseconds since some moment. Must not go backward.
  virtual uint64_t NowMicros() = 0;
  virtual void SleepForMicroseconds(uint64_t micros) = 0;
};

// What dumping and loading have in common.
struct CacheDumpLimits {
  // The files whose blocks are dumped or loaded, by FileCacheKey
  // (table/entry/table_identity.h) of their properties. Empty, the default: all
  // files. Set it when loading to the files that still exist, so that blocks of
  // others take no room. RocksDB's "SetDumpFilter" takes databases.
  std::vector<CacheKey> files;
  // How long the call may take. 0, the default: as long as it needs. What it
  // has done by then stays. A call that a limit ends returns ok, and `end` of
  // its statistics says which limit it was.
  std::chrono::microseconds deadline{0};
  // The most bytes of the dump that are written or read, or for WarmTables of
  // the tables' blocks. 0, the default: any number.
  uint64_t max_size_bytes = 0;
  // The most bytes per second, on average. 0, the default: any number.
  uint64_t rate_bytes_per_sec = 0;
  // Null, the default: the system's clock. Must outlive the call.
  CacheDumpClock* clock = nullptr;
  // Called now and then in the calling thread, at least about every 50 ms while
  // the call waits for its rate. `bytes` are those that count for
  // max_size_bytes so far. If it returns false, the call ends with Aborted.
  std::function<bool(uint64_t entries, uint64_t bytes)> on_progress;
};

// Why a dump or load ended.
enum class CacheDumpEnd : uint8_t {
  kAll,       // everything was done
  kDeadline,  // CacheDumpLimits::deadline
  kMaxSize,   // CacheDumpLimits::max_size_bytes
  kFull,      // loading: the cache has no more room
};

// What is dumped, and how.
struct CacheDumpOptions : CacheDumpLimits {
  // Whole blocks, or only their keys, by which loading reads the files.
  enum class Contents : uint8_t { kBlocks, kKeys };
  Contents contents = Contents::kBlocks;
  // How blocks are compressed in the dump. Default: not at all, which is the
  // fastest to load. A block that does not shrink is stored uncompressed.
  CompressionType compression_type = CompressionType::kNoCompression;
  CompressionOptions compression_opts;
  // Whether the file survives a crash of the machine. Default: true. Without
  // it a crash may leave a damaged dump, whose damage is skipped.
  bool sync = true;
};

// What a dump has, and what it lacks.
struct CacheDumpStats {
  uint64_t entries = 0;  // that are in the dump
  uint64_t bytes = 0;    // of the dump
  CacheDumpEnd end = CacheDumpEnd::kAll;
  // Entries of the cache that are not in the dump, although nothing ended it
  // early:
  uint64_t other_files = 0;  // of files that CacheDumpLimits::files lacks
  uint64_t temporary = 0;    // of files without an identity
  uint64_t not_savable = 0;  // no blocks, or blocks that cannot be saved
  uint64_t evicted = 0;      // left the cache before their turn came
};

// What is loaded, and how.
struct CacheLoadOptions : CacheDumpLimits {
  // Whether index and filter blocks are inserted with high priority, as
  // ReaderOptions has it. Default: true, as there.
  bool cache_index_and_filter_blocks_with_high_priority = true;
};

// What loading did.
struct CacheLoadStats {
  // Blocks that this call inserted. The cache may have evicted some since.
  uint64_t loaded = 0;
  uint64_t bytes = 0;  // that count for CacheDumpLimits::max_size_bytes
  CacheDumpEnd end = CacheDumpEnd::kAll;
  // Records that were passed over:
  uint64_t present = 0;      // the cache had the block already
  uint64_t other_files = 0;  // of files that are not wanted
  uint64_t damaged = 0;      // pieces of the dump that do not match checksums
  uint64_t refused = 0;      // blocks that do not parse, or of another release
  // WarmTables only: blocks that the table does not have, or keeps itself; and
  // blocks that could not be read or were damaged in the table.
  uint64_t not_in_table = 0;
  uint64_t unreadable = 0;
  // Whether the dump has no end: its writing was interrupted, or it was cut.
  bool cut_off = false;
};

// Dumps what the cache holds to a file that gets its name when it is complete
// (AtomicFile). Replaces an older dump. Uses 32 bytes of memory per entry of
// the cache meanwhile. Sets *stats, which must not be null, also after an
// error.
//
// Returns InvalidArgument or NotSupported for a compression_type that
// TableOptions would refuse, or for options of it; IOError if the file cannot
// be written; Aborted if on_progress ended it; MemoryLimit. After an error the
// older dump is still there.
ASHLAR_EXPORT Status DumpBlockCache(Cache& cache, const std::string& path,
                                    const CacheDumpOptions& options,
                                    CacheDumpStats* stats);
// The same to any file, which it neither syncs nor closes.
ASHLAR_EXPORT Status DumpBlockCache(Cache& cache, WritableFile* file,
                                    const CacheDumpOptions& options,
                                    CacheDumpStats* stats);

// Puts the blocks of a dump into the cache, in the order of the dump. Evicts
// nothing as long as shards fill evenly: it ends when the cache is full. Uses
// 16 bytes of memory per entry that was hit. A dump of keys alone loads
// nothing. Sets *stats, which must not be null, also after an error.
//
// Returns Corruption if the file does not begin as a dump does, NotSupported if
// it is of a later version; IOError if it cannot be read; Aborted if
// on_progress ended it; MemoryLimit. Damage after the file's header is no
// error: see CacheLoadStats. What was loaded before an error stays.
ASHLAR_EXPORT Status LoadBlockCache(const std::string& path, Cache* cache,
                                    const CacheLoadOptions& options,
                                    CacheLoadStats* stats);
ASHLAR_EXPORT Status LoadBlockCache(const RandomAccessFile& dump, Cache* cache,
                                    const CacheLoadOptions& options,
                                    CacheLoadStats* stats);

// Reads the blocks that a dump names from these tables into their block cache:
// data blocks, and partitions of index and filter. (Other index and filter
// blocks get there when a table is opened.) The dump may be of either kind; its
// blocks are not used. Takes the first keys of the dump that fit into the
// cache, and reads these in the order of each file. With a deadline it takes a
// quarter of them at a time. Walks over the whole index of each table that has
// wanted blocks. `files` is not used. Errors as LoadBlockCache; also
// InvalidArgument if tables have different block caches. Tables without a block
// cache or an identity are passed over.
//
// Requires: the tables live until the call returns.
ASHLAR_EXPORT Status WarmTables(const std::string& path,
                                std::span<const TableReader* const> tables,
                                const CacheLoadOptions& options,
                                CacheLoadStats* stats);
ASHLAR_EXPORT Status WarmTables(const RandomAccessFile& dump,
                                std::span<const TableReader* const> tables,
                                const CacheLoadOptions& options,
                                CacheLoadStats* stats);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_CACHE_DUMP_H_
