// BlockCacheTraceReader: traces of RocksDB and of Ashlar are read field by
// field, and whatever else a file has, it gives an error with its place.

#include "ashlar/cache/block_cache_trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "cache/trace/trace_format.h"
#include "test/support/folder.h"
#include "test/support/rocksdb_trace.h"
#include "util/coding/coding.h"

namespace ashlar {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr size_t kHeaderBytes = 13 + 17 + 8;

std::string Hex(const Slice& bytes) {
  std::string hex;
  for (size_t i = 0; i < bytes.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x",
                  static_cast<uint8_t>(bytes[i]));
    hex += digits;
  }
  return hex;
}

// The number that RocksDB's trace has for this kind.
int TypeOf(BlockAccessKind kind) {
  constexpr int kTypes[] = {9, 7, 8, 10, 11};
  return kTypes[static_cast<size_t>(kind)];
}

// Returns the access as the line of trace.csv that describes it.
std::string LineOf(const BlockAccess& access) {
  std::ostringstream line;
  line << access.micros << ',' << TypeOf(access.kind) << ','
       << Hex(access.block_key) << ',' << access.block_bytes << ','
       << access.column_family_id << ',' << access.column_family_name.ToString()
       << ',' << access.level << ',' << access.table_number << ','
       << static_cast<int>(access.caller) << ',' << access.is_hit << ','
       << access.no_insert << ',' << access.get_id << ','
       << access.is_of_snapshot << ',' << Hex(access.referenced_key) << ','
       << access.referenced_bytes << ',' << access.entries_in_block << ','
       << access.has_referenced_key;
  return line.str();
}

struct ReadBack {
  Status status;
  BlockCacheTraceHeader header;
  std::vector<std::string> lines;
  bool is_cut_off = false;
  uint64_t most_asked = 0;  // bytes of one read
};

ReadBack ReadTrace(const std::string& bytes) {
  ReadBack back;
  size_t at = 0;
  BlockCacheTraceReader reader("t", [&](char* out, size_t n, size_t* got) {
    back.most_asked = std::max<uint64_t>(back.most_asked, n);
    *got = bytes.copy(out, n, at);
    at += *got;
    return Status();
  });
  back.status = reader.ReadHeader(&back.header);
  BlockAccess access;
  bool found = back.status.ok();
  while (found) {
    back.status = reader.Next(&access, &found);
    if (found) back.lines.push_back(LineOf(access));
  }
  if (back.status.ok()) {
    // The end stays the end.
    back.status = reader.Next(&access, &found);
    EXPECT_FALSE(found);
  }
  back.is_cut_off = reader.is_cut_off();
  return back;
}

// An access of a caller that is no get, to a block of this size.
std::string Access(uint8_t type, uint64_t bytes, uint8_t caller,
                   uint32_t level) {
  return testing::TracedByRocksDB(
      {.type = type, .bytes = bytes, .level = level, .caller = caller});
}

std::string GoldenTrace() {
  return testing::ReadFile(testing::GoldenPath("trace/trace.bin"));
}

