#include "ashlar/util/compression.h"

#include <algorithm>
#include <string>

#include "util/compress/known_types.h"
#include "util/compress/registry.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

constexpr char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool SameInAnyCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

bool IsCompressionSupported(CompressionType type) {
  const internal::Codec* codec = internal::FindCodec(type);
  return type == CompressionType::kNoCompression ||
         (codec != nullptr && codec->new_compressor != nullptr);
}

std::vector<CompressionType> SupportedCompressionTypes() {
  std::vector<CompressionType> types;
  for (const internal::Codec& codec : internal::BuiltInCodecs()) {
    if (IsCompressionSupported(codec.type)) types.push_back(codec.type);
  }
  return types;
}

CompressionType DefaultCompressionType() {
  for (const CompressionType wanted :
       {CompressionType::kZSTD, CompressionType::kLZ4Compression}) {
    if (IsCompressionSupported(wanted)) return wanted;
  }
  return CompressionType::kNoCompression;
}

Result<CompressionType> ParseCompressionType(std::string_view text) {
  return internal::OrMemoryLimit([&]() -> Result<CompressionType> {
    std::string words;
    for (const internal::KnownCompressionType& names :
         internal::kKnownCompressionTypes) {
      if (SameInAnyCase(text, names.word) ||
          SameInAnyCase(text, names.enumerator)) {
        return names.type;
      }
      if (!words.empty()) words += ", ";
      words += names.word;
    }
    if (SameInAnyCase(text, "no")) return CompressionType::kNoCompression;
    std::string message = "compression type '";
    message += text;
    message += "': expected one of " + words;
    return Status::InvalidArgument(message);
  });
}

std::string_view CompressionTypeName(CompressionType type) {
  const auto* names = internal::FindKnownType(type);
  return names != nullptr ? names->property : "Unknown";
}

std::string_view CompressionTypeEnumName(CompressionType type) {
  const auto* names = internal::FindKnownType(type);
  return names != nullptr ? names->enumerator : "kUnknown";
}

CompressionLevelRange CompressionLevels(CompressionType type) {
  const internal::Codec* codec = internal::FindCodec(type);
  return codec != nullptr ? codec->levels()
                          : CompressionLevelRange{.min = 0, .max = 0};
}

}  // namespace ashlar
