// The walks of the benchmarks readmerged and seekmerged: the same loops for the
// iterators of both libraries, so that only the libraries differ.
#ifndef ASHLAR_TOOLS_BENCH_MERGED_WALKS_H_
#define ASHLAR_TOOLS_BENCH_MERGED_WALKS_H_

#include <cstdint>
#include <string>

#include "tools/bench/engine.h"
#include "tools/bench/key_draw.h"
#include "tools/bench/workload.h"

namespace ashlar::bench {

// Walks over all entries. Returns the iterator's status.
template <typename Walk>
auto WalkAll(Walk* it, RunResult* result) {
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ++result->found;
    result->bytes += it->key().size() + it->value().size();
  }
  result->operations = result->found;
  return it->status();
}

// Seeks random keys, with one iterator, and walks over kMergedEntries from each
// of them.
template <typename Walk>
auto SeekAll(const BenchOptions& options, const Workload& workload, Walk* it,
             RunResult* result) {
  KeyDraw draw = DrawOfRanges(options, kMergedEntries, options.workload.seed);
  std::string key(workload.key_size(), '\0');
  for (uint64_t i = 0; i < options.num_reads(); ++i) {
    workload.Key(draw.Next(), key.data());
    it->Seek(key);
    for (uint64_t n = 0; n < kMergedEntries && it->Valid(); ++n) {
      ++result->found;
      result->bytes += it->key().size() + it->value().size();
      it->Next();
    }
    if (!it->status().ok()) break;
  }
  result->operations = options.num_reads();
  return it->status();
}

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_MERGED_WALKS_H_
