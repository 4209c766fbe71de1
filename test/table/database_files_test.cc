// Which files a database consists of: RocksDB's own view is the judge of whole
// databases, and small MANIFESTs are made here record by record.
#include "ashlar/table/database_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/printable.h"
#include "table/database/log_records.h"
#include "test/support/faulty_file.h"
#include "test/support/folder.h"
#include "test/support/memory_folder.h"
#include "util/coding/coding.h"
#include "util/hash/crc32c.h"

namespace ashlar::testing {
namespace {

const auto* const kInMemory =
    ::testing::AddGlobalTestEnvironment(new FoldersInMemory);

using ::testing::HasSubstr;

constexpr size_t kBlock = 32768;
constexpr size_t kHeader = 7;

std::string Hex(const std::string& bytes) {
  std::string hex;
  for (const char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(byte)));
    hex += digits;
  }
  return hex;
}

nlohmann::json Json(const LiveTable& table) {
  return {{"level", table.level},
          {"number", table.number},
          {"path_id", table.path_id},
          {"size", table.file_size},
          {"smallest", Hex(table.smallest)},
          {"largest", Hex(table.largest)},
          {"smallest_seq", table.smallest_seqno},
          {"largest_seq", table.largest_seqno},
          {"epoch", table.epoch_number},
          {"oldest_blob_file", table.oldest_blob_file_number},
          {"marked_for_compaction", table.marked_for_compaction},
          {"temperature", table.temperature},
          {"file_checksum", Hex(table.file_checksum)},
          {"file_checksum_func", table.file_checksum_func_name},
          {"creation_time", table.file_creation_time},
          {"oldest_ancester_time", table.oldest_ancester_time},
          {"tail_size", table.tail_size},
          {"udt_persisted", table.user_defined_timestamps_persisted},
          {"unique_id", table.unique_id},
          {"comp_range_del", table.compensated_range_deletion_size},
          {"min_ts", Hex(table.smallest_timestamp)},
          {"max_ts", Hex(table.largest_timestamp)}};
}

// What RocksDB was asked for.
nlohmann::json Json(const DatabaseFiles& files) {
  nlohmann::json families = nlohmann::json::array();
  for (const ColumnFamilyFiles& family : files.column_families) {
    nlohmann::json tables = nlohmann::json::array();
    for (const LiveTable& table : family.tables) tables.push_back(Json(table));
    nlohmann::json blobs = nlohmann::json::array();
    for (const LiveBlobFile& file : family.blob_files) {
      blobs.push_back({{"number", file.number},
                       {"count", file.total_blob_count},
                       {"bytes", file.total_blob_bytes},
                       {"garbage_count", file.garbage_blob_count},
                       {"garbage_bytes", file.garbage_blob_bytes}});
    }
    families.push_back({{"id", family.id},
                        {"name", family.name},
                        {"comparator", family.comparator},
                        {"files", tables},
                        {"blob_files", blobs}});
  }
  return {{"db_id", files.db_id},
          {"last_sequence", files.last_sequence},
          {"column_families", families}};
}

std::string Manifest(const std::string& database) {
  for (const auto& entry : std::filesystem::directory_iterator(database)) {
    if (entry.path().filename().string().starts_with("MANIFEST-")) {
      return ReadFile(entry.path().string());
    }
  }
  return {};
}

class DatabaseFilesTest : public ::testing::Test {
 protected:
  // Reads a database that has only these two files.
  Result<DatabaseFiles> Read(const std::string& manifest,
                             const ReadDatabaseOptions& options = {},
                             const std::string& current = "MANIFEST-000007\n") {
    WriteFile(folder_ / "MANIFEST-000007", manifest);
    WriteFile(folder_ / "CURRENT", current);
    return ReadDatabaseFiles(folder_.path(), options);
  }
  std::string Error(const std::string& manifest) {
    const auto files = Read(manifest);
    return files.ok() ? "OK" : files.status().ToString();
  }

  TestFolder folder_;
};

// --- Making a MANIFEST ---

