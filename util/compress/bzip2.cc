// bzip2: the uncompressed size as varint32, then one whole bzip2 stream. No
// size in format versions 0 and 1. Dictionaries are ignored.
#if ASHLAR_HAVE_BZIP2

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "third-party/bzip2_lib.h"
#include "util/compress/codecs.h"
#include "util/compress/unsized_output.h"

namespace ashlar::internal {

namespace {

constexpr int kBlockSize100k = 1;
constexpr int kWorkFactor = 30;
constexpr size_t kMostStreamBytes = 0x7fffffff;

// The library cannot start again with the working area that it has: it frees
// everything and allocates it again. Here it gets back what it freed, so that a
// block needs no new memory.
class KeptAllocations {
 public:
  KeptAllocations() = default;
  KeptAllocations(const KeptAllocations&) = delete;
  KeptAllocations& operator=(const KeptAllocations&) = delete;
  ~KeptAllocations() {
    for (const Piece& piece : pieces_) std::free(piece.memory);
  }

  void Serve(bz_stream* stream) {
    stream->bzalloc = [](void* self, int n, int m) {
      return static_cast<KeptAllocations*>(self)->Take(static_cast<size_t>(n) *
                                                       static_cast<size_t>(m));
    };
    stream->bzfree = [](void* self, void* memory) {
      static_cast<KeptAllocations*>(self)->GiveBack(memory);
    };
    stream->opaque = this;
  }

 private:
  // A stream allocates at most four.
  static constexpr size_t kPieces = 4;
  struct Piece {
    void* memory = nullptr;
    size_t size = 0;
    bool taken = false;
  };

  void* Take(size_t size) {
    Piece* fresh = nullptr;
    for (Piece& piece : pieces_) {
      if (piece.taken) continue;
      if (piece.size == size) {
        piece.taken = true;
        return piece.memory;
      }
      if (fresh == nullptr || piece.memory == nullptr) fresh = &piece;
    }
    if (fresh == nullptr) return nullptr;
    std::free(fresh->memory);
    fresh->memory = std::malloc(size);
    fresh->size = fresh->memory != nullptr ? size : 0;
    fresh->taken = fresh->memory != nullptr;
    return fresh->memory;
  }

  void GiveBack(const void* memory) {
    if (memory == nullptr) return;
    for (Piece& piece : pieces_) {
      if (piece.memory == memory) piece.taken = false;
    }
  }

  std::array<Piece, kPieces> pieces_;
};

// The library never writes through its input pointer.
char* InputOf(const Slice& slice) { return const_cast<char*>(slice.data()); }

class BZip2Compressor : public Compressor {
 public:
  size_t Compress(const Slice& raw, char* out, size_t capacity) override {
    if (raw.size() > kMaxCompressibleBytes) return 0;
    const size_t prefix = WriteSizePrefix(raw.size(), out, capacity);
    if (prefix == 0) return 0;
    bz_stream stream{};
    allocations_.Serve(&stream);
    const int begun =
        BZ2_bzCompressInit(&stream, kBlockSize100k, 0, kWorkFactor);
    if (begun == BZ_MEM_ERROR) throw std::bad_alloc();
    if (begun != BZ_OK) return 0;
    const size_t room = std::min(capacity - prefix, kMaxCompressibleBytes);
    stream.next_in = InputOf(raw);
    stream.avail_in = static_cast<unsigned>(raw.size());
    stream.next_out = out + prefix;
    stream.avail_out = static_cast<unsigned>(room);
    const int result = BZ2_bzCompress(&stream, BZ_FINISH);
    const size_t length = prefix + room - stream.avail_out;
    BZ2_bzCompressEnd(&stream);
    return result == BZ_STREAM_END ? length : 0;
  }

 private:
  KeptAllocations allocations_;
};

class BZip2Decoder : public BlockDecoder {
 public:
  BZip2Decoder() = default;
  BZip2Decoder(const BZip2Decoder&) = delete;
  BZip2Decoder& operator=(const BZip2Decoder&) = delete;
  ~BZip2Decoder() override { End(); }

