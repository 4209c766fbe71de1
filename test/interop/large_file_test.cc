// Tables of more than 4 GiB, exchanged with RocksDB: each library reads what
// the other wrote. The values are zeros, so the files take no space on the
// disk.

#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <memory>
#include <string>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/table_reader.h"
#include "test/support/folder.h"
#include "test/support/sparse_file.h"

namespace ashlar::interop {
namespace {

using testing::NewSparseFile;
using testing::SparseWriter;

constexpr size_t kZeros = size_t{128} << 20;
constexpr int kLargeValues = 33;  // 4 GiB and 128 MiB
constexpr int kSmallValues = 2000;
constexpr uint64_t k4GiB = uint64_t{1} << 32;

std::string LargeKey(int i) { return "a" + std::to_string(1000 + i); }
std::string SmallKey(int i) { return "b" + std::to_string(10000 + i); }

class SparseRocksDbFile final : public rocksdb::FSWritableFile {
 public:
  explicit SparseRocksDbFile(const std::string& path) : writer_(path) {}
  using rocksdb::FSWritableFile::Append;

  rocksdb::IOStatus Append(const rocksdb::Slice& data,
                           const rocksdb::IOOptions&,
                           rocksdb::IODebugContext*) override {
    return Told(writer_.Append({data.data(), data.size()}));
  }
  rocksdb::IOStatus Close(const rocksdb::IOOptions&,
                          rocksdb::IODebugContext*) override {
    return Told(writer_.SetSize());
  }
  rocksdb::IOStatus Flush(const rocksdb::IOOptions&,
                          rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions&,
                         rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  uint64_t GetFileSize(const rocksdb::IOOptions&,
                       rocksdb::IODebugContext*) override {
    return writer_.size();
  }

 private:
  static rocksdb::IOStatus Told(bool done) {
    return done ? rocksdb::IOStatus::OK()
                : rocksdb::IOStatus::IOError("not written");
  }

  SparseWriter writer_;
};

class SparseFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  SparseFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "sparse"; }
  rocksdb::IOStatus NewWritableFile(
      const std::string& path, const rocksdb::FileOptions&,
      std::unique_ptr<rocksdb::FSWritableFile>* file,
      rocksdb::IODebugContext*) override {
    *file = std::make_unique<SparseRocksDbFile>(path);
    return rocksdb::IOStatus::OK();
  }
};

TableOptions OurOptions() {
  TableOptions options;
  options.format_version = 7;
  options.compression = CompressionType::kNoCompression;
  options.block_size = 1024;
  options.metadata_block_size = 256;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  return options;
}

rocksdb::Options TheirOptions() {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 7;
  table.block_size = 1024;
  table.metadata_block_size = 256;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.optimize_filters_for_memory = false;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

TEST(RocksDbLargeFile, ReadsOurs) {
  const testing::TestFolder folder;
  const std::string path = folder / "ours.sst";
  const auto file = NewSparseFile(path);
  auto writer = ExternalFileWriter::Create(file.get(), OurOptions(), {});
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  const std::string zeros(kZeros, '\0');
  for (int i = 0; i < kLargeValues; ++i) {
    ASSERT_TRUE((*writer)->Put(LargeKey(i), zeros).ok());
  }
  for (int i = 0; i < kSmallValues; ++i) {
    ASSERT_TRUE((*writer)->Put(SmallKey(i), LargeKey(i)).ok());
  }
  ASSERT_TRUE((*writer)->Finish().ok());
  ASSERT_TRUE(file->Close().ok());

  rocksdb::SstFileReader reader(TheirOptions());
  ASSERT_EQ(reader.Open(path).ToString(), "OK");
  EXPECT_GT(reader.GetTableProperties()->data_size, k4GiB);
  for (int i = 0; i < kSmallValues; ++i) {
    std::string value;
    ASSERT_EQ(reader.Get({}, SmallKey(i), &value).ToString(), "OK");
    ASSERT_EQ(value, LargeKey(i));
    ASSERT_TRUE(reader.Get({}, SmallKey(i) + "x", &value).IsNotFound());
  }
  const std::unique_ptr<rocksdb::Iterator> it = reader.NewTableIterator();
  for (it->SeekToLast(); it->Valid() && it->value().size() < kZeros;) {
    it->Prev();
  }
  ASSERT_TRUE(it->Valid()) << it->status().ToString();
  EXPECT_EQ(it->key().ToString().substr(0, 5), LargeKey(kLargeValues - 1));
}

TEST(RocksDbLargeFile, IsReadByUs) {
  const testing::TestFolder folder;
  const std::string path = folder / "theirs.sst";
  const auto env =
      rocksdb::NewCompositeEnv(std::make_shared<SparseFileSystem>());
  rocksdb::Options options = TheirOptions();
  options.env = env.get();
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  ASSERT_EQ(writer.Open(path).ToString(), "OK");
  const std::string zeros(kZeros, '\0');
  for (int i = 0; i < kLargeValues; ++i) {
    ASSERT_TRUE(writer.Put(LargeKey(i), zeros).ok());
  }
  for (int i = 0; i < kSmallValues; ++i) {
    ASSERT_TRUE(writer.Put(SmallKey(i), LargeKey(i)).ok());
  }
  ASSERT_EQ(writer.Finish().ToString(), "OK");
  ASSERT_LT(testing::BytesOnDisk(path), kZeros);

  auto reader = TableReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_GT((*reader)->properties().data_size, k4GiB);
  for (int i = 0; i < kSmallValues; ++i) {
    GetResult result;
    ASSERT_TRUE((*reader)->Get(SmallKey(i), &result).ok());
    ASSERT_EQ(result.value.ToString(), LargeKey(i));
    ASSERT_TRUE((*reader)->Get(SmallKey(i) + "x", &result).ok());
    ASSERT_EQ(result.state, GetResult::State::kNotFound);
  }
  Iterator it = (*reader)->NewIterator();
  it.Seek(SmallKey(0));
  ASSERT_TRUE(it.Valid()) << it.status().ToString();
  it.Prev();
  ASSERT_TRUE(it.Valid()) << it.status().ToString();
  EXPECT_EQ(it.user_key().ToString(), LargeKey(kLargeValues - 1));
  EXPECT_EQ(it.value().size(), kZeros);
}

}  // namespace
}  // namespace ashlar::interop
