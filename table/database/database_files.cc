// Reads CURRENT and the MANIFEST of a database.

#include "ashlar/table/database_files.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "ashlar/util/file.h"
#include "table/database/log_records.h"
#include "table/database/version_edit.h"
#include "table/database/version_fold.h"
#include "util/mem/memory_limit.h"

namespace ashlar {
namespace {

using internal::LogRecords;
using internal::VersionEdit;
using internal::VersionFold;

// A writer may replace the MANIFEST between the two reads. It does so rarely.
constexpr int kMostTries = 5;
constexpr std::string_view kManifestPrefix = "MANIFEST-";
constexpr size_t kLongestCurrent = 1000;  // bytes; a real one has some 20

// Returns the name that CURRENT consists of, or nothing if it has another form.
std::optional<std::string> ManifestNameIn(std::string_view current) {
  if (!current.starts_with(kManifestPrefix) || !current.ends_with('\n')) {
    return std::nullopt;
  }
  current.remove_suffix(1);
  const std::string_view number = current.substr(kManifestPrefix.size());
  if (number.empty() || number.find_first_not_of("0123456789") != number.npos) {
    return std::nullopt;
  }
  return std::string(current);
}

Result<std::string> ReadCurrent(const std::string& path) {
  auto file = OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  std::string scratch(kLongestCurrent, '\0');
  Slice text;
  Status status = (*file)->Read(0, scratch.size(), scratch.data(), &text);
  if (!status.ok()) return status;
  std::optional<std::string> name = ManifestNameIn({text.data(), text.size()});
  if (!name) {
    return Status::Corruption(
        path + ": it is not the name of a MANIFEST and one end of line");
  }
  return std::move(*name);
}

// Folds the records that end at `limit` or before. Sets *end to the offset
// behind the last one that counts.
Status FoldRecords(uint64_t limit, LogRecords* records, VersionFold* fold,
                   uint64_t* end) {
  VersionEdit edit;
  while (*end < limit && records->Next()) {
    Status status = internal::DecodeVersionEdit(records->record(), &edit);
    if (status.ok()) status = fold->Take(std::move(edit));
    if (!status.ok()) {
      return status.WithPrefix("record at offset " +
                               std::to_string(records->begin()));
    }
    if (!fold->group_is_open()) *end = records->end();
  }
  return records->status();
}

Status ReadManifest(const RandomAccessFile& file,
                    const ReadDatabaseOptions& options, DatabaseFiles* files) {
  LogRecords records(file);
  VersionFold fold;
  uint64_t end = 0;
  Status status =
      FoldRecords(file.Size(), &records, &fold, &end).WithPrefix(file.name());
  if (status.ok()) {
    if (fold.group_is_open() || records.ends_in_pieces()) {
      files->ignored_bytes = file.Size() - end;
    }
    return fold.Finish(files).WithPrefix(file.name());
  }
  if (!options.until_damage || status.IsIOError() || status.IsMemoryLimit()) {
    return status;
  }
  files->damage = std::move(status);
  files->ignored_bytes = file.Size() - end;
  // The damaged edit may have been applied in part.
  LogRecords sound_records(file);
  VersionFold sound;
  uint64_t sound_end = 0;
  status = FoldRecords(end, &sound_records, &sound, &sound_end);
  if (status.ok()) status = sound.Finish(files);
  // Where no state was complete before the damage, the damage is the reason.
  if (status.IsCorruption()) return std::move(files->damage);
  return status.WithPrefix(file.name());
}

}  // namespace

Result<DatabaseFiles> ReadDatabaseFiles(const std::string& folder,
                                        const ReadDatabaseOptions& options) {
  DatabaseFiles files;
  Status status = internal::OrMemoryLimit([&]() -> Status {
    Status missing;
    for (int i = 0; i < kMostTries; ++i) {
      auto name = ReadCurrent(folder + "/CURRENT");
      if (!name.ok()) return name.status();
      auto file = OpenRandomAccessFile(folder + "/" + *name);
      if (file.ok()) {
        files.manifest = std::move(*name);
        return ReadManifest(**file, options, &files);
      }
      missing = file.status().WithPrefix(folder + "/CURRENT names " + *name);
      if (missing.subcode() != Status::SubCode::kPathNotFound) break;
    }
    if (missing.subcode() != Status::SubCode::kPathNotFound) return missing;
    return Status::Corruption(missing.message());
  });
  if (!status.ok()) return status;
  return files;
}

std::string TableFileName(uint64_t number, bool older_form) {
  constexpr size_t kDigits = 6;
  std::string digits = std::to_string(number);
  digits.insert(0, kDigits - std::min(kDigits, digits.size()), '0');
  return digits + (older_form ? ".ldb" : ".sst");
}

}  // namespace ashlar