std::string Piece(char type, const std::string& payload) {
  const std::string summed = type + payload;
  std::string piece;
  internal::AppendFixed32(&piece, internal::MaskCrc32c(internal::Crc32c(
                                      summed.data(), summed.size())));
  piece.push_back(static_cast<char>(payload.size() & 0xff));
  piece.push_back(static_cast<char>(payload.size() >> 8));
  return piece + summed;
}
std::string Whole(const std::string& payload) { return Piece(1, payload); }

std::string Numbers(std::initializer_list<uint64_t> numbers) {
  std::string bytes;
  for (const uint64_t number : numbers) {
    internal::AppendVarint64(&bytes, number);
  }
  return bytes;
}
std::string Text(const std::string& text) {
  return Numbers({text.size()}) + text;
}
std::string Key(const std::string& user_key, SequenceNumber sequence,
                ValueType type = ValueType::kTypeValue) {
  std::string key;
  AppendInternalKey(user_key, sequence, type, &key);
  return key;
}

struct Table {
  uint64_t level = 0;
  uint64_t number = 0;
  std::string smallest = Key("a", 1);
  std::string largest = Key("b", 1);
  uint64_t smallest_seqno = 1;
  uint64_t largest_seqno = 1;
  uint64_t epoch = 0;
  std::string fields = {};  // more of them, without the end
};
std::string Added(const Table& table) {
  std::string edit = Numbers({103, table.level, table.number, 100}) +
                     Text(table.smallest) + Text(table.largest) +
                     Numbers({table.smallest_seqno, table.largest_seqno});
  if (table.epoch != 0) edit += Numbers({13}) + Text(Numbers({table.epoch}));
  return edit + table.fields + Numbers({1});
}
std::string Removed(uint64_t level, uint64_t number) {
  return Numbers({6, level, number});
}
// The log number, the next file number, the last sequence, and an order.
std::string Begin(
    const std::string& comparator = "leveldb.BytewiseComparator") {
  return Whole(Numbers({1}) + Text(comparator) + Numbers({2, 3, 3, 20, 4, 9}));
}
std::string Group(uint64_t rest, const std::string& edit) {
  return Whole(Numbers({300, rest}) + edit);
}

std::vector<uint64_t> NumbersOf(const Result<DatabaseFiles>& files,
                                size_t family = 0) {
  std::vector<uint64_t> numbers;
  if (!files.ok()) {
    ADD_FAILURE() << files.status().ToString();
    return numbers;
  }
  for (const LiveTable& table : files->column_families[family].tables) {
    numbers.push_back(table.number);
  }
  return numbers;
}
using Order = std::vector<uint64_t>;

// --- Whole databases ---

TEST_F(DatabaseFilesTest, RocksDbSeesTheSame) {
  for (const std::string name :
       {"multi-cf", "atomic", "atomic-cut", "features", "bigrecord"}) {
    SCOPED_TRACE(name);
    const auto files = ReadDatabaseFiles(GoldenPath("db/" + name));
    ASSERT_TRUE(files.ok()) << files.status().ToString();
    auto expected =
        nlohmann::json::parse(ReadFile(GoldenPath("db/" + name + ".json")));
    for (auto& family : expected["column_families"]) {
      if (!family.contains("blob_files")) {
        family["blob_files"] = nlohmann::json::array();
      }
    }
    EXPECT_EQ(Json(*files), expected);
    EXPECT_EQ(files->ignored_bytes != 0, name == "atomic-cut");
  }
}

TEST_F(DatabaseFilesTest, DamageIsAnErrorWithItsPlace) {
  const std::string path = GoldenPath("db/atomic-badcrc");
  const auto files = ReadDatabaseFiles(path);
  EXPECT_EQ(files.status().ToString(),
            "Corruption: " + path +
                "/MANIFEST-000005: record at offset 638: "
                "checksum mismatch");
  // What was before it is there on request.
  const auto before = ReadDatabaseFiles(path, {.until_damage = true});
  ASSERT_TRUE(before.ok()) << before.status().ToString();
  EXPECT_EQ(before->damage.ToString(), files.status().ToString());
  const std::string whole = Manifest(path);
  const auto cut = Read(whole.substr(0, 638));
  EXPECT_EQ(Json(*before), Json(*cut));
  // The damage is within a group.
  EXPECT_GT(cut->ignored_bytes, 0U);
  EXPECT_EQ(before->ignored_bytes, whole.size() - 638 + cut->ignored_bytes);
}

