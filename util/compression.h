// The compression codecs of the file format, and the options for compressing.
//
// Applications choose a CompressionType and CompressionOptions in TableOptions.
// Pure functions: thread-safe. The codecs themselves are internal.
#ifndef ASHLAR_UTIL_COMPRESSION_H_
#define ASHLAR_UTIL_COMPRESSION_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"

namespace ashlar {

// The byte after each block in the file. See FORMAT.md, "Compression".
enum class CompressionType : uint8_t {
  kNoCompression = 0x00,
  kSnappyCompression = 0x01,
  kZlibCompression = 0x02,
  kBZip2Compression = 0x03,
  kLZ4Compression = 0x04,
  kLZ4HCCompression = 0x05,
  kXpressCompression = 0x06,
  kZSTD = 0x07,
  // zstd before its format was final. Readers read it like kZSTD. Not written.
  kZSTDNotFinalCompression = 0x40,
};

// How to compress. Each option that belongs to some codecs is ignored by the
// others, unless its comment says otherwise. TableOptions::Validate checks the
// ranges; dumps of a cache and its compressed tier check those of their codec.
struct CompressionOptions {
  // Stands for the codec's default level. RocksDB uses the same number.
  static constexpr int kDefaultLevel = 32767;

  // Compression effort, in the codec's own scale. CompressionLevels returns its
  // range. kDefaultLevel means:
  //   zstd            3
  //   lz4             acceleration 1. Level -n means acceleration n.
  //   lz4hc           9
  //   zlib            -1, which zlib takes as 6
  //   snappy, bzip2   no levels: use kDefaultLevel, or 0
  int level = kDefaultLevel;

  // zlib only. -14 to -9: with -n, matches reach back over 2^n bytes. RocksDB
  // cannot read wider windows.
  int window_bits = -14;

  // zlib only. The strategy, 0 to 4: default, filtered, Huffman only, run
  // lengths, fixed codes.
  int strategy = 0;

  // A block is stored compressed only if its payload is at most this many
  // 1024ths of the uncompressed block. Otherwise it is stored uncompressed. 896
  // means 7/8. 0 means never compress. Must not be negative. Above 1023 counts
  // as 1023.
  int max_compressed_bytes_per_kb = 896;

  // zstd only, and an error with any other codec: adds the codec's own checksum
  // to each frame.
  bool checksum = false;

  // The largest size in bytes of the dictionary that data blocks are compressed
  // against. 0: no dictionary. At most 256 MiB. The dictionary is made of
  // samples of the file itself, and blocks are held back in memory until it is
  // made. Useful if blocks are small and similar to each other. snappy and
  // bzip2 do not use a dictionary, but it is written all the same, as RocksDB
  // does.
  uint32_t max_dict_bytes = 0;

  // zstd only. Bytes of samples from which a dictionary is trained. A hundred
  // times max_dict_bytes is a good size. 0: the samples themselves are the
  // dictionary. If it is not 0, max_dict_bytes must not be 0.
  uint32_t zstd_max_train_bytes = 0;

  // How many bytes of uncompressed blocks the builder holds back for the
  // dictionary. When it has more, it makes the dictionary from them. 0:
  // BuildOptions::target_file_size, or the whole file if that is 0 too. If both
  // are given, the smaller one counts.
  uint64_t max_dict_buffer_bytes = 0;

  // zstd only, and only if zstd_max_train_bytes is not 0. true: zstd's trainer
  // chooses what goes into the dictionary (ZDICT_trainFromBuffer). false: the
  // samples go in as they are, and zstd only adds tables for its entropy coder
  // (ZDICT_finalizeDictionary). That is less work, and compresses less.
  bool use_zstd_dict_trainer = true;
};

// Returns whether this build can both write and read blocks of this type.
ASHLAR_EXPORT bool IsCompressionSupported(CompressionType type);

// Returns every type for which IsCompressionSupported is true, kNoCompression
// first. May throw std::bad_alloc.
ASHLAR_EXPORT std::vector<CompressionType> SupportedCompressionTypes();

// Returns zstd if it is built in, else lz4 if that is, else kNoCompression.
ASHLAR_EXPORT CompressionType DefaultCompressionType();

// Parses "kZSTD", "zstd" and so on, in upper or lower case. Returns
// InvalidArgument for any other text.
ASHLAR_EXPORT Result<CompressionType> ParseCompressionType(
    std::string_view text);

// Returns the word that the property rocksdb.compression uses: "NoCompression",
// "Snappy", "Zlib", "BZip2", "LZ4", "LZ4HC", "Xpress", "ZSTD", "ZSTDNotFinal".
// Any byte may be passed: "Unknown" stands for one that is no known type. The
// text lives forever.
ASHLAR_EXPORT std::string_view CompressionTypeName(CompressionType type);

// Returns the name of the enumerator, such as "kZSTD"; "kUnknown" for any other
// byte. The text lives forever.
ASHLAR_EXPORT std::string_view CompressionTypeEnumName(CompressionType type);

// The range of levels of a codec, both ends included. kDefaultLevel is always
// allowed too. {0, 0} for a codec without levels.
struct CompressionLevelRange {
  int min;
  int max;
};
// Returns the range of levels; {0, 0} also for a type that is not built in.
ASHLAR_EXPORT CompressionLevelRange CompressionLevels(CompressionType type);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_COMPRESSION_H_
