// TableCache: open tables by file number, within limits.
//
// For engines that have more tables than they want open at once. It corresponds
// to RocksDB's table cache, which no application of RocksDB can use by itself.
//
//   ashlar::TableCacheOptions options;
//   options.max_open_files = 1000;
//   options.reader_options.block_cache = block_cache;
//   options.open = [](uint64_t file_number, ashlar::TableToOpen* table) {
//     table->path = "db/" + std::to_string(file_number) + ".sst";
//     return ashlar::Status();
//   };
//   auto cache = ashlar::TableCache::Create(options);
//   ...
//   ashlar::Result<ashlar::TableHandle> table = (*cache)->Find(7);
//   if (!table.ok()) return table.status();
//   ashlar::GetResult result;
//   ashlar::Status status =
//       (*table)->Get({}, "key", ashlar::kMaxSequenceNumber, &result);
//
// A Find of a table that is open costs two short holds of a mutex: one for the
// Find, and one when its handle goes. The first Find of another table opens it.
// All threads that ask for the table meanwhile wait for that one opening, and
// get its table or its error. No error is kept: the next Find tries again.
//
// A table stays open until there is no room for it and no handle refers to it.
// The least recently used table is closed first. A table that handles refer to
// counts against the limits, and is never closed: more tables than the limits
// allow can be open only while handles refer to them.
//
// If the process runs out of file descriptors, an opening closes about a
// quarter of the tables that no handle refers to, and is tried again.
//
// Thread safety: any number of threads may call any function at once, except
// the destructor. After a fork the child may use the cache, if no other thread
// was in a function of the cache at the fork. Threads that were opening a
// table, or waited for that, do not count: the child opens such a table itself.
#ifndef ASHLAR_TABLE_TABLE_CACHE_H_
#define ASHLAR_TABLE_TABLE_CACHE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ashlar/cache/cache.h"
#include "ashlar/table/reader_options.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar {

// What an opening function says about a table.
struct TableToOpen {
  // The file: its path, or the file itself. If both are set, the file is used.
  std::string path;
  std::unique_ptr<RandomAccessFile> file;
  // A reader that is open already, such as one of OpenBuiltTable
  // (table/built_table.h). If it is set, neither path nor file are used, and
  // `options` must be those that it was opened with.
  std::unique_ptr<TableReader> reader;
  // How the table is opened. At first a copy of
  // TableCacheOptions::reader_options; change what differs for this file, such
  // as largest_seqno.
  ReaderOptions options;
  // The file number that the table's properties must have
  // (TableProperties::orig_file_number); any other is Corruption. Absent, the
  // default: not compared. A file that was ingested or copied from another
  // database keeps the number that it had there.
  std::optional<uint64_t> expected_orig_file_number;
};

// Says which file has this number, and how to open it. Called by the thread
// that opens the table, without a lock, again after each lack of descriptors.
// Any number of threads may call it at once, for different file numbers. An
// error that it returns is that of the Find. Must not use the cache.
using OpenTableFunction =
    std::function<Status(uint64_t file_number, TableToOpen* table)>;

// How tables are opened, and how many stay open.
struct TableCacheOptions {
  // Opens tables for Find. May be empty if each Find gets a function.
  OpenTableFunction open;
  // The options of each opening. `open` may change them for a file. Find
  // returns the errors of wrong options: Create does not check them. Openings,
  // hits and misses are counted in reader_options.statistics.
  ReaderOptions reader_options;

  // The number of tables that may be open. -1, the default: any number. 0: a
  // table is closed when its last handle goes. RocksDB keeps back 10 of its
  // max_open_files for other files; Ashlar does not.
  int max_open_files = -1;
  // The memory that open tables may take, in bytes: the sum of
  // TableReader::ExpectedMemoryUsage when each was opened. Absent, the default:
  // any amount. RocksDB has no such option. If both limits are set, a table
  // counts as at least max_table_bytes / max_open_files, so both are kept, and
  // fewer tables may be open than either alone allows.
  std::optional<uint64_t> max_table_bytes;

  // The cache has 2^n shards, each with a mutex, an order of use of its own and
  // its part of the limits. 0 to 16. Default: 6, as RocksDB's. There are fewer
  // shards if one would otherwise have room for less than 64 tables or 64 MiB.
  // 0: one order of use for all tables, which is exact, but threads wait for
  // each other more often. With shards somewhat fewer tables may be open than
  // the limits allow, because tables are not spread evenly.
  int table_cache_numshardbits = 6;
};

