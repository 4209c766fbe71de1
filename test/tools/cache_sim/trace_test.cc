// Traces match their files and descriptions, and error messages name the fault.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "test/support/folder.h"
#include "tools/cache_sim/generate_trace.h"
#include "tools/cache_sim/read_trace.h"
#include "util/coding/coding.h"

#if ASHLAR_HAVE_ZSTD
#include <zstd.h>
#endif

namespace ashlar::sim {

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CacheSimTraceTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) {
    std::string path = folder_ / name;
    testing::WriteFile(path, bytes);
    return path;
  }
  Status Read(const std::string& path, const ReadTraceOptions& options = {}) {
    return ReadTrace(path, options, &trace_);
  }
  // Returns the error for a file with this name and these bytes.
  std::string ErrorOf(const std::string& name, const std::string& bytes,
                      const ReadTraceOptions& options = {}) {
    return Read(Write(name, bytes), options).ToString();
  }

  testing::TestFolder folder_;
  Trace trace_;
};

std::string Records(const std::vector<uint64_t>& keys) {
  std::string bytes;
  for (const uint64_t key : keys) internal::AppendFixed64(&bytes, key);
  return bytes;
}

TEST_F(CacheSimTraceTest, RecordsOfEightBytes) {
  const std::string path =
      Write("a.u64", Records({7, UINT64_MAX, 7, 0, UINT64_MAX}));
  ASSERT_TRUE(Read(path).ok());
  EXPECT_THAT(trace_.accesses, ElementsAre(0, 1, 0, 2, 1));
  EXPECT_EQ(trace_.distinct_keys, 3U);
  EXPECT_TRUE(trace_.is_hot.empty());
  ASSERT_TRUE(Read(path, {.most_accesses = 2}).ok());
  EXPECT_THAT(trace_.accesses, ElementsAre(0, 1));
}

TEST_F(CacheSimTraceTest, LongerThanOnePiece) {
  std::vector<uint64_t> keys(100000);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = i * i;
  ASSERT_TRUE(Read(Write("long.u64", Records(keys))).ok());
  EXPECT_EQ(trace_.accesses.size(), keys.size());
  EXPECT_EQ(trace_.distinct_keys, keys.size());
}

TEST_F(CacheSimTraceTest, FaultsOfRecords) {
  EXPECT_THAT(
      ErrorOf("part.u64", Records({1, 2}) + "abc"),
      AllOf(HasSubstr("part.u64"),
            HasSubstr("3 bytes at byte 16 are not a whole record of 8")));
  EXPECT_THAT(ErrorOf("empty.u64", ""), HasSubstr("the file has no accesses"));
  EXPECT_THAT(ErrorOf("a.txt", "1"),
              HasSubstr("unknown format; name it with --format"));
  EXPECT_THAT(Read(folder_ / "absent.u64").ToString(),
              AllOf(HasSubstr("absent.u64"), HasSubstr("No such file")));
  EXPECT_FALSE(Read(folder_.path()).ok());
}

#if ASHLAR_HAVE_ZSTD

