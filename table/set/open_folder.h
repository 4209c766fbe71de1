// OpenFolder: a folder that is kept open, and file operations in it.
//
// The commit of a set uses the folder's descriptor, so that it never works in
// another folder, even if the folder is renamed or replaced meanwhile. For one
// thread at a time.
#ifndef ASHLAR_TABLE_SET_OPEN_FOLDER_H_
#define ASHLAR_TABLE_SET_OPEN_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

// Identifies a file and its contents: if a name has the same mark later, it
// still belongs to the same file, with the same contents. A rename or a hard
// link keeps the mark.
struct FileMark {
  uint64_t inode = 0;
  uint64_t bytes = 0;
  uint64_t time = 0;  // of the last modification, in nanoseconds

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

class OpenFolder {
 public:
  // Opens a folder. `path` is empty for the current folder. If `follow` is
  // true, it may be a symbolic link.
  static Result<OpenFolder> Open(const std::string& path, bool follow);
  OpenFolder(OpenFolder&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFolder& operator=(OpenFolder&&) = delete;
  ~OpenFolder();

  int descriptor() const { return descriptor_; }
  // Returns the path of a name, for messages and for calls that take paths.
  std::string PathOf(const std::string& name) const;

  // Returns all names in the folder, sorted.
  Result<std::vector<std::string>> Names() const;
  // Returns nothing if there is no such name. Does not follow symbolic links.
  Result<std::optional<FileMark>> MarkOf(const std::string& name) const;
  // Returns the bytes of a regular file. Returns NotFound if there is no such
  // name, and InvalidArgument if it is not a regular file or has more than
  // `most` bytes.
  Result<std::string> Read(const std::string& name, size_t most) const;
  // Removes a name. Returns ok if there is no such name.
  Status Remove(const std::string& name) const;
  // Syncs the folder, so that its names survive a crash of the machine.
  Status Sync() const;

 private:
  OpenFolder(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

// Locks an open file without waiting. `operation` is LOCK_SH or LOCK_EX.
// Returns 0, EWOULDBLOCK if another open file has the lock, or another errno.
int TryLock(int descriptor, int operation);
// Returns whether this errno of a lock means that the file system has no locks.
bool HasNoLocks(int error);

// Renames a file, and never replaces one: calls renameat2 with
// RENAME_NOREPLACE, or does the same with other calls if the file system does
// not support it. Returns 0 or errno. *from_stays is as in port/posix_io.h.
int RenameToNewName(const OpenFolder& from_folder, const std::string& from,
                    const OpenFolder& to_folder, const std::string& to,
                    bool* from_stays);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SET_OPEN_FOLDER_H_
