// CompressedSecondaryCache: a second tier in memory, of compressed pieces.
//
// NewCompressedSecondaryCache makes it. It is an LRU cache whose values are the
// pieces. Each piece is one allocation, and is charged what malloc gives for
// it. This class compresses and decompresses, and the LRU cache counts and
// evicts: nothing else keeps a sum. While a piece is decompressed, its handle
// keeps it alive, and no mutex is held. All results are ready at once.
// Thread-safe.
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

  // Returns the cache of the pieces, for tests that look at what is kept.
  Cache& pieces() const { return *pieces_; }

 private:
  bool IsOff() const { return pieces_->GetCapacity() == 0; }
  // Sets *kept to the bytes to keep: `saved` or, in the codec's buffer, fewer.
  // Returns the type of compression they have.
  CompressionType Compress(const Slice& saved, TierCodec* codec,
                           Slice* kept) const;

  const CompressionType type_;
  const CompressionOptions options_;
  const size_t per_kb_;  // 1024ths that may be left of a value
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
