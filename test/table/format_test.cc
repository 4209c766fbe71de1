// Tests block handles, footers, trailers and the complete example file, byte by
// byte.

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "table/format/block_trailer.h"
#include "table/format/footer.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/reference_reader.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::BlockHandle;
using internal::Decoder;
using internal::Footer;

TEST(BlockHandle, Vector) {
  std::string bytes;
  BlockHandle{325, 54}.AppendTo(&bytes);
  EXPECT_EQ(Hex(bytes), "c50236");
  Decoder decoder(bytes);
  BlockHandle handle;
  ASSERT_TRUE(handle.DecodeFrom(&decoder));
  EXPECT_EQ(handle, (BlockHandle{325, 54}));
  EXPECT_TRUE(decoder.empty());
}

TEST(BlockHandle, CutOff) {
  std::string bytes;
  BlockHandle{uint64_t{1} << 63, uint64_t{1} << 40}.AppendTo(&bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    Decoder decoder(Slice(bytes.data(), size));
    BlockHandle handle;
    EXPECT_FALSE(handle.DecodeFrom(&decoder)) << size;
  }
}

TEST(BlockHandle, FitsWithItsTrailer) {
  EXPECT_TRUE((BlockHandle{0, 0}).FitsBelow(5));
  EXPECT_FALSE((BlockHandle{0, 0}).FitsBelow(4));
  EXPECT_TRUE((BlockHandle{10, 20}).FitsBelow(35));
  EXPECT_FALSE((BlockHandle{10, 20}).FitsBelow(34));
  EXPECT_FALSE((BlockHandle{11, 20}).FitsBelow(35));
  constexpr uint64_t kMax = ~uint64_t{0};
  EXPECT_FALSE((BlockHandle{kMax, 1}).FitsBelow(1000));
  EXPECT_FALSE((BlockHandle{1, kMax}).FitsBelow(1000));
  EXPECT_FALSE((BlockHandle{kMax, kMax}).FitsBelow(1000));
  EXPECT_FALSE((BlockHandle{kMax - 3, 0}).FitsBelow(kMax));
  EXPECT_EQ((BlockHandle{10, 20}).End(), 35u);
}

TEST(Trailer, ContextVectors) {
  using internal::ContextModifier;
  EXPECT_EQ(ContextModifier(0x12345678, 0), 0x12345678u);
  EXPECT_EQ(ContextModifier(0x12345678, 1000), 0x12345590u);
  EXPECT_EQ(ContextModifier(0x12345678, 4294967301), 0x1234567eu);
  EXPECT_EQ(ContextModifier(0xffffffff, 8589934591), 0xffffffffu);
  EXPECT_EQ(ContextModifier(0, 77), 0u);
}

TEST(Trailer, AgreesWithTheReferenceReader) {
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    const std::string block = random.Bytes(random.Below(400));
    const auto checksum = static_cast<uint8_t>(random.Below(5));
    const auto type = static_cast<uint8_t>(random.Next());
    const uint32_t base =
        random.OneIn(4) ? 0 : static_cast<uint32_t>(random.Next());
    const uint64_t offset = random.Next() >> random.Below(64);
    char trailer[internal::kBlockTrailerSize];
    internal::EncodeTrailer(static_cast<ChecksumType>(checksum), base, offset,
                            block, type, trailer);
    EXPECT_EQ(static_cast<uint8_t>(trailer[0]), type);
    EXPECT_EQ(internal::LoadFixed32(trailer + 1),
              ReferenceBlockChecksum(checksum, block, type) +
                  ReferenceContextModifier(base, offset));
  }
}

