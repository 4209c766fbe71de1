// Finds the RocksDB engine beside the program.

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <string>

#include "tools/bench/engine.h"

namespace ashlar::bench {

std::unique_ptr<Engine> LoadRocksDbEngine(bool shared_codecs,
                                          std::string* why) {
  char program[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", program, sizeof program);
  std::string path(program, n > 0 ? static_cast<size_t>(n) : 0);
  path.resize(path.find_last_of('/') + 1);
  path += "bench_rocksdb.so";
  // RocksDB's library exports the codecs that it carries. What this program has
  // loaded comes before them, unless the binding is deep.
  const int binding = shared_codecs ? 0 : RTLD_DEEPBIND;
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | binding);
  if (library == nullptr) {
    *why = ::dlerror();
    return nullptr;
  }
  using Factory = Engine* (*)();
  const auto factory =
      reinterpret_cast<Factory>(::dlsym(library, "AshlarBenchEngine"));
  if (factory == nullptr) {
    *why = ::dlerror();
    return nullptr;
  }
  return std::unique_ptr<Engine>(factory());
}

}  // namespace ashlar::bench
