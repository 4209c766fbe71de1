// The library that is preloaded under a program which links RocksDB:
//
//   LD_PRELOAD=libashlar_rocksdb_preload.so db_bench ...
//
// It takes over the two functions by which RocksDB's block-based factory makes
// readers and builders. The dynamic linker binds RocksDB's own calls of them to
// the ones here, because RocksDB's library exports them and was not linked with
// -Bsymbolic. The first call decides for the whole process who does the work:
//
//   the adapter      libashlar_rocksdb.so, found beside this library, if it was
//                    compiled for the release of RocksDB that calls
//   RocksDB itself   otherwise; a line on standard error says why
//
// This library refers to no symbol of RocksDB's. So it does nothing in a
// program without RocksDB, such as a shell that starts the real one. RocksDB may
// also be loaded later, and out of sight of others, as Java's is: it is found by
// the address that calls.
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

// Stands for a rocksdb::Status. The caller has the room for it, and the called
// function fills it in: this library only passes its address on, which the
// compiler does for a class with a destructor.
struct PassedStatus {
  PassedStatus() = delete;
  PassedStatus(const PassedStatus&) = delete;
  ~PassedStatus();
  void* first;
};

namespace {

// The functions as the linker names them.
#define ASHLAR_NEW_READER                                                \
  "_ZNK7rocksdb22BlockBasedTableFactory14NewTableReaderERKNS_11ReadOpti" \
  "onsERKNS_18TableReaderOptionsEOSt10unique_ptrINS_22RandomAccessFileRe" \
  "aderESt14default_deleteIS8_EEmPS7_INS_11TableReaderES9_ISD_EEb"
#define ASHLAR_NEW_BUILDER                                               \
  "_ZNK7rocksdb22BlockBasedTableFactory15NewTableBuilderERKNS_19TableBui" \
  "lderOptionsEPNS_18WritableFileWriterE"
constexpr char kReleaseFunction[] =
    "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";

using NewReader = PassedStatus (*)(const void* factory,
                                   const void* read_options,
                                   const void* reader_options, void* file,
                                   uint64_t file_size, void* table,
                                   bool prefetch);
using NewBuilder = void* (*)(const void* factory, const void* builder_options,
                             void* file);

void Say(const std::string& what) {
  std::fprintf(stderr, "libashlar_rocksdb_preload: %s\n", what.c_str());
}

// Returns the path of the library that has the address.
std::string LibraryOf(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

FactoryFunctions FindStock(void* rocksdb) {
  FactoryFunctions stock;
  stock.new_reader = dlsym(rocksdb, ASHLAR_NEW_READER);
  stock.new_builder = dlsym(rocksdb, ASHLAR_NEW_BUILDER);
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
    Say(std::string("steps aside: ") + dlerror());
    return stock;
  }
  const auto compiled = reinterpret_cast<CompiledRelease>(
      dlsym(adapter, kCompiledReleaseName));
  const auto take_over =
      reinterpret_cast<TakeOver>(dlsym(adapter, kTakeOverName));
  if (compiled == nullptr || take_over == nullptr) {
    Say("steps aside: " + path + " is not the adapter");
    return stock;
  }
  const std::string release = ReleaseOf(rocksdb);
  if (release != compiled()) {
    Say(std::string("steps aside: it is for RocksDB ") + compiled() +
        ", and this is " + release);
    return stock;
  }
  return take_over(stock);
}

// `caller` is an address in RocksDB's code.
FactoryFunctions Decide(const void* caller) {
  // From now on RocksDB's symbols are seen by the adapter, however RocksDB was
  // loaded.
  void* const rocksdb = dlopen(LibraryOf(caller).c_str(),
                               RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  const FactoryFunctions stock = FindStock(rocksdb);
  if (rocksdb == nullptr || stock.new_reader == nullptr ||
      stock.new_builder == nullptr) {
    // The call cannot go anywhere.
    Say("RocksDB calls from a library without its table factory");
    std::abort();
  }
  const char* const off = std::getenv("ASHLAR_ROCKSDB_OFF");
  if (off != nullptr && std::string_view(off) != "0") return stock;
  return FindAdapter(rocksdb, stock);
}

const FactoryFunctions& Chosen(const void* caller) {
  static const FactoryFunctions chosen = Decide(caller);
  return chosen;
}

}  // namespace

// What RocksDB calls.
__attribute__((visibility("default"))) PassedStatus TakenNewReader(
    const void* factory, const void* read_options, const void* reader_options,
    void* file, uint64_t file_size, void* table,
    bool prefetch) __asm__(ASHLAR_NEW_READER);
__attribute__((visibility("default"))) void* TakenNewBuilder(
    const void* factory, const void* builder_options,
    void* file) __asm__(ASHLAR_NEW_BUILDER);

PassedStatus TakenNewReader(const void* factory, const void* read_options,
                            const void* reader_options, void* file,
                            uint64_t file_size, void* table, bool prefetch) {
  const FactoryFunctions& chosen = Chosen(__builtin_return_address(0));
  return reinterpret_cast<NewReader>(chosen.new_reader)(
      factory, read_options, reader_options, file, file_size, table, prefetch);
}

void* TakenNewBuilder(const void* factory, const void* builder_options,
                      void* file) {
  const FactoryFunctions& chosen = Chosen(__builtin_return_address(0));
  return reinterpret_cast<NewBuilder>(chosen.new_builder)(
      factory, builder_options, file);
}

}  // namespace ashlar_rocksdb
