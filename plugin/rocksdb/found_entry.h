// FoundEntry: hands what Ashlar found of one key to RocksDB's GetContext, which
// decides whether it wants more.
//
// One thread, for one call of Get.
#ifndef ASHLAR_PLUGIN_ROCKSDB_FOUND_ENTRY_H_
#define ASHLAR_PLUGIN_ROCKSDB_FOUND_ENTRY_H_

#include <string>

#include "ashlar/table/iterator.h"
#include "ashlar/table/merge_operand.h"
#include "ashlar/table/stored_version.h"
#include "ashlar/table/table_reader.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "table/get_context.h"

namespace ashlar_rocksdb {

class FoundEntry {
 public:
  // `user_key` has its timestamp, if keys have one. Both must outlive it.
  FoundEntry(const rocksdb::Slice& user_key, rocksdb::GetContext* get_context)
      : user_key_(user_key), get_context_(get_context) {}

  // Takes a merge operand. Returns whether RocksDB wants older entries.
  bool TakeOperand(const ashlar::MergeOperand& operand,
                   ashlar::SequenceNumber sequence);
  // Takes the end of Ashlar's Get: its status and its result, and with it the
  // value's pin. Returns what RocksDB's Get returns.
  rocksdb::Status Take(const ashlar::Status& status, ashlar::GetResult* result);
  // Takes one version. Returns whether RocksDB wants older ones.
  bool TakeVersion(const ashlar::StoredVersion& version);
  // Returns whether there was a version, whatever RocksDB made of it.
  bool any_version() const { return any_version_; }
  // Takes the entry that the iterator is at. Returns whether RocksDB wants the
  // next one: not if its key is another.
  bool TakeEntry(ashlar::Iterator* walk);
  // The same end for a visit of versions.
  rocksdb::Status End(const ashlar::Status& status);

 private:
  // Passes an entry on, with what keeps its value. Returns whether RocksDB
  // wants more.
  bool Save(const rocksdb::ParsedInternalKey& key,
            ashlar::PinnableSlice* value);
  // Returns whether RocksDB's merge keeps what `pinner` keeps.
  bool PinsOperands() const;
  // Returns the user key with this timestamp. Lives until the next call.
  rocksdb::Slice KeyAt(const ashlar::Slice& timestamp);

  const rocksdb::Slice user_key_;
  rocksdb::GetContext* const get_context_;
  bool any_version_ = false;
  std::string with_timestamp_;
  rocksdb::Status read_status_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_FOUND_ENTRY_H_
