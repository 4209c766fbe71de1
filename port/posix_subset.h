// Hides what Linux has beyond POSIX, so that a compiler on Linux shows whether
// the library needs any of it. The tree of ASHLAR_POSIX_SUBSET includes this
// before every source of the library. On other systems it does nothing.
//
// What POSIX has had only since 2024 is left, if other systems have had it for
// long: getentropy, mkostemp, MAP_ANONYMOUS. So is flock, which is older than
// POSIX.
#ifndef ASHLAR_PORT_POSIX_SUBSET_H_
#define ASHLAR_PORT_POSIX_SUBSET_H_

#if defined(__linux__)

// Each name below must have been declared before it is hidden.
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <thread>

#undef CLOCK_MONOTONIC_COARSE
#undef MADV_HUGEPAGE
#undef MADV_POPULATE_WRITE
#undef MAP_NORESERVE
#undef MAP_POPULATE
#undef O_DIRECT
#undef O_PATH
#undef O_TMPFILE
#undef RENAME_NOREPLACE
#undef RWF_NOWAIT
#undef SYNC_FILE_RANGE_WRITE

#pragma GCC poison syscall getrandom
#pragma GCC poison malloc_usable_size malloc_trim mallinfo2
#pragma GCC poison preadv2 pwritev2 sync_file_range copy_file_range sendfile
#pragma GCC poison fallocate memfd_create tee vmsplice
#pragma GCC poison renameat2 statfs fstatfs statx
#pragma GCC poison sched_getaffinity sched_getcpu getauxval gettid
#pragma GCC poison mremap

#endif

#endif  // ASHLAR_PORT_POSIX_SUBSET_H_
