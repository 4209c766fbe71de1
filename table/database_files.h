// DatabaseFiles: which files a RocksDB database consists of.
//
// ReadDatabaseFiles reads CURRENT and the MANIFEST that it names, as RocksDB
// does when it opens the database, and writes nothing. The database may be in
// use: what is returned was true at some moment during the call, and files of
// it may have been removed since. Use it to ask the tables of a database in the
// order in which RocksDB asks them; RocksDB's nearest calls are
// "GetColumnFamilyMetaData" and "GetLiveFilesStorageInfo".
//
// Only what was flushed is in tables: newer entries are in write-ahead logs,
// which Ashlar does not read. Thread-safe.
#ifndef ASHLAR_TABLE_DATABASE_FILES_H_
#define ASHLAR_TABLE_DATABASE_FILES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar {

// A table as the MANIFEST describes it. Names are those of RocksDB's
// "FileMetaData". Where the MANIFEST says nothing, a field has its default.
struct LiveTable {
  uint64_t number = 0;  // of its name, "000123.sst", rarely "000123.ldb"
  uint32_t level = 0;
  // Which of the database's paths it is in; 0 is nearly always its own folder.
  // The list of paths is stored nowhere.
  uint32_t path_id = 0;
  uint64_t file_size = 0;  // bytes
  // Internal keys. Timestamps are put back where the file has none, if the
  // order is known. A largest key with the number kMaxSequenceNumber and type
  // kTypeRangeDeletion is the end of a range deletion: the file has no such
  // key.
  std::string smallest;
  std::string largest;
  // Not stored by the oldest releases, which then have 0 and
  // kMaxSequenceNumber.
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = kMaxSequenceNumber;
  uint64_t epoch_number = 0;             // 0: unknown
  uint64_t oldest_blob_file_number = 0;  // 0: none
  uint64_t oldest_ancester_time = 0;     // seconds since 1970; 0: unknown
  uint64_t file_creation_time = 0;       // seconds since 1970; 0: unknown
  uint64_t tail_size = 0;  // bytes from the end of data blocks; 0: unknown
  uint64_t compensated_range_deletion_size = 0;
  std::string file_checksum;  // bytes
  std::string file_checksum_func_name;
  std::string smallest_timestamp;
  std::string largest_timestamp;
  std::array<uint64_t, 2> unique_id = {};  // zeros: unknown
  uint8_t temperature = 0;                 // RocksDB's number; 0: unknown
  bool marked_for_compaction = false;
  bool user_defined_timestamps_persisted = true;
};

// A blob file that a column family needs, and what it has.
struct LiveBlobFile {
  uint64_t number = 0;  // of its name, "000123.blob"
  uint64_t total_blob_count = 0;
  uint64_t total_blob_bytes = 0;
  uint64_t garbage_blob_count = 0;
  uint64_t garbage_blob_bytes = 0;
};

// The files of a column family.
struct ColumnFamilyFiles {
  uint32_t id = 0;
  std::string name;        // any bytes
  std::string comparator;  // its name
  // False for a comparator of the application. Then the tables of levels above
  // 0 come by number, and nobody has checked whether they overlap.
  bool order_is_known = false;
  // Write-ahead logs with lower numbers have nothing for this family.
  uint64_t log_number = 0;
  // In the order in which RocksDB asks them: level 0 with the newest first,
  // then level by level in the order of their keys.
  std::vector<LiveTable> tables;
  std::vector<LiveBlobFile> blob_files;  // by number
};

struct DatabaseFiles {
  std::string manifest;  // its name, "MANIFEST-000005"
  std::string db_id;     // empty if the database is older than these
  SequenceNumber last_sequence = 0;
  uint64_t next_file_number = 0;
  // Write-ahead logs with lower numbers are not needed.
  uint64_t min_log_number_to_keep = 0;
  std::vector<ColumnFamilyFiles> column_families;  // by id; 0 is "default"
  // Bytes at the end of the MANIFEST that are not a whole change: what a writer
  // was writing when it was killed, or is writing now. RocksDB ignores them
  // too.
  uint64_t ignored_bytes = 0;
  // Why the MANIFEST was not read further, if
  // ReadDatabaseOptions::until_damage is set. OK if it was read whole.
  Status damage;
};

// How a MANIFEST is read.
struct ReadDatabaseOptions {
  // Whether damage within the MANIFEST is reported in DatabaseFiles::damage,
  // and the files listed as they were before it. Files that were removed later
  // are then in the list, and newer ones are not.
  bool until_damage = false;
};

// Reads which files the database in the folder consists of. Errors:
//
//   IOError          with the subcode kPathNotFound if there is no CURRENT, so
//                    that this is no database; or a file cannot be read
//   Corruption       with the name of the file, and the offset of the record
//   NotSupported     the MANIFEST has something that must not be ignored, and
//                    that this release does not know
//   MemoryLimit
ASHLAR_EXPORT Result<DatabaseFiles> ReadDatabaseFiles(
    const std::string& folder, const ReadDatabaseOptions& options = {});

// Returns the name of a table, "000123.sst", or of its older form ".ldb".
ASHLAR_EXPORT std::string TableFileName(uint64_t number,
                                        bool older_form = false);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_DATABASE_FILES_H_
