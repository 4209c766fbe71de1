// The benchmarks indexparse and indexfind: the index blocks of tables, which
// are uncompressed and in memory, are parsed and searched.
#ifndef ASHLAR_TOOLS_BENCH_ASHLAR_INDEX_H_
#define ASHLAR_TOOLS_BENCH_ASHLAR_INDEX_H_

#include <string>

#include "ashlar/util/status.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

// indexparse: parses one index again and again; an operation is one data block.
// indexfind: searches options.tables indexes, of which each search draws one,
// and looks at the block's handle and slot hint; an operation is one search.
// result->file_bytes is the memory of one index, and result->bytes the size of
// the index blocks that were parsed.
Status RunIndex(const std::string& benchmark, const BenchOptions& options,
                const Workload& workload, RunResult* result);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ASHLAR_INDEX_H_
