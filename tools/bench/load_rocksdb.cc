// Finds the RocksDB engines, in the library next to the program.

#include <dlfcn.h>

#include <string>

#include "tools/bench/cache_engine.h"
#include "tools/bench/engine.h"
#include "tools/bench/rocksdb_library.h"

namespace ashlar::bench {

namespace {

// Returns what the function of this name makes, or null.
template <typename Made>
std::unique_ptr<Made> LoadAndMake(const char* function, int binding,
                                  std::string* why) {
  using Factory = Made* (*)();
  const auto factory =
      reinterpret_cast<Factory>(FindInRocksDbLibrary(function, binding, why));
  return std::unique_ptr<Made>(factory == nullptr ? nullptr : factory());
}

}  // namespace

std::unique_ptr<Engine> LoadRocksDbEngine(bool shared_codecs,
                                          std::string* why) {
  // RocksDB's library exports its own codecs. The codecs that this program has
  // loaded come first, unless the binding is deep.
  return LoadAndMake<Engine>("AshlarBenchEngine",
                             shared_codecs ? 0 : RTLD_DEEPBIND, why);
}

std::unique_ptr<CacheEngine> LoadRocksDbCacheEngine(std::string* why) {
  return LoadAndMake<CacheEngine>("AshlarBenchCacheEngine", 0, why);
}

}  // namespace ashlar::bench
