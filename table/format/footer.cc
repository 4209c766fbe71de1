#include "table/format/footer.h"

#include <cassert>
#include <cstdio>

#include "table/format/block_trailer.h"

namespace ashlar::internal {

namespace {

constexpr uint64_t kBlockBasedMagic = 0x88E241B785F4CFF7;
constexpr uint64_t kLegacyBlockBasedMagic = 0xDB4775248B80FB57;
constexpr uint64_t kPlainMagic = 0x8242229663BF9564;
constexpr uint64_t kLegacyPlainMagic = 0x4F3418EB7A8F13B8;
constexpr uint64_t kCuckooMagic = 0x926789D0C5F17873;
constexpr uint64_t kPebbleMagic = 0xB3AA9FF0B3AA9FF0;

// Offsets within the 53 bytes.
constexpr size_t kHandlesAt = 1;
constexpr size_t kExtendedMagicAt = 1;
constexpr size_t kFooterChecksumAt = 5;
constexpr size_t kBaseContextAt = 9;
constexpr size_t kMetaindexSizeAt = 13;
constexpr size_t kReservedAt = 33;
constexpr size_t kVersionAt = 41;
constexpr size_t kMagicAt = 45;

// Decoded as a handle this would be a block of no bytes, far away: no old
// reader accepts it.
constexpr uint32_t kExtendedMagic = 0x007A003E;

std::string Hex(uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llX",
                static_cast<unsigned long long>(v));
  return text;
}

Status::SubCode SubCodeOf(TableMagic magic) {
  switch (magic) {
    case TableMagic::kPlain:
      return Status::SubCode::kPlainTable;
    case TableMagic::kCuckoo:
      return Status::SubCode::kCuckooTable;
    case TableMagic::kPebble:
      return Status::SubCode::kPebbleTable;
    case TableMagic::kBlockBased:
    case TableMagic::kLegacyBlockBased:
    case TableMagic::kUnknown:
      break;
  }
  return Status::SubCode::kNone;
}

Status WrongMagic(const Slice& tail) {
  const uint64_t found = LoadFixed64(tail.end() - sizeof found);
  const TableMagic magic = IdentifyMagic(tail);
  if (magic != TableMagic::kUnknown) {
    return Status::NotSupported("file is a " +
                                    std::string(TableMagicName(magic)) +
                                    ", not a block-based table",
                                SubCodeOf(magic));
  }
  return Status::Corruption("bad table magic number: expected " +
                            Hex(kBlockBasedMagic) + ", found " + Hex(found));
}

// Decodes both handles of an old footer. What follows them is padding.
Status DecodeHandles(const Slice& bytes, Footer* footer) {
  Decoder decoder(bytes);
  if (!footer->metaindex.DecodeFrom(&decoder)) {
    return Status::Corruption("bad metaindex handle in the footer");
  }
  if (!footer->index.DecodeFrom(&decoder)) {
    return Status::Corruption("bad index handle in the footer");
  }
  return {};
}

uint32_t FooterChecksum(std::string bytes, ChecksumType type, uint32_t base,
                        uint64_t offset) {
  StoreFixed32(bytes.data() + kFooterChecksumAt, 0);
  return Checksum(type, bytes.data(), bytes.size()) +
         ContextModifier(base, offset);
}

Status DecodeContextFooter(const Slice& bytes, Footer* footer) {
  const uint32_t extended = LoadFixed32(bytes.data() + kExtendedMagicAt);
  if (extended != kExtendedMagic) {
    return Status::Corruption("bad extended magic number: expected " +
                              Hex(kExtendedMagic) + ", found " + Hex(extended));
  }
  footer->base_context_checksum = LoadFixed32(bytes.data() + kBaseContextAt);
  if (footer->base_context_checksum == 0) {
    return Status::Corruption(
        "bad base context checksum: expected a value other than 0, found 0");
  }
  const uint32_t stored = LoadFixed32(bytes.data() + kFooterChecksumAt);
  const uint32_t computed =
      FooterChecksum(bytes.ToString(), footer->checksum,
                     footer->base_context_checksum, footer->offset);
  if (stored != computed) {
    return Status::Corruption(
        "footer checksum mismatch: stored = " + std::to_string(stored) +
        ", computed = " + std::to_string(computed) +
        ", type = " + std::string(ChecksumTypeName(footer->checksum)));
  }
  if (LoadFixed64(bytes.data() + kReservedAt) != 0) {
    return Status::NotSupported(
        "the reserved bytes are not zero, so a later release wrote the file",
        Status::SubCode::kNewerFormat);
  }
  const uint64_t size = LoadFixed32(bytes.data() + kMetaindexSizeAt);
  if (size + kBlockTrailerSize > footer->offset) {
    return Status::Corruption("metaindex of " + std::to_string(size) +
                              " bytes does not fit before the footer");
  }
  footer->metaindex = {footer->offset - kBlockTrailerSize - size, size};
  return {};
}

Status DecodeVersionFooter(const Slice& bytes, Footer* footer) {
  footer->format_version = LoadFixed32(bytes.data() + kVersionAt);
  if (footer->format_version == 0) {
    return Status::Corruption(
        "bad format_version: 0 in a footer of version 1 "
        "or later");
  }
  if (footer->format_version > kMaxFormatVersion) {
    return Status::NotSupported(
        "format_version " + std::to_string(footer->format_version) +
            " is newer than this program reads (up to " +
            std::to_string(kMaxFormatVersion) + ")",
        Status::SubCode::kNewerFormat);
  }
  const auto checksum = static_cast<uint8_t>(bytes[0]);
  if (checksum > static_cast<uint8_t>(ChecksumType::kXXH3)) {
    return Status::Corruption("bad checksum type: expected 0 to 4, found " +
                              std::to_string(checksum));
  }
  footer->checksum = static_cast<ChecksumType>(checksum);
  if (footer->traits().has_context_checksums) {
    return DecodeContextFooter(bytes, footer);
  }
  return DecodeHandles(
      Slice(bytes.data() + kHandlesAt, kVersionAt - kHandlesAt), footer);
}

Status TooShort(uint64_t file_size, uint64_t least) {
  return Status::Corruption("the file has " + std::to_string(file_size) +
                            " bytes; a table has at least " +
                            std::to_string(least));
}

}  // namespace

