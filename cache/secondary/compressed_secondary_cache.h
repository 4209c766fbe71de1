// CompressedSecondaryCache: a second tier in memory, of compressed pieces.
//
// An LRU cache whose values are the pieces, each one allocation that is charged
// with what malloc gives for it: this file compresses and decompresses, the
// LRU cache counts and evicts, and nobody else keeps a sum. A piece that is
// being decompressed is held by its handle, under no mutex. All results are
// ready at once. Thread-safe.
#ifndef ASHLAR_CACHE_SECONDARY_COMPRESSED_SECONDARY_CACHE_H_
#define ASHLAR_CACHE_SECONDARY_COMPRESSED_SECONDARY_CACHE_H_

#include <memory>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/secondary_cache.h"
#include "cache/secondary/codec_pool.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class CompressedSecondaryCache final : public SecondaryCache {
 public:
  CompressedSecondaryCache(const CompressedSecondaryCacheOptions& options,
                           std::shared_ptr<Cache> pieces);

  const char* Name() const override { return "CompressedSecondaryCache"; }
  Status Insert(const CacheKey& key, const Slice& saved) override;
  bool Touch(const CacheKey& key) override;
  std::unique_ptr<SecondaryCacheResultHandle> Lookup(
      const CacheKey& key) override;
  void Erase(const CacheKey& key) override { pieces_->Erase(key); }
  void SetCapacity(size_t capacity) override { pieces_->SetCapacity(capacity); }
  size_t GetCapacity() const override { return pieces_->GetCapacity(); }
  size_t GetUsage() const override { return pieces_->GetUsage(); }
  SecondaryCacheStats GetStats() const override;

  // Of the pieces; for those who look at what is kept.
  Cache& pieces() const { return *pieces_; }

 private:
  bool IsOff() const { return pieces_->GetCapacity() == 0; }
  // What is to be kept: these bytes or, in the codec's buffer, fewer.
  CompressionType Compress(const Slice& saved, TierCodec* codec,
                           Slice* kept) const;

  const CompressionType type_;
  const CompressionOptions options_;
  const size_t per_kb_;  // how much of 1024 bytes may be left
  const std::shared_ptr<Cache> pieces_;
  CodecPool codecs_;
  RelaxedAtomic<uint64_t> lookups_;
  RelaxedAtomic<uint64_t> hits_;
  RelaxedAtomic<uint64_t> inserts_;
  RelaxedAtomic<uint64_t> failures_;
  RelaxedAtomic<uint64_t> bytes_in_;
  RelaxedAtomic<uint64_t> bytes_stored_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_SECONDARY_COMPRESSED_SECONDARY_CACHE_H_
