// Tests ExternalFileWriter::Open with a path: the file appears when it is
// complete, or not at all.

#include "ashlar/table/external_file_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "ashlar/table/flush_block_policy.h"
#include "ashlar/table/table_reader.h"
#include "test/support/file_size_limit.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using Names = std::vector<std::string>;

Result<std::unique_ptr<ExternalFileWriter>> OpenWriter(
    const std::string& path, const AtomicFile::Options& file_options = {}) {
  return ExternalFileWriter::Open(path, {}, FixedBuild(), file_options);
}

// A rule for where blocks end that has no memory for the first entry.
class NoMemoryPolicy : public FlushBlockPolicy {
 public:
  bool Update(const Slice& /*key*/, const Slice& /*value*/) override {
    throw std::bad_alloc();
  }
};

class NoMemoryPolicyFactory : public FlushBlockPolicyFactory {
 public:
  std::unique_ptr<FlushBlockPolicy> NewFlushBlockPolicy() const override {
    return std::make_unique<NoMemoryPolicy>();
  }
};

// A file without entries may get some later, but not if the build has failed.
TEST(ExternalFileWriter, AnErrorOfTheFirstEntryIsTheResult) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("external.sst", &bytes);
  TableOptions options;
  options.flush_block_policy_factory =
      std::make_shared<NoMemoryPolicyFactory>();
  auto writer = ExternalFileWriter::Create(file.get(), options, FixedBuild());
  ASSERT_TRUE(writer.ok());
  EXPECT_TRUE((*writer)->Put("a", "1").IsMemoryLimit());
  EXPECT_EQ((*writer)->NumEntries(), 0u);
  EXPECT_TRUE((*writer)->Finish().IsMemoryLimit());
}

TEST(ExternalFileWriter, FileAppearsAtTheEnd) {
  const TestFolder folder;
  const std::string path = folder / "table.sst";
  auto writer = OpenWriter(path);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Put("a", "1").ok());
  ASSERT_EQ(folder.Names().size(), 1u);
  EXPECT_NE(folder.Names()[0], "table.sst");
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ(folder.Names(), Names{"table.sst"});
  EXPECT_EQ((*writer)->FileSize(), ReadFile(path).size());
  EXPECT_TRUE((*writer)->Put("b", "2").IsInvalidArgument());
  EXPECT_TRUE((*writer)->Finish().IsInvalidArgument());
  auto reader = TableReader::Open(path);
  ASSERT_TRUE(reader.ok());
  GetResult result;
  ASSERT_TRUE((*reader)->Get("a", &result).ok());
  EXPECT_EQ(result.value.ToString(), "1");
}

// The properties that IngestExternalFile needs.
TEST(ExternalFileWriter, PropertiesForIngestion) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("t.sst", &bytes);
  auto writer = ExternalFileWriter::Create(file.get(), {}, FixedBuild());
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Put("a", "1").ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  auto properties = ReadReferenceTable(bytes).properties;
  EXPECT_EQ(properties["rocksdb.external_sst_file.version"],
            std::string("\2\0\0\0", 4));
  EXPECT_EQ(properties["rocksdb.external_sst_file.global_seqno"],
            std::string(8, '\0'));
  EXPECT_EQ(properties["rocksdb.comparator"], "leveldb.BytewiseComparator");
  EXPECT_EQ(properties["rocksdb.key.largest.seqno"], std::string(1, '\0'));
  EXPECT_EQ(Hex(properties["rocksdb.column.family.id"]), "ffffffff07");
  // A table that is no external file does not have them.
  properties = ReadReferenceTable(BuildTable({}, SomeEntries(1))).properties;
  EXPECT_FALSE(properties.contains("rocksdb.external_sst_file.version"));
  EXPECT_FALSE(properties.contains("rocksdb.external_sst_file.global_seqno"));
}

TEST(ExternalFileWriter, NothingIsLeftWithoutFinish) {
  const TestFolder folder;
  {
    auto writer = OpenWriter(folder / "table.sst");
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Put("a", "1").ok());
  }
  EXPECT_TRUE(folder.Names().empty());
  {
    auto writer = OpenWriter(folder / "table.sst");
    ASSERT_TRUE(writer.ok());
    EXPECT_TRUE((*writer)->Finish().IsInvalidArgument());
  }
  EXPECT_TRUE(folder.Names().empty());
}

TEST(ExternalFileWriter, NothingIsLeftOfImpossibleOptions) {
  const TestFolder folder;
  TableOptions options;
  options.block_size = 0;
  EXPECT_TRUE(ExternalFileWriter::Open(folder / "table.sst", options)
                  .status()
                  .IsInvalidArgument());
  EXPECT_TRUE(folder.Names().empty());
}

TEST(ExternalFileWriter, FileThatIsThereAlready) {
  const TestFolder folder;
  const std::string path = folder / "table.sst";
  WriteFile(path, "precious");
  const Status status = OpenWriter(path, {.overwrite = false}).status();
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_EQ(status.message(), path + ": file exists");
  EXPECT_EQ(ReadFile(path), "precious");
  EXPECT_EQ(folder.Names(), Names{"table.sst"});
}

// The device is full at the first byte, at the last one, and at several
// between.
TEST(ExternalFileWriter, RealWritesThatFail) {
  Random random(8);
  const std::string value = random.Bytes(40000);
  const auto build = [&](const std::string& path) {
    auto writer = OpenWriter(path);
    Status status = writer.status();
    for (int i = 0; i < 10 && status.ok(); ++i) {
      status = (*writer)->Put("key" + std::to_string(i), value);
    }
    if (status.ok()) status = (*writer)->Finish();
    return status;
  };
  const TestFolder folder;
  const std::string path = folder / "table.sst";
  WriteFile(path, "old");
  uint64_t size = 0;
  {
    const TestFolder elsewhere;
    ASSERT_TRUE(build(elsewhere / "table.sst").ok());
    size = ReadFile(elsewhere / "table.sst").size();
  }
  const uint64_t step = size / 17;
  for (uint64_t limit = 0; limit < size; limit += step) {
    Status status;
    {
      const FileSizeLimit lower(limit);
      status = build(path);
    }
    EXPECT_TRUE(status.IsIOError()) << limit << ": " << status.ToString();
    EXPECT_NE(status.message().find("table.sst.tmp."), std::string_view::npos);
    EXPECT_EQ(folder.Names(), Names{"table.sst"}) << limit;
    EXPECT_EQ(ReadFile(path), "old");
  }
  Status status;
  {
    const FileSizeLimit lower(size - 1);
    status = build(path);
  }
  EXPECT_TRUE(status.IsIOError());
  EXPECT_EQ(ReadFile(path), "old");
  {
    const FileSizeLimit enough(size);
    status = build(path);
  }
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(ReadFile(path).size(), size);
}

}  // namespace
}  // namespace ashlar::testing
