// CustomBlocks: compresses and decompresses blocks by a codec of an
// application, and finds what that codec does wrong.
//
// Used by BlockSource to read, by BlockCompressor to write, and by
// CompressionVerifier to do both. util/custom_codec.h lists the faults that are
// found. To see that a codec wrote beyond its room, a pattern of kGuardBytes is
// put behind the room, and compared afterwards; the slack of Buffer has the
// place.
//
// Any number of threads. A thread that decompresses takes a decompressor off
// the free ones, or has one made, and puts it back. So there are as many as
// threads were ever at work at once, and all end with this object: no thread
// keeps a part of the application's codec.
#ifndef ASHLAR_UTIL_COMPRESS_CUSTOM_BLOCKS_H_
#define ASHLAR_UTIL_COMPRESS_CUSTOM_BLOCKS_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ashlar/util/custom_codec.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "ashlar/util/sync/mutex.h"
#include "util/compress/codec.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// Returns InvalidArgument unless codecs can have this name.
Status CheckCodecName(const CustomCodec& codec);

// Returns InvalidArgument if a pointer is null, a name is wrong, or two codecs
// have one name.
Status CheckCodecs(std::span<const std::shared_ptr<const CustomCodec>> codecs);

// Returns the codec of this name, or null.
std::shared_ptr<const CustomCodec> FindCustomCodec(
    std::span<const std::shared_ptr<const CustomCodec>> codecs,
    std::string_view name);

class CustomBlocks {
 public:
  // `name` is the compatibility name that the file records. `codec` is the
  // codec of that name, or null if nobody gave one.
  CustomBlocks(std::string name, std::shared_ptr<const CustomCodec> codec)
      : name_(std::move(name)), codec_(std::move(codec)) {}

  // Returns whether blocks of this type are decompressed here, and not by a
  // built-in codec. Without a codec all are: what the types mean is not known.
  bool Handles(CompressionType type) const {
    return codec_ == nullptr || codec_->Supports(type);
  }

  // From then on blocks may be compressed against this dictionary. Without a
  // codec it does nothing. Not to be called while others use this object.
  Status TakeDictionary(const Slice& bytes);

  // Returns a compressor for one thread.
  Result<std::unique_ptr<CustomCompressor>> NewCompressor(
      CompressionType type, const CompressionOptions& options) const;
  // Appends the payload of `raw`, at most `room` bytes, to *out. Returns its
  // size in *size; 0: it does not fit. Requires: `compressor` is of this codec.
  Status Compress(CustomCompressor* compressor, const Slice& raw, size_t room,
                  Buffer* out, size_t* size) const;

  // Appends the uncompressed bytes to *out, or fails and appends nothing.
  // Requires: Handles(type).
  Status Decompress(CompressionType type, const Slice& payload,
                    const DecompressLimits& limits, bool with_dictionary,
                    Buffer* out) const;

 private:
  Status Failed(const Status& cause) const;
  Status Broken(std::string what) const;
  Result<std::unique_ptr<CustomDecompressor>> Take() const;
  void PutBack(std::unique_ptr<CustomDecompressor> decompressor) const noexcept;
  Status DecompressBy(CustomDecompressor* decompressor, CompressionType type,
                      const Slice& payload, const DecompressLimits& limits,
                      bool with_dictionary, Buffer* out) const;

  const std::string name_;
  const std::shared_ptr<const CustomCodec> codec_;
  std::unique_ptr<const CustomDictionary> dictionary_;
  mutable Mutex mutex_;
  mutable std::vector<std::unique_ptr<CustomDecompressor>> free_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_CUSTOM_BLOCKS_H_
