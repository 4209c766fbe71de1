// The compression codecs of the file format, and how to ask for them.
//
// Public: users choose a CompressionType and a level in TableOptions. The
// codecs themselves are internal. All functions here are pure and thread-safe.
#ifndef ASHLAR_UTIL_COMPRESSION_H_
#define ASHLAR_UTIL_COMPRESSION_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"

namespace ashlar {

// The byte behind each block in the file; FORMAT.md, "Compression".
enum class CompressionType : uint8_t {
  kNoCompression = 0x00,
  kSnappyCompression = 0x01,
  kZlibCompression = 0x02,
  kBZip2Compression = 0x03,
  kLZ4Compression = 0x04,
  kLZ4HCCompression = 0x05,
  kXpressCompression = 0x06,
  kZSTD = 0x07,
  // zstd before its format was final. Read like kZSTD, never written.
  kZSTDNotFinalCompression = 0x40,
};

struct CompressionOptions {
  // The same number that RocksDB uses for "the codec's own default".
  static constexpr int kDefaultLevel = 32767;

  // Effort, in the codec's own scale. zstd: 3 when default. lz4: a negative
  // level -n is acceleration n. lz4hc: 9 when default. zlib: -1, which means
  // 6, when default. snappy and bzip2 have none.
  int level = kDefaultLevel;

  // zlib only. -14 to -9: matches reach back over 2^n bytes, for -n. RocksDB
  // reads no wider window.
  int window_bits = -14;

  // zlib only. 0 to 4: default, filtered, Huffman only, runs, fixed codes.
  int strategy = 0;

  // A block is stored compressed only if its payload is at most this many
  // 1024ths of the raw block, else raw. 896 is 7/8; 0 means never compress.
  int max_compressed_bytes_per_kb = 896;

  // zstd only: adds the codec's own checksum to each frame.
  bool checksum = false;

  // Bytes of a dictionary that data blocks are compressed against; 0: none.
  // Made from samples of the file itself, for which blocks are held back in
  // memory. Worth it where blocks are small and like each other. snappy and
  // bzip2 use none, but it is written all the same, as RocksDB does.
  uint32_t max_dict_bytes = 0;

  // zstd only. Bytes of samples that a dictionary of max_dict_bytes is trained
  // with; a hundred times as many are good. 0: the samples are the dictionary.
  uint32_t zstd_max_train_bytes = 0;

  // How many bytes of blocks are held back at most, before the dictionary is
  // made of what there is. 0: BuildOptions::target_file_size, or, if that is 0
  // too, the whole file. The smaller of the two where both are given.
  uint64_t max_dict_buffer_bytes = 0;

  // zstd only: trained; false: made from the samples as they are, with less
  // work and less effect.
  bool use_zstd_dict_trainer = true;
};

// Whether this build can both write and read blocks of this type.
ASHLAR_EXPORT bool IsCompressionSupported(CompressionType type);

// Every type for which the above is true, kNoCompression first.
ASHLAR_EXPORT std::vector<CompressionType> SupportedCompressionTypes();

// zstd, or lz4 where zstd is not built in, or none.
ASHLAR_EXPORT CompressionType DefaultCompressionType();

// "kZSTD", "zstd" and so on, in any case. InvalidArgument for other text.
ASHLAR_EXPORT Result<CompressionType> ParseCompressionType(
    std::string_view text);

// The word that the property rocksdb.compression uses: "NoCompression",
// "Snappy", "Zlib", "BZip2", "LZ4", "LZ4HC", "Xpress", "ZSTD", "ZSTDNotFinal".
// Any byte may be passed; one that is no known type gives "Unknown".
ASHLAR_EXPORT std::string_view CompressionTypeName(CompressionType type);

// The enumerator's own name: "kZSTD". "kUnknown" for other bytes.
ASHLAR_EXPORT std::string_view CompressionTypeEnumName(CompressionType type);

// Level range a codec takes, both inclusive, default apart. {0, 0} for codecs
// without levels.
struct CompressionLevelRange {
  int min;
  int max;
};
ASHLAR_EXPORT CompressionLevelRange CompressionLevels(CompressionType type);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_COMPRESSION_H_
