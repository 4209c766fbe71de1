// VersionFold: what all edits of a MANIFEST amount to.
//
// Edits are applied one by one, those of a group only when it is whole. What
// cannot follow from a sound MANIFEST is Corruption: a table that is added
// twice, one that is removed and is not there, and so on. Used by one thread at
// a time.
#ifndef ASHLAR_TABLE_DATABASE_VERSION_FOLD_H_
#define ASHLAR_TABLE_DATABASE_VERSION_FOLD_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ashlar/table/database_files.h"
#include "ashlar/util/status.h"
#include "table/database/version_edit.h"

namespace ashlar::internal {

class VersionFold {
 public:
  VersionFold();

  // Applies an edit, or keeps it until its group is whole. After an error the
  // edit may be applied in part: call nothing more.
  Status Take(VersionEdit edit);
  // Whether edits wait for the rest of their group.
  bool group_is_open() const { return !group_.empty(); }
  // Adds to *files what the edits say. Returns Corruption if something is
  // missing, or if tables overlap that must not. Call it once.
  Status Finish(DatabaseFiles* files);

 private:
  struct Family {
    std::string name;
    std::string comparator;
    uint64_t log_number = 0;
    std::map<uint64_t, LiveTable> tables;  // by number
    std::map<uint64_t, LiveBlobFile> blob_files;
  };

  Status Apply(VersionEdit edit);
  Status ChangeFamilies(VersionEdit* edit);
  Status ChangeFiles(VersionEdit* edit, Family* family);
  void TakeGlobals(const VersionEdit& edit);

  std::map<uint32_t, Family> families_;
  std::vector<VersionEdit> group_;  // edits that wait
  uint64_t group_size_ = 0;
  std::string db_id_;
  bool has_log_number_ = false;
  bool has_next_file_number_ = false;
  bool has_last_sequence_ = false;
  uint64_t next_file_number_ = 0;
  uint64_t last_sequence_ = 0;
  uint64_t min_log_number_to_keep_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DATABASE_VERSION_FOLD_H_
