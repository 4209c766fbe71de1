#include "tools/replay/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>
#include <vector>

#if ASHLAR_HAVE_ZSTD
#include "third-party/zstd_lib.h"
#endif

namespace ashlar::sim {

namespace {

class PlainFile final : public ByteSource {
 public:
  PlainFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile() override { close(descriptor_); }

  Status Read(char* out, size_t n, size_t* got) override {
    *got = 0;
    while (*got < n) {
      const ssize_t count = read(descriptor_, out + *got, n - *got);
      if (count == 0) break;
      if (count > 0) {
        *got += static_cast<size_t>(count);
        offset_ += static_cast<uint64_t>(count);
      } else if (errno != EINTR) {
        return Status::FromErrno("read", path_, errno);
      }
    }
    return Status::OK();
  }
  [[nodiscard]] uint64_t file_offset() const override { return offset_; }

 private:
  const std::string path_;
  const int descriptor_;
  uint64_t offset_ = 0;
};

#if ASHLAR_HAVE_ZSTD

// Decompresses one frame after the other, in pieces, because a trace may be
// larger than memory.
class ZstdFile final : public ByteSource {
 public:
  ZstdFile(std::string path, std::unique_ptr<ByteSource> compressed)
      : path_(std::move(path)),
        compressed_(std::move(compressed)),
        stream_(ZSTD_createDStream()),
        piece_(ZSTD_DStreamInSize()) {}
  ZstdFile(const ZstdFile&) = delete;
  ZstdFile& operator=(const ZstdFile&) = delete;
  ~ZstdFile() override { ZSTD_freeDStream(stream_); }

  Status Read(char* out, size_t n, size_t* got) override {
    if (stream_ == nullptr) return Status::MemoryLimit("no memory for zstd");
    ZSTD_outBuffer output = {out, n, 0};
    while (output.pos < n) {
      if (input_.pos == input_.size) {
        if (Status s = ReadPiece(); !s.ok()) return s;
      }
      const bool at_end = input_.size == 0;
      if (at_end && !inside_frame_) break;
      const size_t before = output.pos;
      const size_t hint = ZSTD_decompressStream(stream_, &output, &input_);
      if (ZSTD_isError(hint) != 0) {
        return Damaged(std::string("zstd: ") + ZSTD_getErrorName(hint));
      }
      inside_frame_ = hint != 0;
      if (at_end && inside_frame_ && output.pos == before) {
        return Damaged("the file ends inside a zstd frame");
      }
    }
    *got = output.pos;
    return Status::OK();
  }
  [[nodiscard]] uint64_t file_offset() const override {
    return compressed_->file_offset();
  }

 private:
  Status ReadPiece() {
    file_offset_ += input_.size;
    size_t size = 0;
    Status s = compressed_->Read(piece_.data(), piece_.size(), &size);
    input_ = {piece_.data(), size, 0};
    return s;
  }
  Status Damaged(const std::string& what) const {
    return Status::Corruption(path_ + ": at byte " +
                              std::to_string(file_offset_ + input_.pos) + ": " +
                              what);
  }

  const std::string path_;
  const std::unique_ptr<ByteSource> compressed_;
  ZSTD_DStream* const stream_;
  std::vector<char> piece_;
  ZSTD_inBuffer input_ = {nullptr, 0, 0};
  uint64_t file_offset_ = 0;  // where the piece begins
  bool inside_frame_ = false;
};

#endif

// Pipes cannot be looked into: their names decide.
bool IsCompressed(const std::string& path, int descriptor) {
  constexpr char kFrameBegin[] = {'\x28', '\xb5', '\x2f', '\xfd'};
  char bytes[sizeof kFrameBegin];
  return path.ends_with(".zst") ||
         (pread(descriptor, bytes, sizeof bytes, 0) == sizeof bytes &&
          std::equal(std::begin(bytes), std::end(bytes), kFrameBegin));
}

}  // namespace

Result<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Status::FromErrno("open", path, errno);
  auto plain = std::make_unique<PlainFile>(path, descriptor);
  if (!IsCompressed(path, descriptor))
    return std::unique_ptr<ByteSource>(std::move(plain));
#if ASHLAR_HAVE_ZSTD
  return std::unique_ptr<ByteSource>(
      std::make_unique<ZstdFile>(path, std::move(plain)));
#else
  return Status::NotSupported(path + ": this program was built without zstd");
#endif
}

}  // namespace ashlar::sim