TEST(BlockCacheTraceReader, ReadsWhatRocksDBWrote) {
  const ReadBack back = ReadTrace(GoldenTrace());
  ASSERT_TRUE(back.status.ok()) << back.status.ToString();
  EXPECT_EQ(back.header.format, BlockCacheTraceFormat::kRocksDB);
  EXPECT_EQ(back.header.rocksdb_major, 11U);
  EXPECT_EQ(back.header.rocksdb_minor, 8U);
  EXPECT_EQ(back.header.sampling_frequency, 0U);
  EXPECT_FALSE(back.is_cut_off);
  std::istringstream csv(
      testing::ReadFile(testing::GoldenPath("trace/trace.csv")));
  std::string line;
  std::getline(csv, line);  // the names of the columns
  std::vector<std::string> lines;
  while (std::getline(csv, line)) {
    while (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  EXPECT_EQ(lines.size(), 50U);
  EXPECT_EQ(back.lines, lines);
}

// The reader asks for 64 KiB at a time, so that a failing read may be within
// any part of a record.
TEST(BlockCacheTraceReader, ErrorsOfReadsAreReturned) {
  constexpr size_t kPiece = size_t{64} << 10;
  const std::string golden = GoldenTrace();
  const std::string records = golden.substr(kHeaderBytes);
  std::string all = records;
  while (all.size() < 2 * kPiece) all += records;
  size_t skipped = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string trace =
        golden.substr(0, kHeaderBytes) + all.substr(skipped);
    skipped += 13 + internal::LoadFixed32(records.data() + skipped + 9);
    size_t at = 0;
    BlockCacheTraceReader reader("t", [&](char* out, size_t n, size_t* got) {
      if (at != 0) return Status::IOError("injected");
      *got = trace.copy(out, n);
      at += *got;
      return Status();
    });
    BlockCacheTraceHeader header;
    Status status = reader.ReadHeader(&header);
    BlockAccess access;
    bool found = true;
    while (status.ok() && found) status = reader.Next(&access, &found);
    EXPECT_EQ(at, kPiece);
    EXPECT_EQ(status.ToString(), "IO error: injected");
    EXPECT_FALSE(reader.is_cut_off());
  }
}

TEST(BlockCacheTraceReader, ATraceMayEndAfterAnyRecordAndNowhereElse) {
  const std::string trace = GoldenTrace();
  const std::vector<std::string> lines = ReadTrace(trace).lines;
  std::vector<size_t> ends = {kHeaderBytes};
  while (ends.back() < trace.size()) {
    ends.push_back(ends.back() + 13 +
                   internal::LoadFixed32(trace.data() + ends.back() + 9));
  }
  ASSERT_EQ(ends.size(), lines.size() + 1);
  for (size_t size = 0; size < trace.size(); ++size) {
    const ReadBack back = ReadTrace(trace.substr(0, size));
    const auto whole = static_cast<size_t>(
        std::ranges::upper_bound(ends, size) - ends.begin());
    if (whole == 0) {
      EXPECT_TRUE(back.status.IsCorruption()) << size;
      continue;
    }
    const size_t end = ends[whole - 1];
    ASSERT_EQ(back.lines.size(), whole - 1) << size;
    EXPECT_TRUE(
        std::equal(back.lines.begin(), back.lines.end(), lines.begin()));
    EXPECT_EQ(back.status.ok(), end == size) << size;
    EXPECT_EQ(back.is_cut_off, end != size) << size;
    if (end == size) continue;
    EXPECT_THAT(back.status.ToString(),
                AllOf(HasSubstr("t: byte " + std::to_string(end) + ": "),
                      HasSubstr("cut off")));
  }
}

// Each byte in turn gets other values. A trace has no checksums, so the reader
// takes most of these files for sound ones.
TEST(BlockCacheTraceReader, NoByteMakesItCrash) {
  const std::string trace = GoldenTrace().substr(0, 1200);
  for (size_t i = 0; i < trace.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bad = trace;
      bad[i] = static_cast<char>(bad[i] ^ change);
      const ReadBack back = ReadTrace(bad);
      EXPECT_LE(back.lines.size(), 20U);
      EXPECT_LE(back.most_asked, uint64_t{64} << 10);
      if (!back.status.ok()) {
        EXPECT_THAT(back.status.ToString(), HasSubstr("t: ")) << i;
      }
    }
  }
}

