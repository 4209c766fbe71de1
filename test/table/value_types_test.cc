// Tests the values of each value type, and what Get returns for them.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/entry/timed_value.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/external_file_writer.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using State = GetResult::State;

Entry OfType(std::string_view user_key, SequenceNumber sequence, ValueType type,
             std::string_view value) {
  return {MakeInternalKey(user_key, sequence, type), std::string(value)};
}

struct Found {
  Status status;
  GetResult result;
};

Found Lookup(const std::vector<Entry>& entries, std::string_view key) {
  Found found;
  found.status = OpenTable(BuildTable({}, entries))
                     ->Get({}, key, kMaxSequenceNumber, &found.result,
                           [](const Slice&, SequenceNumber) { return true; });
  return found;
}

// An entity that RocksDB 11.9 wrote: version 1, with the columns "", "col" and
// "zz".
const std::string kEntity =
    Unhex("01 03  00 02  03 636f6c 03  02 7a7a 01  6162 636465 66");

std::string Text(const std::vector<WideColumn>& columns) {
  std::string text;
  for (const WideColumn& column : columns) {
    text += column.name.ToString() + (column.is_blob_index ? "@" : "=") +
            column.value.ToString() + ";";
  }
  return text;
}

TEST(WideColumns, VersionOne) {
  std::vector<WideColumn> columns;
  Require(DecodeWideColumns(kEntity, &columns));
  EXPECT_EQ(Text(columns), "=ab;col=cde;zz=f;");
  std::string again;
  Require(EncodeWideColumns({columns[2], columns[0], columns[1]}, &again));
  EXPECT_EQ(Hex(again), Hex(kEntity));
  std::optional<WideColumn> column;
  Require(FindDefaultColumn(kEntity, &column));
  ASSERT_TRUE(column.has_value());
  EXPECT_EQ(column->value, Slice("ab"));
}

TEST(WideColumns, VersionTwo) {
  const std::string entity =
      Unhex("02 02  02 02 01  11 01  00 01  03 02  61  010203 6262");
  std::vector<WideColumn> columns;
  Require(DecodeWideColumns(entity, &columns));
  EXPECT_EQ(Text(columns), "@\1\2\3;a=bb;");
  std::string again;
  Require(EncodeWideColumns(columns, &again));
  EXPECT_EQ(Hex(again), Hex(entity));
}

TEST(WideColumns, NoColumns) {
  std::string entity;
  Require(EncodeWideColumns({}, &entity));
  EXPECT_EQ(Hex(entity), "0100");
  std::optional<WideColumn> column;
  Require(FindDefaultColumn(entity, &column));
  EXPECT_FALSE(column.has_value());
}

TEST(WideColumns, WhatIsNone) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "no version"},
      {"01", "no number of columns"},
      {"01 01", "column 0 does not fit"},
      {"01 01 05 61 00", "column 0 does not fit"},
      {"01 01 01 61 02 62", "column 0 does not fit"},
      {"01 01 01 61 01 62 63", "bytes follow the last column"},
      {"01 00 63", "it has no columns, but bytes follow"},
      {"01 02 01 62 00 01 61 00",
       "name 1 is not larger than the one before it"},
      {"01 02 00 00 00 00", "name 1 is not larger than the one before it"},
      {"01 ff ff ff ff 0f", "column 0 does not fit"},
      {"02 01 01 01 00 01 00", "its columns do not fit into it"},
      {"02 01 01 01 00 05 00 00", "column 0 does not fit"},
      {"02 01 01 01 01 01 00 00 61", "bytes follow the last column"},
  };
  for (const auto& [bytes, words] : kCases) {
    std::vector<WideColumn> columns;
    const Status status = DecodeWideColumns(Unhex(bytes), &columns);
    EXPECT_TRUE(status.IsCorruption()) << bytes << ": " << status.ToString();
    EXPECT_EQ(status.message(), "bad wide-column entity: " + std::string(words))
        << bytes;
    std::optional<WideColumn> column;
    EXPECT_EQ(FindDefaultColumn(Unhex(bytes), &column).ToString(),
              status.ToString());
    EXPECT_FALSE(column.has_value());
  }
  std::vector<WideColumn> columns;
  EXPECT_TRUE(DecodeWideColumns(Unhex("03 00"), &columns).IsNotSupported());
  std::string entity;
  EXPECT_TRUE(
      EncodeWideColumns({{"a", "1"}, {"a", "2"}}, &entity).IsInvalidArgument());
}