std::string Compressed(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

TEST_F(CacheSimTraceTest, Zstd) {
  std::vector<uint64_t> keys(300000);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = i % 1000;
  const std::string frame = Compressed(Records(keys));
  ASSERT_TRUE(Read(Write("a.u64.zst", frame)).ok());
  EXPECT_EQ(trace_.accesses.size(), keys.size());
  EXPECT_EQ(trace_.distinct_keys, 1000U);
  // Two frames make one trace, even if a record is in both.
  const std::string bytes = Records({1, 2, 1});
  const std::string frames =
      Compressed(bytes.substr(0, 12)) + Compressed(bytes.substr(12));
  ASSERT_TRUE(Read(Write("two.u64.zst", frames)).ok());
  EXPECT_THAT(trace_.accesses, ElementsAre(0, 1, 0));
  ASSERT_TRUE(Read(Write("a.csv.zst", Compressed("x\ny\nx\n"))).ok());
  EXPECT_THAT(trace_.accesses, ElementsAre(0, 1, 0));
}

TEST_F(CacheSimTraceTest, FaultsOfZstd) {
  const std::string frame = Compressed(Records({1, 2, 3, 4, 5, 6, 7, 8}));
  for (const size_t size : {frame.size() - 1, frame.size() / 2, size_t{2}}) {
    EXPECT_THAT(ErrorOf("cut.u64.zst", frame.substr(0, size)),
                AllOf(HasSubstr("cut.u64.zst: at byte " + std::to_string(size)),
                      HasSubstr("the file ends inside a zstd frame")));
  }
  EXPECT_THAT(ErrorOf("plain.u64.zst", Records({1, 2, 3})),
              AllOf(HasSubstr("plain.u64.zst: at byte"), HasSubstr("zstd")));
  EXPECT_THAT(ErrorOf("more.u64.zst", frame + "garbage!"),
              HasSubstr("more.u64.zst: at byte"));
  EXPECT_THAT(ErrorOf("none.u64.zst", ""),
              HasSubstr("the file has no accesses"));
}

#endif

TEST_F(CacheSimTraceTest, Csv) {
  ASSERT_TRUE(
      Read(Write("a.csv", "a,1\r\nb,2\n\n\"a\",3\n\"c,\"\"\nd\",4")).ok());
  EXPECT_THAT(trace_.accesses, ElementsAre(0, 1, 0, 2));
  ASSERT_TRUE(Read(Write("crlf.csv", "x\r\nx\ny\r\n")).ok());
  EXPECT_THAT(trace_.accesses, ElementsAre(0, 0, 1));
  ASSERT_TRUE(Read(Write("b.csv", "time,key\n1,x\n2,y\n3,x\n"),
                   {.csv_column = 2, .csv_header = true})
                  .ok());
  EXPECT_THAT(trace_.accesses, ElementsAre(0, 1, 0));
  ASSERT_TRUE(
      Read(Write("b.txt", "x\ny\n"), {.format = "csv", .most_accesses = 1})
          .ok());
  EXPECT_THAT(trace_.accesses, ElementsAre(0));
}

TEST_F(CacheSimTraceTest, FaultsOfCsv) {
  const ReadTraceOptions second = {.csv_column = 2};
  EXPECT_THAT(ErrorOf("a.csv", "1,x\n2\n", second),
              HasSubstr("a.csv: line 2: no column 2"));
  EXPECT_THAT(ErrorOf("a.csv", "1,x\n2,\n", second),
              HasSubstr("line 2: an empty key"));
  EXPECT_THAT(ErrorOf("a.csv", "x\n\"y\nz\"\n\"open"),
              HasSubstr("line 4: a quote is not closed"));
  EXPECT_THAT(ErrorOf("a.csv", "x\n\n\"y\"z\n"),
              HasSubstr("line 3: text after the quote"));
  EXPECT_THAT(ErrorOf("a.csv", "x\"y\n"),
              HasSubstr("line 1: a quote inside a field"));
  EXPECT_THAT(ErrorOf("a.csv", "\n\n"), HasSubstr("the file has no accesses"));
}

Trace Generate(const std::string& description) {
  Trace trace;
  const Status s = GenerateTrace(description, &trace);
  EXPECT_TRUE(s.ok()) << s.ToString();
  return trace;
}

TEST(CacheSimGenerateTest, ZipfKeysAreAsPopularAsTheLawSays) {
  const Trace trace = Generate("zipf:keys=100,skew=1,accesses=200000,seed=3");
  EXPECT_EQ(trace.accesses.size(), 200000U);
  EXPECT_EQ(trace.distinct_keys, 100U);
  std::vector<uint32_t> counts(100);
  for (const uint32_t key : trace.accesses) ++counts[key];
  std::sort(counts.rbegin(), counts.rend());
  // 1 / (1 + 1/2 + ... + 1/100) = 0.1928.
  EXPECT_NEAR(counts[0], 200000 * 0.1928, 600);
  EXPECT_NEAR(counts[1], 200000 * 0.0964, 500);
  EXPECT_NEAR(counts[9], 200000 * 0.0193, 400);
  const std::string same = "zipf:keys=50,accesses=1000,seed=";
  EXPECT_EQ(Generate(same + "1").accesses, Generate(same + "1").accesses);
  EXPECT_NE(Generate(same + "1").accesses, Generate(same + "2").accesses);
}

TEST(CacheSimGenerateTest, LoopsAndScans) {
  EXPECT_THAT(Generate("loop:keys=3,accesses=7").accesses,
              ElementsAre(0, 1, 2, 0, 1, 2, 0));
  EXPECT_THAT(Generate("scan:accesses=4").accesses, ElementsAre(0, 1, 2, 3));
}

// Returns the kinds as text: h is hot, s is scan.
std::string KindsOf(const Trace& trace) {
  std::string kinds;
  for (const uint32_t key : trace.accesses) {
    kinds += trace.is_hot[key] ? 'h' : 's';
  }
  return kinds;
}

TEST(CacheSimGenerateTest, HotKeysAndScans) {
  const std::string hot = "hotscan:keys=1,accesses=6,every=2,scan=2";
  EXPECT_EQ(KindsOf(Generate(hot)), "hhsshhsshhss");
  EXPECT_EQ(Generate(hot).distinct_keys, 7U);
  EXPECT_EQ(Generate(hot + ",new=0").distinct_keys, 3U);
  EXPECT_EQ(KindsOf(Generate(hot + ",touches=2")), "hhsssshhsssshhssss");
  EXPECT_THAT(Generate(hot + ",touches=2,accesses=2").accesses,
              ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_EQ(KindsOf(Generate(hot + ",mixed=1,accesses=7")), "hhshshhhshs");
  EXPECT_EQ(KindsOf(Generate(hot + ",scan=0")), "hhhhhh");
}

TEST(CacheSimGenerateTest, Faults) {
  EXPECT_TRUE(DescribesTrace("zipf:"));
  EXPECT_TRUE(DescribesTrace("scan:accesses=1"));
  EXPECT_FALSE(DescribesTrace("zipf"));
  EXPECT_FALSE(DescribesTrace("C:x.u64"));
  for (const auto& [description, reason] : std::map<std::string, std::string>{
           {"zap:", "no such kind"},
           {"zipf:keys", "no '=' in keys"},
           {"zipf:kind=3", "no parameter kind"},
           {"zipf:keys=0", "keys is 1 to"},
           {"zipf:keys=99999999999", "keys is 1 to"},
           {"zipf:keys=-1", "keys is 1 to"},
           {"zipf:keys=5x", "not 5x"},
           {"zipf:skew=nan", "expected a skew from 0 to 10"},
           {"zipf:skew=-1", "expected a skew from 0 to 10"},
           {"loop:accesses=0", "accesses is 1 to"},
           {"hotscan:mixed=2", "mixed is 0 to 1"}}) {
    Trace trace;
    EXPECT_THAT(GenerateTrace(description, &trace).ToString(),
                HasSubstr(reason))
        << description;
  }
}

}  // namespace

}  // namespace ashlar::sim