TEST_F(DatabaseFilesTest, DamageBeforeAnyStateIsTheError) {
  std::string bytes = Begin();
  bytes[3] = static_cast<char>(bytes[3] ^ 1);
  EXPECT_THAT(Read(bytes, {.until_damage = true}).status().ToString(),
              HasSubstr("record at offset 0: checksum mismatch"));
}

// A writer may have been killed after any byte.
TEST_F(DatabaseFilesTest, EveryCutIsAnEarlierState) {
  const std::string whole = Manifest(GoldenPath("db/atomic"));
  size_t states = 0;
  nlohmann::json last;
  for (size_t size = 0; size <= whole.size(); ++size) {
    SCOPED_TRACE(size);
    const auto files = Read(whole.substr(0, size));
    if (!files.ok()) {
      ASSERT_THAT(files.status().ToString(), HasSubstr("no edit says the"));
      ASSERT_EQ(states, 0U);
      continue;
    }
    const nlohmann::json state = Json(*files);
    // A cut within a record changes nothing and says so.
    ASSERT_TRUE(state == last || files->ignored_bytes == 0);
    states += state == last ? 0 : 1;
    last = state;
  }
  EXPECT_GE(states, 5U);
  EXPECT_EQ(last, Json(*ReadDatabaseFiles(GoldenPath("db/atomic"))));
}

TEST_F(DatabaseFilesTest, EveryFlippedBitIsFound) {
  std::string bytes = Manifest(GoldenPath("db/atomic"));
  const nlohmann::json whole = Json(*Read(bytes));
  size_t errors = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const auto mask = static_cast<char>(1 << bit % 8);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
    const auto files = Read(bytes);
    errors += files.ok() ? 0 : 1;
    // A size that reaches over the end looks like a write that was cut off.
    if (files.ok() && files->ignored_bytes == 0) {
      EXPECT_EQ(Json(*files), whole) << bit;
    }
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
  }
  EXPECT_GT(errors, bytes.size() * 7);
}

// --- Records ---

TEST_F(DatabaseFilesTest, RecordsInPieces) {
  const std::string edit = Added({.number = 8});
  for (const size_t cut : {size_t{0}, size_t{1}, edit.size()}) {
    EXPECT_EQ(NumbersOf(Read(Begin() + Piece(2, edit.substr(0, cut)) +
                             Piece(3, "") + Piece(4, edit.substr(cut)))),
              Order{8});
  }
  // An empty record, and one of a later release, which ends what was begun.
  EXPECT_EQ(NumbersOf(Read(Begin() + Whole("") + Piece(2, "x") +
                           Piece(static_cast<char>(200), "") + Whole(edit))),
            Order{8});
  // An empty first piece may be followed by another beginning.
  EXPECT_EQ(NumbersOf(Read(Begin() + Piece(2, "") + Whole(edit))), Order{8});
  EXPECT_THAT(Error(Begin() + Piece(2, "x") + Whole(edit)),
              HasSubstr("begins within the record at offset"));
  EXPECT_THAT(Error(Begin() + Piece(4, edit)), HasSubstr("did not begin"));
  for (const int type : {0, 5, 6, 8, 9, 10, 11, 12, 127, 130, 131}) {
    EXPECT_THAT(Error(Begin() + Piece(static_cast<char>(type), edit)),
                HasSubstr("is not one of a MANIFEST"))
        << type;
  }
}

