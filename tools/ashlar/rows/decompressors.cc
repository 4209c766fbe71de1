#include "tools/ashlar/rows/decompressors.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#if ASHLAR_HAVE_ZLIB
#include "third-party/zlib_lib.h"
#endif
#if ASHLAR_HAVE_ZSTD
#include "third-party/zstd_lib.h"
#endif

namespace ashlar::tool {
namespace {

constexpr std::string_view kGzipMark = "\x1f\x8b";
constexpr std::string_view kZstdMark = "\x28\xb5\x2f\xfd";
static_assert(kZstdMark.size() == kFormBytes);

// pzstd begins with a frame that decoders skip. There are sixteen kinds.
bool BeginsSkippableFrame(std::string_view first) {
  constexpr std::string_view kRest = "\x2a\x4d\x18";
  constexpr unsigned char kKinds = 0x50;
  return first.size() >= kFormBytes &&
         (static_cast<unsigned char>(first[0]) & 0xf0) == kKinds &&
         first.substr(1).starts_with(kRest);
}

#if ASHLAR_HAVE_ZLIB

class Gzip final : public Decompressor {
 public:
  Gzip() = default;
  ~Gzip() override {
    if (is_ready_) inflateEnd(&stream_);
  }

  Status Begin() {
    constexpr int kGzipAlone = 16;  // added to the window bits
    is_ready_ = inflateInit2(&stream_, MAX_WBITS + kGzipAlone) == Z_OK;
    return is_ready_ ? Status() : Status::OutOfMemory();
  }

  Status Step(Slice* stored, char* to, size_t capacity, size_t* size) override {
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    // Tapes fill the last block with zeros.
    while (between_members_ && !stored->empty() && (*stored)[0] == '\0') {
      stored->remove_prefix(1);
    }
    if (between_members_ && stored->empty()) {
      *size = 0;
      return {};
    }
    if (between_members_) {
      // The library checks that a further member begins as one.
      if (inflateReset(&stream_) != Z_OK) return Status::OutOfMemory();
      between_members_ = false;
    }
    const size_t given = std::min(stored->size(), kMost);
    const size_t room = std::min(capacity, kMost);
    // The library does not write to its input.
    stream_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(stored->data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    stored->remove_prefix(given - stream_.avail_in);
    *size = room - stream_.avail_out;
    switch (result) {
      case Z_STREAM_END:
        between_members_ = true;
        return {};
      case Z_OK:
      case Z_BUF_ERROR:  // it needs more
        return {};
      case Z_MEM_ERROR:
        return Status::OutOfMemory();
      default:
        return Status::Corruption(stream_.msg == nullptr
                                      ? "bad gzip data"
                                      : std::string("bad gzip data: ") +
                                            stream_.msg);
    }
  }
  bool MayEnd() const override { return between_members_; }
  const char* name() const override { return "gzip member"; }

 private:
  z_stream stream_ = {};
  bool is_ready_ = false;
  bool between_members_ = false;
};

#endif
#if ASHLAR_HAVE_ZSTD

class Zstd final : public Decompressor {
 public:
  Zstd() : stream_(ZSTD_createDStream()) {}
  ~Zstd() override { ZSTD_freeDStream(stream_); }

  Status Begin() {
    return stream_ == nullptr ? Status::OutOfMemory() : Status();
  }

  Status Step(Slice* stored, char* to, size_t capacity, size_t* size) override {
    ZSTD_inBuffer in = {stored->data(), stored->size(), 0};
    ZSTD_outBuffer out = {to, capacity, 0};
    const size_t left = ZSTD_decompressStream(stream_, &out, &in);
    stored->remove_prefix(in.pos);
    *size = out.pos;
    if (ZSTD_isError(left)) {
      if (ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge) {
        return Status::NotSupported(
            "a zstd frame with a window of more than 128 MiB");
      }
      return Status::Corruption(std::string("bad zstd data: ") +
                                ZSTD_getErrorName(left));
    }
    // A call without input and output says nothing new.
    if (in.pos != 0 || out.pos != 0) between_frames_ = left == 0;
    return {};
  }
  bool MayEnd() const override { return between_frames_; }
  const char* name() const override { return "zstd frame"; }

 private:
  ZSTD_DStream* const stream_;
  bool between_frames_ = false;
};

#endif

template <typename Form>
Status Make(std::unique_ptr<Decompressor>* decompressor) {
  auto made = std::make_unique<Form>();
  Status status = made->Begin();
  if (status.ok()) *decompressor = std::move(made);
  return status;
}

}  // namespace

Status FindDecompressor(const Slice& first_bytes,
                        std::unique_ptr<Decompressor>* decompressor) {
  decompressor->reset();
  const std::string_view first = first_bytes.ToStringView();
  if (first.starts_with(kGzipMark)) {
#if ASHLAR_HAVE_ZLIB
    return Make<Gzip>(decompressor);
#else
    return Status::NotSupported(
        "it is compressed by gzip, and this program was built without zlib");
#endif
  }
  if (first.starts_with(kZstdMark) || BeginsSkippableFrame(first)) {
#if ASHLAR_HAVE_ZSTD
    return Make<Zstd>(decompressor);
#else
    return Status::NotSupported(
        "it is compressed by zstd, and this program was built without zstd");
#endif
  }
  return {};
}

}  // namespace ashlar::tool
