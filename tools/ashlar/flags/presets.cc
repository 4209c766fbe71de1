#include "tools/ashlar/flags/presets.h"

#include <string>
#include <string_view>

#include "ashlar/util/compression.h"

namespace ashlar::tool {
namespace {

// The help of --preset has the size and the time that each gives.
struct Preset {
  std::string_view name;
  std::string_view codec;
  int32_t level;
  uint64_t block_bytes;
  uint32_t dictionary_bytes;  // 0: no dictionary
};
constexpr Preset kPresets[] = {
    {"fast", "lz4", CompressionOptions::kDefaultLevel, 16384, 0},
    {"balanced", "zstd", CompressionOptions::kDefaultLevel, 16384, 0},
    {"small", "zstd", 9, 16384, 65536},
    {"archive", "zstd", 19, 65536, 262144},
};
// RocksDB's advice: samples of a hundred times the dictionary.
constexpr uint32_t kSamplesPerDictionary = 100;

// Codecs have several names.
bool IsCodec(const std::string& name, const Preset& preset) {
  const auto given = ParseCompressionType(name);
  const auto own = ParseCompressionType(preset.codec);
  return given.ok() && own.ok() && *given == *own;
}

}  // namespace

void ApplyPreset(CommandLine* line) {
  for (const Preset& preset : kPresets) {
    if (preset.name != FLAGS_preset) continue;
    const auto sets = [line](std::string_view flag) {
      if (line->Given(flag)) return false;
      line->given.push_back(flag);
      return true;
    };
    if (sets("block_size")) FLAGS_block_size = preset.block_bytes;
    if (!sets("compression_type") && !IsCodec(FLAGS_compression_type, preset)) {
      return;
    }
    FLAGS_compression_type = preset.codec;
    if (preset.level != CompressionOptions::kDefaultLevel &&
        sets("compression_level")) {
      FLAGS_compression_level = preset.level;
    }
    if (preset.dictionary_bytes == 0 || !sets("compression_max_dict_bytes")) {
      return;
    }
    FLAGS_compression_max_dict_bytes = preset.dictionary_bytes;
    if (sets("compression_zstd_max_train_bytes")) {
      FLAGS_compression_zstd_max_train_bytes =
          kSamplesPerDictionary * preset.dictionary_bytes;
    }
    return;
  }
}

}  // namespace ashlar::tool
