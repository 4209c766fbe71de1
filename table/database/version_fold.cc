#include "table/database/version_fold.h"

#include <algorithm>
#include <set>
#include <utility>

#include "table/database/asking_order.h"

namespace ashlar::internal {
namespace {

std::string Named(std::string_view what, uint64_t number) {
  return std::string(what) + " " + std::to_string(number);
}

// Keeps the blob files that a table may refer to: those from the oldest that
// any table names, but for such as are all garbage and no table names.
std::vector<LiveBlobFile> LiveOf(
    const std::map<uint64_t, LiveBlobFile>& blob_files,
    const std::vector<LiveTable>& tables) {
  std::set<uint64_t> named;
  for (const LiveTable& table : tables) {
    if (table.oldest_blob_file_number != 0) {
      named.insert(table.oldest_blob_file_number);
    }
  }
  std::vector<LiveBlobFile> live;
  if (named.empty()) return live;
  for (auto it = blob_files.lower_bound(*named.begin()); it != blob_files.end();
       ++it) {
    const LiveBlobFile& file = it->second;
    if (file.garbage_blob_count < file.total_blob_count ||
        named.contains(file.number)) {
      live.push_back(file);
    }
  }
  return live;
}

}  // namespace

VersionFold::VersionFold() {
  // No edit adds this family.
  families_[0].name = "default";
}

Status VersionFold::Take(VersionEdit edit) {
  if (!edit.rest_of_group) {
    if (!group_.empty()) {
      return Status::Corruption("an edit of no group within a group");
    }
    return Apply(std::move(edit));
  }
  const uint64_t rest = *edit.rest_of_group;
  if (group_.empty()) group_size_ = rest + 1;
  group_.push_back(std::move(edit));
  if (group_.size() + rest != group_size_) {
    return Status::Corruption("a group of " + std::to_string(group_size_) +
                              " edits, of which number " +
                              std::to_string(group_.size()) + " says that " +
                              std::to_string(rest) + " follow");
  }
  if (rest > 0) return {};
  Status status;
  for (VersionEdit& member : group_) {
    status = Apply(std::move(member));
    if (!status.ok()) break;
  }
  group_.clear();
  return status;
}

Status VersionFold::Apply(VersionEdit edit) {
  if (edit.added_family || edit.drops_family) {
    Status status = ChangeFamilies(&edit);
    if (!status.ok()) return status;
  }
  if (!edit.drops_family) {
    const auto found = families_.find(edit.column_family);
    if (found == families_.end()) {
      return Status::Corruption(
          Named("an edit of the unknown column family", edit.column_family));
    }
    Family& family = found->second;
    if (!edit.is_of_logs) {
      Status status = ChangeFiles(&edit, &family);
      if (!status.ok()) return status;
    }
    if (edit.comparator) family.comparator = *edit.comparator;
    if (edit.log_number) {
      family.log_number = std::max(family.log_number, *edit.log_number);
    }
  }
  TakeGlobals(edit);
  return {};
}

Status VersionFold::ChangeFamilies(VersionEdit* edit) {
  if (edit->drops_family) {
    if (edit->added_family || edit->column_family == 0 ||
        families_.erase(edit->column_family) == 0) {
      return Status::Corruption(
          Named("dropped is the column family", edit->column_family) +
          ", which cannot be");
    }
    return {};
  }
  const auto [place, is_new] = families_.try_emplace(edit->column_family);
  if (!is_new) {
    return Status::Corruption(
        Named("added twice: column family", edit->column_family));
  }
  place->second.name = std::move(*edit->added_family);
  return {};
}

Status VersionFold::ChangeFiles(VersionEdit* edit, Family* family) {
  for (const LiveBlobFile& added : edit->added_blob_files) {
    if (!family->blob_files.emplace(added.number, added).second) {
      return Status::Corruption(Named("added twice: blob file", added.number));
    }
  }
  for (const LiveBlobFile& garbage : edit->garbage) {
    const auto found = family->blob_files.find(garbage.number);
    if (found == family->blob_files.end()) {
      return Status::Corruption(
          Named("garbage in the unknown blob file", garbage.number));
    }
    LiveBlobFile& file = found->second;
    if (garbage.garbage_blob_count >
            file.total_blob_count - file.garbage_blob_count ||
        garbage.garbage_blob_bytes >
            file.total_blob_bytes - file.garbage_blob_bytes) {
      return Status::Corruption(
          Named("more garbage than there are blobs in blob file", file.number));
    }
    file.garbage_blob_count += garbage.garbage_blob_count;
    file.garbage_blob_bytes += garbage.garbage_blob_bytes;
  }
  // A table that moves to another level is removed and added in one edit. A
  // table may be named twice among the removed.
  for (const TableAt& removed :
       std::set<TableAt>(edit->removed.begin(), edit->removed.end())) {
    const auto found = family->tables.find(removed.number);
    if (found == family->tables.end() || found->second.level != removed.level) {
      return Status::Corruption(Named("removed from level", removed.level) +
                                Named(": table", removed.number) +
                                ", which is not there");
    }
    family->tables.erase(found);
  }
  for (LiveTable& added : edit->added) {
    const uint64_t number = added.number;
    if (!family->tables.emplace(number, std::move(added)).second) {
      return Status::Corruption(Named("added twice: table", number));
    }
  }
  return {};
}

void VersionFold::TakeGlobals(const VersionEdit& edit) {
  has_log_number_ = has_log_number_ || edit.log_number.has_value();
  if (edit.db_id) db_id_ = *edit.db_id;
  if (edit.next_file_number) {
    has_next_file_number_ = true;
    next_file_number_ = *edit.next_file_number;
  }
  if (edit.last_sequence) {
    has_last_sequence_ = true;
    last_sequence_ = *edit.last_sequence;
  }
  min_log_number_to_keep_ = std::max(min_log_number_to_keep_,
                                     edit.min_log_number_to_keep.value_or(0));
}

Status VersionFold::Finish(DatabaseFiles* files) {
  if (!has_log_number_ || !has_next_file_number_ || !has_last_sequence_) {
    return Status::Corruption(std::string("no edit says the ") +
                              (!has_log_number_ ? "log number"
                               : !has_next_file_number_
                                   ? "next file number"
                                   : "last sequence number"));
  }
  files->db_id = db_id_;
  files->next_file_number = next_file_number_;
  files->last_sequence = last_sequence_;
  files->min_log_number_to_keep = min_log_number_to_keep_;
  for (auto& [id, family] : families_) {
    ColumnFamilyFiles& out = files->column_families.emplace_back();
    out.id = id;
    out.name = std::move(family.name);
    out.comparator = std::move(family.comparator);
    out.log_number = family.log_number;
    for (auto& [number, table] : family.tables) {
      out.tables.push_back(std::move(table));
    }
    out.blob_files = LiveOf(family.blob_files, out.tables);
    Status status = PutIntoAskingOrder(&out);
    if (!status.ok()) {
      return status.WithPrefix("column family '" + out.name + "'");
    }
  }
  return {};
}

}  // namespace ashlar::internal
