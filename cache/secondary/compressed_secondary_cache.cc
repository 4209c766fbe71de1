#include "cache/secondary/compressed_secondary_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "ashlar/cache/cache_options.h"
#include "port/usable_bytes.h"
#include "util/compress/registry.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace internal {

namespace {

// The bytes that malloc keeps before each piece.
constexpr size_t kMallocBytes = sizeof(size_t);

// The bytes follow this header.
struct Piece {
  size_t size;
  // Of the value, if the piece is compressed: no codec takes more.
  uint32_t raw_size;
  CompressionType type;

  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  Slice slice() const { return {bytes(), size}; }
};
static_assert(kMaxCompressibleBytes <= UINT32_MAX);

void DestroyPiece(void* value, MemoryAllocator* allocator) {
  if (allocator != nullptr) {
    allocator->Deallocate(value);
  } else {
    std::free(value);
  }
}

constexpr CacheItemOps kPieceOps = {CacheEntryRole::kMisc, DestroyPiece};

// Returns null if there is no memory.
Piece* NewPiece(const Slice& bytes, size_t raw_size, CompressionType type,
                MemoryAllocator* allocator, size_t* charge) {
  if (bytes.size() > SIZE_MAX / 2) return nullptr;
  const size_t wanted = sizeof(Piece) + bytes.size();
  void* const memory =
      allocator != nullptr ? allocator->Allocate(wanted) : std::malloc(wanted);
  if (memory == nullptr) return nullptr;
  auto* const piece =
      new (memory) Piece{.size = bytes.size(),
                         .raw_size = static_cast<uint32_t>(raw_size),
                         .type = type};
  std::memcpy(static_cast<char*>(memory) + sizeof(Piece), bytes.data(),
              bytes.size());
  *charge = allocator != nullptr
                ? allocator->UsableSize(memory, wanted)
                : port::UsableBytes(memory, wanted) + kMallocBytes;
  return piece;
}

// Returns how many bytes may be left of 1024.
size_t MostPerKb(const CompressionOptions& options) {
  return static_cast<size_t>(
      std::clamp(options.max_compressed_bytes_per_kb, 0, 1023));
}

struct ReleaseTo {
  Cache* pieces;
  void operator()(CacheHandle* piece) const { pieces->Release(piece); }
};
using HeldPiece = std::unique_ptr<CacheHandle, ReleaseTo>;

// A result: bytes of its own, or those of a piece that it holds.
class Found final : public SecondaryCacheResultHandle {
 public:
  explicit Found(Buffer bytes) : own_(std::move(bytes)), piece_({}, {}) {}
  explicit Found(HeldPiece piece) : piece_(std::move(piece)) {}

  bool IsReady() override { return true; }
  void Wait() override {}
  std::optional<Slice> Value() override {
    if (piece_ == nullptr) return own_.slice();
    return static_cast<const Piece*>(piece_->value())->slice();
  }

 private:
  Buffer own_;
  const HeldPiece piece_;
};

// Returns null if the piece is damaged or there is no memory.
std::unique_ptr<Found> Decompress(CodecPool* codecs, const Piece& piece,
                                  bool* is_damaged) {
  const CodecPool::Loan codec(codecs);
  if (codec.get() == nullptr) return nullptr;
  Buffer bytes;
  const Status status = OrMemoryLimit([&] {
    return codec->decompressor.Decompress(
        piece.type, /*compress_format=*/2, piece.slice(),
        {.max_uncompressed_bytes = piece.raw_size}, &bytes);
  });
  *is_damaged = !status.ok() && !status.IsMemoryLimit();
  if (!status.ok()) return nullptr;
  return std::unique_ptr<Found>(new (std::nothrow) Found(std::move(bytes)));
}

}  // namespace

CompressedSecondaryCache::CompressedSecondaryCache(
    const CompressedSecondaryCacheOptions& options,
    std::shared_ptr<Cache> pieces)
    : type_(options.compression_type),
      options_(options.compression_opts),
      per_kb_(MostPerKb(options.compression_opts)),
      pieces_(std::move(pieces)) {}

