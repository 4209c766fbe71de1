#include "tools/ashlar/table_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "tools/ashlar/manifest.h"
#include "tools/ashlar/output.h"
#include "tools/ashlar/output_path.h"

namespace ashlar::tool {
namespace {

constexpr std::string_view kSuffix = ".sst";

std::string StemOf(const std::string& path) {
  return path.ends_with(kSuffix) ? path.substr(0, path.size() - kSuffix.size())
                                 : path;
}

std::string NumberedName(const std::string& stem, uint64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "-%06llu",
                static_cast<unsigned long long>(number));
  return stem + digits + std::string(kSuffix);
}

std::string ManifestName(const std::string& stem) {
  return stem + "-manifest.json";
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string LastPart(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool IsNumberedName(const std::string& name, const std::string& stem) {
  const std::string start = LastPart(stem) + "-";
  if (!name.starts_with(start) || !name.ends_with(kSuffix)) return false;
  const size_t digits = name.size() - start.size() - kSuffix.size();
  constexpr size_t kFewestDigits = 6;
  return name.size() > start.size() + kSuffix.size() &&
         digits >= kFewestDigits &&
         name.find_first_not_of("0123456789", start.size()) ==
             start.size() + digits;
}

// In order, those that have a name of the set.
Result<std::vector<std::string>> TablesThere(const std::string& stem) {
  auto names = NamesIn(FolderOf(stem));
  if (!names.ok()) return names.status();
  std::vector<std::string> tables;
  const std::string parent =
      stem.substr(0, stem.size() - LastPart(stem).size());
  for (const std::string& name : *names) {
    if (IsNumberedName(name, stem)) tables.push_back(parent + name);
  }
  return tables;
}

int RenameTo(const std::string& from, const std::string& to, bool overwrite) {
  const unsigned flags = overwrite ? 0 : RENAME_NOREPLACE;
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0) {
    return 0;
  }
  if (overwrite || (errno != EINVAL && errno != ENOSYS)) return errno;
  // A file system that knows no such flag.
  if (IdOf(to)) return EEXIST;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

TableSet::TableSet(const SinkOptions& options)
    : options_(options),
      stem_(StemOf(options.path)),
      deletions_(options.table.comparator) {}

Result<std::unique_ptr<TableSet>> TableSet::Create(const SinkOptions& options) {
  std::unique_ptr<TableSet> set(new TableSet(options));
  std::string folder = FolderPattern(set->stem_);
  if (mkdtemp(folder.data()) == nullptr) {
    return Status::FromErrno("make a folder beside", options.path, errno);
  }
  set->folder_ = folder;
  // Others may see it already, and ask whether it is held.
  set->lock_.Take(folder);
  // What is impossible is said before the first row.
  Status status = set->Begin();
  if (!status.ok()) return status;
  return set;
}

TableSet::~TableSet() {
  sink_.reset();
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Status TableSet::CheckIsFree(const std::string& path,
                             const std::vector<std::string>& inputs) {
  const std::string stem = StemOf(path);
  Status status = CheckLeftFolders(stem);
  if (!status.ok()) return status;
  std::vector<std::string> taken = {ManifestName(stem)};
  const auto tables = TablesThere(stem);
  if (!tables.ok()) return tables.status();
  taken.insert(taken.end(), tables->begin(), tables->end());
  for (const std::string& name : taken) {
    status = tool::CheckIsFree(name, inputs);
    if (!status.ok()) return status;
  }
  return Status();
}

std::string TableSet::manifest() const { return ManifestName(stem_); }

// Not a version of the key before, nor out of order: those are for the sink to
// take or refuse.
bool TableSet::IsBehind(const Row& row) const {
  const size_t size = options_.table.comparator->timestamp_size();
  return row.key.size() >= size &&
         options_.table.comparator->CompareWithoutTimestamp(
             WithoutTimestamp(current_.largest, size),
             WithoutTimestamp(row.key, size)) < 0;
}

bool TableSet::MustCut(const Row& row) {
  if (!has_entries_) return false;
  bytes_since_look_ += row.key.size() + row.value.size();
  if (!is_full_ && bytes_since_look_ >= options_.table.block_size) {
    bytes_since_look_ = 0;
    is_full_ = sink_->EstimatedFileSize() >= options_.build.target_file_size;
  }
  return is_full_ && IsBehind(row);
}

Status TableSet::Add(const Row& row) {
  if (row.type == ValueType::kTypeRangeDeletion) {
    Status status = CheckSequence(options_, row);
    return status.ok() ? deletions_.Add(row) : status;
  }
  if (MustCut(row)) {
    Status status = End(&row.key);
    if (status.ok()) status = Begin();
    if (!status.ok()) return status;
  }
  Status status = sink_->Add(row);
  if (!status.ok()) return status;
  if (!has_entries_) current_.smallest.assign(row.key.data(), row.key.size());
  has_entries_ = true;
  current_.largest.assign(row.key.data(), row.key.size());
  return Status();
}

Status TableSet::Begin() {
  const uint64_t number = tables_.size() + 1;
  current_ = MadeTable();
  current_.path = NumberedName(stem_, number);
  has_entries_ = false;
  is_full_ = false;
  bytes_since_look_ = 0;
  SinkOptions options = options_;
  options.path = folder_ + "/" + LastPart(current_.path);
  // Tables of one identity differ in their number.
  options.build.identity.file_number = number;
  auto sink = TableSink::Create(options);
  if (!sink.ok()) return sink.status();
  sink_ = std::move(sink).value();
  return Status();
}

Status TableSet::End(const Slice* next) {
  const Comparator& order = *options_.table.comparator;
  const size_t size = order.timestamp_size();
  const auto compare = [&](const Slice& a, const Slice& b) {
    return order.CompareWithoutTimestamp(WithoutTimestamp(a, size),
                                         WithoutTimestamp(b, size));
  };
  bool has_any = has_entries_;
  Status status = deletions_.Take(next, [&](const Row& piece) {
    if (!has_any || compare(piece.key, current_.smallest) < 0) {
      current_.smallest = piece.key.ToString();
    }
    if (!has_any || compare(piece.value, current_.largest) > 0) {
      current_.largest = piece.value.ToString();
      current_.largest_is_exclusive = true;
    }
    has_any = true;
    return sink_->Add(piece);
  });
  if (status.ok()) status = sink_->Finish();
  if (!status.ok()) return status;
  MadeTable made = sink_->tables().front();
  made.path = current_.path;
  made.smallest = std::move(current_.smallest);
  made.largest = std::move(current_.largest);
  made.largest_is_exclusive = current_.largest_is_exclusive;
  if (tables_.empty()) first_properties_ = sink_->properties();
  tables_.push_back(std::move(made));
  sink_.reset();
  return Status();
}

Status TableSet::Finish() {
  Status status = End(nullptr);
  return status.ok() ? NameAll() : status;
}

// The tables of a set that is replaced, also those that are more than the new
// ones, lie in the folder meanwhile: they come back if anything fails.
Status TableSet::NameAll() {
  std::vector<std::string> replaced;
  Status status = options_.overwrite ? SetAside(&replaced) : Status();
  size_t named = 0;
  while (status.ok() && named < tables_.size()) {
    status = Name(tables_[named]);
    if (status.ok()) ++named;
  }
  if (status.ok()) {
    status = WriteManifest(options_.overwrite, tables_, manifest());
  }
  if (status.ok()) return status;
  for (size_t i = 0; i < named; ++i) unlink(tables_[i].path.c_str());
  for (const std::string& path : replaced) {
    if (RenameTo(PlaceAside(path), path, /*overwrite=*/false) == 0) continue;
    // Then they stay there.
    PrintError("tables of before lie in " + folder_);
    folder_.clear();
    break;
  }
  return status;
}

std::string TableSet::PlaceAside(const std::string& path) const {
  return folder_ + "/" + std::string(kReplacedPrefix) + LastPart(path);
}

Status TableSet::SetAside(std::vector<std::string>* replaced) const {
  const auto tables = TablesThere(stem_);
  if (!tables.ok()) return tables.status();
  for (const std::string& path : *tables) {
    const int error = RenameTo(path, PlaceAside(path), /*overwrite=*/false);
    if (error != 0) return Status::FromErrno("replace", path, error);
    replaced->push_back(path);
  }
  return Status();
}

Status TableSet::Name(const MadeTable& table) const {
  const std::string made = folder_ + "/" + LastPart(table.path);
  const int error = RenameTo(made, table.path, options_.overwrite);
  if (error == EEXIST) {
    return Status::InvalidArgument(table.path +
                                   " exists; --overwrite replaces it");
  }
  return error == 0 ? Status()
                    : Status::FromErrno("rename to", table.path, error);
}

}  // namespace ashlar::tool
