// Reads a trace from a file. The end of its name gives the format:
//
//   name.u64            keys of 8 bytes, little-endian
//   name.oracleGeneral  records of 24 bytes, as other simulators have them, of
//                       which only the key is used
//   name.csv            lines of fields, one of which is the key
//   name.blocktrace     a trace of a block cache, of Ashlar or RocksDB; files
//                       of other names too, if their first bytes say so
//
// Each may be compressed: name.u64.zst.
#ifndef ASHLAR_TOOLS_CACHE_SIM_READ_TRACE_H_
#define ASHLAR_TOOLS_CACHE_SIM_READ_TRACE_H_

#include <cstdint>
#include <string>

#include "ashlar/util/status.h"
#include "tools/cache_sim/trace.h"

namespace ashlar::sim {

struct ReadTraceOptions {
  std::string format;  // "u64", "oracleGeneral", "csv", "blocktrace"; empty: by
                       // the name
  uint64_t most_accesses = UINT64_MAX;
  uint32_t csv_column = 1;  // the key's column, from 1
  bool csv_header = false;  // the first line names the columns
};

Status ReadTrace(const std::string& path, const ReadTraceOptions& options,
                 Trace* trace);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_READ_TRACE_H_
