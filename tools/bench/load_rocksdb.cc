// Finds the RocksDB engines beside the program.

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <string>

#include "tools/bench/cache_engine.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

namespace {

// What the function of this name makes, or null.
template <typename Made>
std::unique_ptr<Made> LoadAndMake(const char* function, int binding,
                                  std::string* why) {
  char program[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", program, sizeof program);
  std::string path(program, n > 0 ? static_cast<size_t>(n) : 0);
  path.resize(path.find_last_of('/') + 1);
  path += "bench_rocksdb.so";
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | binding);
  if (library == nullptr) {
    *why = ::dlerror();
    return nullptr;
  }
  using Factory = Made* (*)();
  const auto factory = reinterpret_cast<Factory>(::dlsym(library, function));
  if (factory == nullptr) {
    *why = ::dlerror();
    return nullptr;
  }
  return std::unique_ptr<Made>(factory());
}

}  // namespace

std::unique_ptr<Engine> LoadRocksDbEngine(bool shared_codecs,
                                          std::string* why) {
  // RocksDB's library exports the codecs that it carries. What this program has
  // loaded comes before them, unless the binding is deep.
  return LoadAndMake<Engine>("AshlarBenchEngine",
                             shared_codecs ? 0 : RTLD_DEEPBIND, why);
}

std::unique_ptr<CacheEngine> LoadRocksDbCacheEngine(std::string* why) {
  return LoadAndMake<CacheEngine>("AshlarBenchCacheEngine", 0, why);
}

}  // namespace ashlar::bench