TEST(WideColumns, WhatIsEncodedIsDecoded) {
  ForEachSeed(1, 200, [](uint64_t seed) {
    Random random(seed);
    std::vector<std::pair<std::string, std::string>> made;
    for (size_t i = random.Below(30); i > 0; --i) {
      made.emplace_back(std::to_string(i) + random.Text(random.Below(200)),
                        random.Bytes(random.Below(300)));
    }
    std::vector<WideColumn> columns;
    columns.reserve(made.size() + 1);
    for (const auto& [name, value] : made) {
      columns.push_back({name, value, random.OneIn(10)});
    }
    if (random.OneIn(2)) columns.push_back({"", "default"});
    std::string entity;
    Require(EncodeWideColumns(columns, &entity));
    std::vector<WideColumn> decoded;
    Require(DecodeWideColumns(entity, &decoded));
    ASSERT_EQ(decoded.size(), columns.size());
    std::string again;
    Require(EncodeWideColumns(decoded, &again));
    EXPECT_EQ(Hex(again), Hex(entity));
    // No prefix of an entity is an entity.
    const size_t cut = random.Below(entity.size());
    EXPECT_FALSE(DecodeWideColumns(Slice(entity.data(), cut), &decoded).ok());
  });
}

TEST(BlobIndexes, Kinds) {
  BlobIndex index;
  Require(DecodeBlobIndex(Unhex("01 0a 47 c801 07"), &index));
  EXPECT_EQ(index.kind, BlobIndex::Kind::kBlob);
  EXPECT_EQ(index.file_number, 10u);
  EXPECT_EQ(index.offset, 71u);
  EXPECT_EQ(index.size, 200u);
  EXPECT_EQ(index.compression, CompressionType::kZSTD);
  Require(DecodeBlobIndex(Unhex("02 ac02 0a 47 01 00"), &index));
  EXPECT_EQ(index.kind, BlobIndex::Kind::kBlobTtl);
  EXPECT_EQ(index.expiration, 300u);
  EXPECT_EQ(index.size, 1u);
  const std::string inlined = Unhex("00 ac02 6162");
  Require(DecodeBlobIndex(inlined, &index));
  EXPECT_EQ(index.kind, BlobIndex::Kind::kInlinedTtl);
  EXPECT_EQ(index.inlined_value, Slice("ab"));
  for (const char* bytes : {"", "03", "01", "01 0a 47 c801", "02", "00 ff",
                            "01 0a 47 c801 07 00"}) {
    EXPECT_TRUE(DecodeBlobIndex(Unhex(bytes), &index).IsCorruption()) << bytes;
  }
}

TEST(BlobIndexes, AreWrittenAsTheyAreRead) {
  for (const char* hex :
       {"01 0a 47 c801 07", "02 ac02 0a 47 01 00", "00 ac02 6162", "00 01"}) {
    const std::string bytes = Unhex(hex);
    BlobIndex index;
    Require(DecodeBlobIndex(bytes, &index));
    std::string again;
    AppendBlobIndex(index, &again);
    EXPECT_EQ(again, bytes) << hex;
  }
}

TEST(ValueTypes, BlobIndexesAreHandedOut) {
  const Found found =
      Lookup({OfType("k", 5, ValueType::kTypeBlobIndex, "\1ref")}, "k");
  Require(found.status);
  EXPECT_EQ(found.result.state, State::kFound);
  EXPECT_EQ(found.result.type, ValueType::kTypeBlobIndex);
  EXPECT_TRUE(found.result.is_blob_index);
  EXPECT_EQ(found.result.value.ToString(), "\1ref");
}

TEST(ValueTypes, EntitiesGiveTheirDefaultColumn) {
  const auto type = ValueType::kTypeWideColumnEntity;
  Found found = Lookup({OfType("k", 5, type, kEntity)}, "k");
  Require(found.status);
  EXPECT_EQ(found.result.state, State::kFound);
  EXPECT_EQ(found.result.type, type);
  EXPECT_FALSE(found.result.is_blob_index);
  EXPECT_EQ(found.result.value.ToString(), "ab");
  // Entity and value outlive the reader, also after the result is moved.
  const GetResult moved = std::move(found.result);
  EXPECT_EQ(moved.entity, Slice(kEntity));
  const std::string other = Unhex("01 01  01 61 01  62");
  found = Lookup({OfType("k", 5, type, other)}, "k");
  Require(found.status);
  EXPECT_EQ(found.result.state, State::kFound);
  EXPECT_TRUE(found.result.value.empty());
  EXPECT_EQ(found.result.entity, Slice(other));
  const std::string blob = Unhex("02 01  01 01 00  11  00  03  010203");
  found = Lookup({OfType("k", 5, type, blob)}, "k");
  Require(found.status);
  EXPECT_TRUE(found.result.is_blob_index);
  EXPECT_EQ(found.result.value.ToString(), "\1\2\3");
  found = Lookup({OfType("k", 5, type, "x")}, "k");
  EXPECT_TRUE(found.status.IsNotSupported()) << found.status.ToString();
  found = Lookup({OfType("k", 5, type, "\1\5")}, "k");
  EXPECT_TRUE(found.status.IsCorruption()) << found.status.ToString();
  EXPECT_NE(found.status.message().find("value of 'k' seq:5, type:22 in data "
                                        "block #0 offset 0"),
            std::string_view::npos)
      << found.status.ToString();
}

