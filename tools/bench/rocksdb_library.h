// The library beside the program that has what drives RocksDB.
#ifndef ASHLAR_TOOLS_BENCH_ROCKSDB_LIBRARY_H_
#define ASHLAR_TOOLS_BENCH_ROCKSDB_LIBRARY_H_

#include <string>

namespace ashlar::bench {

// A function of that library, by name. `binding`: flags of dlopen besides the
// usual ones. Null, and *why, where it is not there: no RocksDB was set up when
// this was built.
void* FindInRocksDbLibrary(const char* function, int binding, std::string* why);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROCKSDB_LIBRARY_H_
