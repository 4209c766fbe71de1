// CodecPool: compressors and decompressors for threads that come and go.
//
// Used by CompressedSecondaryCache. One thread at a time uses a codec, and
// leaves it for the next thread. So there are as many codecs as threads were
// ever at work at once. Thread-safe. Nothing throws, because codecs are needed
// in the middle of an eviction.
#ifndef ASHLAR_CACHE_SECONDARY_CODEC_POOL_H_
#define ASHLAR_CACHE_SECONDARY_CODEC_POOL_H_

#include <memory>
#include <new>
#include <utility>

#include "ashlar/util/sync/mutex.h"
#include "util/compress/codec.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// What one thread needs. `compressor` is null until the thread first
// compresses.
struct TierCodec {
  std::unique_ptr<Compressor> compressor;
  Decompressor decompressor;
  Buffer compressed;
  std::unique_ptr<TierCodec> next_free;
};

class CodecPool {
 public:
  // Holds one codec as long as it lives.
  class Loan {
   public:
    explicit Loan(CodecPool* pool) : pool_(pool), codec_(pool->Take()) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      if (codec_ != nullptr) pool_->Put(std::move(codec_));
    }

    // Returns null if there was no memory for a codec.
    TierCodec* get() const { return codec_.get(); }
    TierCodec* operator->() const { return codec_.get(); }

   private:
    CodecPool* const pool_;
    std::unique_ptr<TierCodec> codec_;
  };

  CodecPool() = default;
  CodecPool(const CodecPool&) = delete;
  CodecPool& operator=(const CodecPool&) = delete;
  // One after the other: a chain of codecs would destroy itself by recursion.
  ~CodecPool() {
    while (free_ != nullptr) free_ = std::move(free_->next_free);
  }

 private:
  std::unique_ptr<TierCodec> Take() {
    {
      const MutexLock lock(&mutex_);
      if (free_ != nullptr) {
        std::unique_ptr<TierCodec> codec = std::move(free_);
        free_ = std::move(codec->next_free);
        return codec;
      }
    }
    return std::unique_ptr<TierCodec>(new (std::nothrow) TierCodec);
  }
  void Put(std::unique_ptr<TierCodec> codec) {
    // The memory of one huge value must not stay forever.
    constexpr size_t kMostKept = size_t{1} << 20;
    if (codec->compressed.capacity() > kMostKept) codec->compressed = Buffer();
    const MutexLock lock(&mutex_);
    codec->next_free = std::move(free_);
    free_ = std::move(codec);
  }

  Mutex mutex_;
  std::unique_ptr<TierCodec> free_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_SECONDARY_CODEC_POOL_H_
