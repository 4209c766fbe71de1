// python_library_reads: reads a table as a program in C++ does, for
// python/bench/run.py.
//
//   python_library_reads <table> <keys of 16 bytes each>
//
// For each line of standard input, "get" or "scan", it does the work once and
// prints the seconds. `get` looks up all keys by one MultiGet, and `scan` walks
// over all entries; both look at the size of each value.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/reader_options.h"
#include "ashlar/table/table_reader.h"

namespace {

using Clock = std::chrono::steady_clock;

uint64_t Get(const ashlar::TableReader& table,
             const std::vector<ashlar::Slice>& keys) {
  std::vector<ashlar::GetResult> results(keys.size());
  std::vector<ashlar::Status> statuses(keys.size());
  table.MultiGet(keys, results, statuses);
  uint64_t bytes = 0;
  for (const ashlar::GetResult& result : results) bytes += result.value.size();
  return bytes;
}

uint64_t Scan(const ashlar::TableReader& table) {
  uint64_t bytes = 0;
  ashlar::Iterator entries = table.NewIterator({.fill_cache = false});
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    bytes += entries.user_key().size() + entries.value().size();
  }
  return bytes;
}

int Run(const char* path, const char* keys_path) {
  auto cache = ashlar::NewHyperClockCache({.capacity = size_t{1} << 30});
  if (!cache.ok()) return 1;
  ashlar::ReaderOptions options;
  options.block_cache = std::move(cache).value();
  const auto table = ashlar::TableReader::Open(path, options);
  if (!table.ok()) {
    std::fprintf(stderr, "%s\n", table.status().ToString().c_str());
    return 1;
  }
  std::ifstream file(keys_path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  constexpr size_t kKeyBytes = 16;
  std::vector<ashlar::Slice> keys;
  for (size_t at = 0; at + kKeyBytes <= bytes.size(); at += kKeyBytes) {
    keys.emplace_back(bytes.data() + at, kKeyBytes);
  }
  for (std::string what; std::getline(std::cin, what);) {
    const auto start = Clock::now();
    const uint64_t found = what == "get" ? Get(**table, keys) : Scan(**table);
    const std::chrono::duration<double> seconds = Clock::now() - start;
    if (found == 0) return 1;
    std::printf("%.9f\n", seconds.count());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return Run(argv[1], argv[2]);
}
