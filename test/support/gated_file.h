// A file in memory whose reads a test can hold up, fail and count, by their
// offset. Any number of threads may read it.
#ifndef ASHLAR_TEST_SUPPORT_GATED_FILE_H_
#define ASHLAR_TEST_SUPPORT_GATED_FILE_H_

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "ashlar/util/file.h"

namespace ashlar::testing {

// Controls a GatedFile, which must not outlive it.
class Gates {
 public:
  // The next read at `offset` waits until the next Open.
  void Hold(uint64_t offset) {
    const std::scoped_lock lock(mutex_);
    held_.insert(offset);
  }
  // The next read at `offset` fails. If Hold applies to it too, it fails after
  // Open.
  void Fail(uint64_t offset) {
    const std::scoped_lock lock(mutex_);
    failing_.insert(offset);
  }
  void Open() {
    const std::scoped_lock lock(mutex_);
    ++opened_;
    held_.clear();
    changed_.notify_all();
  }
  // Waits until `n` reads at `offset` have begun.
  void AwaitReads(uint64_t offset, int n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reads_[offset] >= n; });
  }
  int Reads(uint64_t offset) {
    const std::scoped_lock lock(mutex_);
    return reads_[offset];
  }
  uint64_t last_offset() {
    const std::scoped_lock lock(mutex_);
    return last_offset_;
  }

  // Waits if the read is held up. Returns true if the read must fail.
  bool Pass(uint64_t offset) {
    std::unique_lock lock(mutex_);
    ++reads_[offset];
    last_offset_ = offset;
    changed_.notify_all();
    if (held_.erase(offset) != 0) {
      const int before = opened_;
      changed_.wait(lock, [&] { return opened_ != before; });
    }
    return failing_.erase(offset) != 0;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<uint64_t> held_;
  std::set<uint64_t> failing_;
  std::map<uint64_t, int> reads_;
  uint64_t last_offset_ = 0;
  int opened_ = 0;
};

class GatedFile final : public RandomAccessFile {
 public:
  GatedFile(std::string contents, Gates* gates)
      : file_(NewMemoryFile("gated.sst", std::move(contents))), gates_(gates) {}

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    if (gates_->Pass(offset)) return Status::IOError("read gated.sst: failed");
    return file_->Read(offset, n, scratch, data);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  Gates* const gates_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_GATED_FILE_H_
