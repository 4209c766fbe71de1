// The few file calls of the operating system that Ashlar needs, with the
// retries that POSIX asks for.
//
// Used by util/io only. Every function returns 0 or an errno value; EINTR never
// comes out. Thread-safe as the calls themselves are.
#ifndef ASHLAR_PORT_POSIX_IO_H_
#define ASHLAR_PORT_POSIX_IO_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::port {

// -1 in *fd on error.
int OpenForRead(const std::string& path, int* fd);
// Creates or truncates.
int OpenForWrite(const std::string& path, int* fd);
// Fails with EEXIST where something of that name is.
int CreateNew(const std::string& path, int* fd);
// EISDIR and the like for what is no regular file.
int RegularFileSize(int fd, uint64_t* size);

// Reads until n bytes or the end of the file; *got says how many.
int ReadAt(int fd, uint64_t offset, char* to, size_t n, size_t* got);
// The first `size` bytes of the file, to be read in place; size > 0. Null in
// *bytes on error. They stay when fd is closed, until UnmapFile.
int MapFile(int fd, size_t size, const char** bytes);
void UnmapFile(const char* bytes, size_t size);
// Writes all n bytes, however many calls it takes.
int WriteAll(int fd, const char* from, size_t n);
int SyncData(int fd);
// Closes in any case, also when it returns an error.
int Close(int fd);

// Another descriptor of the same open file.
int Duplicate(int fd, int* copy);
// Takes the lock of an open file without waiting. It is held until the last
// descriptor of the open file is closed, however the process ends. EWOULDBLOCK
// if another open file holds it. A file system without locks: 0.
int TryLock(int fd);
// How many names the open file has.
int CountNames(int fd, uint64_t* count);
// Whether `path` is a name of the open file.
bool IsNameOf(int fd, const std::string& path);

int Rename(const std::string& from, const std::string& to);
// Fails with EEXIST where `to` exists. *from_stays: the file has its new name,
// and the old one, which could not be removed.
int RenameNoReplace(const std::string& from, const std::string& to,
                    bool* from_stays);
int Remove(const std::string& path);
bool Exists(const std::string& path);
// Whether something of that name is neither a regular file nor a symbolic
// link: a folder, a device, a pipe. Such a thing must not be renamed over.
bool IsSpecial(const std::string& path);
// Makes a rename in the folder of `path` survive a crash.
int SyncFolderOf(const std::string& path);

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_POSIX_IO_H_
