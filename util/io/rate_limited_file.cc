// A file of any kind whose appends ask a rate limiter.

#include <memory>
#include <string>
#include <utility>

#include "ashlar/util/file.h"
#include "util/io/write_rate.h"

namespace ashlar {

namespace {

class RateLimitedFile final : public WritableFile {
 public:
  RateLimitedFile(std::unique_ptr<WritableFile> file,
                  std::shared_ptr<RateLimiter> limiter, IoPriority priority)
      : file_(std::move(file)), rate_(std::move(limiter), priority) {}

  Status Append(const Slice& data) override {
    return rate_.Pass(
        data, 1, [this](const Slice& piece) { return file_->Append(piece); });
  }
  Status Sync() override { return file_->Sync(); }
  Status Close() override { return file_->Close(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<WritableFile> file_;
  const internal::WriteRate rate_;
};

}  // namespace

std::unique_ptr<WritableFile> NewRateLimitedFile(
    std::unique_ptr<WritableFile> file, std::shared_ptr<RateLimiter> limiter,
    IoPriority priority) {
  return std::make_unique<RateLimitedFile>(std::move(file), std::move(limiter),
                                           priority);
}

}  // namespace ashlar
