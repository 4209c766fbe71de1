// What tables of a compaction have, as text: to compare those of RocksDB and
// ours. Free functions for one thread at a time.
#ifndef ASHLAR_TEST_INTEROP_COMPACTION_TEXT_H_
#define ASHLAR_TEST_INTEROP_COMPACTION_TEXT_H_

#include <rocksdb/db.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar::interop {

// A file of a database, with all that is compared.
struct CompactedFile {
  std::string path;
  int level = 0;
  std::string smallest;  // internal keys
  std::string largest;
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  uint64_t size = 0;
};

// Returns the files of the default column family.
std::vector<CompactedFile> FilesOf(rocksdb::DB* db);

// Returns all of these files as text, in the order of their keys: the bounds of
// each, and all that it has.
Result<std::string> TextByFile(std::vector<CompactedFile> files);

// Which parts of range deletions may be there or not. A compaction drops a
// range deletion that no deeper file needs as a whole, or as far as an output
// goes: what is left depends on where outputs end. So it is where a newer one
// lies over it, and no snapshot is between them.
struct OptionalRanges {
  // User keys, ascending: all between which range deletions can begin or end.
  std::vector<std::string> points;
  std::function<bool(const std::string& begin, const std::string& end,
                     SequenceNumber sequence)>
      is_optional;                        // between two neighbouring points
  std::vector<SequenceNumber> snapshots;  // ascending
};

// Returns what all of these files have together, wherever one of them ends, but
// for optional parts of range deletions.
Result<std::string> TextOfAll(std::vector<CompactedFile> files,
                              const OptionalRanges& optional);

// Our outputs, as files <folder>/<name>-<number>.sst.
class WrittenOutputs final : public CompactionOutputs {
 public:
  WrittenOutputs(std::string folder, std::string name)
      : prefix_(std::move(folder) + "/" + std::move(name) + "-") {}

  Result<WritableFile*> Begin(size_t number, TableOptions* table_options,
                              BuildOptions* build_options) override;
  Status End(const CompactionOutput& output) override;
  void Drop(size_t number) override { open_.erase(number); }

  std::vector<CompactedFile> files;  // in no order; without level

 private:
  std::string PathOf(size_t number) const {
    return prefix_ + std::to_string(number) + ".sst";
  }
  const std::string prefix_;
  std::map<size_t, std::unique_ptr<WritableFile>> open_;
};

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_COMPACTION_TEXT_H_