TableMagic IdentifyMagic(const Slice& tail) {
  if (tail.size() < sizeof(uint64_t)) return TableMagic::kUnknown;
  switch (LoadFixed64(tail.end() - sizeof(uint64_t))) {
    case kBlockBasedMagic:
      return TableMagic::kBlockBased;
    case kLegacyBlockBasedMagic:
      return TableMagic::kLegacyBlockBased;
    case kPlainMagic:
    case kLegacyPlainMagic:
      return TableMagic::kPlain;
    case kCuckooMagic:
      return TableMagic::kCuckoo;
    case kPebbleMagic:
      return TableMagic::kPebble;
    default:
      return TableMagic::kUnknown;
  }
}

Status DecodeFooter(const Slice& tail, uint64_t file_size, Footer* footer) {
  *footer = Footer();
  if (file_size < kLegacyFooterSize || tail.size() < kLegacyFooterSize) {
    return TooShort(file_size, kLegacyFooterSize);
  }
  const TableMagic magic = IdentifyMagic(tail);
  if (magic == TableMagic::kLegacyBlockBased) {
    footer->offset = file_size - kLegacyFooterSize;
    return DecodeHandles(Slice(tail.end() - kLegacyFooterSize,
                               kLegacyFooterSize - sizeof(uint64_t)),
                         footer);
  }
  if (magic != TableMagic::kBlockBased) return WrongMagic(tail);
  if (file_size < kFooterSize || tail.size() < kFooterSize) {
    return TooShort(file_size, kFooterSize);
  }
  footer->offset = file_size - kFooterSize;
  return DecodeVersionFooter(Slice(tail.end() - kFooterSize, kFooterSize),
                             footer);
}

FooterHint GuessFooter(const Slice& tail) {
  constexpr uint32_t kOldestVersion = 1;
  FooterHint hint;
  if (tail.size() < kFooterSize) return hint;
  const uint32_t version = LoadFixed32(tail.data() + kVersionAt);
  const bool extended =
      LoadFixed32(tail.data() + kExtendedMagicAt) == kExtendedMagic;
  const bool has_version =
      version >= kOldestVersion && version <= kMaxFormatVersion;
  if (IdentifyMagic(tail) != TableMagic::kBlockBased && !extended &&
      !has_version) {
    return hint;
  }
  if (has_version) hint.format_version = version;
  const auto type = static_cast<uint8_t>(tail[0]);
  if (type > static_cast<uint8_t>(ChecksumType::kXXH3)) return hint;
  hint.checksum = static_cast<ChecksumType>(type);
  if (extended || (has_version && TraitsOf(version).has_context_checksums)) {
    hint.base_context_checksum = LoadFixed32(tail.data() + kBaseContextAt);
  }
  return hint;
}

std::string EncodeFooter(const Footer& footer) {
  std::string bytes;
  bytes.push_back(static_cast<char>(footer.checksum));
  if (footer.traits().has_context_checksums) {
    assert(footer.metaindex.End() == footer.offset);
    assert(footer.base_context_checksum != 0);
    AppendFixed32(&bytes, kExtendedMagic);
    AppendFixed32(&bytes, 0);  // the checksum, set below
    AppendFixed32(&bytes, footer.base_context_checksum);
    AppendFixed32(&bytes, static_cast<uint32_t>(footer.metaindex.size));
  } else {
    footer.metaindex.AppendTo(&bytes);
    footer.index.AppendTo(&bytes);
  }
  bytes.resize(kVersionAt, '\0');
  AppendFixed32(&bytes, footer.format_version);
  AppendFixed64(&bytes, kBlockBasedMagic);
  static_assert(kMagicAt + sizeof(uint64_t) == kFooterSize);
  if (footer.traits().has_context_checksums) {
    StoreFixed32(bytes.data() + kFooterChecksumAt,
                 FooterChecksum(bytes, footer.checksum,
                                footer.base_context_checksum, footer.offset));
  }
  return bytes;
}

}  // namespace ashlar::internal
