// Reads the accesses of a trace from CSV (RFC 4180): one line per access.
//
// A key may be any text. For one thread at a time.
#ifndef ASHLAR_TOOLS_CACHE_SIM_CSV_TRACE_H_
#define ASHLAR_TOOLS_CACHE_SIM_CSV_TRACE_H_

#include <string>

#include "ashlar/util/status.h"
#include "tools/cache_sim/read_trace.h"
#include "tools/cache_sim/trace.h"
#include "tools/replay/byte_source.h"

namespace ashlar::sim {

// Reads until the end, or until the builder is full. Errors name the file and
// the line.
Status ReadCsv(const std::string& path, const ReadTraceOptions& options,
               ByteSource* source, TraceBuilder* builder);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_CSV_TRACE_H_