TEST(BlockCacheTraceReader, RecordsThatCannotBeAreErrorsWithTheirPlace) {
  const std::string good =
      testing::RocksDBTraceHeader() + Access(9, 4096, 3, 2);
  const std::string at = "t: byte " + std::to_string(good.size()) + ": ";
  std::string long_record = Access(9, 1, 3, 0);
  internal::StoreFixed32(long_record.data() + 9, 0x7fffffff);
  std::string long_key = Access(9, 1, 3, 0);
  long_key[13] = static_cast<char>(0x7f);
  std::string no_get = Access(9, 1, 3, 0);
  no_get[no_get.size() - 3] = 1;  // the caller
  const struct {
    std::string record;
    const char* reason;
  } kCases[] = {
      {Access(6, 1, 3, 0), "a record of type 6, which is no access"},
      {Access(12, 1, 3, 0), "a record of RocksDB's IO trace"},
      {Access(9, (uint64_t{1} << 40) + 1, 3, 0), "which is too large"},
      {long_record, "a record of 2147483647 bytes, which is too long"},
      {long_key, "ends before its last field"},
      {no_get, "ends before its last field"},
      {testing::TraceFrame(9, ""),
       "a record of 0 bytes ends before its last field"},
  };
  for (const auto& each : kCases) {
    const ReadBack back = ReadTrace(good + each.record + Access(9, 1, 3, 0));
    EXPECT_THAT(back.status.ToString(),
                AllOf(HasSubstr(at), HasSubstr(each.reason)));
    EXPECT_EQ(back.lines.size(), 1U);
    EXPECT_FALSE(back.is_cut_off);
  }
}

TEST(BlockCacheTraceReader, UnknownCallersAndLevelsAreUnknown) {
  const ReadBack back =
      ReadTrace(testing::RocksDBTraceHeader() + Access(9, 1, 15, 0xffffffff) +
                Access(11, 2, 0, 0x80000000) + Access(10, 3, 14, 6));
  ASSERT_TRUE(back.status.ok()) << back.status.ToString();
  const std::string key = Hex("0123456789abcdef");
  EXPECT_THAT(back.lines,
              ::testing::ElementsAre(
                  "1000,9," + key + ",1,0,default,-1,77,0,1,0,0,0,,0,0,0",
                  "1000,11," + key + ",2,0,default,-1,77,0,1,0,0,0,,0,0,0",
                  "1000,10," + key + ",3,0,default,6,77,14,1,0,0,0,,0,0,0"));
}

TEST(BlockCacheTraceReader, BytesAfterTheLastFieldAreIgnored) {
  std::string longer = Access(9, 4096, 3, 2) + "later";
  internal::StoreFixed32(longer.data() + 9,
                         static_cast<uint32_t>(longer.size() - 13));
  const ReadBack back =
      ReadTrace(testing::RocksDBTraceHeader() + longer + Access(9, 4096, 3, 2));
  ASSERT_TRUE(back.status.ok()) << back.status.ToString();
  ASSERT_EQ(back.lines.size(), 2U);
  EXPECT_EQ(back.lines[0], back.lines[1]);
}

TEST(BlockCacheTraceReader, OtherFilesAreNamedForWhatTheyAre) {
  const std::string queries = testing::TraceFrame(
      1, "feedcafedeadbeef\tTrace Version: 0.2\tRocksDB Version: 11.8\n");
  const ReadBack query = ReadTrace(queries);
  EXPECT_TRUE(query.status.IsNotSupported());
  EXPECT_THAT(query.status.ToString(), HasSubstr("t: a query trace"));
  for (const std::string& other :
       {std::string(), std::string("key,size\n"), std::string(200, 'x'),
        testing::RocksDBTraceHeader().substr(1),
        Access(9, 1, 3, 0) + Access(9, 1, 3, 0)}) {
    const ReadBack back = ReadTrace(other);
    EXPECT_TRUE(back.status.IsCorruption());
    EXPECT_THAT(back.status.ToString(), HasSubstr("not a block cache trace"));
    EXPECT_FALSE(back.is_cut_off);
  }
}

// The header ends before the number of the release.
TEST(BlockCacheTraceReader, AHeaderWithoutAReleaseIsMalformed) {
  const std::string whole = testing::RocksDBTraceHeader();
  for (size_t size = whole.size() - 8; size < whole.size(); ++size) {
    std::string payload = whole.substr(13, size - 13);
    const ReadBack back =
        ReadTrace(testing::TraceFrame(1, payload) + Access(9, 1, 3, 0));
    EXPECT_TRUE(back.status.IsCorruption());
    EXPECT_EQ(back.status.message(),
              "t: byte 0: the header of the trace is malformed");
    EXPECT_FALSE(back.is_cut_off);
  }
}

