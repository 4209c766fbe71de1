// The library that is preloaded under a program which links RocksDB:
//
//   LD_PRELOAD=libashlar_rocksdb_preload.so db_bench ...
//
// It takes over the two functions by which RocksDB's block-based factory makes
// readers and builders, and the one that makes hyper clock caches. The dynamic
// linker binds RocksDB's and the program's calls of them to the ones here,
// because RocksDB's library exports them and was not linked with -Bsymbolic.
// The first call decides for the whole process which library does the work:
//
//   the adapter      libashlar_rocksdb.so, found beside this library, if it was
//                    compiled for the release of RocksDB that calls
//   RocksDB itself   otherwise; a line on standard error says why
//
// This library refers to no symbol of RocksDB's. So it does nothing in a
// program without RocksDB, such as a shell that starts the real one. RocksDB
// may also be loaded later, and out of sight of others, as Java's is: it is
// found by the address that calls.
//
// ASHLAR_ROCKSDB_OFF=1 leaves all to RocksDB. taken_over.cc has the other
// variables.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "take_over.h"

namespace ashlar_rocksdb {

// Stands for a class of RocksDB's that is returned. The caller has the room for
// it, and the called function fills it in: this library only passes its address
// on, which the compiler does for a class with a destructor.
struct PassedValue {
  PassedValue() = delete;
  PassedValue(const PassedValue&) = delete;
  ~PassedValue();
  void* first;
};

namespace {

// The functions as the linker names them.
#define ASHLAR_NEW_READER                                                 \
  "_ZNK7rocksdb22BlockBasedTableFactory14NewTableReaderERKNS_11ReadOpti"  \
  "onsERKNS_18TableReaderOptionsEOSt10unique_ptrINS_22RandomAccessFileRe" \
  "aderESt14default_deleteIS8_EEmPS7_INS_11TableReaderES9_ISD_EEb"
#define ASHLAR_NEW_BUILDER                                                \
  "_ZNK7rocksdb22BlockBasedTableFactory15NewTableBuilderERKNS_19TableBui" \
  "lderOptionsEPNS_18WritableFileWriterE"
#define ASHLAR_MAKE_CACHE \
  "_ZNK7rocksdb22HyperClockCacheOptions15MakeSharedCacheEv"
constexpr char kReleaseFunction[] =
    "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";

using NewReader = PassedValue (*)(const void* factory, const void* read_options,
                                  const void* reader_options, void* file,
                                  uint64_t file_size, void* table,
                                  bool prefetch);
using NewBuilder = void* (*)(const void* factory, const void* builder_options,
                             void* file);

using MakeCache = PassedValue (*)(const void* options);

void Say(const std::string& what) {
  std::fprintf(stderr, "libashlar_rocksdb_preload: %s\n", what.c_str());
}

// Returns the path of the library that has the address.
std::string LibraryOf(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

// Returns RocksDB's own functions, which come after this library's. Java's
// RocksDB is out of sight: it is the library that has the calling address.
FactoryFunctions FindStock(const void* caller) {
  void* rocksdb = RTLD_NEXT;
  if (dlsym(rocksdb, ASHLAR_NEW_READER) == nullptr) {
    rocksdb = dlopen(LibraryOf(caller).c_str(), RTLD_LAZY | RTLD_NOLOAD);
  }
  FactoryFunctions stock;
  if (rocksdb == nullptr) return stock;
  stock.new_reader = dlsym(rocksdb, ASHLAR_NEW_READER);
  stock.new_builder = dlsym(rocksdb, ASHLAR_NEW_BUILDER);
  stock.make_cache = dlsym(rocksdb, ASHLAR_MAKE_CACHE);
  return stock;
}

std::string ReleaseOf(void* rocksdb) {
  void* const found = dlsym(rocksdb, kReleaseFunction);
  if (found == nullptr) return "of an unknown release";
  return reinterpret_cast<std::string (*)(bool)>(found)(true);
}

// Returns the adapter's functions; those of `stock` if it cannot be used.
FactoryFunctions FindAdapter(void* rocksdb, const FactoryFunctions& stock) {
  std::string path = LibraryOf(reinterpret_cast<const void*>(&FindStock));
  path.resize(path.rfind('/') + 1);
  path += "libashlar_rocksdb.so";
  void* const adapter = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (adapter == nullptr) {
    Say(std::string("RocksDB does everything itself: ") + dlerror());
    return stock;
  }
  const auto compiled =
      reinterpret_cast<CompiledRelease>(dlsym(adapter, kCompiledReleaseName));
  const auto take_over =
      reinterpret_cast<TakeOver>(dlsym(adapter, kTakeOverName));
  if (compiled == nullptr || take_over == nullptr) {
    Say("RocksDB does everything itself: " + path + " is not the adapter");
    return stock;
  }
  const std::string release = ReleaseOf(rocksdb);
  if (release != compiled()) {
    Say(std::string("RocksDB does everything itself: it is for RocksDB ") +
        compiled() + ", and this is " + release);
    return stock;
  }
  return take_over(stock);
}

FactoryFunctions Decide(const void* caller) {
  const FactoryFunctions stock = FindStock(caller);
  if (stock.new_reader == nullptr || stock.new_builder == nullptr ||
      stock.make_cache == nullptr) {
    // The call cannot go anywhere.
    Say("called by a program without RocksDB's table factory");
    std::abort();
  }
  const char* const off = std::getenv("ASHLAR_ROCKSDB_OFF");
  if (off != nullptr && std::string_view(off) != "0") return stock;
  // From now on the adapter sees RocksDB's symbols, however it was loaded.
  void* const rocksdb = dlopen(LibraryOf(stock.new_reader).c_str(),
                               RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  if (rocksdb == nullptr) return stock;
  return FindAdapter(rocksdb, stock);
}

const FactoryFunctions& Chosen(const void* caller) {
  static const FactoryFunctions chosen = Decide(caller);
  return chosen;
}

}  // namespace

// What RocksDB calls.
__attribute__((visibility("default"))) PassedValue TakenNewReader(
    const void* factory, const void* read_options, const void* reader_options,
    void* file, uint64_t file_size, void* table,
    bool prefetch) __asm__(ASHLAR_NEW_READER);
__attribute__((visibility("default"))) void* TakenNewBuilder(
    const void* factory, const void* builder_options,
    void* file) __asm__(ASHLAR_NEW_BUILDER);
__attribute__((visibility("default"))) PassedValue TakenMakeCache(
    const void* options) __asm__(ASHLAR_MAKE_CACHE);

PassedValue TakenNewReader(const void* factory, const void* read_options,
                           const void* reader_options, void* file,
                           uint64_t file_size, void* table, bool prefetch) {
  const FactoryFunctions& chosen = Chosen(__builtin_return_address(0));
  return reinterpret_cast<NewReader>(chosen.new_reader)(
      factory, read_options, reader_options, file, file_size, table, prefetch);
}

PassedValue TakenMakeCache(const void* options) {
  const FactoryFunctions& chosen = Chosen(__builtin_return_address(0));
  return reinterpret_cast<MakeCache>(chosen.make_cache)(options);
}

void* TakenNewBuilder(const void* factory, const void* builder_options,
                      void* file) {
  const FactoryFunctions& chosen = Chosen(__builtin_return_address(0));
  return reinterpret_cast<NewBuilder>(chosen.new_builder)(
      factory, builder_options, file);
}

}  // namespace ashlar_rocksdb
