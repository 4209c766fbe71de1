// Exchanges tables with RocksDB that a codec of the application compresses, and
// tables with a filter of the application's policy. Both libraries get an
// implementation of their own interface, under one name and with equal
// payloads. Each reads what the other has written.

#include <gtest/gtest.h>
#include <rocksdb/advanced_compression.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/table_reader.h"
#include "table/block_based/filter_policy_internal.h"
#include "test/support/folder.h"
#include "test/support/test_codec.h"
#include "test/support/test_filter_policy.h"

namespace ashlar::interop {
namespace {

using testing::TestCodec;
using testing::TestFilterPolicy;
using testing::TestFolder;

constexpr auto kType = static_cast<rocksdb::CompressionType>(0x8A);
constexpr char kCodecName[] = "InteropLz4";

// --- RocksDB's side of TestCodec: LZ4 under the byte 0x8A --------------------

class TheirCompressor final : public rocksdb::CompressorWrapper {
 public:
  explicit TheirCompressor(std::unique_ptr<rocksdb::Compressor> lz4)
      : CompressorWrapper(std::move(lz4)) {}
  const char* Name() const override { return "TheirCompressor"; }
  std::unique_ptr<rocksdb::Compressor> Clone() const override {
    return std::make_unique<TheirCompressor>(wrapped_->Clone());
  }
  std::unique_ptr<rocksdb::Compressor> MaybeCloneSpecialized(
      rocksdb::CacheEntryRole role,
      DictConfigArgs&& dictionary) const override {
    auto clone = wrapped_->MaybeCloneSpecialized(role, std::move(dictionary));
    if (clone == nullptr) return nullptr;
    return std::make_unique<TheirCompressor>(std::move(clone));
  }
  rocksdb::CompressionType GetPreferredCompressionType() const override {
    return kType;
  }
  rocksdb::Status CompressBlock(rocksdb::Slice raw, char* out, size_t* size,
                                rocksdb::CompressionType* type,
                                ManagedWorkingArea* area) override {
    rocksdb::Status status =
        wrapped_->CompressBlock(raw, out, size, type, area);
    if (*type == rocksdb::kLZ4Compression) *type = kType;
    return status;
  }
};

class TheirDecompressor final : public rocksdb::DecompressorWrapper {
 public:
  explicit TheirDecompressor(std::shared_ptr<rocksdb::Decompressor> all)
      : DecompressorWrapper(std::move(all)) {}
  const char* Name() const override { return "TheirDecompressor"; }
  rocksdb::Status MaybeCloneForDict(
      const rocksdb::Slice& dictionary,
      std::unique_ptr<rocksdb::Decompressor>* out) override {
    std::unique_ptr<rocksdb::Decompressor> clone;
    rocksdb::Status status = wrapped_->MaybeCloneForDict(dictionary, &clone);
    if (status.ok()) {
      *out = std::make_unique<TheirDecompressor>(std::move(clone));
    }
    return status;
  }
  rocksdb::Status ExtractUncompressedSize(Args& args) override {
    args.compression_type = rocksdb::kLZ4Compression;
    rocksdb::Status status = wrapped_->ExtractUncompressedSize(args);
    args.compression_type = kType;
    return status;
  }
  rocksdb::Status DecompressBlock(const Args& args, char* out) override {
    Args as_lz4;
    as_lz4.compression_type = rocksdb::kLZ4Compression;
    as_lz4.compressed_data = args.compressed_data;
    as_lz4.uncompressed_size = args.uncompressed_size;
    return wrapped_->DecompressBlock(as_lz4, out);
  }
};

class TheirCodec final : public rocksdb::CompressionManagerWrapper {
 public:
  TheirCodec()
      : CompressionManagerWrapper(rocksdb::GetBuiltinV2CompressionManager()),
        decompressor_(
            std::make_shared<TheirDecompressor>(wrapped_->GetDecompressor())) {}
  const char* Name() const override { return kCodecName; }
  const char* CompatibilityName() const override { return kCodecName; }
  bool SupportsCompressionType(rocksdb::CompressionType type) const override {
    return type == kType;
  }
  std::unique_ptr<rocksdb::Compressor> GetCompressorForSST(
      const rocksdb::FilterBuildingContext&,
      const rocksdb::CompressionOptions& options,
      rocksdb::CompressionType type) override {
    return GetCompressor(options, type);
  }
  std::unique_ptr<rocksdb::Compressor> GetCompressor(
      const rocksdb::CompressionOptions& options,
      rocksdb::CompressionType) override {
    return std::make_unique<TheirCompressor>(
        wrapped_->GetCompressor(options, rocksdb::kLZ4Compression));
  }
  std::shared_ptr<rocksdb::Decompressor> GetDecompressor() override {
    return decompressor_;
  }
  std::shared_ptr<rocksdb::Decompressor> GetDecompressorOptimizeFor(
      rocksdb::CompressionType) override {
    return decompressor_;
  }
  std::shared_ptr<rocksdb::Decompressor> GetDecompressorForTypes(
      const rocksdb::CompressionType*,
      const rocksdb::CompressionType*) override {
    return decompressor_;
  }

