// The one function by which the preloaded library calls the adapter.
//
// The preloaded library knows no class of RocksDB's, so that it does no harm in
// a program that has another release of it, or none. Functions are passed as
// addresses: of RocksDB's
//   BlockBasedTableFactory::NewTableReader and ::NewTableBuilder,
//   HyperClockCacheOptions::MakeSharedCache,
// with the object as their first argument.
#ifndef ASHLAR_PLUGIN_ROCKSDB_PRELOAD_TAKE_OVER_H_
#define ASHLAR_PLUGIN_ROCKSDB_PRELOAD_TAKE_OVER_H_

namespace ashlar_rocksdb {

struct FactoryFunctions {
  void* new_reader = nullptr;
  void* new_builder = nullptr;
  void* make_cache = nullptr;
};

// The release of RocksDB that the adapter was compiled for: "11.8.1".
using CompiledRelease = const char* (*)();
inline constexpr char kCompiledReleaseName[] =
    "ashlar_rocksdb_compiled_release";

// Returns what to call in place of `stock`. To be called once a process.
using TakeOver = FactoryFunctions (*)(const FactoryFunctions& stock);
inline constexpr char kTakeOverName[] = "ashlar_rocksdb_take_over";

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_PRELOAD_TAKE_OVER_H_
