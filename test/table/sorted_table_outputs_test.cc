// Tables of a SortedTableWriter that the caller opens and takes: each that has
// begun is ended or dropped, whatever fails.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ashlar/table/sorted_table_writer.h"
#include "test/support/memory_outputs.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

SortedTableWriterOptions SmallTables() {
  SortedTableWriterOptions options;
  options.build = FixedBuild();
  options.build.target_file_size = 3000;
  options.table.block_size = 1024;
  options.table.compression = CompressionType::kNoCompression;
  return options;
}

Status WriteTo(MemoryOutputs* outputs,
               const SortedTableWriterOptions& options) {
  auto writer = SortedTableWriter::OpenTo(outputs, options);
  if (!writer.ok()) return writer.status();
  Status status;
  for (int i = 0; status.ok() && i < 100; ++i) {
    status = (*writer)->Put(std::to_string(1000 + i), std::string(100, 'v'));
  }
  Status finished = (*writer)->Finish();
  EXPECT_TRUE(status.ok() || finished.ToString() == status.ToString());
  return finished;
}

// Any write may fail: one of the data, one at the end of a table, and End. The
// outputs throw if another table than the open one is dropped.
TEST(SortedTableOutputs, AfterAFailureTheOpenTableIsDropped) {
  SortedTableWriterOptions options = SmallTables();
  for (const bool is_sorted : {false, true}) {
    options.is_sorted = is_sorted;
    bool is_complete = false;
    for (FaultPlan plan{.fail_at = 1}; !is_complete; ++plan.fail_at) {
      plan.operations = 0;
      MemoryOutputs outputs(&plan);
      const Status status = WriteTo(&outputs, options);
      is_complete = status.ok();
      EXPECT_TRUE(is_complete || status.IsIOError()) << status.ToString();
      EXPECT_EQ(outputs.open, 0);
      EXPECT_LE(outputs.dropped, is_complete ? 0 : 1);
      EXPECT_TRUE(!is_complete || outputs.files.size() > 2);
    }
  }
}

TEST(SortedTableOutputs, AWriterWithoutFinishDropsItsTable) {
  SortedTableWriterOptions options = SmallTables();
  for (const bool is_sorted : {false, true}) {
    options.is_sorted = is_sorted;
    MemoryOutputs outputs;
    auto writer = SortedTableWriter::OpenTo(&outputs, options);
    Require(writer.status());
    Require((*writer)->Put("a", "1"));
    EXPECT_EQ(outputs.open, 1);
    writer->reset();
    EXPECT_EQ(outputs.open, 0);
    EXPECT_EQ(outputs.dropped, 1);
  }
}

}  // namespace
}  // namespace ashlar::testing
