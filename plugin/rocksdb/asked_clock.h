// RocksDB's clock as Ashlar's, so that deadlines are those of its clock, which
// may not be the system's.
#ifndef ASHLAR_PLUGIN_ROCKSDB_ASKED_CLOCK_H_
#define ASHLAR_PLUGIN_ROCKSDB_ASKED_CLOCK_H_

#include <cstdint>

#include "ashlar/util/system_clock.h"
#include "rocksdb/system_clock.h"

namespace ashlar_rocksdb {

// `theirs` must outlive it.
class AskedClock final : public ashlar::SystemClock {
 public:
  explicit AskedClock(rocksdb::SystemClock* theirs) : theirs_(theirs) {}

  uint64_t NowMicros() override { return theirs_->NowMicros(); }
  uint64_t MonotonicMicros() override {
    constexpr uint64_t kNanosOfMicro = 1000;
    return theirs_->NowNanos() / kNanosOfMicro;
  }
  void SleepForMicroseconds(uint64_t micros) override {
    theirs_->SleepForMicroseconds(static_cast<int>(micros));
  }

 private:
  rocksdb::SystemClock* const theirs_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_ASKED_CLOCK_H_
