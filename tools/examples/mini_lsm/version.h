// Version: which tables the database consists of; and the manifest, the file
// that says so.
//
// Each flush and each compaction replaces the manifest as a whole: AtomicFile
// renames it when it is complete, so a kill leaves the old one or the new one.
// An engine with 100000 tables would rather log what changes.
#ifndef ASHLAR_TOOLS_EXAMPLES_MINI_LSM_VERSION_H_
#define ASHLAR_TOOLS_EXAMPLES_MINI_LSM_VERSION_H_

#include <array>
#include <filesystem>
#include <set>

#include "ashlar/table/output_cutter.h"
#include "ashlar/table/table_cache.h"
#include "tools/examples/mini_lsm/coding.h"

namespace mini_lsm {

inline std::string TableName(uint64_t number) {
  return std::to_string(number) + ".sst";
}
inline std::string LogName(uint64_t number) {
  return std::to_string(number) + ".log";
}

// A table. Versions share it. Once it is obsolete, the last version that has it
// deletes the file: until then a read may still need to open it.
struct TableFile {
  TableFile(ashlar::TableCache* c, const std::string& folder, uint64_t n)
      : cache(c), number(n), path(folder + "/" + TableName(n)) {}
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;
  ~TableFile() {
    if (!obsolete) return;
    cache->EvictDeleted(number);
    std::error_code ignored;  // the next Open tries again
    std::filesystem::remove(path, ignored);
  }
  // User keys.
  Slice first() const { return ashlar::UserKeyOf(range.smallest); }
  Slice last() const { return ashlar::UserKeyOf(range.largest); }
  bool Overlaps(const Slice& from, const Slice& to) const {
    return from <= last() && first() <= to;
  }

  ashlar::TableCache* const cache;
  const uint64_t number;
  const std::string path;
  ashlar::FileRange range;  // its first and last internal key, and its size
  std::atomic<bool> obsolete = false;
};

// Tables of level 0 overlap; the newest comes first. Tables of each deeper
// level are in order, and older than those of all levels above.
using Level = std::vector<std::shared_ptr<TableFile>>;
constexpr int kLevels = 7;
using Version = std::array<Level, kLevels>;

// All that must survive, apart from the writes in the log.
struct Manifest {
  uint64_t next_file = 1;  // no file that counts has this number or a larger
  uint64_t log = 0;
  ashlar::SequenceNumber sequence = 0;  // of the last write before the log
  Version version;
};

inline Status WriteManifest(const std::string& folder, const Manifest& manifest,
                            bool sync) {
  std::string bytes;
  PutNumber(manifest.next_file, &bytes);
  PutNumber(manifest.log, &bytes);
  PutNumber(manifest.sequence, &bytes);
  for (size_t level = 0; level < kLevels; ++level) {
    for (const auto& file : manifest.version[level]) {
      PutNumber(level, &bytes);
      PutNumber(file->number, &bytes);
      PutNumber(file->range.size, &bytes);
      PutString(file->range.smallest, &bytes);
      PutString(file->range.largest, &bytes);
    }
  }
  std::string checked;
  PutNumber(ashlar::ExtendFileChecksum(0, bytes), &checked);
  auto file = ashlar::AtomicFile::Create(folder + "/MANIFEST", {.sync = sync});
  if (!file.ok()) return file.status();
  Status status = (*file)->file()->Append(checked + bytes);
  return status.ok() ? (*file)->Commit() : status;
}

// Leaves the manifest as it is if there is no file.
inline Status ReadManifest(const std::string& folder, ashlar::TableCache* cache,
                           Manifest* manifest) {
  const std::string path = folder + "/MANIFEST";
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return {};
  std::string bytes;
  Status status = ReadWhole(path, &bytes);
  if (!status.ok()) return status;
  Status damage = Status::Corruption(path + ": damaged manifest");
  Slice rest = bytes;
  uint64_t check = 0;
  if (!TakeNumber(&rest, &check) ||
      check != ashlar::ExtendFileChecksum(0, rest) ||
      !TakeNumber(&rest, &manifest->next_file) ||
      !TakeNumber(&rest, &manifest->log) ||
      !TakeNumber(&rest, &manifest->sequence)) {
    return damage;
  }
  while (!rest.empty()) {
    uint64_t level = 0;
    uint64_t number = 0;
    uint64_t size = 0;
    Slice smallest;
    Slice largest;
    if (!TakeNumber(&rest, &level) || level >= kLevels ||
        !TakeNumber(&rest, &number) || !TakeNumber(&rest, &size) ||
        !TakeString(&rest, &smallest) || !TakeString(&rest, &largest)) {
      return damage;
    }
    auto file = std::make_shared<TableFile>(cache, folder, number);
    file->range = {smallest.ToString(), largest.ToString(), size};
    manifest->version[level].push_back(std::move(file));
  }
  return {};
}

// Deletes what a killed run has left: tables and logs that the manifest does
// not name, and temporary files.
inline Status DeleteStrays(const std::string& folder,
                           const Manifest& manifest) {
  std::set<std::string> named = {LogName(manifest.log)};
  for (const Level& level : manifest.version) {
    for (const auto& file : level) named.insert(TableName(file->number));
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