TEST_F(DatabaseFilesTest, BlocksAndTheirEnds) {
  const std::string edit = Whole(Added({.number = 8}));
  std::string bytes = Begin();
  // Zeros to the end of a block are passed over, at the end of the file too.
  bytes.resize(kBlock);
  EXPECT_EQ(NumbersOf(Read(bytes + edit)), Order{8});
  EXPECT_EQ(Read(Begin() + std::string(50, '\0'))->ignored_bytes, 0U);
  // Up to six bytes at the end of a block belong to nothing.
  for (size_t rest = 0; rest < kHeader; ++rest) {
    const size_t size = kBlock - Begin().size() - kHeader - rest;
    std::string payload = Numbers({8192}) + Numbers({size - 5});
    payload.resize(size);
    EXPECT_EQ(NumbersOf(Read(Begin() + Whole(payload) + std::string(rest, 'x') +
                             edit)),
              Order{8})
        << rest;
  }
  // Not within a record in pieces.
  std::string padded = Begin() + Piece(2, "x");
  padded.resize(kBlock);
  EXPECT_THAT(Error(padded + Piece(4, "y")),
              HasSubstr("zeros within a record in pieces"));
  // A size that reaches over the end of a whole block is no unfinished write.
  std::string long_piece = Begin() + Piece(1, std::string(60000, 'x'));
  long_piece.resize(kBlock);
  EXPECT_THAT(Error(long_piece), HasSubstr("reaches over the end of a block"));
  long_piece.resize(kBlock - 1);
  EXPECT_EQ(Read(long_piece)->ignored_bytes, kBlock - 1 - Begin().size());
}

TEST(LogRecordsTest, FileThatBecomesShorter) {
  const std::string bytes = Begin();
  for (const FaultPlan::Kind kind :
       {FaultPlan::Kind::kOneShort, FaultPlan::Kind::kNothing}) {
    FaultPlan plan{.fail_at = 1, .kind = kind};
    const auto file = NewFaultyFile("MANIFEST-000007", bytes, &plan);
    internal::LogRecords records(*file);
    EXPECT_FALSE(records.Next());
    EXPECT_TRUE(records.status().IsCorruption());
    EXPECT_THAT(records.status().ToString(),
                HasSubstr("instead of " + std::to_string(bytes.size())));
  }
}

// --- Edits ---

// Releases before 5.0 wrote these, and a database keeps them for years.
TEST_F(DatabaseFilesTest, OlderFormsOfATable) {
  const std::string keys = Text(Key("a", 1)) + Text(Key("b", 7));
  struct Form {
    std::string edit;
    uint32_t path_id;
    SequenceNumber smallest;
    SequenceNumber largest;
  };
  for (const Form& form :
       {Form{Numbers({7, 2, 8, 100}) + keys, 0, 0, kMaxSequenceNumber},
        Form{Numbers({100, 2, 8, 100}) + keys + Numbers({1, 7}), 0, 1, 7},
        Form{Numbers({102, 2, 8, 3, 100}) + keys + Numbers({1, 7}), 3, 1, 7}}) {
    const auto files = Read(Begin() + Whole(form.edit));
    ASSERT_TRUE(files.ok()) << files.status().ToString();
    const LiveTable& table = files->column_families.at(0).tables.at(0);
    EXPECT_EQ(table.level, 2U);
    EXPECT_EQ(table.number, 8U);
    EXPECT_EQ(table.file_size, 100U);
    EXPECT_EQ(table.smallest, Key("a", 1));
    EXPECT_EQ(table.largest, Key("b", 7));
    EXPECT_EQ(table.path_id, form.path_id);
    EXPECT_EQ(table.smallest_seqno, form.smallest);
    EXPECT_EQ(table.largest_seqno, form.largest);
  }
}

TEST_F(DatabaseFilesTest, FieldsOfATable) {
  const auto with_field = [this](uint64_t id, const std::string& payload) {
    const auto files = Read(
        Begin() +
        Whole(Added({.number = 8, .fields = Numbers({id}) + Text(payload)})));
    EXPECT_TRUE(files.ok()) << files.status().ToString();
    return files.ok() ? files->column_families.at(0).tables.at(0) : LiveTable();
  };
  EXPECT_FALSE(with_field(17, "").marked_for_compaction);
  EXPECT_TRUE(with_field(2, "\1").marked_for_compaction);
  EXPECT_FALSE(with_field(2, std::string(1, '\0')).marked_for_compaction);
  EXPECT_EQ(with_field(14, Numbers({3000})).compensated_range_deletion_size,
            3000U);
}

