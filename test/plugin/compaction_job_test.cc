// Jobs and results as JSON: what is written can be read, and text that anyone
// has written is read or refused, with a message that names the member.
#include "plugin/compaction_jobs/compaction_job.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "plugin/compaction_jobs/byte_text.h"
#include "plugin/compaction_jobs/compaction_result.h"
#include "plugin/compaction_jobs/options_file.h"
#include "test/support/random.h"

namespace ashlar_rocksdb {
namespace {

using ashlar::testing::ForEachSeed;
using ashlar::testing::Random;

std::string Key(const std::string& user_key, char type) {
  return user_key + type + std::string("\5\0\0\0\0\0\0", 7);
}

CompactionJob SampleJob() {
  CompactionJob job;
  job.id = "SESSION-12-1";
  job.rocksdb_release = "11.8.1";
  job.database = {.path = "/data/db",
                  .id = "an-id",
                  .session_id = "SESSION",
                  .options_file_number = 7};
  job.column_family = {
      .id = 3, .name = "users", .comparator = "leveldb.BytewiseComparator"};
  job.reason = "LevelL0FilesNum";
  job.is_full = true;
  job.output_level = 1;
  job.output_folder = "/data/db/compaction_service/SESSION/SESSION-12-1";
  job.snapshots = {5, (uint64_t{1} << 56) - 1};
  job.begin = std::string("\0a", 2);
  job.target_file_size = UINT64_MAX;
  job.compression = 7;
  job.inputs = {{.path = "/data/db/000012.sst",
                 .level = 0,
                 .size = 1000,
                 .smallest = Key("a", 1),
                 .largest = Key(std::string("\xff\0", 2), 1),
                 .smallest_seqno = 1,
                 .largest_seqno = 99,
                 .epoch_number = 4,
                 .oldest_ancester_time = 1'700'000'000}};
  job.deeper_files = {
      {.level = 2, .size = 5, .smallest = Key("b", 1), .largest = Key("c", 1)}};
  job.options.database["enforce_single_del_contracts"] = "true";
  job.options.column_family["merge_operator"] = "{id=X;delimiter=,;}";
  job.options.table_factory = "BlockBasedTable";
  job.options.table["block_size"] = "4096";
  job.rocksdb_input = std::string("\1\0\0\0opaque\xff", 11);
  return job;
}

CompactionJobResult SampleResult() {
  CompactionJobResult result;
  result.id = "SESSION-12-1";
  result.attempt = 2;
  result.worker = "host-1";
  result.by = "library";
  result.output_path = "/data/db/compaction_service/SESSION/SESSION-12-1/2";
  result.output_level = 1;
  result.output_files = {{.file_name = "000001.sst",
                          .file_size = 700,
                          .smallest_seqno = 1,
                          .largest_seqno = 9,
                          .smallest = Key("a", 1),
                          .largest = Key("z", 1),
                          .epoch_number = 4,
                          .file_checksum = std::string("\xde\xad\0\1", 4),
                          .file_checksum_func_name = "FileChecksumCrc32c",
                          .paranoid_hash = UINT64_MAX,
                          .unique_id = {1, UINT64_MAX},
                          .table_properties = "num_entries=5;"}};
  result.stats["num_input_records"] = 10;
  return result;
}

std::string TextOfJob(const CompactionJob& job) {
  std::string text;
  EXPECT_TRUE(WriteJob(job, &text).ok());
  return text;
}
std::string TextOfResult(const CompactionJobResult& result) {
  std::string text;
  EXPECT_TRUE(WriteResult(result, &text).ok());
  return text;
}

// Replaces the first `from`, which must be there.
std::string With(std::string text, const std::string& from,
                 const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(ByteText, Base64OfEachLength) {
  EXPECT_EQ(ToBase64(""), "");
  EXPECT_EQ(ToBase64("f"), "Zg==");
  EXPECT_EQ(ToBase64("fo"), "Zm8=");
  EXPECT_EQ(ToBase64("foo"), "Zm9v");
  EXPECT_EQ(ToBase64("foob"), "Zm9vYg==");
  EXPECT_EQ(ToHex(std::string("\0\xff", 2)), "00ff");
}

TEST(ByteText, RandomBytesComeBack) {
  ForEachSeed(1, 5, [](uint64_t seed) {
    Random random(seed);
    for (size_t size = 0; size < 100; ++size) {
      const std::string bytes = random.Bytes(size);
      std::string back;
      ASSERT_TRUE(FromBase64(ToBase64(bytes), &back));
      ASSERT_EQ(back, bytes);
      ASSERT_TRUE(FromHex(ToHex(bytes), &back));
      ASSERT_EQ(back, bytes);
    }
  });
}

TEST(ByteText, RefusesWhatItDoesNotWrite) {
  std::string bytes;
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zh==", "=g==", "Zg==Zg==", "Z!==", "Zm9=", "===="}) {
    EXPECT_FALSE(FromBase64(text, &bytes)) << text;
  }
  for (const char* text : {"0", "0g", "g0", " 0"}) {
    EXPECT_FALSE(FromHex(text, &bytes)) << text;
  }
  EXPECT_TRUE(FromHex("aBCd", &bytes));
}

TEST(CompactionJobText, ComesBack) {
  const std::string text = TextOfJob(SampleJob());
  CompactionJob job;
  const ashlar::Status status = ReadJob(text, &job);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(TextOfJob(job), text);
  EXPECT_EQ(job.begin, SampleJob().begin);
  EXPECT_EQ(job.end, std::nullopt);
  EXPECT_EQ(job.target_file_size, UINT64_MAX);
  EXPECT_EQ(job.rocksdb_input, SampleJob().rocksdb_input);
  EXPECT_EQ(job.inputs[0].largest, SampleJob().inputs[0].largest);
}

TEST(CompactionJobText, NamesTheMemberThatIsWrong) {
  const std::string text = TextOfJob(SampleJob());
  const struct {
    const char* from;
    const char* to;
    const char* message;
  } kFaults[] = {
      {"\"epoch_number\":4", "\"epoch\":4",
       "\"inputs[0].epoch_number\" is mis"},
      {"\"epoch_number\":4", "\"epoch_number\":-1", "is out of range"},
      {"\"epoch_number\":4", "\"epoch_number\":4.5", "is no integer"},
      {"\"level\":2", "\"level\":99999999999",
       "\"deeper_files[0].level\" is o"},
      {"\"level\":2", "\"level\":1", "not below the output level"},
      {"\"name\":\"users\"", "\"name\":7", "\"column_family.name\" is no st"},
      {"\"is_full\":true", "\"is_full\":1", "\"is_full\" is no boolean"},
      {"\"begin_hex\":\"0061\"", "\"begin_hex\":\"006\"", "\"begin_hex\" is n"},
      {"\"version\":1", "\"version\":2", "\"version\" is not 1"},
      {"ashlar-compaction-job", "something", "\"format\" is not"},
      {"\"SESSION-12-1\"", "\"../../etc\"", "\"id\" is no id"},
      {"\"/data/db/compaction", "\"data/db/compaction", "is no absolute path"},
      {"\"smallest_hex\":\"62", "\"smallest_hex\":\"\",\"x\":\"62", "bound"},
  };
  for (const auto& fault : kFaults) {
    CompactionJob job;
    const ashlar::Status status =
        ReadJob(With(text, fault.from, fault.to), &job);
    EXPECT_TRUE(status.IsInvalidArgument()) << fault.to;
    EXPECT_NE(status.ToString().find(fault.message), std::string::npos)
        << status.ToString();
  }
}

TEST(CompactionJobText, IgnoresMembersOfLaterReleases) {
  CompactionJob job;
  EXPECT_TRUE(
      ReadJob(With(TextOfJob(SampleJob()), "{", "{\"new\":[1],"), &job).ok());
}

TEST(CompactionJobText, RefusesWhatIsNoJson) {
  CompactionJob job;
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"), std::string("{"),
        std::string("\0", 1), std::string("{}x"), std::string(2 << 20, '['),
        std::string(17 << 20, ' ') + "{}"}) {
    EXPECT_TRUE(ReadJob(text, &job).IsInvalidArgument());
  }
  // Nested no deeper than JSON may be, but only within a string.
  EXPECT_TRUE(ReadJob(With(TextOfJob(SampleJob()), "LevelL0FilesNum",
                           "\\\"" + std::string(100, '[')),
                      &job)
                  .ok());
}

TEST(CompactionJobText, RefusesToWriteWhatIsNotUtf8) {
  CompactionJob job = SampleJob();
  job.column_family.name = "\xff";
  std::string text;
  EXPECT_TRUE(WriteJob(job, &text).IsInvalidArgument());
}

TEST(CompactionResultText, ComesBack) {
  const std::string text = TextOfResult(SampleResult());
  CompactionJobResult result;
  const ashlar::Status status = ReadResult(text, &result);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(TextOfResult(result), text);
  EXPECT_EQ(result.output_files[0].file_checksum,
            SampleResult().output_files[0].file_checksum);
}

TEST(CompactionResultText, RefusesNamesThatLeaveTheFolder) {
  const std::string text = TextOfResult(SampleResult());
  CompactionJobResult result;
  for (const char* name : {"../000001.sst", "a/b", "", "..", ".hidden"}) {
    EXPECT_TRUE(
        ReadResult(With(text, "000001.sst", name), &result).IsInvalidArgument())
        << name;
  }
  EXPECT_TRUE(ReadResult(With(text, "\"library\"", "\"magic\""), &result)
                  .IsInvalidArgument());
  EXPECT_TRUE(ReadResult(With(text, "\"library\"", "\"nobody\""), &result)
                  .IsInvalidArgument());
}

std::string Damaged(std::string text, Random* random) {
  const std::string pieces[] = {"null", "-1",   "1e99",
                                "{}",   "[]",   "\"\"",
                                "true", "\\u0", "18446744073709551616"};
  for (uint64_t changes = random->Between(1, 3); changes > 0; --changes) {
    const size_t at = random->Below(text.size());
    const uint64_t kind = random->Below(4);
    if (kind == 0) text[at] = static_cast<char>(random->Below(256));
    if (kind == 1) text.erase(at, random->Below(40));
    if (text.empty()) text = "{";
    if (kind == 2) text.insert(at, text, random->Below(text.size()), 30);
    if (kind == 3) text.insert(at, random->Pick(pieces));
  }
  return text;
}

// Any text is read or refused. What is read can be written and read again.
TEST(CompactionTexts, SurviveDamage) {
  const std::string job_text = TextOfJob(SampleJob());
  const std::string result_text = TextOfResult(SampleResult());
  ForEachSeed(1, 3'000, [&](uint64_t seed) {
    Random random(seed);
    CompactionJob job;
    if (ReadJob(Damaged(job_text, &random), &job).ok()) {
      CompactionJob again;
      ASSERT_TRUE(ReadJob(TextOfJob(job), &again).ok());
    }
    CompactionJobResult result;
    if (ReadResult(Damaged(result_text, &random), &result).ok()) {
      CompactionJobResult again;
      ASSERT_TRUE(ReadResult(TextOfResult(result), &again).ok());
    }
  });
}

constexpr char kOptions[] = R"(
# A comment.
[Version]
  rocksdb_version=11.8.1
[DBOptions]
  allow_ingest_behind=false
  wal_dir=/a\#b   # and a comment
[CFOptions "default"]
  merge_operator=nullptr
[TableOptions/BlockBasedTable "default"]
  block_size=4096
[CFOptions "a \#\"name\"]"]
  merge_operator={id=StringAppendOperator;delimiter=,;}
  compaction_filter=mine.Filter
[TableOptions/PlainTable "a \#\"name\"]"]
  user_key_len=8
)";

TEST(OptionsFile, TakesOneColumnFamily) {
  JobOptions options;
  ASSERT_TRUE(ReadOptionsText(kOptions, "OPTIONS", "default", &options).ok());
  EXPECT_EQ(options.database["wal_dir"], "/a#b");
  EXPECT_EQ(options.table_factory, "BlockBasedTable");
  EXPECT_EQ(options.table["block_size"], "4096");
  EXPECT_EQ(ObjectNameOf(options.column_family, "merge_operator"), "");
  ASSERT_TRUE(
      ReadOptionsText(kOptions, "OPTIONS", "a #\"name\"]", &options).ok());
  EXPECT_EQ(options.table_factory, "PlainTable");
  EXPECT_EQ(ObjectNameOf(options.column_family, "merge_operator"),
            "StringAppendOperator");
  EXPECT_EQ(ObjectNameOf(options.column_family, "compaction_filter"),
            "mine.Filter");
  EXPECT_EQ(ObjectNameOf(options.column_family, "comparator"), "");
}

TEST(OptionsFile, NamesTheLineThatIsWrong) {
  JobOptions options;
  const ashlar::Status status =
      ReadOptionsText("[DBOptions]\n\nnothing\n", "OPTIONS-7", "x", &options);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_NE(status.ToString().find("OPTIONS-7: line 3"), std::string::npos);
  EXPECT_TRUE(ReadOptionsText(kOptions, "OPTIONS", "x", &options).IsNotFound());
}

TEST(OptionsFile, FindsTheIdAnywhere) {
  const auto name_of = [](const std::string& text) {
    return ObjectNameOf({{"x", text}}, "x");
  };
  EXPECT_EQ(name_of("{id=A;b=1}"), "A");
  EXPECT_EQ(name_of("{b={id=B};id=A;}"), "A");
  EXPECT_EQ(name_of("A"), "A");
  EXPECT_EQ(name_of("nullptr"), "");
  EXPECT_EQ(name_of("{id=nullptr}"), "");
  EXPECT_EQ(name_of(""), "");
  // Of an unknown form: it is an object all the same.
  EXPECT_EQ(name_of("{b=1}"), "b=1");
}

TEST(OptionsFile, NamesOfObjectsInAList) {
  using Names = std::vector<std::string>;
  const auto names = [](const char* text) {
    return ObjectNamesOf({{"x", text}}, "x");
  };
  EXPECT_EQ(ObjectNamesOf({}, "x"), Names());
  EXPECT_EQ(names(""), Names());
  EXPECT_EQ(names("{}"), Names());
  EXPECT_EQ(names("nullptr"), Names());
  EXPECT_EQ(names("A"), Names({"A"}));
  EXPECT_EQ(names("A:B"), Names({"A", "B"}));
  EXPECT_EQ(names("{id=A;x=1}"), Names({"A"}));
  EXPECT_EQ(names("{id=A;x=1:B}"), Names({"A", "B"}));
  EXPECT_EQ(names("{{id=A;x={1:2}}:id=B}"), Names({"A", "B"}));
  EXPECT_EQ(names("{{id=A"), Names({"{id=A"}));
  EXPECT_EQ(names(":"), Names());
}

}  // namespace
}  // namespace ashlar_rocksdb
