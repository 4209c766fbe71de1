// DumpPace: when a dump or a load has to wait, and when it has to end.
//
// Each piece of work takes its bytes first (Take). The pace waits until the
// rate allows them: the n-th byte is taken no earlier than n / rate after the
// beginning, and time in which nothing was taken is not made up for. One thread
// uses each object.
#ifndef ASHLAR_TABLE_DUMP_DUMP_PACE_H_
#define ASHLAR_TABLE_DUMP_DUMP_PACE_H_

#include <cstdint>
#include <optional>

#include "ashlar/table/cache_dump.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

class DumpPace {
 public:
  // `limits` must outlive it. The deadline counts from now on.
  explicit DumpPace(const CacheDumpLimits& limits);

  // Waits until `bytes` more may be moved, and counts them. Sets *end, and
  // counts nothing, if the deadline has passed, would pass while waiting, or if
  // they would be too many. Returns Aborted if on_progress ended the work.
  Status Take(uint64_t bytes, std::optional<CacheDumpEnd>* end);
  // Counts an entry for on_progress.
  void CountEntry() { ++entries_; }

  uint64_t bytes() const { return bytes_; }

 private:
  Status Report();

  const CacheDumpLimits& limits_;
  CacheDumpClock* const clock_;
  const uint64_t began_at_;  // microseconds, as all times
  uint64_t next_at_;         // when the rate allows the next bytes
  // The part of a microsecond that is to be added to next_at_, in parts of
  // which there are rate_bytes_per_sec in a microsecond.
  uint64_t owed_ = 0;
  uint64_t reported_at_ = 0;
  uint64_t entries_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DUMP_DUMP_PACE_H_