TEST_F(DatabaseFilesTest, FieldsOfABlobFile) {
  const auto with_field = [this](uint64_t id) {
    return Error(Begin() + Whole(Numbers({400, 5, 3, 100, 0, 0, id}) +
                                 Text("later") + Numbers({0})));
  };
  EXPECT_EQ(with_field(9), "OK");
  EXPECT_THAT(with_field(64 + 9), HasSubstr("a blob file's field 73"));
}

TEST_F(DatabaseFilesTest, WhatMayBePassedOver) {
  const std::string table = Added({.number = 8});
  for (const std::string& edit :
       {Numbers({5, 1}) + Text(Key("k", 1)),  // where a compaction goes on
        Numbers({9, 7, 203, 4}),              // old numbers
        Numbers({8192}) + Text("x"), Numbers({8202}) + Text("xyz"),
        Numbers({65536 + 8192}) + Text("later"),
        Numbers({8201}) + Text("\1")}) {
    EXPECT_EQ(NumbersOf(Read(Begin() + Whole(edit + table))), Order{8});
  }
  // Changes of logs, in old and new forms, come without changes of files.
  for (const std::string& edit :
       {Numbers({8196, 5, 2, 77, 1}), Numbers({8197, 5}),
        Numbers({8199}) + Text(Numbers({5, 2, 77, 1})),
        Numbers({8200}) + Text(Numbers({5}))}) {
    EXPECT_EQ(NumbersOf(Read(Begin() + Whole(edit) + Whole(table))), Order{8});
  }
}

TEST_F(DatabaseFilesTest, WhatMustBeKnown) {
  EXPECT_THAT(Error(Begin() + Whole(Numbers({8}))),
              HasSubstr("Not supported: "));
  EXPECT_THAT(Error(Begin() + Whole(Numbers({999}))), HasSubstr("tag 999"));
  const auto with_field = [this](uint64_t id, const std::string& payload) {
    return Error(
        Begin() +
        Whole(Added({.number = 8, .fields = Numbers({id}) + Text(payload)})));
  };
  EXPECT_EQ(with_field(17, "hint"), "OK");
  EXPECT_EQ(with_field(146, ""), "OK");  // has not the bit 64
  EXPECT_THAT(with_field(66, ""), HasSubstr("field 66 is unknown"));
  EXPECT_THAT(with_field(192, ""), HasSubstr("field 192 is unknown"));
  EXPECT_EQ(with_field(65, "\3"), "OK");
  for (const auto& [id, payload] : {std::pair<uint64_t, std::string>(65, "\4"),
                                    {65, ""},
                                    {65, "ab"},
                                    {12, "short"},
                                    {3, "1234567"},
                                    {9, ""},
                                    {13, ""},
                                    {15, "\x80"}}) {
    EXPECT_THAT(with_field(id, payload), HasSubstr("malformed field")) << id;
  }
  for (const std::string& edit :
       {std::string("\x80"), Numbers({1, 50}) + "x", Numbers({6, 1}),
        Numbers({103, 0, 8, 100}) + Text("short") + Text(Key("b", 1)),
        Numbers({8199}) + Text(Numbers({5, 3})), Numbers({400, 1, 2})}) {
    EXPECT_THAT(Error(Begin() + Whole(edit)),
                HasSubstr("record at offset " + std::to_string(Begin().size()) +
                          ": malformed field"))
        << PrintableText(edit);
  }
}