TEST(ValueTypes, TimedValuesGiveTheirValue) {
  const auto type = ValueType::kTypeValuePreferredSeqno;
  std::string bytes;
  AppendTimedValue({"abc", 0x1122}, &bytes);
  EXPECT_EQ(Hex(bytes), "6162632211000000000000");
  Found found = Lookup({OfType("k", 5, type, bytes)}, "k");
  Require(found.status);
  EXPECT_EQ(found.result.state, State::kFound);
  EXPECT_EQ(found.result.type, type);
  EXPECT_EQ(found.result.value.ToString(), "abc");
  TimedValue timed;
  Require(DecodeTimedValue(bytes, &timed));
  EXPECT_EQ(timed.preferred_sequence, 0x1122u);
  found = Lookup({OfType("k", 5, type, "1234567")}, "k");
  EXPECT_TRUE(found.status.IsCorruption()) << found.status.ToString();
}

TEST(ValueTypes, OthersAreWhatTheyWere) {
  Found found =
      Lookup({OfType("k", 5, ValueType::kTypeDeletionWithTimestamp, "")}, "k");
  EXPECT_EQ(found.result.state, State::kDeleted);
  found = Lookup({OfType("k", 5, ValueType::kTypeSetWithDelete, "v")}, "k");
  EXPECT_EQ(found.result.state, State::kFound);
  EXPECT_EQ(found.result.value.ToString(), "v");
}

// The entry under merge operands may have any type.
TEST(ValueTypes, UnderMergeOperands) {
  std::string timed;
  AppendTimedValue({"base", 1}, &timed);
  const struct {
    ValueType type;
    std::string value;
    State state;
    const char* base;
  } kCases[] = {
      {ValueType::kTypeBlobIndex, "\1ref", State::kFound, "\1ref"},
      {ValueType::kTypeWideColumnEntity, kEntity, State::kFound, "ab"},
      {ValueType::kTypeValuePreferredSeqno, timed, State::kFound, "base"},
      {ValueType::kTypeDeletionWithTimestamp, "", State::kDeleted, ""},
  };
  for (const auto& c : kCases) {
    const Found found =
        Lookup({Operand("k", 9, "m"), OfType("k", 5, c.type, c.value)}, "k");
    Require(found.status);
    EXPECT_EQ(found.result.state, c.state);
    EXPECT_EQ(found.result.type, c.type);
    EXPECT_EQ(found.result.sequence, 5u);
    EXPECT_EQ(found.result.value.ToString(), c.base);
  }
}

TEST(ValueTypes, CountsInProperties) {
  const std::string bytes =
      BuildTable({}, {OfType("a", 5, ValueType::kTypeDeletionWithTimestamp, ""),
                      OfType("b", 5, ValueType::kTypeWideColumnEntity, kEntity),
                      OfType("c", 5, ValueType::kTypeBlobIndex, "x"),
                      Deletion("d", 4), RangeDeleted("e", 3, "f")});
  const TableProperties p = OpenTable(bytes)->properties();
  EXPECT_EQ(p.num_entries, 5u);
  EXPECT_EQ(p.num_deletions, 3u);
  EXPECT_EQ(p.num_range_deletions, 1u);
  EXPECT_EQ(p.num_filter_entries, 4u);
}

TEST(ValueTypes, ExternalEntities) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("t.sst", &bytes);
  auto writer = ExternalFileWriter::Create(file.get(), {}, FixedBuild());
  Require(writer.status());
  Require((*writer)->PutEntity("k", {{"zz", "f"}, {"", "ab"}, {"col", "cde"}}));
  EXPECT_TRUE(
      (*writer)->PutEntity("l", {{"a", "1"}, {"a", "2"}}).IsInvalidArgument());
  Require((*writer)->Finish());
  std::vector<Entry> entries;
  Require(ReadForward(*OpenTable(bytes), {}, &entries));
  EXPECT_TRUE(entries ==
              (std::vector<Entry>{
                  OfType("k", 0, ValueType::kTypeWideColumnEntity, kEntity)}));
}

}  // namespace
}  // namespace ashlar::testing
