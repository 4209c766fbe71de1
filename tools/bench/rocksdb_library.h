// Finds functions in the library next to the program that has all code for
// RocksDB.
#ifndef ASHLAR_TOOLS_BENCH_ROCKSDB_LIBRARY_H_
#define ASHLAR_TOOLS_BENCH_ROCKSDB_LIBRARY_H_

#include <string>

namespace ashlar::bench {

// Returns a function of that library by its name. `binding` has flags of dlopen
// in addition to the usual ones. Returns null and sets *why if the library is
// missing, because no RocksDB was set up when this was built.
void* FindInRocksDbLibrary(const char* function, int binding, std::string* why);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROCKSDB_LIBRARY_H_
