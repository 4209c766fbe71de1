#include "scanned_ranges.h"

#include <algorithm>
#include <vector>

#include "conversions.h"
#include "read_options.h"

namespace ashlar_rocksdb {

namespace {

// A run of ranges, and about where it is in the file.
struct Run {
  ashlar::Slice begin;
  ashlar::Slice end;
  uint64_t from = 0;
  uint64_t to = 0;
};

std::vector<Run> RunsOf(const ashlar::TableReader& reader,
                        const rocksdb::MultiScanArgs& scans) {
  std::vector<Run> runs;
  for (const rocksdb::ScanOptions& scan : scans.GetScanRanges()) {
    Run run = {.begin = ToAshlar(*scan.range.start),
               .end = ToAshlar(*scan.range.limit)};
    run.from = reader.ApproximateOffsetOf(run.begin);
    run.to = std::max(run.from, reader.ApproximateOffsetOf(run.end));
    if (!runs.empty() &&
        run.from <= runs.back().to + scans.io_coalesce_threshold) {
      runs.back().end = run.end;
      runs.back().to = std::max(runs.back().to, run.to);
    } else {
      runs.push_back(run);
    }
  }
  return runs;
}

}  // namespace

void ReadRangesAhead(const ashlar::TableReader& reader,
                     const rocksdb::ReadOptions& read_options,
                     const rocksdb::MultiScanArgs& scans, uint64_t most_bytes) {
  const ashlar::ReadOptions options = ReadOptionsFrom(read_options);
  for (const Run& run : RunsOf(reader, scans)) {
    const uint64_t bytes = run.to - run.from;
    if (bytes > most_bytes) return;
    most_bytes -= bytes;
    if (!reader.Prefetch(options, &run.begin, &run.end).ok()) return;
  }
}

}  // namespace ashlar_rocksdb
