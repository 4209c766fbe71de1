// FilterPartitionsBuilder: writes a filter in partitions, and an index block
// over them.
//
//   partition  the payload of a filter over a run of keys
//   index      an index block: key = where the run ends, value = the handle
//
// Decoupled, a run ends where its filter is full, at the key added last, with
// the oldest timestamp, sequence number 0 and type 0. Coupled, as before
// RocksDB 10.6, partitions of the index and of the filter are cut together, and
// a run ends at the separator of the data block before. FORMAT.md,
// "Partitions".
//
// Data flow. A full run waits, as hashes, until about 64 K of them wait. Then
// each partition is a unit of work for the threads that help. So partitions are
// built while keys still come, and what waits (about a megabyte) does not grow
// with the file. If no thread helps, each partition is built at once. The bytes
// are the same.
//
// Used by the table builder in place of a filter in one piece. One thread at a
// time. Coupled, the index must get each handle before the next key comes.
#ifndef ASHLAR_TABLE_WRITE_FILTER_PARTITIONS_H_
#define ASHLAR_TABLE_WRITE_FILTER_PARTITIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/options.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/filter/full_filter.h"
#include "table/index/index_builder.h"
#include "table/write/block_writer.h"
#include "util/mem/buffer.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

class FilterPartitionsBuilder {
 public:
  // Returns the threads that may help at the moment.
  using FindCrew = std::function<WorkerCrew()>;

  // Memory is charged like `charge`. Requires: options and index outlive this.
  FilterPartitionsBuilder(const TableOptions& options, IndexBuilder* index,
                          FindCrew find_crew, const MemoryCharge& charge = {});

  // To be called with every entry's user key, in order, and the one before
  // (empty for the first).
  void AddKey(const Slice& user_key, const Slice& last_user_key) {
    if (CutIsDue()) [[unlikely]]
      Cut(&user_key, last_user_key);
    keys_.AddKey(WithoutTimestamp(user_key, timestamp_bytes_));
  }

  // Returns how many hashes all partitions have.
  uint64_t num_hashes() const {
    return done_hashes_ + keys_.bits().num_hashes();
  }
  uint64_t SizeEstimate() const {
    return done_bytes_ + waiting_bytes_ + keys_.bits().SizeEstimate();
  }
  std::string_view policy_name() const { return keys_.bits().policy_name(); }

  // Writes all partitions and the index, if there are any, and sets
  // *index_handle. Sets *bytes to the size of all these blocks. Returns the
  // error of the file, or Corruption that names the first bad partition.
  // Requires: all data blocks are finished.
  Status Write(const Slice& last_user_key, BlockWriter* writer,
               BlockHandle* index_handle, uint64_t* bytes);

 private:
  struct Partition {
    FilterBitsBuilder hashes;  // until it is built
    Buffer payload;
    std::string end;  // internal key
    Status built;     // the error of building it
  };

  bool CutIsDue();
  bool IsFull();
  // Ends the current partition. A null next_user_key: there are no more keys.
  void Cut(const Slice* next_user_key, const Slice& last_user_key);
  std::string EndBehind(const Slice& user_key) const;
  void AddPrefixOf(const Slice& user_key);
  void BuildWaiting(const WorkerCrew& crew);
  Status FirstFault(const std::string& file_name) const;

  const TableOptions& options_;
  IndexBuilder* const index_;
  KeyFilterBuilder keys_;
  const size_t timestamp_bytes_;  // at the end of each key
  const uint64_t hashes_per_partition_;
  const FindCrew find_crew_;
  // Of the current partition: whether it is full, and how many keys it is sure
  // to have room for, so that its hashes need not be counted before.
  bool is_full_ = false;
  uint64_t sure_keys_ = 0;
  // All partitions but the current one. From first_waiting_ on they wait to be
  // built.
  std::vector<Partition> done_;
  size_t first_waiting_ = 0;
  uint64_t waiting_hashes_ = 0;
  uint64_t waiting_bytes_ = 0;  // their expected size once they are built
  uint64_t done_hashes_ = 0;
  uint64_t done_bytes_ = 0;  // the size of those that are built
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_FILTER_PARTITIONS_H_