// One record, of the longest key that is read.
TEST(BlockCacheTraceReader, LongRecordsComePieceByPiece) {
  const std::string record =
      testing::TracedByRocksDB({.caller = 1, .key = std::string(1000000, 'k')});
  const ReadBack back = ReadTrace(testing::RocksDBTraceHeader() + record);
  ASSERT_TRUE(back.status.ok()) << back.status.ToString();
  ASSERT_EQ(back.lines.size(), 1U);
  EXPECT_GT(back.lines[0].size(), 2000000U);
  EXPECT_LE(back.most_asked, uint64_t{64} << 10);
}

std::string TraceOfAshlar(bool with_end) {
  std::string bytes;
  internal::AppendTraceHeader({.sampling_frequency = 100}, &bytes);
  const internal::TracedAccess accesses[] = {{.key = {1, 2},
                                              .micros = 9,
                                              .kind = TracedBlockKind::kFilter,
                                              .caller = TracedCaller::kMultiGet,
                                              .hit = true,
                                              .charge = 5000},
                                             {.key = {1, 3}, .micros = 7}};
  internal::AppendTraceChunk(accesses, &bytes);
  internal::AppendTraceChunk(accesses, &bytes);
  if (with_end) internal::AppendTraceEnd({.traced = 4}, &bytes);
  return bytes;
}

TEST(BlockCacheTraceReader, ReadsTracesOfAshlar) {
  const std::string first =
      "9,8,01000000000000000200000000000000,5000,0,,-1,18446744073709551615,2,"
      "1,0,"
      "0,0,,0,0,0";
  const std::string second =
      "7,9,01000000000000000300000000000000,0,0,,-1,18446744073709551615,0,0,0,"
      "0,0,,0,0,0";
  for (const bool with_end : {true, false}) {
    const ReadBack back = ReadTrace(TraceOfAshlar(with_end));
    EXPECT_EQ(back.status.ok(), with_end);
    EXPECT_EQ(back.is_cut_off, !with_end);
    EXPECT_EQ(back.header.format, BlockCacheTraceFormat::kAshlar);
    EXPECT_EQ(back.header.sampling_frequency, 100U);
    EXPECT_THAT(back.lines,
                ::testing::ElementsAre(first, second, first, second));
  }
}

TEST(BlockCacheTraceReader, ErrorsOfTheFileAreReturned) {
  const std::string trace = GoldenTrace();
  for (const size_t good : {size_t{0}, trace.size()}) {
    size_t at = 0;
    BlockCacheTraceReader reader("t", [&](char* out, size_t n, size_t* got) {
      *got = trace.substr(0, good).copy(out, std::min(n, good - at), at);
      at += *got;
      return *got != 0 && *got == n ? Status() : Status::IOError("t: broken");
    });
    BlockCacheTraceHeader header;
    EXPECT_TRUE(reader.ReadHeader(&header).IsIOError()) << good;
    EXPECT_FALSE(reader.is_cut_off());
  }
}

TEST(BlockCacheTraceReader, TellsTracesByTheirFirstBytes) {
  constexpr size_t kProbe = BlockCacheTraceReader::kProbeBytes;
  for (const std::string& trace : {GoldenTrace(), TraceOfAshlar(true)}) {
    EXPECT_TRUE(BlockCacheTraceReader::IsTrace(trace.substr(0, kProbe)));
  }
  EXPECT_FALSE(BlockCacheTraceReader::IsTrace(GoldenTrace().substr(1, kProbe)));
  EXPECT_FALSE(BlockCacheTraceReader::IsTrace(Slice("")));
}

TEST(BlockCacheTraceReader, KindsAndCallersHaveWords) {
  EXPECT_EQ(WordFor(BlockAccessKind::kRangeDeletion), "range_deletion");
  EXPECT_EQ(WordFor(BlockAccessCaller::kUncategorized), "uncategorized");
  for (size_t i = 0; i < kBlockAccessCallers; ++i) {
    EXPECT_FALSE(WordFor(static_cast<BlockAccessCaller>(i)).empty());
  }
}

}  // namespace
}  // namespace ashlar
