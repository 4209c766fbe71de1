// The files of a folder queue: names, times, and steps that are atomic.
//
// FolderQueue alone uses them; folder_queue.h says what they are for.
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_JOB_FILES_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_JOB_FILES_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/util/status.h"

namespace ashlar_rocksdb {

// A file of pending/ or claimed/.
struct JobFile {
  std::string path;
  std::string id;
  uint64_t attempt = 0;
  std::chrono::nanoseconds time{0};  // of its last change, since 1970
};

// Splits "<id>.<attempt>". Absent: the name is something else, such as a
// temporary one.
std::optional<JobFile> ParseJobFileName(const std::string& name);

// Lists the jobs of a folder, the oldest first. Files that vanish meanwhile are
// left out.
ashlar::Status ListJobs(const std::string& folder, std::vector<JobFile>* files);

// Returns whether an error says that a file is not there.
inline bool IsMissing(const ashlar::Status& status) {
  return status.subcode() == ashlar::Status::SubCode::kPathNotFound;
}

ashlar::Status RenameFile(const std::string& from, const std::string& to);
// Removing what is not there is no error.
ashlar::Status RemoveFile(const std::string& path);
// Sets the file's time to now, by the clock of the file system.
ashlar::Status TouchFile(const std::string& path);
// Makes an empty file if there is none, and sets its time to now.
ashlar::Status MakeAndTouchFile(const std::string& path);
ashlar::Status TimeOfFile(const std::string& path,
                          std::chrono::nanoseconds* time);

// Returns InvalidArgument, which names `id`, if a text is larger than
// kMostJobBytes.
ashlar::Status CheckTextSize(const std::string& id, const std::string& text);
// Gives a whole file its name. Returns InvalidArgument if the name is in use.
ashlar::Status WriteNewFile(const std::string& path, const std::string& text);
// Returns InvalidArgument if the file is larger than kMostJobBytes.
ashlar::Status ReadJobFile(const std::string& path, std::string* text);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_JOB_FILES_H_