// A reference to an open table, which stays open as long as the handle refers
// to it. Move-only. Empty by default. One thread at a time may use a handle;
// any number of threads may use its table. Requires: the cache outlives it, and
// it outlives the table's iterators.
class ASHLAR_EXPORT TableHandle {
 public:
  TableHandle() = default;
  TableHandle(TableHandle&& other) noexcept
      : cache_(other.cache_),
        handle_(std::exchange(other.handle_, nullptr)),
        reader_(std::exchange(other.reader_, nullptr)) {}
  TableHandle& operator=(TableHandle&& other) noexcept {
    if (this == &other) return *this;
    Reset();
    cache_ = other.cache_;
    handle_ = std::exchange(other.handle_, nullptr);
    reader_ = std::exchange(other.reader_, nullptr);
    return *this;
  }
  ~TableHandle() { Reset(); }

  // Returns whether the handle refers to a table.
  explicit operator bool() const { return reader_ != nullptr; }
  // Returns the table, or null if the handle is empty.
  const TableReader* get() const { return reader_; }
  // Requires: the handle is not empty.
  const TableReader* operator->() const { return reader_; }
  const TableReader& operator*() const { return *reader_; }
  // Releases the table. The handle is then empty. Closes the table if nothing
  // keeps it open any more.
  void Reset() {
    reader_ = nullptr;
    if (handle_ != nullptr) cache_->Release(std::exchange(handle_, nullptr));
  }

 private:
  friend class TableCache;
  // Takes over the reference. Empty if it is null.
  TableHandle(Cache* cache, CacheHandle* handle);

  Cache* cache_ = nullptr;
  CacheHandle* handle_ = nullptr;
  const TableReader* reader_ = nullptr;
};

class ASHLAR_EXPORT TableCache {
 public:
  // Makes a cache. Returns InvalidArgument if max_open_files is below -1 or
  // table_cache_numshardbits is out of range, and MemoryLimit if there is no
  // memory.
  static Result<std::unique_ptr<TableCache>> Create(
      const TableCacheOptions& options);
  TableCache(const TableCache&) = delete;
  TableCache& operator=(const TableCache&) = delete;
  // Closes all tables. Requires: every handle is empty, and no thread uses the
  // cache.
  ~TableCache();

  // Returns a handle to the table with this file number. Opens it if it is not
  // open. If another thread is opening it, waits for that.
  //
  // Returns the errors of the opening function and of TableReader::Open, with
  // "table <number>" in front; InvalidArgument if there is no opening function,
  // or if it set neither a path nor a file; and MemoryLimit. Returns an IOError
  // with the subcode kTooManyOpenFiles if no file descriptor is left, and no
  // more tables can be closed; the message says what to do. What an opening
  // function throws passes through, except std::bad_alloc. Threads that waited
  // for it then open the table themselves.
  Result<TableHandle> Find(uint64_t file_number);
  // Does the same, and opens the table with this function.
  Result<TableHandle> Find(uint64_t file_number, const OpenTableFunction& open);
  // Returns a handle to the table if it is open, else an empty handle. Opens
  // nothing, and waits for no opening. Counts a hit, but no miss.
  TableHandle FindOpen(uint64_t file_number);

  // Forgets the table, so that every Find that begins later opens it again. For
  // a file that was replaced. The table is closed with its last handle. Threads
  // that are waiting for its opening, or are doing it, still get that table.
  // Returns whether the table was open or being opened.
  bool Evict(uint64_t file_number);
  // Does the same for a file that is deleted, and also erases its blocks from
  // the block cache when the table is closed
  // (TableReader::EraseFromBlockCache). The thread that releases the last
  // handle does this. If the table is neither open nor being opened, its blocks
  // stay: Find it first to erase them too.
  bool EvictDeleted(uint64_t file_number);
  // Closes every table that no handle refers to.
  void CloseUnused();

  // Return the number of tables that are open, with those that were evicted and
  // are still in use, and the sum of their memory in bytes, as was expected
  // when each was opened.
  uint64_t OpenTables() const;
  uint64_t MemoryUsage() const;

 private:
  struct State;
  explicit TableCache(std::unique_ptr<State> state);
  bool Forget(uint64_t file_number, bool is_deleted);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_CACHE_H_
