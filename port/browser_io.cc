// Files in a browser: the one that a person has chosen on the page, which can
// be read and nothing else. Everything else fails with ENOSYS.
//
// The three functions at the top are those of the page (tools/web/file.js).
// They read the pieces of the file that are asked for, so that a file of any
// size can be open.
#include <cerrno>

#include "port/posix_io.h"

// The names are those by which JavaScript knows them. Offsets and sizes are
// doubles, which is what a browser has for them.
extern "C" {
// Returns a descriptor, or -1 if the file is not the chosen one.
int ashlar_open_file(const char* path);
double ashlar_file_bytes(int fd);
// Returns how many bytes it has read, or -1 if the browser could not.
int ashlar_read_file(int fd, double offset, char* to, size_t n);
}

namespace ashlar::port {

int OpenForRead(const std::string& path, int* fd) {
  *fd = ashlar_open_file(path.c_str());
  return *fd < 0 ? ENOENT : 0;
}

int RegularFileSize(int fd, uint64_t* size) {
  *size = static_cast<uint64_t>(ashlar_file_bytes(fd));
  return 0;
}

int ReadAt(int fd, uint64_t offset, char* to, size_t n, size_t* got) {
  *got = 0;
  const int read = ashlar_read_file(fd, static_cast<double>(offset), to, n);
  if (read < 0) return EIO;
  *got = static_cast<size_t>(read);
  return 0;
}

int Close(int) { return 0; }

bool Exists(const std::string& path) {
  return ashlar_open_file(path.c_str()) >= 0;
}

bool IsSpecial(const std::string&) { return false; }

bool IsNameOf(int, const std::string&) { return false; }

uint64_t DescriptorLimit() { return 0; }

void UnmapFile(const char*, size_t) {}

namespace {

int FailToOpen(int* fd) {
  *fd = -1;
  return ENOSYS;
}

}  // namespace

// EINVAL stands for a file system without direct I/O.
int OpenForDirectRead(const std::string&, int* fd) {
  *fd = -1;
  return EINVAL;
}

int OpenForWrite(const std::string&, int* fd) { return FailToOpen(fd); }
int OpenForRewrite(const std::string&, int* fd) { return FailToOpen(fd); }
int CreateNew(const std::string&, int* fd) { return FailToOpen(fd); }
int OpenUnnamed(const std::string&, int* fd) { return FailToOpen(fd); }
int Duplicate(int, int* copy) { return FailToOpen(copy); }

int MapFile(int, size_t, const char** bytes) {
  *bytes = nullptr;
  return ENOSYS;
}

int RenameNoReplace(const std::string&, const std::string&, bool* from_stays) {
  *from_stays = false;
  return ENOSYS;
}

int WriteAll(int, const char*, size_t) { return ENOSYS; }
int WritePagesAt(int, uint64_t, const char*, size_t) { return ENOSYS; }
int SyncData(int) { return ENOSYS; }
int SyncAll(int) { return ENOSYS; }
int StartWriting(int, uint64_t, uint64_t, bool) { return ENOSYS; }
int MakeDirect(int) { return EINVAL; }
int Truncate(int, uint64_t) { return ENOSYS; }
int TryLock(int) { return ENOSYS; }
int CountNames(int, uint64_t*) { return ENOSYS; }
int Rename(const std::string&, const std::string&) { return ENOSYS; }
int Remove(const std::string&) { return ENOSYS; }
int SyncFolderOf(const std::string&) { return ENOSYS; }

}  // namespace ashlar::port
