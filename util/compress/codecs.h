// What each codec's file provides. A codec that is not built in has none of it.
// registry.cc puts these functions into rows, and registry.h says what each
// must do. Thread-safe.

#ifndef ASHLAR_UTIL_COMPRESS_CODECS_H_
#define ASHLAR_UTIL_COMPRESS_CODECS_H_

#include <memory>
#include <string>

#include "util/compress/registry.h"

namespace ashlar::internal {

CompressionLevelRange NoneLevels();
Status ReadNoneSize(int compress_format, const Slice& payload,
                    SizedPayload* sized);
std::unique_ptr<BlockDecoder> NewNoneDecoder();

CompressionLevelRange SnappyLevels();
Status ReadSnappySize(int compress_format, const Slice& payload,
                      SizedPayload* sized);
std::unique_ptr<Compressor> NewSnappyCompressor(const CompressionOptions&,
                                                const Slice& dictionary);
std::unique_ptr<BlockDecoder> NewSnappyDecoder();
std::string SnappyVersion();

CompressionLevelRange Lz4Levels();
Status ReadLz4Size(int compress_format, const Slice& payload,
                   SizedPayload* sized);
std::unique_ptr<Compressor> NewLz4Compressor(const CompressionOptions&,
                                             const Slice& dictionary);
std::unique_ptr<BlockDecoder> NewLz4Decoder();
std::string Lz4Version();

// lz4hc is read with the two functions of lz4.
CompressionLevelRange Lz4HcLevels();
std::unique_ptr<Compressor> NewLz4HcCompressor(const CompressionOptions&,
                                               const Slice& dictionary);

CompressionLevelRange ZlibLevels();
Status ReadZlibSize(int compress_format, const Slice& payload,
                    SizedPayload* sized);
std::unique_ptr<Compressor> NewZlibCompressor(const CompressionOptions&,
                                              const Slice& dictionary);
std::unique_ptr<BlockDecoder> NewZlibDecoder();
std::string ZlibVersion();

CompressionLevelRange BZip2Levels();
Status ReadBZip2Size(int compress_format, const Slice& payload,
                     SizedPayload* sized);
std::unique_ptr<Compressor> NewBZip2Compressor(const CompressionOptions&,
                                               const Slice& dictionary);
std::unique_ptr<BlockDecoder> NewBZip2Decoder();
std::string BZip2Version();

CompressionLevelRange ZstdLevels();
Status ReadZstdSize(int compress_format, const Slice& payload,
                    SizedPayload* sized);
// For a frame without a size prefix, which must say its size itself.
Status ReadZstdFrameSize(int compress_format, const Slice& payload,
                         SizedPayload* sized);
std::unique_ptr<Compressor> NewZstdCompressor(const CompressionOptions&,
                                              const Slice& dictionary);
std::unique_ptr<BlockDecoder> NewZstdDecoder();
std::string ZstdVersion();
std::unique_ptr<DigestedDictionary> DigestZstdDictionary(
    const Slice& dictionary);
std::string TrainZstdDictionary(const CompressionOptions& options,
                                const DictionarySamples& samples);

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_CODECS_H_
