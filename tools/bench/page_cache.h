// Drops files from the page cache, so that the next read comes from the disk.
#ifndef ASHLAR_TOOLS_BENCH_PAGE_CACHE_H_
#define ASHLAR_TOOLS_BENCH_PAGE_CACHE_H_

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace ashlar::bench {

// Drops each file in the folder whose bytes are on the disk. A file on tmpfs
// stays in memory.
inline void DropFromPageCache(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const int fd = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
  }
}

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_PAGE_CACHE_H_