TEST(Footer, VectorOfFormat5) {
  Footer footer;
  footer.format_version = 5;
  footer.checksum = ChecksumType::kCRC32c;
  footer.offset = 384;
  footer.metaindex = {325, 54};
  footer.index = {54, 19};
  const std::string expected =
      "01c502363613" + std::string(70, '0') + "05000000f7cff485b741e288";
  const std::string bytes = internal::EncodeFooter(footer);
  EXPECT_EQ(Hex(bytes), expected);
  Footer decoded;
  ASSERT_TRUE(internal::DecodeFooter(bytes, 384 + 53, &decoded).ok());
  EXPECT_EQ(decoded.format_version, 5u);
  EXPECT_EQ(decoded.checksum, ChecksumType::kCRC32c);
  EXPECT_EQ(decoded.base_context_checksum, 0u);
  EXPECT_EQ(decoded.offset, 384u);
  EXPECT_EQ(decoded.metaindex, footer.metaindex);
  EXPECT_EQ(decoded.index, footer.index);
}

TEST(Footer, RoundTripOfEveryVersion) {
  for (uint32_t version = 1; version <= kMaxFormatVersion; ++version) {
    for (uint8_t checksum = 0; checksum <= 4; ++checksum) {
      Footer footer;
      footer.format_version = version;
      footer.checksum = static_cast<ChecksumType>(checksum);
      footer.offset = uint64_t{5} << 32;
      footer.metaindex = {footer.offset - 5 - 1000, 1000};
      if (version >= 6) {
        footer.base_context_checksum = 0xdeadbeef;
      } else {
        footer.index = {123456789, 98765};
      }
      const std::string bytes = internal::EncodeFooter(footer);
      ASSERT_EQ(bytes.size(), internal::kFooterSize);
      Footer decoded;
      const Status status = internal::DecodeFooter(
          bytes, footer.offset + internal::kFooterSize, &decoded);
      ASSERT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(decoded.format_version, version);
      EXPECT_EQ(decoded.checksum, footer.checksum);
      EXPECT_EQ(decoded.base_context_checksum, footer.base_context_checksum);
      EXPECT_EQ(decoded.metaindex, footer.metaindex);
      EXPECT_EQ(decoded.index, footer.index);
      // From version 6 on, a footer at another offset is detected.
      const Status moved = internal::DecodeFooter(
          bytes, footer.offset + internal::kFooterSize + 1, &decoded);
      EXPECT_EQ(moved.IsCorruption(), version >= 6) << version;
    }
  }
}

TEST(Footer, OldFooterOf48Bytes) {
  const std::string bytes =
      Unhex("c502363613") + std::string(35, '\0') + Unhex("57fb808b247547db");
  Footer footer;
  ASSERT_TRUE(internal::DecodeFooter(bytes, 384 + 48, &footer).ok());
  EXPECT_EQ(footer.format_version, 0u);
  EXPECT_EQ(footer.checksum, ChecksumType::kCRC32c);
  EXPECT_EQ(footer.offset, 384u);
  EXPECT_EQ(footer.metaindex, (BlockHandle{325, 54}));
  EXPECT_EQ(footer.index, (BlockHandle{54, 19}));
}

// Extracts the complete example file from the text of FORMAT.md. Its lines have
// an offset and up to 16 bytes.
std::string ExampleFile() {
  constexpr size_t kBytesAt = 10;
  std::istringstream text(ReadFile(SourcePath("table/FORMAT.md")));
  std::string bytes;
  for (std::string line; std::getline(text, line);) {
    char offset[16];
    std::snprintf(offset, sizeof offset, "    %04zx  ", bytes.size());
    if (line.starts_with(offset)) bytes += Unhex(line.substr(kBytesAt));
  }
  return bytes;
}

TEST(TableMagic, Names) {
  for (const auto& [magic, name] :
       {std::pair(TableMagic::kBlockBased, "block-based table"),
        {TableMagic::kLegacyBlockBased, "legacy LevelDB table"},
        {TableMagic::kPlain, "plain table"},
        {TableMagic::kCuckoo, "cuckoo table"},
        {TableMagic::kPebble, "Pebble table"},
        {TableMagic::kUnknown, "unknown"}}) {
    EXPECT_EQ(TableMagicName(magic), name);
  }
}