 private:
  const std::shared_ptr<rocksdb::Decompressor> decompressor_;
};

// --- RocksDB's side of TestFilterPolicy --------------------------------------

constexpr char kPolicyName[] = "interop.ListFilter";

class TheirFilterBuilder final : public rocksdb::FilterBitsBuilder {
 public:
  explicit TheirFilterBuilder(const FilterPolicy& policy)
      : policy_(policy), ours_(policy.NewBuilder()) {}
  void AddKey(const rocksdb::Slice& key) override {
    const Slice bytes(key.data(), key.size());
    // Versions of a key come one after the other.
    if (added_ != 0 && bytes == Slice(last_)) return;
    last_ = bytes.ToString();
    ++added_;
    ours_->Add(bytes);
  }
  void AddKeyAndAlt(const rocksdb::Slice& key,
                    const rocksdb::Slice& alt) override {
    AddKey(key);
    AddKey(alt);
  }
  size_t EstimateEntriesAdded() override { return added_; }
  using rocksdb::FilterBitsBuilder::Finish;
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* memory) override {
    std::string payload;
    if (added_ != 0) ours_->Finish(&payload).IgnoreError();
    auto bytes = std::make_unique<char[]>(payload.size());
    std::copy(payload.begin(), payload.end(), bytes.get());
    const rocksdb::Slice finished(bytes.get(), payload.size());
    *memory = std::move(bytes);
    // RocksDB makes all partitions with one builder.
    ours_ = policy_.NewBuilder();
    added_ = 0;
    last_.clear();
    return finished;
  }
  size_t ApproximateNumEntries(size_t bytes) override { return bytes / 4; }
  size_t CalculateSpace(size_t n) override { return 4 * n; }
  double EstimatedFpRate(size_t /*n*/, size_t /*bytes*/) override { return 0; }

 private:
  const FilterPolicy& policy_;
  std::unique_ptr<FilterBuilder> ours_;
  size_t added_ = 0;
  std::string last_;
};

class TheirFilterReader final : public rocksdb::FilterBitsReader {
 public:
  explicit TheirFilterReader(std::unique_ptr<FilterReader> ours)
      : ours_(std::move(ours)) {}
  using rocksdb::FilterBitsReader::MayMatch;
  bool MayMatch(const rocksdb::Slice& key) override {
    return ours_->MayMatch(Slice(key.data(), key.size()));
  }

 private:
  const std::unique_ptr<FilterReader> ours_;
};

class TheirPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit TheirPolicy(std::shared_ptr<const TestFilterPolicy> ours)
      : ours_(std::move(ours)) {}
  const char* Name() const override { return "listfilter"; }
  const char* CompatibilityName() const override { return kPolicyName; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext&) const override {
    return new TheirFilterBuilder(*ours_);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& contents) const override {
    return new TheirFilterReader(
        ours_->NewReader(Slice(contents.data(), contents.size())).value());
  }

 private:
  const std::shared_ptr<const TestFilterPolicy> ours_;
};

// --- Rows, and both ways of writing and reading them -------------------------

std::map<std::string, std::string> Rows() {
  std::map<std::string, std::string> rows;
  for (int i = 0; i < 2000; ++i) {
    char key[24];
    std::snprintf(key, sizeof key, "p%02d-key%05d", i / 50, i);
    rows[key] = "a value that repeats itself, row " + std::to_string(i);
  }
  return rows;
}

void WriteOurs(const std::string& path, const TableOptions& options) {
  auto writer = ExternalFileWriter::Open(path, options);
  ASSERT_TRUE(writer.ok()) << writer.status().ToString();
  for (const auto& [key, value] : Rows()) {
    ASSERT_TRUE((*writer)->Put(key, value).ok());
  }
  const Status status = (*writer)->Finish();
  ASSERT_TRUE(status.ok()) << status.ToString();
}

void ReadOurs(const std::string& path, const ReaderOptions& options) {
  const auto reader = TableReader::Open(path, options);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const std::map<std::string, std::string> rows = Rows();
  auto row = rows.begin();
  Iterator it = (*reader)->NewIterator();
  for (it.SeekToFirst(); it.Valid(); it.Next(), ++row) {
    ASSERT_NE(row, rows.end());
    ASSERT_EQ(it.user_key().ToString(), row->first);
    ASSERT_EQ(it.value().ToString(), row->second);
  }
  EXPECT_TRUE(it.status().ok()) << it.status().ToString();
  EXPECT_EQ(row, rows.end());
  if (options.filter_policies.empty()) return;
  for (const auto& [key, value] : rows) {
    GetResult result;
    const Status found = (*reader)->Get(key, &result);
    ASSERT_TRUE(found.ok()) << found.ToString();
    EXPECT_EQ(result.value.ToString(), value);
    EXPECT_EQ(result.filter, GetResult::Filter::kMaybe);
    ASSERT_TRUE((*reader)->Get(key + "x", &result).ok());
    EXPECT_EQ(result.filter, GetResult::Filter::kAbsent);
  }
}

