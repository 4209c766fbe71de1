#include "codec_obstacle.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ashlar/util/compression.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::CompressionType;

bool CanRead(CompressionType type) {
  // Never written, and read as the final one.
  if (type == CompressionType::kZSTDNotFinalCompression) {
    type = CompressionType::kZSTD;
  }
  return IsCompressionSupported(type);
}

bool CanReadWord(std::string_view word) {
  for (unsigned byte = 0; byte <= UINT8_MAX; ++byte) {
    const auto type = static_cast<CompressionType>(byte);
    if (CompressionTypeName(type) == word) return CanRead(type);
  }
  return true;
}

// Two hexadecimal digits for each type.
bool CanReadAll(std::string_view types) {
  constexpr size_t kDigits = 2;
  for (; types.size() >= kDigits; types.remove_prefix(kDigits)) {
    uint8_t byte = 0;
    std::from_chars(types.data(), types.data() + kDigits, byte, 16);
    if (!CanRead(static_cast<CompressionType>(byte))) return false;
  }
  return true;
}

}  // namespace

std::string CodecObstacle(const ashlar::TableReader& reader) {
  constexpr uint32_t kFirstVersionWithNames = 7;
  constexpr const char* kNotBuiltIn = "a codec that Ashlar was built without";
  // From version 7 on a file names the compression manager that compressed it,
  // if any did, and after a ';' the types of its blocks. The first releases
  // that wrote this version wrote one word, as for the versions before it.
  const std::string_view text = reader.properties().compression_name;
  const size_t end = text.find(';');
  if (reader.format_version() < kFirstVersionWithNames ||
      end == std::string_view::npos) {
    return CanReadWord(text) ? "" : kNotBuiltIn;
  }
  // Ashlar has the codecs of RocksDB's own manager.
  if (end > 0 && text.substr(0, end) != "BuiltinV2") {
    return "a compression manager";
  }
  const std::string_view types = text.substr(end + 1);
  return CanReadAll(types.substr(0, types.find(';'))) ? "" : kNotBuiltIn;
}

}  // namespace ashlar_rocksdb
