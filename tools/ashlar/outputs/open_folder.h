// OpenFolder: a folder that is held open, and the file calls within it.
//
// The commit of a set works through the folder's descriptor, so that a folder
// that is renamed or replaced meanwhile is not mistaken for it. One thread at a
// time.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_OPEN_FOLDER_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_OPEN_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar::tool {

// What shows that a name still belongs to the same file, with the same
// contents. A rename and a hard link keep it.
struct FileMark {
  uint64_t inode = 0;
  uint64_t bytes = 0;
  uint64_t time = 0;  // of the last change, in nanoseconds

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

class OpenFolder {
 public:
  // `path` is empty for the current folder. With `follow` it may be a symbolic
  // link.
  static Result<OpenFolder> Open(const std::string& path, bool follow);
  OpenFolder(OpenFolder&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFolder& operator=(OpenFolder&&) = delete;
  ~OpenFolder();

  int descriptor() const { return descriptor_; }
  // For messages, and for calls that take paths.
  std::string PathOf(const std::string& name) const;

  // In order.
  Result<std::vector<std::string>> Names() const;
  // Nothing where there is no such name. Symbolic links are not followed.
  Result<std::optional<FileMark>> MarkOf(const std::string& name) const;
  // The bytes of a regular file. NotFound where there is no such name,
  // InvalidArgument for anything else and for more than `most` bytes.
  Result<std::string> Read(const std::string& name, size_t most) const;
  // Ok where there is no such name.
  Status Remove(const std::string& name) const;
  // Makes the names in it survive a crash of the machine.
  Status Sync() const;

 private:
  OpenFolder(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

// Takes the lock of an open file without waiting; `operation` is LOCK_SH or
// LOCK_EX. 0, EWOULDBLOCK where another open file has it, or another errno.
int TryLock(int descriptor, int operation);
// Whether this errno of a lock is that of a file system without locks.
bool HasNoLocks(int error);

// renameat2 with RENAME_NOREPLACE, or what does the same where the file system
// does not know it. 0 or errno; *from_stays as in port/posix_io.h.
int RenameToNewName(const OpenFolder& from_folder, const std::string& from,
                    const OpenFolder& to_folder, const std::string& to,
                    bool* from_stays);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_OPEN_FOLDER_H_
