#include "test/support/faulty_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ashlar::testing {

namespace {

Status Injected(std::string_view operation, const std::string& name) {
  return Status::IOError(std::string(operation) + " " + name + ": " +
                         kInjected);
}

class FaultyWritableFile final : public WritableFile {
 public:
  FaultyWritableFile(std::string name, std::string* contents, FaultPlan* plan)
      : name_(std::move(name)), contents_(contents), plan_(plan) {}

  Status Append(const Slice& data) override {
    if (plan_->Next()) return Injected("write", name_);
    contents_->append(data.data(), data.size());
    return {};
  }
  Status Sync() override {
    return plan_->Next() ? Injected("sync", name_) : Status();
  }
  Status Close() override {
    return plan_->Next() ? Injected("close", name_) : Status();
  }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::string* contents_;
  FaultPlan* plan_;
};

class FaultyFile final : public RandomAccessFile {
 public:
  FaultyFile(std::string name, std::string contents, FaultPlan* plan)
      : name_(std::move(name)), contents_(std::move(contents)), plan_(plan) {}

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    const size_t begin =
        std::min(contents_.size(), static_cast<size_t>(offset));
    size_t got = std::min(n, contents_.size() - begin);
    if (plan_->Next()) {
      switch (plan_->kind) {
        case FaultPlan::Kind::kError:
          *data = Slice(scratch, got);  // which means nothing now
          return Injected("read", name_);
        case FaultPlan::Kind::kNothing:
          got = 0;
          break;
        case FaultPlan::Kind::kOneByte:
          got = std::min<size_t>(got, 1);
          break;
        case FaultPlan::Kind::kOneShort:
          got -= std::min<size_t>(got, 1);
          break;
      }
    }
    if (got != 0) std::memcpy(scratch, contents_.data() + begin, got);
    *data = Slice(scratch, got);
    return {};
  }
  uint64_t Size() const override { return contents_.size(); }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::string contents_;
  FaultPlan* plan_;
};

}  // namespace

std::unique_ptr<WritableFile> NewFaultyWritableFile(std::string name,
                                                    std::string* contents,
                                                    FaultPlan* plan) {
  return std::make_unique<FaultyWritableFile>(std::move(name), contents, plan);
}

std::unique_ptr<RandomAccessFile> NewFaultyFile(std::string name,
                                                std::string contents,
                                                FaultPlan* plan) {
  return std::make_unique<FaultyFile>(std::move(name), std::move(contents),
                                      plan);
}

}  // namespace ashlar::testing