void WriteTheirs(const std::string& path, const rocksdb::Options& options) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  ASSERT_TRUE(writer.Open(path).ok());
  for (const auto& [key, value] : Rows()) {
    ASSERT_TRUE(writer.Put(key, value).ok());
  }
  const rocksdb::Status status = writer.Finish();
  ASSERT_TRUE(status.ok()) << status.ToString();
}

void ReadTheirs(const std::string& path, const rocksdb::Options& options) {
  rocksdb::SstFileReader reader(options);
  const rocksdb::Status opened = reader.Open(path);
  ASSERT_TRUE(opened.ok()) << opened.ToString();
  const std::map<std::string, std::string> rows = Rows();
  auto row = rows.begin();
  const std::unique_ptr<rocksdb::Iterator> it(
      reader.NewIterator(rocksdb::ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++row) {
    ASSERT_NE(row, rows.end());
    ASSERT_EQ(it->key().ToString(), row->first);
    ASSERT_EQ(it->value().ToString(), row->second);
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  EXPECT_EQ(row, rows.end());
  for (const auto& [key, value] : rows) {
    std::string found;
    ASSERT_TRUE(reader.Get(rocksdb::ReadOptions(), key, &found).ok());
    EXPECT_EQ(found, value);
    EXPECT_TRUE(
        reader.Get(rocksdb::ReadOptions(), key + "x", &found).IsNotFound());
  }
}

TEST(PlugPoints, ACodecOfOneName) {
  const TestFolder folder;
  for (const uint32_t dictionary_bytes : {0u, 4096u}) {
    SCOPED_TRACE(dictionary_bytes);
    const auto codec = std::make_shared<const TestCodec>(kCodecName);
    TableOptions ours;
    ours.codec = codec;
    ours.compression = CustomCompressionType(0x8A);
    ours.format_version = 7;
    ours.compression_opts.max_dict_bytes = dictionary_bytes;
    rocksdb::Options theirs;
    theirs.compression_manager = std::make_shared<TheirCodec>();
    theirs.compression = kType;
    theirs.compression_opts.max_dict_bytes = dictionary_bytes;
    rocksdb::BlockBasedTableOptions table;
    table.format_version = 7;
    theirs.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    ReaderOptions reading;
    reading.codecs = {codec};

    const std::string by_us =
        folder / ("ours" + std::to_string(dictionary_bytes));
    WriteOurs(by_us, ours);
    ReadTheirs(by_us, theirs);
    const std::string by_them =
        folder / ("theirs" + std::to_string(dictionary_bytes));
    WriteTheirs(by_them, theirs);
    ReadOurs(by_them, reading);
    ReadOurs(by_us, reading);
    const auto opened = TableReader::Open(by_them, reading);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ((*opened)->properties().compression_name, "InteropLz4;8A;");
    // Without a manager of the name RocksDB does not read it either.
    rocksdb::Options without = theirs;
    without.compression_manager.reset();
    rocksdb::SstFileReader reader(without);
    EXPECT_FALSE(reader.Open(by_us).ok());
  }
}

TEST(PlugPoints, AFilterPolicyOfOneName) {
  const TestFolder folder;
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(partitioned);
    const auto policy = std::make_shared<const TestFilterPolicy>(kPolicyName);
    TableOptions ours;
    ours.filter_policy = policy;
    ours.partition_filters = partitioned;
    ours.metadata_block_size = 1024;
    if (partitioned) ours.index_type = IndexType::kTwoLevelIndexSearch;
    rocksdb::Options theirs;
    theirs.statistics = rocksdb::CreateDBStatistics();
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = std::make_shared<TheirPolicy>(policy);
    table.partition_filters = partitioned;
    table.metadata_block_size = 1024;
    if (partitioned) {
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    }
    theirs.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    ReaderOptions reading;
    reading.filter_policies = {policy};

    const std::string by_us = folder / ("ours" + std::to_string(partitioned));
    WriteOurs(by_us, ours);
    ReadTheirs(by_us, theirs);
    // RocksDB has asked the filter, and it has ruled out every absent key.
    EXPECT_EQ(theirs.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL),
              Rows().size());
    const std::string by_them =
        folder / ("theirs" + std::to_string(partitioned));
    WriteTheirs(by_them, theirs);
    ReadOurs(by_them, reading);
    ReadOurs(by_us, reading);
  }
}

}  // namespace
}  // namespace ashlar::interop
