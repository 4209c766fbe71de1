#include "ashlar/util/file_checksum.h"

#include "util/hash/crc32c.h"

namespace ashlar {

namespace {

class Crc32cGenerator final : public FileChecksumGenerator {
 public:
  void Update(const Slice& data) override {
    checksum_ = ExtendFileChecksum(checksum_, data);
  }
  std::string Finalize() override {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<char>(checksum_ >> shift & 0xff));
    }
    return bytes;
  }

 private:
  uint32_t checksum_ = 0;
};

class Crc32cFactory final : public FileChecksumGenFactory {
 public:
  std::string_view Name() const override { return "FileChecksumCrc32c"; }
  std::unique_ptr<FileChecksumGenerator> CreateFileChecksumGenerator()
      override {
    return std::make_unique<Crc32cGenerator>();
  }
};

}  // namespace

uint32_t ExtendFileChecksum(uint32_t checksum, const Slice& data) {
  return internal::Crc32cExtend(checksum, data.data(), data.size());
}

std::shared_ptr<FileChecksumGenFactory> GetFileChecksumGenCrc32cFactory() {
  return std::make_shared<Crc32cFactory>();
}

}  // namespace ashlar
