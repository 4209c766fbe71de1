// A clock that a test moves, and a file whose reads take time by it, so that
// tests of deadlines and rates wait for nothing. Any number of threads.
#ifndef ASHLAR_TEST_SUPPORT_MANUAL_CLOCK_H_
#define ASHLAR_TEST_SUPPORT_MANUAL_CLOCK_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ashlar/util/file.h"
#include "ashlar/util/system_clock.h"

namespace ashlar::testing {

// Who sleeps moves it.
class ManualClock final : public SystemClock {
 public:
  uint64_t NowMicros() override { return now_.load(); }
  uint64_t MonotonicMicros() override { return now_.load(); }
  void SleepForMicroseconds(uint64_t micros) override { Advance(micros); }
  void Advance(uint64_t micros) { now_ += micros; }
  // Returns the time `micros` from now, for ReadOptions::deadline.
  std::chrono::microseconds In(uint64_t micros) const {
    return std::chrono::microseconds(
        static_cast<int64_t>(now_.load() + micros));
  }

 private:
  std::atomic<uint64_t> now_{1'700'000'000'000'000};
};

// What the reads of a SlowFile do and have done. One thread at a time.
struct Slowness {
  ManualClock* clock = nullptr;
  uint64_t micros = 0;       // what each read takes
  bool keeps_limit = false;  // whether a read gives up when its time is over
  uint64_t reads = 0;        // those that were begun
  std::vector<int64_t> timeouts;  // those that reads were given, in their order
};

class SlowFile final : public RandomAccessFile {
 public:
  SlowFile(std::unique_ptr<RandomAccessFile> file, Slowness* slowness)
      : file_(std::move(file)), slowness_(*slowness) {}

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    ++slowness_.reads;
    slowness_.clock->Advance(slowness_.micros);
    return file_->Read(offset, n, scratch, data);
  }
  Status ReadWithin(const ReadContext& context, uint64_t offset, size_t n,
                    char* scratch, Slice* data) const override {
    slowness_.timeouts.push_back(context.timeout.count());
    const auto limit = static_cast<uint64_t>(context.timeout.count());
    if (!slowness_.keeps_limit || slowness_.micros <= limit) {
      return Read(offset, n, scratch, data);
    }
    ++slowness_.reads;
    slowness_.clock->Advance(limit);
    return Status::TimedOut("read " + name() + ": gave up");
  }
  void MultiReadWithin(const ReadContext& context,
                       std::span<ReadRequest> requests) const override {
    for (ReadRequest& r : requests) {
      r.status = ReadWithin(context, r.offset, r.size, r.scratch, &r.data);
    }
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  Slowness& slowness_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_MANUAL_CLOCK_H_
