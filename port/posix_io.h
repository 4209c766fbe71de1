// The few file calls of the operating system that Ashlar needs, with the
// retries that POSIX demands.
//
// Used by util/io, and by the table cache for a message. Every function returns
// 0 or an errno value, unless it says otherwise. EINTR is never returned. As
// thread-safe as the system calls themselves.
#ifndef ASHLAR_PORT_POSIX_IO_H_
#define ASHLAR_PORT_POSIX_IO_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::port {

// What offsets, sizes and addresses of direct I/O are multiples of. Devices ask
// for 512 or 4096 bytes.
inline constexpr size_t kDirectPage = 4096;

// Opens a file for reading. On error, *fd is -1.
int OpenForRead(const std::string& path, int* fd);
// Does the same for direct I/O (O_DIRECT). Fails with EINVAL if the file system
// has none.
int OpenForDirectRead(const std::string& path, int* fd);
// Opens a file for writing. Creates or truncates it.
int OpenForWrite(const std::string& path, int* fd);
// Opens a file for writing. Creates it, or leaves its bytes as they are.
int OpenForRewrite(const std::string& path, int* fd);
// Creates a file for writing. Fails with EEXIST if anything has that name.
int CreateNew(const std::string& path, int* fd);
// Creates a file without a name in `folder`, to be written and read, which
// disappears when its last descriptor is closed. Where the file system has no
// such files, it has the name ashlar-XXXXXX for a moment.
int OpenUnnamed(const std::string& folder, int* fd);
// Returns EISDIR, ESPIPE and the like for anything that is not a regular file.
int RegularFileSize(int fd, uint64_t* size);

// Reads n bytes, or fewer if the file ends. *got is the number of bytes read.
int ReadAt(int fd, uint64_t offset, char* to, size_t n, size_t* got);
// Maps the first `size` bytes of the file, to be read in place. Requires: size
// > 0. On error, *bytes is null. They stay mapped after fd is closed, until
// UnmapFile.
int MapFile(int fd, size_t size, const char** bytes);
void UnmapFile(const char* bytes, size_t size);
// Writes all n bytes, with as many calls as that takes.
int WriteAll(int fd, const char* from, size_t n);
// Writes n bytes at `offset` of a file that takes direct I/O. Requires: offset,
// n and the address are multiples of kDirectPage.
int WritePagesAt(int fd, uint64_t offset, const char* from, size_t n);
int SyncData(int fd);
// Does the same, and syncs all that the file system knows of the file.
int SyncAll(int fd);
// Lets the device begin to write these bytes of the file, if they are only in
// memory. First waits for what it has begun before, if `wait`. Fails with
// ENOSYS, EINVAL, ESPIPE or ENOTSUP where that is not possible.
int StartWriting(int fd, uint64_t offset, uint64_t n, bool wait);
// Switches to direct I/O (O_DIRECT). Fails with EINVAL if the file system has
// none.
int MakeDirect(int fd);
int Truncate(int fd, uint64_t size);
// Closes the descriptor, even if it returns an error.
int Close(int fd);
// Returns the number of descriptors that this process may have, or 0 if there
// is no limit or it is not known.
uint64_t DescriptorLimit();

// Makes another descriptor of the same open file.
int Duplicate(int fd, int* copy);
// Takes the lock of an open file without waiting. It is held until the last
// descriptor of the open file is closed, no matter how the process ends.
// Returns EWOULDBLOCK if another open file holds it. Returns 0 on a file system
// without locks.
int TryLock(int fd);
// Sets *count to the number of names that the open file has.
int CountNames(int fd, uint64_t* count);
// Returns whether `path` is a name of the open file.
bool IsNameOf(int fd, const std::string& path);

int Rename(const std::string& from, const std::string& to);
// Fails with EEXIST if `to` exists. Sets *from_stays to true if the file has
// its new name, but the old one could not be removed.
int RenameNoReplace(const std::string& from, const std::string& to,
                    bool* from_stays);
int Remove(const std::string& path);
bool Exists(const std::string& path);
// Returns whether something of that name is neither a regular file nor a
// symbolic link: a folder, a device, a pipe. A file must not be renamed over
// such a thing.
bool IsSpecial(const std::string& path);
// Makes a rename in the folder of `path` survive a crash.
int SyncFolderOf(const std::string& path);

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_POSIX_IO_H_