TEST_F(DatabaseFilesTest, ChangesThatCannotBe) {
  const std::string table = Added({.number = 8});
  EXPECT_THAT(Error(Begin() + Whole(table) + Whole(table)),
              HasSubstr("added twice: table 8"));
  EXPECT_THAT(Error(Begin() + Whole(table) + Whole(Removed(1, 8))),
              HasSubstr("removed from level 1: table 8"));
  EXPECT_THAT(Error(Begin() + Whole(Removed(0, 8))),
              HasSubstr("which is not there"));
  EXPECT_THAT(Error(Begin() + Whole(Numbers({200, 3}) + table)),
              HasSubstr("unknown column family 3"));
  EXPECT_THAT(Error(Begin() + Whole(Numbers({200, 3, 202}))),
              HasSubstr("dropped is the column family 3"));
  EXPECT_THAT(Error(Begin() + Whole(Numbers({202}))),
              HasSubstr("dropped is the column family 0"));
  EXPECT_THAT(Error(Begin() + Whole(Numbers({201}) + Text("again"))),
              HasSubstr("added twice: column family 0"));
  EXPECT_THAT(Error(Begin() + Whole(Numbers({401, 5, 1, 1, 0}))),
              HasSubstr("unknown blob file 5"));
  // 3 blobs of 100 bytes, of which 2 and then 2 more are garbage.
  const std::string blobs = Whole(Numbers({400, 5, 3, 100, 0, 0, 0}));
  const std::string garbage = Whole(Numbers({401, 5, 2, 40, 0}));
  EXPECT_EQ(Error(Begin() + blobs + garbage), "OK");
  EXPECT_THAT(Error(Begin() + blobs + blobs),
              HasSubstr("added twice: blob file 5"));
  EXPECT_THAT(Error(Begin() + blobs + garbage + garbage),
              HasSubstr("more garbage than there are blobs in blob file 5"));
  EXPECT_THAT(Error(Whole(Numbers({2, 3, 3, 20}))),
              HasSubstr("no edit says the last sequence number"));
  EXPECT_THAT(Error(""), HasSubstr("no edit says the log number"));
}

TEST_F(DatabaseFilesTest, MovesAndFamilies) {
  // A move: the removal counts first, wherever it stands in the edit.
  EXPECT_EQ(NumbersOf(Read(Begin() + Whole(Added({.number = 8})) +
                           Whole(Added({.level = 3, .number = 8}) +
                                 Removed(0, 8) + Removed(0, 8)))),
            Order{8});
  // The family may be named last. One that was dropped is gone, and its name
  // may come again.
  const std::string families =
      Begin() + Whole(Numbers({201}) + Text("x") + Numbers({200, 4})) +
      Whole(Added({.number = 9}) + Numbers({200, 4})) +
      Whole(Numbers({200, 4, 202})) +
      Whole(Numbers({201}) + Text("x") + Numbers({200, 5, 2, 30}));
  const auto files = Read(families);
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  ASSERT_EQ(files->column_families.size(), 2U);
  EXPECT_EQ(files->column_families[1].id, 5U);
  EXPECT_EQ(files->column_families[1].log_number, 30U);
  EXPECT_TRUE(files->column_families[1].tables.empty());
}

TEST_F(DatabaseFilesTest, GroupsAreAppliedWhole) {
  const std::string first = Group(1, Added({.number = 8}));
  const std::string second = Group(0, Added({.number = 9, .epoch = 2}));
  EXPECT_EQ(NumbersOf(Read(Begin() + first + second)), (Order{9, 8}));
  const auto cut = Read(Begin() + first);
  EXPECT_EQ(NumbersOf(cut), Order{});
  EXPECT_EQ(cut->ignored_bytes, first.size());
  EXPECT_THAT(Error(Begin() + first + Whole("")),
              HasSubstr("an edit of no group within a group"));
  EXPECT_THAT(Error(Begin() + first + Group(1, "")), HasSubstr("a group of 2"));
}

// --- The order ---

TEST_F(DatabaseFilesTest, NewestFirstInLevelZero) {
  const auto order = [this](const std::vector<Table>& tables) {
    std::string edit;
    for (const Table& table : tables) edit += Added(table);
    return NumbersOf(Read(Begin() + Whole(edit)));
  };
  // By epoch, whatever the numbers are.
  EXPECT_EQ(order({{.number = 9, .largest_seqno = 9, .epoch = 1},
                   {.number = 5, .epoch = 3},
                   {.number = 7, .epoch = 2}}),
            (Order{5, 7, 9}));
  // If one has none, by sequence numbers, then by number.
  EXPECT_EQ(order({{.number = 9, .largest_seqno = 3, .epoch = 1},
                   {.number = 5, .largest_seqno = 4, .epoch = 2},
                   {.number = 6, .smallest_seqno = 3, .largest_seqno = 3},
                   {.number = 4, .largest_seqno = 3}}),
            (Order{5, 6, 9, 4}));
  // Deeper levels: by keys, which newer versions of one key begin.
  EXPECT_EQ(order({{.level = 2, .number = 3},
                   {.level = 1,
                    .number = 4,
                    .smallest = Key("k", 7),
                    .largest = Key("m", 1)},
                   {.level = 1,
                    .number = 5,
                    .smallest = Key("c", 1),
                    .largest = Key("k", 8)}}),
            (Order{5, 4, 3}));
}

