// The manifest: the file that says which tables the database consists of. And
// what may be deleted.
//
// Each flush and each compaction replaces the manifest as a whole: AtomicFile
// renames it when it is complete, so a kill leaves the old one or the new one.
// An engine with 100000 tables would rather log what changes.
#ifndef ASHLAR_TOOLS_EXAMPLES_MINI_LSM_VERSION_H_
#define ASHLAR_TOOLS_EXAMPLES_MINI_LSM_VERSION_H_

#include <filesystem>
#include <set>

#include "ashlar/table/table_version.h"
#include "ashlar/util/byte_strings.h"
#include "ashlar/util/file_checksum.h"
#include "ashlar/util/whole_file.h"

namespace mini_lsm {

using ashlar::Slice;
using ashlar::Status;

inline std::string TableName(uint64_t number) {
  return std::to_string(number) + ".sst";
}
inline std::string LogName(uint64_t number) {
  return std::to_string(number) + ".log";
}

// A table. Once it is obsolete, the last version that has it deletes the file:
// until then a read may still need to open it.
inline std::shared_ptr<const ashlar::VersionFile> NewTable(
    const std::string& folder, ashlar::TableCache* cache, uint64_t number,
    ashlar::FileRange range) {
  const auto remove = [=](uint64_t n) {
    cache->EvictDeleted(n);
    std::error_code ignored;  // the next Open tries again
    std::filesystem::remove(folder + "/" + TableName(n), ignored);
  };
  return std::make_shared<ashlar::VersionFile>(number, std::move(range),
                                               remove);
}

// Whether a file was not read because there is none.
inline bool IsMissing(const Status& status) {
  return status.subcode() == Status::SubCode::kPathNotFound;
}

// All that must survive, apart from the writes in the log.
struct Manifest {
  uint64_t next_file = 1;  // no file that counts has this number or a larger
  uint64_t log = 0;
  ashlar::SequenceNumber sequence = 0;  // of the last write before the log
  ashlar::TableVersion version;
};

inline Status WriteManifest(const std::string& folder, const Manifest& manifest,
                            bool sync) {
  std::string bytes;
  ashlar::AppendFixed64(manifest.next_file, &bytes);
  ashlar::AppendFixed64(manifest.log, &bytes);
  ashlar::AppendFixed64(manifest.sequence, &bytes);
  for (size_t level = 0; level < manifest.version.levels.size(); ++level) {
    for (const auto& file : manifest.version.levels[level]) {
      ashlar::AppendFixed64(level, &bytes);
      ashlar::AppendFixed64(file->number(), &bytes);
      ashlar::AppendFixed64(file->range().size, &bytes);
      ashlar::AppendLengthPrefixed(file->range().smallest, &bytes);
      ashlar::AppendLengthPrefixed(file->range().largest, &bytes);
    }
  }
  std::string checked;
  ashlar::AppendFixed64(ashlar::ExtendFileChecksum(0, bytes), &checked);
  return ashlar::WriteStringToFile(checked + bytes, folder + "/MANIFEST",
                                   {.sync = sync});
}

// Leaves the manifest as it is if there is no file.
inline Status ReadManifest(const std::string& folder, ashlar::TableCache* cache,
                           Manifest* manifest) {
  const std::string path = folder + "/MANIFEST";
  std::string bytes;
  Status status = ashlar::ReadFileToString(path, &bytes);
  if (IsMissing(status)) return {};  // a new database
  if (!status.ok()) return status;
  ashlar::ByteReader in(bytes);
  const uint64_t check = in.Fixed64();
  bool is_sound = check == ashlar::ExtendFileChecksum(0, in.rest());
  manifest->next_file = in.Fixed64();
  manifest->log = in.Fixed64();
  manifest->sequence = in.Fixed64();
  while (is_sound && in.ok() && !in.rest().empty()) {
    const uint64_t level = in.Fixed64();
    const uint64_t number = in.Fixed64();
    ashlar::FileRange range;
    range.size = in.Fixed64();
    range.smallest = in.LengthPrefixed().ToString();
    range.largest = in.LengthPrefixed().ToString();
    is_sound = level < manifest->version.levels.size();
    if (!is_sound) break;
    manifest->version.levels[level].push_back(
        NewTable(folder, cache, number, std::move(range)));
  }
  if (is_sound && in.ok()) return {};
  return Status::Corruption(path + ": damaged manifest");
}

// Deletes what a killed run has left: tables and logs that the manifest does
// not name, and temporary files.
inline Status DeleteStrays(const std::string& folder,
                           const Manifest& manifest) {
  std::set<std::string> named = {LogName(manifest.log)};
  for (const auto& file : manifest.version.All()) {
    named.insert(TableName(file->number()));
  }
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename();
    const bool is_ours = name.ends_with(".sst") || name.ends_with(".log") ||
                         name.find(".tmp.") != std::string::npos;
    if (is_ours && !named.contains(name)) std::filesystem::remove(*at, error);
  }
  return error ? Status::IOError(folder + ": " + error.message()) : Status();
}

}  // namespace mini_lsm

#endif  // ASHLAR_TOOLS_EXAMPLES_MINI_LSM_VERSION_H_