  Status Decode(const Slice& body, const CodecDictionary& /*dictionary*/,
                char* out, size_t raw_size) override {
    Status status = Start(body);
    if (!status.ok()) return status;
    size_t made = 0;
    StreamStep did = StreamStep::kDamaged;
    if (raw_size <= kMostStreamBytes) did = Step(out, raw_size, &made);
    if (did == StreamStep::kEnd && made == raw_size) return Status::OK();
    if (did == StreamStep::kNoMemory) return NoMemoryFor("bzip2");
    return Status::Corruption(
        "bzip2 block of " + std::to_string(body.size()) + " bytes: declared " +
        std::to_string(raw_size) + " uncompressed bytes, " +
        (did == StreamStep::kEnd ? "produced " + std::to_string(made)
                                 : "cannot be decompressed to that"));
  }

  Status DecodeUnsized(const Slice& body, const CodecDictionary& /*dictionary*/,
                       size_t limit, Buffer* out) override {
    Status status = Start(body);
    if (!status.ok()) return status;
    return AppendStream(
        "bzip2", limit,
        [this](char* to, size_t room, size_t* made) {
          return Step(to, room, made);
        },
        out);
  }

 private:
  void End() {
    if (begun_) BZ2_bzDecompressEnd(&stream_);
    begun_ = false;
  }

  Status Start(const Slice& body) {
    End();
    if (body.size() > kMostStreamBytes) {
      return Status::Corruption(
          "bzip2 block of " + std::to_string(body.size()) +
          " bytes, expected at most " + std::to_string(kMostStreamBytes));
    }
    stream_ = bz_stream{};
    allocations_.Serve(&stream_);
    begun_ = BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
    if (!begun_) return NoMemoryFor("bzip2");
    stream_.next_in = InputOf(body);
    stream_.avail_in = static_cast<unsigned>(body.size());
    return Status::OK();
  }

  StreamStep Step(char* to, size_t room, size_t* made) {
    stream_.next_out = to;
    stream_.avail_out = static_cast<unsigned>(room);
    const int result = BZ2_bzDecompress(&stream_);
    *made = room - stream_.avail_out;
    if (result == BZ_STREAM_END) {
      return stream_.avail_in == 0 ? StreamStep::kEnd : StreamStep::kDamaged;
    }
    if (result == BZ_MEM_ERROR) return StreamStep::kNoMemory;
    return result == BZ_OK ? StreamStep::kMore : StreamStep::kDamaged;
  }

  KeptAllocations allocations_;
  bz_stream stream_{};
  bool begun_ = false;
};

}  // namespace

CompressionLevelRange BZip2Levels() { return {.min = 0, .max = 0}; }

Status ReadBZip2Size(int compress_format, const Slice& payload,
                     SizedPayload* sized) {
  if (compress_format == 1) {
    *sized = {.raw_size = 0, .body = payload, .has_size = false};
    return Status::OK();
  }
  if (ReadVarintPrefix(payload, sized)) return Status::OK();
  return Status::Corruption("bzip2 block of " + std::to_string(payload.size()) +
                            " bytes: expected its uncompressed size first");
}

std::unique_ptr<Compressor> NewBZip2Compressor(
    const CompressionOptions& /*options*/, const Slice& /*dictionary*/) {
  return std::unique_ptr<Compressor>(new (std::nothrow) BZip2Compressor);
}

std::unique_ptr<BlockDecoder> NewBZip2Decoder() {
  return std::unique_ptr<BlockDecoder>(new (std::nothrow) BZip2Decoder);
}

// Without the date of the release, which follows a comma.
std::string BZip2Version() {
  const std::string_view version = ::BZ2_bzlibVersion();
  return std::string(version.substr(0, version.find(',')));
}

}  // namespace ashlar::internal

#endif  // ASHLAR_HAVE_BZIP2
