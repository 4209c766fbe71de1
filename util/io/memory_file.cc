// Files that are bytes in memory.

#include <cstring>

#include "ashlar/util/file.h"

namespace ashlar {

namespace {

class MemoryFile final : public RandomAccessFile {
 public:
  MemoryFile(std::string name, std::string contents)
      : name_(std::move(name)), contents_(std::move(contents)) {}

  Status Read(uint64_t offset, size_t n, char*, Slice* data) const override {
    if (offset >= contents_.size()) {
      *data = Slice();
      return {};
    }
    const size_t left = contents_.size() - static_cast<size_t>(offset);
    *data = Slice(contents_.data() + offset, n < left ? n : left);
    return {};
  }
  uint64_t Size() const override { return contents_.size(); }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::string contents_;
};

class MemoryWritableFile final : public WritableFile {
 public:
  MemoryWritableFile(std::string name, std::string* contents)
      : name_(std::move(name)), contents_(contents) {}

  Status Append(const Slice& data) override {
    contents_->append(data.data(), data.size());
    return {};
  }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::string* contents_;
};

}  // namespace

std::unique_ptr<RandomAccessFile> NewMemoryFile(std::string name,
                                                std::string contents) {
  return std::make_unique<MemoryFile>(std::move(name), std::move(contents));
}

std::unique_ptr<WritableFile> NewMemoryWritableFile(std::string name,
                                                    std::string* contents) {
  return std::make_unique<MemoryWritableFile>(std::move(name), contents);
}

}  // namespace ashlar