TEST_F(DatabaseFilesTest, TablesThatOverlap) {
  const auto with = [this](const Table& a, const Table& b) {
    return Error(Begin() + Whole(Added(a) + Added(b)));
  };
  EXPECT_THAT(with({.level = 1, .number = 3}, {.level = 1, .number = 4}),
              HasSubstr("tables 3 and 4 of level 1 overlap"));
  EXPECT_THAT(with({.number = 3, .epoch = 2}, {.number = 4, .epoch = 2}),
              HasSubstr("of level 0 overlap"));
  // The end of a range deletion is not in the table.
  Table deletion = {.level = 1, .number = 3};
  deletion.largest =
      Key("b", kMaxSequenceNumber, ValueType::kTypeRangeDeletion);
  EXPECT_EQ(with(deletion, {.level = 1,
                            .number = 4,
                            .smallest = Key("b", 9),
                            .largest = Key("c", 1)}),
            "OK");
  EXPECT_THAT(with({.number = 3, .smallest = Key("c", 1)}, {.number = 4}),
              HasSubstr("comes after its largest"));
  // Nobody knows the order of an application's own keys.
  const auto files =
      Read(Begin("its.own") + Whole(Added({.level = 1, .number = 4}) +
                                    Added({.level = 1, .number = 3})));
  EXPECT_EQ(NumbersOf(files), (Order{3, 4}));
  EXPECT_FALSE(files->column_families[0].order_is_known);
}

TEST_F(DatabaseFilesTest, TimestampsThatAFileLacksArePutBack) {
  const std::string without = Numbers({16}) + Text(std::string(1, '\0'));
  const auto files =
      Read(Begin("leveldb.BytewiseComparator.u64ts") +
           Whole(Added({.number = 3,
                        .largest = Key("b", kMaxSequenceNumber,
                                       ValueType::kTypeRangeDeletion),
                        .fields = without})));
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  const LiveTable& table = files->column_families[0].tables[0];
  EXPECT_EQ(table.smallest, Key("a" + std::string(8, '\0'), 1));
  EXPECT_EQ(table.largest, Key("b" + std::string(8, '\xff'), kMaxSequenceNumber,
                               ValueType::kTypeRangeDeletion));
  EXPECT_THAT(Error(Begin("leveldb.BytewiseComparator.u64ts") +
                    Whole(Added({.number = 3}))),
              HasSubstr("too short for a timestamp"));
}

// --- CURRENT ---

TEST_F(DatabaseFilesTest, CurrentNamesTheManifest) {
  for (const std::string current :
       {"", "\n", "MANIFEST-000007", "MANIFEST-000007\n\n", "MANIFEST-\n",
        "MANIFEST-7x\n", "MANIFEST-000007\r\n", "/etc/passwd\n",
        "MANIFEST-../x\n"}) {
    const auto files = Read(Begin(), {}, current);
    ASSERT_FALSE(files.ok()) << current;
    EXPECT_TRUE(files.status().IsCorruption());
    EXPECT_THAT(files.status().ToString(), HasSubstr("/CURRENT: "));
  }
  const auto gone = Read(Begin(), {}, "MANIFEST-000008\n");
  EXPECT_THAT(gone.status().ToString(),
              HasSubstr("CURRENT names MANIFEST-000008"));
  EXPECT_TRUE(gone.status().IsCorruption());
  const auto none = ReadDatabaseFiles(folder_ / "nothing");
  EXPECT_EQ(none.status().subcode(), Status::SubCode::kPathNotFound);
}

TEST(TableFileName, HasSixDigitsAtLeast) {
  EXPECT_EQ(TableFileName(7), "000007.sst");
  EXPECT_EQ(TableFileName(12345678), "12345678.sst");
  EXPECT_EQ(TableFileName(7, true), "000007.ldb");
}

}  // namespace
}  // namespace ashlar::testing