TEST(Example, TheFileOfFormatMd) {
  const std::string bytes = ExampleFile();
  ASSERT_EQ(bytes.size(), 437u);
  const auto reader = OpenTable(bytes);
  EXPECT_EQ(reader->format_version(), 7u);
  EXPECT_EQ(reader->checksum_type(), ChecksumType::kXXH3);
  std::vector<Entry> found;
  ASSERT_TRUE(ReadForward(*reader, {}, &found).ok());
  EXPECT_TRUE(found == (std::vector<Entry>{Value("apple", 0, "red"),
                                           Value("apricot", 0, "orange")}));
  const TableProperties& p = reader->properties();
  EXPECT_EQ(p.index_type, 0u);
  EXPECT_EQ(p.comparator_name, "leveldb.BytewiseComparator");
  EXPECT_EQ(p.compression_name, ";;");
  EXPECT_EQ(p.external_sst_file_global_seqno, 0u);
  EXPECT_EQ(p.external_sst_file_version, 2u);
  EXPECT_EQ(p.index_key_is_user_key, 1u);
  EXPECT_EQ(p.index_value_is_delta_encoded, 1u);
  EXPECT_EQ(p.num_entries, 2u);
  EXPECT_EQ(p.num_range_deletions, 0u);
  EXPECT_FALSE(p.key_largest_seqno.has_value());
  EXPECT_TRUE(reader->VerifyChecksum().ok());
  GetResult result;
  ASSERT_TRUE(reader->Get("apricot", &result).ok());
  EXPECT_EQ(result.value.ToString(), "orange");
  EXPECT_EQ(result.filter, GetResult::Filter::kNone);

  struct Place {
    BlockKind kind;
    uint64_t offset;
    uint64_t size;
  };
  constexpr Place kPlaces[] = {{BlockKind::kData, 0, 49},
                               {BlockKind::kIndex, 54, 19},
                               {BlockKind::kProperties, 78, 242},
                               {BlockKind::kMetaIndex, 325, 54},
                               {BlockKind::kFooter, 384, 53}};
  const std::vector<BlockInfo> blocks = BlocksOf(bytes);
  ASSERT_EQ(blocks.size(), std::size(kPlaces));
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].kind, kPlaces[i].kind);
    EXPECT_EQ(blocks[i].offset, kPlaces[i].offset);
    EXPECT_EQ(blocks[i].size, kPlaces[i].size);
  }
}

// Ingestion may have overwritten the global sequence number in place, without a
// new checksum. That is no damage, and all entries then have this number.
TEST(Example, GlobalSequenceNumberInPlace) {
  std::string bytes = ExampleFile();
  const std::string name = "global_seqno";
  const size_t value = bytes.find(name) + name.size();
  ASSERT_EQ(bytes.substr(value, 8), std::string(8, '\0'));
  bytes[value] = 21;
  std::vector<Entry> entries;
  EXPECT_TRUE(ReadForward(*OpenTable(bytes), {}, &entries).ok());
  EXPECT_EQ(entries, std::vector<Entry>({Value("apple", 21, "red"),
                                         Value("apricot", 21, "orange")}));
  bytes[value - 1] ^= 1;
  EXPECT_TRUE(OpenBytes(bytes).status().IsCorruption());
}

// The builder makes the same data and index blocks of the same entries.
TEST(Example, OurDataAndIndexBlocksAreTheSame) {
  TableOptions options;
  options.format_version = 7;
  options.compression = CompressionType::kNoCompression;
  options.filter = FilterType::kNone;
  BuildOptions build = FixedBuild();
  build.identity.base_context_checksum = 0x01020304;
  const std::string ours = BuildTable(
      options, {Value("apple", 0, "red"), Value("apricot", 0, "orange")},
      build);
  EXPECT_EQ(Hex(ours.substr(0, 78)), Hex(ExampleFile().substr(0, 78)));
}

}  // namespace
}  // namespace ashlar::testing
