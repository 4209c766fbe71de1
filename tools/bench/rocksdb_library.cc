#include "tools/bench/rocksdb_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>

namespace ashlar::bench {

void* FindInRocksDbLibrary(const char* function, int binding,
                           std::string* why) {
  char program[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", program, sizeof program);
  std::string path(program, n > 0 ? static_cast<size_t>(n) : 0);
  path.resize(path.find_last_of('/') + 1);
  path += "bench_rocksdb.so";
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | binding);
  void* const found = library == nullptr ? nullptr : ::dlsym(library, function);
  if (found == nullptr) *why = ::dlerror();
  return found;
}

}  // namespace ashlar::bench
