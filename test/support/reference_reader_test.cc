// Checks the reference reader against the vectors and the example file of
// table/FORMAT.md.
#include "test/support/reference_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "test/support/hash_vectors.h"
#include "test/support/reference_hash.h"

namespace ashlar::testing {
namespace {

std::string Unhex(std::string_view hex) {
  std::string result;
  std::string pair;
  for (char c : hex) {
    if (c == ' ') continue;
    pair += c;
    if (pair.size() < 2) continue;
    result += static_cast<char>(std::stoi(pair, nullptr, 16));
    pair.clear();
  }
  return result;
}

std::string Fixed32(uint32_t x) {
  std::string result;
  for (int i = 0; i < 4; i++) result += static_cast<char>(x >> (8 * i));
  return result;
}

// FORMAT.md, section 16.
std::string ExampleFile() {
  return Unhex(
      "00 0d 03 61 70 70 6c 65 01 00 00 00 00 00 00 00"
      "72 65 64 02 0d 06 72 69 63 6f 74 01 00 00 00 00"
      "00 00 00 6f 72 61 6e 67 65 00 00 00 00 01 00 00"
      "00 00 b9 22 02 c4 00 07 61 70 72 69 63 6f 74 00"
      "31 00 00 00 00 01 00 00 00 00 11 a6 8b be 00 24"
      "04 72 6f 63 6b 73 64 62 2e 62 6c 6f 63 6b 2e 62"
      "61 73 65 64 2e 74 61 62 6c 65 2e 69 6e 64 65 78"
      "2e 74 79 70 65 00 00 00 00 08 0a 1a 63 6f 6d 70"
      "61 72 61 74 6f 72 6c 65 76 65 6c 64 62 2e 42 79"
      "74 65 77 69 73 65 43 6f 6d 70 61 72 61 74 6f 72"
      "0c 07 02 72 65 73 73 69 6f 6e 3b 3b 08 1e 08 65"
      "78 74 65 72 6e 61 6c 5f 73 73 74 5f 66 69 6c 65"
      "2e 67 6c 6f 62 61 6c 5f 73 65 71 6e 6f 00 00 00"
      "00 00 00 00 00 1a 07 04 76 65 72 73 69 6f 6e 02"
      "00 00 00 08 15 01 69 6e 64 65 78 2e 6b 65 79 2e"
      "69 73 2e 75 73 65 72 2e 6b 65 79 01 0e 16 01 76"
      "61 6c 75 65 2e 69 73 2e 64 65 6c 74 61 2e 65 6e"
      "63 6f 64 65 64 01 08 0b 01 6e 75 6d 2e 65 6e 74"
      "72 69 65 73 02 0c 0f 01 72 61 6e 67 65 2d 64 65"
      "6c 65 74 69 6f 6e 73 00 00 00 00 00 01 00 00 00"
      "00 32 e4 f2 04 00 0d 02 72 6f 63 6b 73 64 62 2e"
      "69 6e 64 65 78 36 13 00 12 03 72 6f 63 6b 73 64"
      "62 2e 70 72 6f 70 65 72 74 69 65 73 4e f2 01 00"
      "00 00 00 12 00 00 00 02 00 00 00 00 6f 75 8d b9"
      "04 3e 00 7a 00 33 db 46 59 04 03 02 01 36 00 00"
      "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
      "00 00 00 00 00 00 00 00 00 07 00 00 00 f7 cf f4"
      "85 b7 41 e2 88");
}

struct BlockAt {
  uint64_t offset;
  uint64_t size;
};
constexpr std::array<BlockAt, 4> kExampleBlocks = {
    {{0, 49}, {54, 19}, {78, 242}, {325, 54}}};
constexpr uint64_t kExampleFooter = 384;
constexpr uint32_t kExampleBase = 0x01020304;

// Returns the checksum of a version 7 footer. It covers no type byte, so the
// footer's own last byte takes that place.
uint32_t FooterChecksum(uint8_t checksum_type, std::string footer,
                        uint64_t offset) {
  footer.replace(5, 4, 4, '\0');
  uint8_t last = static_cast<uint8_t>(footer.back());
  footer.pop_back();
  return ReferenceBlockChecksum(checksum_type, footer, last) +
         ReferenceContextModifier(kExampleBase, offset);
}

// Gives the example file another checksum type, or new checksums after a change
// of its bytes.
std::string Resign(std::string file, uint8_t checksum_type) {
  file[kExampleFooter] = static_cast<char>(checksum_type);
  for (auto [offset, size] : kExampleBlocks) {
    uint8_t type = static_cast<uint8_t>(file[offset + size]);
    uint32_t checksum =
        ReferenceBlockChecksum(checksum_type, file.substr(offset, size), type) +
        ReferenceContextModifier(kExampleBase, offset);
    file.replace(offset + size + 1, 4, Fixed32(checksum));
  }
  uint32_t checksum = FooterChecksum(checksum_type, file.substr(kExampleFooter),
                                     kExampleFooter);
  file.replace(kExampleFooter + 5, 4, Fixed32(checksum));
  return file;
}

std::string ErrorOf(const std::string& file) {
  try {
    ReadReferenceTable(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(ReferenceReaderTest, FilterHash) {
  for (const FilterHashVector& vector : kFilterHashVectors) {
    EXPECT_EQ(ReferenceFilterHash(Pattern(vector.n)), vector.hash) << vector.n;
  }
}

TEST(ReferenceReaderTest, BlockChecksum) {
  for (const ChecksumVector& vector : kChecksumVectors) {
    for (uint8_t type = 0; type < 5; type++) {
      EXPECT_EQ(
          ReferenceBlockChecksum(type, Pattern(vector.n), vector.last_byte),
          vector.by_type[type])
          << vector.n << " bytes, checksum type " << int{type};
    }
  }
}

TEST(ReferenceReaderTest, ContextModifier) {
  EXPECT_EQ(ReferenceContextModifier(0x12345678, 0), 0x12345678u);
  EXPECT_EQ(ReferenceContextModifier(0x12345678, 1000), 0x12345590u);
  EXPECT_EQ(ReferenceContextModifier(0x12345678, 4294967301), 0x1234567eu);
  EXPECT_EQ(ReferenceContextModifier(0xffffffff, 8589934591), 0xffffffffu);
  EXPECT_EQ(ReferenceContextModifier(0, 77), 0u);
}

TEST(ReferenceReaderTest, FilterBits) {
  struct Bit {
    size_t byte;
    int bit;
  };
  std::string filter(320, '\0');
  for (Bit b : std::vector<Bit>{
           {244, 7}, {215, 4}, {250, 0}, {243, 5}, {220, 2}, {223, 6}}) {
    filter[b.byte] = static_cast<char>(filter[b.byte] | 1 << b.bit);
  }
  filter += Unhex("ff 00 06 00 00");
  EXPECT_TRUE(ReferenceFilterMayMatch(filter, "abc"));
  EXPECT_FALSE(ReferenceFilterMayMatch(filter, "abd"));
  filter[244] = '\0';
  EXPECT_FALSE(ReferenceFilterMayMatch(filter, "abc"));
}

TEST(ReferenceReaderTest, FilterDispatch) {
  const std::string zeros(64, '\0');
  EXPECT_FALSE(ReferenceFilterMayMatch("", "k"));
  EXPECT_FALSE(ReferenceFilterMayMatch(Unhex("ff 00 06 00 00"), "k"));
  EXPECT_FALSE(ReferenceFilterMayMatch(zeros + Unhex("ff 00 06 00 00"), "k"));
  for (const char* tail :
       {"00 00 00 00 00", "ff 01 06 00 00", "ff 00 00 00 00", "ff 00 1f 00 00",
        "ff 00 06 01 00", "fd 00 02 00 00", "80 01 00 00 00", "fe 00 01 00 00",
        "06 00 00 00 00", "06 03 00 00 00"}) {
    EXPECT_TRUE(ReferenceFilterMayMatch(zeros + Unhex(tail), "k")) << tail;
  }
  EXPECT_TRUE(ReferenceFilterMayMatch(zeros + Unhex("00 ff 00 06 00 00"), "k"));
}

std::string SetBit(std::string bytes, size_t byte, int bit) {
  bytes[byte] = static_cast<char>(bytes[byte] ^ 1 << bit);
  return bytes;
}

TEST(ReferenceReaderTest, LegacyFilterBits) {
  std::string filter = std::string(320, '\0') + Unhex("06 05 00 00 00");
  for (auto [byte, bit] : std::vector<std::pair<size_t, int>>{
           {293, 7}, {315, 5}, {273, 3}, {295, 1}, {316, 7}, {274, 5}}) {
    EXPECT_FALSE(ReferenceFilterMayMatch(filter, "abc"));
    filter = SetBit(filter, byte, bit);
  }
  EXPECT_TRUE(ReferenceFilterMayMatch(filter, "abc"));
  EXPECT_FALSE(ReferenceFilterMayMatch(filter, "abd"));
}

TEST(ReferenceReaderTest, Hash32) {
  struct Row {
    const char* data;
    uint32_t filter;
    uint32_t bucket;
    uint32_t leveldb;
  };
  const std::vector<Row> rows = {
      {"", 0xbc9f1d34, 0x0000018d, 0xbc9f1d34},
      {"61", 0x286e9db0, 0x5c8473b1, 0x286e9db0},
      {"616263", 0x855d012f, 0x1d9aa392, 0x855d012f},
      {"61626364", 0xb9c83353, 0x0c6f6be9, 0xb9c83353},
      {"ff807f", 0x72791516, 0x0ab6b743, 0xbeb3a8da},
      {"68656c6c6f20776f726c64", 0x008dfddb, 0x63740019, 0x008dfddb},
  };
  using reference::Hash32;
  for (const Row& row : rows) {
    const std::string s = Unhex(row.data);
    EXPECT_EQ(Hash32(s, 0xbc9f1d34, reference::Tail::kSigned), row.filter);
    EXPECT_EQ(Hash32(s, 397, reference::Tail::kSigned), row.bucket);
    EXPECT_EQ(Hash32(s, 0xbc9f1d34, reference::Tail::kUnsigned), row.leveldb);
  }
}

// From the vectors of section 15. For key abc with seed 0, the lowest bit of
// result and coefficients is 1, and the start is 24. With seed 171, the start
// is slot 51 of block 6, and coefficient 127 falls on slot 50 of block 7.
TEST(ReferenceReaderTest, RibbonEquations) {
  const std::string one = Unhex("fe 00 02 00 00");
  const std::string column(32, '\0');
  EXPECT_FALSE(ReferenceFilterMayMatch(column + one, "abc"));
  EXPECT_TRUE(ReferenceFilterMayMatch(SetBit(column, 3, 0) + one, "abc"));
  EXPECT_FALSE(ReferenceFilterMayMatch(SetBit(column, 3, 1) + one, "abc"));
  const std::string nine = Unhex("fe ab 09 00 00");
  // Three columns: in the result 0x94, the third bit is the lowest that is 1.
  const std::string columns(size_t{16} * 27, '\0');
  EXPECT_FALSE(ReferenceFilterMayMatch(columns + nine, "abc"));
  for (const auto& [segment, slot] :
       {std::pair{size_t{20}, 51}, std::pair{size_t{23}, 50}}) {
    EXPECT_TRUE(ReferenceFilterMayMatch(
        SetBit(columns, 16 * segment + static_cast<size_t>(slot) / 8,
               slot % 8) +
            nine,
        "abc"));
  }
  // With 29 segments, blocks 7 and 8 have a fourth column. The key ignores it,
  // because its first block, 6, has three.
  const std::string uneven(size_t{16} * 29, '\0');
  EXPECT_FALSE(ReferenceFilterMayMatch(uneven + nine, "abc"));
  EXPECT_TRUE(ReferenceFilterMayMatch(
      SetBit(uneven, size_t{16} * 23 + 50 / 8, 50 % 8) + nine, "abc"));
}

TEST(ReferenceReaderTest, LevelDbFilterBlock) {
  // One filter of 64 bits and 1 probe for the first 2 KiB, none for the next.
  const uint32_t bit =
      reference::Hash32("k", 0xbc9f1d34, reference::Tail::kUnsigned) % 64;
  const std::string block =
      SetBit(std::string(8, '\0'), bit / 8, static_cast<int>(bit % 8)) + '\1' +
      Fixed32(0) + Fixed32(9) + Fixed32(9) + '\x0b';
  EXPECT_TRUE(ReferenceLevelDbFilterMayMatch(block, 2047, "k"));
  EXPECT_FALSE(ReferenceLevelDbFilterMayMatch(block, 2047, "l"));
  EXPECT_FALSE(ReferenceLevelDbFilterMayMatch(block, 2048, "k"));
  EXPECT_TRUE(ReferenceLevelDbFilterMayMatch(block, 4096, "k"));
}

TEST(ReferenceReaderTest, Columns) {
  const auto one = ReferenceColumns(Unhex("01 02 00 01 01 61 02 78 79 7a"));
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].value, "x");
  EXPECT_EQ(one[1].name, "a");
  EXPECT_EQ(one[1].value, "yz");
  const auto two =
      ReferenceColumns(Unhex("02 02 02 02 01 01 11 00 01 01 02 61 78 79 7a"));
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].value, "yz");
  EXPECT_TRUE(two[1].is_blob_index);
  for (const char* bad :
       {"", "03 00", "01 01 00 02 78", "01 01 00 01 78 79",
        "01 02 01 61 01 00 01 78 79", "02 01 01 01 00 02 00 01 78",
        "02 01 02 01 00 01 00 00 01 78"}) {
    EXPECT_THROW(ReferenceColumns(Unhex(bad)), std::runtime_error) << bad;
  }
}

void ExpectExampleEntries(const ReferenceTable& table) {
  ASSERT_EQ(table.entries.size(), 2u);
  EXPECT_EQ(CanonicalDump(table),
            "6170706c65 0 1 726564\n"
            "61707269636f74 0 1 6f72616e6765\n");
  EXPECT_EQ(table.entries[1].user_key, "apricot");
  EXPECT_EQ(table.entries[1].value, "orange");
}

TEST(ReferenceReaderTest, ExampleFile) {
  const std::string file = ExampleFile();
  ASSERT_EQ(file.size(), 437u);
  const ReferenceTable table = ReadReferenceTable(file);
  EXPECT_EQ(table.format_version, 7u);
  EXPECT_EQ(table.checksum_type, 4);
  ExpectExampleEntries(table);
  EXPECT_TRUE(table.range_deletions.empty());
  EXPECT_EQ(table.filter, "");
  const decltype(table.index) index = {{"apricot", {0, 49}}};
  EXPECT_EQ(table.index, index);
  const decltype(table.meta_blocks) meta_blocks = {
      {"rocksdb.index", {54, 19}}, {"rocksdb.properties", {78, 242}}};
  EXPECT_EQ(table.meta_blocks, meta_blocks);
  const std::string one(1, '\1');
  const decltype(table.properties) properties = {
      {"rocksdb.block.based.table.index.type", std::string(4, '\0')},
      {"rocksdb.comparator", "leveldb.BytewiseComparator"},
      {"rocksdb.compression", ";;"},
      {"rocksdb.external_sst_file.global_seqno", std::string(8, '\0')},
      {"rocksdb.external_sst_file.version", Fixed32(2)},
      {"rocksdb.index.key.is.user.key", one},
      {"rocksdb.index.value.is.delta.encoded", one},
      {"rocksdb.num.entries", std::string(1, '\2')},
      {"rocksdb.num.range-deletions", std::string(1, '\0')}};
  EXPECT_EQ(table.properties, properties);
}

TEST(ReferenceReaderTest, EveryChecksumType) {
  EXPECT_EQ(Resign(ExampleFile(), 4), ExampleFile());
  for (uint8_t type = 0; type < 5; type++) {
    SCOPED_TRACE(int{type});
    const ReferenceTable table =
        ReadReferenceTable(Resign(ExampleFile(), type));
    EXPECT_EQ(table.checksum_type, type);
    ExpectExampleEntries(table);
  }
}

// The reader notices a change of any byte, except in the footer's ignored part.
TEST(ReferenceReaderTest, EveryFlippedByteIsNoticed) {
  for (size_t i = 0; i < ExampleFile().size(); i++) {
    std::string file = ExampleFile();
    file[i] = static_cast<char>(file[i] ^ 0x10);
    const bool global_sequence = i >= 0xcd && i < 0xd5;
    if (global_sequence) continue;  // see GlobalSequence
    EXPECT_NE(ErrorOf(file), "none") << "byte " << i;
  }
}

TEST(ReferenceReaderTest, EveryShorterFileIsRefused) {
  const std::string file = ExampleFile();
  for (size_t n = 0; n < file.size(); n++) {
    EXPECT_NE(ErrorOf(file.substr(0, n)), "none") << n << " bytes";
    EXPECT_NE(ErrorOf(file.substr(file.size() - n)), "none") << n << " bytes";
  }
}

// The number is changed in place, without a new checksum: FORMAT.md, section
// 11.2.
TEST(ReferenceReaderTest, GlobalSequence) {
  std::string file = ExampleFile();
  ASSERT_EQ(file.substr(0xcd, 8), std::string(8, '\0'));
  file[0xcd] = 21;
  const ReferenceTable table = ReadReferenceTable(file);
  ASSERT_EQ(table.entries.size(), 2u);
  EXPECT_EQ(table.entries[0].sequence, 21u);
  EXPECT_EQ(table.entries[1].sequence, 21u);
  file[0xcd + 7] = 1;
  EXPECT_EQ(ErrorOf(file), "global_seqno too large");
}

// Faults that checksums do not show.
TEST(ReferenceReaderTest, FaultsInside) {
  struct Row {
    size_t at;
    const char* bytes;
    const char* error;
  };
  const std::vector<Row> rows = {
      {0x08, "03", "bad entry type 3"},
      {0x03, "62", "separator below its block"},
      {0x13, "0e", "shared length exceeds the previous key"},
      {0x15,
       "02 72 69 63 6f 74 01 00 00 00 00 00 00 00 6f 72 "
       "00 00 00 00 05 00 00 00 02 00 00 00",
       "restart is not the start of an entry"},
      {0x15,
       "02 72 69 63 6f 74 01 00 00 00 00 00 00 00 6f 72 "
       "00 00 00 00 13 00 00 00 02 00 00 00",
       "restart entry shares bytes"},
      {0x29, "13", "first restart is not 0"},
      {0x2d, "0f", "restart array too large"},
      {0x30, "40", "reserved bit 30 set"},
      {0x29, "ff 00 00 00 01 00 00 10", "values begin too late"},
      {0x48, "10", "keys and values apart in a block that is not a data block"},
      {0x30, "80", "bad hash index"},
      {0x31, "07", "compression type that the property does not name"},
      {0x37, "07 61 70 70 6c 65 30 30", "separator below its block"},
      {0x40, "30", "block checksum mismatch at 0"},
      {0x75, "09", "unknown index type 9"},
      {0xaa, "3a 3a", "compression property: no separator"},
      {0xab, "30", "compression property: one separator"},
      {0xdf, "03", "bad external version"},
      {0x124, "03", "num.entries is wrong"},
      {0x137, "01", "num.range-deletions is wrong"},
      {0x16e, "7f", "block handle out of range"},
  };
  for (const Row& row : rows) {
    std::string file = ExampleFile();
    const std::string bytes = Unhex(row.bytes);
    file.replace(row.at, bytes.size(), bytes);
    EXPECT_EQ(ErrorOf(Resign(file, 4)), row.error) << "at " << row.at;
  }
}

TEST(ReferenceReaderTest, UniformHintIsIgnored) {
  std::string file = ExampleFile();
  file[0x48] = 0x20;
  ExpectExampleEntries(ReadReferenceTable(Resign(file, 4)));
}

// Returns a file with an old footer after the same data block.
std::string OldFile(const std::string& footer_start, const char* magic) {
  // Data block (0, 49); index (54, 28); metaindex (87, 8); footer at 100.
  std::string index = Unhex("00 0f 02") + "apricot" +
                      Unhex("01 00 00 00 00 00 00 00") + Unhex("00 31") +
                      Unhex("00 00 00 00 01 00 00 00");
  std::string file;
  for (const std::string& block :
       {ExampleFile().substr(0, 49), index, Unhex("00000000 01000000")}) {
    file += block + '\0' + Fixed32(ReferenceBlockChecksum(1, block, 0));
  }
  return file + footer_start + Unhex("57 08 36 1c") + std::string(36, '\0') +
         Unhex(magic);
}

TEST(ReferenceReaderTest, OldFooters) {
  const ReferenceTable v0 =
      ReadReferenceTable(OldFile("", "57 fb 80 8b 24 75 47 db"));
  EXPECT_EQ(v0.format_version, 0u);
  ExpectExampleEntries(v0);
  EXPECT_TRUE(v0.properties.empty());
  const std::string magic = "f7 cf f4 85 b7 41 e2 88";
  const ReferenceTable v1 =
      ReadReferenceTable(OldFile("\1", ("01 00 00 00" + magic).c_str()));
  EXPECT_EQ(v1.format_version, 1u);
  ExpectExampleEntries(v1);
  EXPECT_EQ(ErrorOf(OldFile("\1", ("02 00 00 00" + magic).c_str())),
            "no properties block");
}

}  // namespace
}  // namespace ashlar::testing
