// Rows of batches that no file has: slices of batches, and batches that are not
// what the schema says. test/tools/ashlar_arrow_test.py has those of files.

#include "tools/columns/arrow_columns.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "test/tools/arrow/made_array.h"

namespace ashlar::tool {
namespace {

using arrow::testing::MadeArray;
using arrow::testing::MadeSchema;

std::unique_ptr<MadeSchema> TwoColumns() {
  auto schema = std::make_unique<MadeSchema>("+s", "");
  schema->Child(std::make_unique<MadeSchema>("u", "k"))
      .Child(std::make_unique<MadeSchema>("s", "v"));
  return schema;
}

// Three rows, of which the batch shows those from `offset` on.
std::unique_ptr<MadeArray> Batch(int64_t offset, int64_t length,
                                 const std::string& keys = "abc") {
  auto batch = std::make_unique<MadeArray>(length, offset);
  auto text = std::make_unique<MadeArray>(3);
  text->NoBuffer().Numbers<int32_t>({0, 1, 2, 3}).Bytes(keys);
  auto numbers = std::make_unique<MadeArray>(3);
  numbers->NoBuffer().Numbers<int16_t>({1, 2, 3});
  batch->NoBuffer().Child(std::move(text)).Child(std::move(numbers));
  return batch;
}

// Returns the keys and values of a batch with spaces between them, or what is
// wrong.
std::string RowsOf(MadeArray* batch, const std::string& key_columns,
                   const std::string& value_columns) {
  ColumnPlan plan;
  std::string reason = ParseColumnPlan(key_columns, value_columns,
                                       PlannedColumn::Notation::kBytes, &plan);
  EXPECT_EQ(reason, "");
  ArrowColumns columns(&plan);
  const auto schema = TwoColumns();
  if (!columns.Find(*schema->get(), &reason)) return reason;
  const Status status = columns.Bind(*batch->get());
  if (!status.ok()) return std::string(status.message());
  std::string text;
  for (int64_t i = 0; i < columns.length(); ++i) {
    Row row;
    if (!columns.MakeRow(i, &row, &reason)) return reason;
    text += row.key.ToString() + " " + row.value.ToString() + " ";
  }
  return text;
}

TEST(ArrowColumns, ShowTheRowsOfASlice) {
  EXPECT_EQ(RowsOf(Batch(0, 3).get(), "k", "v"), "a 1 b 2 c 3 ");
  EXPECT_EQ(RowsOf(Batch(1, 2).get(), "k", "v"), "b 2 c 3 ");
  EXPECT_EQ(RowsOf(Batch(2, 1).get(), "v", "k"), "3 c ");
  EXPECT_EQ(RowsOf(Batch(2, 0).get(), "v", "k"), "");
  EXPECT_EQ(RowsOf(Batch(1, 1).get(), "k", ""), "b {\"v\":2} ");
  EXPECT_EQ(RowsOf(Batch(1, 1).get(), "k", "v,k"), "b {\"v\":2,\"k\":\"b\"} ");
}

TEST(ArrowColumns, RefuseBatchesOfAnotherShape) {
  EXPECT_EQ(RowsOf(Batch(1, 3).get(), "k", "v"),
            "column 1 ('k'): an array of 3 values; expected 3 after 1");
  EXPECT_EQ(RowsOf(Batch(-1, 3).get(), "k", "v"),
            "a batch that has not the columns of the schema");
  EXPECT_EQ(RowsOf(Batch(0, -3).get(), "k", "v"),
            "a batch that has not the columns of the schema");
  EXPECT_NE(
      RowsOf(Batch(INT64_MAX, INT64_MAX).get(), "k", "v").find("an array"),
      std::string::npos);
  const auto nulls = Batch(0, 3);
  nulls->get()->null_count = 1;
  EXPECT_EQ(RowsOf(nulls.get(), "k", "v"),
            "a batch that has not the columns of the schema");
  const auto fewer = Batch(0, 3);
  fewer->get()->n_children = 1;
  EXPECT_EQ(RowsOf(fewer.get(), "k", "v"),
            "a batch that has not the columns of the schema");
  const auto hole = Batch(0, 3);
  hole->get()->children[1] = nullptr;
  EXPECT_EQ(RowsOf(hole.get(), "k", "v"), "column 2 ('v'): missing in a batch");
}

TEST(ArrowColumns, RefuseRowsThatAreNull) {
  // The third row is null. -1: nobody has counted.
  const uint8_t validity[] = {0b1011};
  const void* buffers[] = {validity};
  const auto rows_of = [&](int64_t offset, int64_t length, int64_t nulls) {
    const auto batch = Batch(offset, length);
    batch->get()->null_count = nulls;
    batch->get()->n_buffers = 1;
    batch->get()->buffers = buffers;
    return RowsOf(batch.get(), "k", "v");
  };
  EXPECT_EQ(rows_of(0, 3, -1), "a batch with a row that is null");
  EXPECT_EQ(rows_of(2, 1, -1), "a batch with a row that is null");
  EXPECT_EQ(rows_of(0, 2, -1), "a 1 b 2 ");
  EXPECT_EQ(rows_of(0, 3, 0), "a 1 b 2 c 3 ");
}

TEST(ArrowColumns, TextMustBeUtf8) {
  const auto batch = Batch(0, 3,
                           "a\xff"
                           "c");
  EXPECT_EQ(RowsOf(batch.get(), "k", "v"),
            "column 1 ('k'): byte 1 of it is not UTF-8");
  EXPECT_EQ(RowsOf(batch.get(), "v", "k"),
            "column 1 ('k'): byte 1 of it is not UTF-8");
  EXPECT_EQ(RowsOf(batch.get(), "v", ""),
            "column 1 ('k'): byte 1 of it is not UTF-8");
  EXPECT_EQ(RowsOf(batch.get(), "k,v:i32be", "v"),
            "column 1 ('k'): byte 1 of it is not UTF-8");
}

}  // namespace
}  // namespace ashlar::tool
