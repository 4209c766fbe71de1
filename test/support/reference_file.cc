// Section numbers in these comments refer to table/FORMAT.md.
#include "test/support/reference_file.h"

#include <xxhash.h>

#include "test/support/reference_reader.h"

namespace ashlar::testing {
namespace reference {
namespace {

constexpr uint64_t kTableMagic = 0x88E241B785F4CFF7;
constexpr uint64_t kLegacyMagic = 0xDB4775248B80FB57;

// ---------------------------------------------------------------------------
// Section 4: checksums.

uint32_t Crc32c(std::string_view s) {
  uint32_t crc = 0xFFFFFFFF;
  for (char c : s) {
    crc ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; bit++) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
    }
  }
  return crc ^ 0xFFFFFFFF;
}

// CHK of a plain byte string, which must not be empty.
uint32_t Checksum(uint8_t checksum_type, std::string_view s) {
  switch (checksum_type) {
    case 0:
      return 0;
    case 1: {
      uint32_t crc = Crc32c(s);
      return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
    }
    case 2:
      return XXH32(s.data(), s.size(), 0);
    case 3:
      return Lo32(XXH64(s.data(), s.size(), 0));
    case 4: {
      uint32_t last = ByteAt(s, s.size() - 1);
      return Lo32(XXH3_64bits(s.data(), s.size() - 1)) ^ (last * 0x6B9083D9);
    }
    default:
      Fail("checksum type " + std::to_string(checksum_type));
  }
}

// ---------------------------------------------------------------------------
// Section 3: footer.

Footer ReadModernFooter(std::string_view bytes, Footer footer) {
  Check(bytes.substr(1, 4) == std::string_view("\x3E\x00\x7A\x00", 4),
        "bad extended magic");
  footer.base_context = Fixed32(bytes, 9);
  Check(footer.base_context != 0, "base context is 0");
  std::string zeroed(bytes);
  zeroed.replace(5, 4, 4, '\0');
  uint32_t computed =
      Checksum(footer.checksum_type, zeroed) +
      ReferenceContextModifier(footer.base_context, footer.offset);
  Check(computed == Fixed32(bytes, 5), "footer checksum mismatch");
  Check(Fixed64(bytes, 33) == 0, "not supported: future footer feature");
  uint64_t size = Fixed32(bytes, 13);
  Check(size + kTrailerSize <= footer.offset, "metaindex before file start");
  footer.metaindex = {footer.offset - kTrailerSize - size, size};
  return footer;
}

}  // namespace

Footer ReadFooter(std::string_view file) {
  Check(file.size() >= 48, "file too short");
  Footer footer;
  uint64_t magic = Fixed64(file, file.size() - 8);
  if (magic == kLegacyMagic) {
    footer.offset = file.size() - 48;
    Cursor handles(file.substr(footer.offset, 40));
    footer.metaindex = handles.BlockHandle();
    footer.index = handles.BlockHandle();
    return footer;
  }
  Check(magic == kTableMagic, "bad magic number");
  Check(file.size() >= 53, "file too short");
  footer.offset = file.size() - 53;
  std::string_view bytes = file.substr(footer.offset);
  footer.version = Fixed32(bytes, 41);
  Check(footer.version >= 1 && footer.version <= 7, "bad format_version");
  footer.checksum_type = ByteAt(bytes, 0);
  Check(footer.checksum_type <= 4, "bad checksum type");
  if (footer.version >= 6) return ReadModernFooter(bytes, footer);
  Cursor handles(bytes.substr(1, 40));
  footer.metaindex = handles.BlockHandle();
  footer.index = handles.BlockHandle();
  return footer;
}

StoredBlock Fetch(std::string_view file, const Footer& footer,
                  const Handle& handle) {
  auto [offset, size] = handle;
  Check(offset <= footer.offset && size <= footer.offset - offset &&
            kTrailerSize <= footer.offset - offset - size,
        "block handle out of range");
  StoredBlock block;
  block.bytes = file.substr(offset, size);
  block.type = ByteAt(file, offset + size);
  block.checksum = Fixed32(file, offset + size + 1) -
                   ReferenceContextModifier(footer.base_context, offset);
  return block;
}

bool ChecksumFits(const Footer& footer, std::string_view bytes,
                  const StoredBlock& block) {
  return ReferenceBlockChecksum(footer.checksum_type, bytes, block.type) ==
         block.checksum;
}

StoredBlock FetchChecked(std::string_view file, const Footer& footer,
                         const Handle& handle) {
  StoredBlock block = Fetch(file, footer, handle);
  Check(ChecksumFits(footer, block.bytes, block),
        "block checksum mismatch at " + std::to_string(handle.first));
  return block;
}

// ---------------------------------------------------------------------------
// Section 7: compression.

namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  Fail("compression property: bad digit");
}

CodecRule ReadCompressionWord(const std::string& word) {
  static const std::set<std::string> kWords = {
      "NoCompression", "Snappy", "Zlib", "BZip2",       "LZ4",
      "LZ4HC",         "Xpress", "ZSTD", "ZSTDNotFinal"};
  Check(kWords.count(word) == 1, "compression property: unknown word");
  CodecRule rule;
  rule.any = word != "NoCompression";
  return rule;
}

}  // namespace

CodecRule ReadCompressionProperty(const std::string& text, uint32_t version,
                                  bool has_options) {
  size_t first = text.find(';');
  if (version < 7) return ReadCompressionWord(text);
  if (first == std::string::npos) {
    Check(has_options, "compression property: no separator");
    return ReadCompressionWord(text);
  }
  size_t second = text.find(';', first + 1);
  Check(second != std::string::npos, "compression property: one separator");
  std::string manager = text.substr(0, first);
  Check(manager.empty() || manager == "BuiltinV2",
        "not supported: compression manager " + manager);
  std::string digits = text.substr(first + 1, second - first - 1);
  Check(digits.size() % 2 == 0, "compression property: odd digits");
  CodecRule rule;
  rule.any = false;
  for (size_t i = 0; i < digits.size(); i += 2) {
    int type = HexDigit(digits[i]) * 16 + HexDigit(digits[i + 1]);
    Check(type != 0 && type != 0xFF, "compression property: bad type");
    rule.allowed.insert(static_cast<uint8_t>(type));
  }
  return rule;
}

}  // namespace reference

uint32_t ReferenceBlockChecksum(uint8_t checksum_type, std::string_view block,
                                uint8_t compression_type) {
  std::string covered(block);
  covered.push_back(static_cast<char>(compression_type));
  return reference::Checksum(checksum_type, covered);
}

uint32_t ReferenceContextModifier(uint32_t base, uint64_t offset) {
  return base == 0 ? 0
                   : base ^ (reference::Lo32(offset) + reference::Hi32(offset));
}

}  // namespace ashlar::testing