CompressionType CompressedSecondaryCache::Compress(const Slice& saved,
                                                   TierCodec* codec,
                                                   Slice* kept) const {
  *kept = saved;
  if (type_ == CompressionType::kNoCompression) return type_;
  if (codec->compressor == nullptr) {
    auto made = NewCompressor(type_, options_);
    if (!made.ok()) return CompressionType::kNoCompression;
    codec->compressor = std::move(made).value();
  }
  constexpr size_t kLeastRoom = 16;
  const size_t most =
      saved.size() / 1024 * per_kb_ + saved.size() % 1024 * per_kb_ / 1024;
  Buffer& out = codec->compressed;
  out.clear();
  if (most < kLeastRoom || !out.TryReserve(most)) {
    return CompressionType::kNoCompression;
  }
  const size_t size = codec->compressor->Compress(saved, out.data(), most);
  if (size == 0) return CompressionType::kNoCompression;
  *kept = Slice(out.data(), size);
  return type_;
}

Status CompressedSecondaryCache::Insert(const CacheKey& key,
                                        const Slice& saved) {
  if (IsOff()) return {};
  const CodecPool::Loan codec(&codecs_);
  Slice kept = saved;
  CompressionType type = CompressionType::kNoCompression;
  if (codec.get() != nullptr) {
    // Without memory for the codec, the value is kept uncompressed.
    OrMemoryLimit([&] {
      type = Compress(saved, codec.get(), &kept);
      return Status();
    }).IgnoreError();
  }
  MemoryAllocator* const allocator = pieces_->memory_allocator();
  size_t charge = 0;
  Piece* const piece = NewPiece(kept, saved.size(), type, allocator, &charge);
  Status status = piece == nullptr
                      ? Status::MemoryLimit("no memory for a saved value")
                      : pieces_->Insert(key, piece, &kPieceOps, charge);
  if (!status.ok()) {
    failures_.FetchAdd(1);
    if (piece != nullptr) DestroyPiece(piece, allocator);
    return status;
  }
  inserts_.FetchAdd(1);
  bytes_in_.FetchAdd(saved.size());
  bytes_stored_.FetchAdd(kept.size());
  return status;
}

bool CompressedSecondaryCache::Touch(const CacheKey& key) {
  CacheHandle* const piece = pieces_->Lookup(key);
  if (piece == nullptr) return false;
  pieces_->Release(piece);
  return true;
}

std::unique_ptr<SecondaryCacheResultHandle> CompressedSecondaryCache::Lookup(
    const CacheKey& key) {
  if (IsOff()) return nullptr;
  lookups_.FetchAdd(1);
  HeldPiece handle(pieces_->Lookup(key), {pieces_.get()});
  if (handle == nullptr) return nullptr;
  const auto* const piece = static_cast<const Piece*>(handle->value());
  std::unique_ptr<Found> found;
  if (piece->type == CompressionType::kNoCompression) {
    found.reset(new (std::nothrow) Found(std::move(handle)));
  } else {
    bool is_damaged = false;
    found = Decompress(&codecs_, *piece, &is_damaged);
    if (is_damaged) pieces_->Erase(key);
  }
  (found != nullptr ? hits_ : failures_).FetchAdd(1);
  return found;
}

SecondaryCacheStats CompressedSecondaryCache::GetStats() const {
  return {.lookups = lookups_.Load(),
          .hits = hits_.Load(),
          .inserts = inserts_.Load(),
          .failures = failures_.Load(),
          .bytes_in = bytes_in_.Load(),
          .bytes_stored = bytes_stored_.Load(),
          .entries = pieces_->GetOccupancyCount(),
          .usage = GetUsage(),
          .capacity = GetCapacity()};
}

}  // namespace internal

Result<std::shared_ptr<SecondaryCache>> NewCompressedSecondaryCache(
    const CompressedSecondaryCacheOptions& options) {
  return internal::OrMemoryLimit(
      [&]() -> Result<std::shared_ptr<SecondaryCache>> {
        const bool compresses =
            options.compression_type != CompressionType::kNoCompression;
        if (compresses) {
          auto compressor = internal::NewCompressor(options.compression_type,
                                                    options.compression_opts);
          if (!compressor.ok()) return compressor.status();
        }
        LruCacheOptions pieces;
        pieces.capacity = options.capacity;
        pieces.num_shard_bits = options.num_shard_bits;
        // Nothing is known yet about a tier that is off.
        constexpr int kBitsWhenOff = 4;
        if (options.capacity == 0 && options.num_shard_bits < 0) {
          pieces.num_shard_bits = kBitsWhenOff;
        }
        pieces.high_pri_pool_ratio = 0;
        pieces.memory_allocator = options.memory_allocator;
        pieces.hash_seed = options.hash_seed;
        auto made = NewLruCache(pieces);
        if (!made.ok()) return made.status();
        return std::shared_ptr<SecondaryCache>(
            std::make_shared<internal::CompressedSecondaryCache>(
                options, std::move(made).value()));
      });
}

}  // namespace ashlar
