// rocksdb_blobs: tables with embedded blobs, exchanged with RocksDB.
//
// For many plans, and several values of min_blob_size:
// - we read the file that RocksDB's SstFileWriter made, rebuild it, and compare
//   the bytes;
// - RocksDB reads our file, forward, backward and by Get.
//
// Exits with 1 if anything fails.
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/wide_columns.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/inspect.h"
#include "test/interop/compare_files.h"
#include "test/interop/our_file.h"
#include "test/interop/sample_plans.h"
#include "test/interop/their_options.h"
#include "test/support/folder.h"

namespace ashlar::interop {
namespace {

// Makes some of the puts entities of three columns.
std::vector<Row> WithEntities(std::vector<Row> rows, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Row& row : rows) {
    if (row.type != ValueType::kTypeValue || random() % 4 != 0) continue;
    const std::string cut = row.value.substr(0, row.value.size() / 3);
    std::string entity;
    EncodeWideColumns({{"", row.value}, {"b", cut}, {"c", "small"}}, &entity)
        .IgnoreError();
    row.type = ValueType::kTypeWideColumnEntity;
    row.value = entity;
  }
  return rows;
}

rocksdb::Slice Theirs(const Slice& slice) {
  return {slice.data(), slice.size()};
}

rocksdb::Status PutEntity(const Row& row, rocksdb::SstFileWriter* writer) {
  std::vector<WideColumn> columns;
  if (!DecodeWideColumns(row.value, &columns).ok()) {
    return rocksdb::Status::InvalidArgument("no entity");
  }
  rocksdb::WideColumns theirs;
  for (const WideColumn& column : columns) {
    theirs.emplace_back(Theirs(column.name), Theirs(column.value));
  }
  return writer->PutEntity(row.user_key, theirs);
}

rocksdb::Status AddRow(const Row& row, rocksdb::SstFileWriter* writer) {
  switch (row.type) {
    case ValueType::kTypeValue:
      return writer->Put(row.user_key, row.value);
    case ValueType::kTypeMerge:
      return writer->Merge(row.user_key, row.value);
    case ValueType::kTypeDeletion:
      return writer->Delete(row.user_key);
    case ValueType::kTypeWideColumnEntity:
      return PutEntity(row, writer);
    default:
      return rocksdb::Status::InvalidArgument("a type it cannot write");
  }
}

Status WriteTheirs(const std::string& path, const Plan& plan,
                   const std::vector<Row>& rows) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), TheirOptions(plan));
  rocksdb::SstFileWriterEmbeddedBlobOptions blobs;
  blobs.min_blob_size = plan.options.embedded_blob_options.min_blob_size;
  Status status = FromTheirs("open", writer.OpenWithEmbeddedBlobs(path, blobs));
  for (const Row& row : rows) {
    if (!status.ok()) return status;
    status = FromTheirs("add", AddRow(row, &writer));
  }
  return status.ok() ? FromTheirs("finish", writer.Finish()) : status;
}

Row RowAt(const rocksdb::Iterator& iterator) {
  const Slice key(iterator.key().data(), iterator.key().size());
  return {UserKeyOf(key).ToString(), SequenceOf(key), TypeOf(key),
          iterator.value().ToString()};
}

Status ReadWithTheirs(const std::string& path, const Plan& plan,
                      const std::vector<Row>& rows) {
  rocksdb::SstFileReader reader(TheirReadOptions(plan));
  Status status = FromTheirs("open", reader.Open(path));
  if (status.ok()) {
    status =
        FromTheirs("verify", reader.VerifyChecksum(rocksdb::ReadOptions()));
  }
  if (!status.ok()) return status;
  const std::unique_ptr<rocksdb::Iterator> it = reader.NewTableIterator();
  std::vector<Row> forward;
  for (it->SeekToFirst(); it->Valid(); it->Next())
    forward.push_back(RowAt(*it));
  status = FromTheirs("iterate", it->status());
  std::vector<Row> backward;
  for (it->SeekToLast(); it->Valid(); it->Prev())
    backward.push_back(RowAt(*it));
  if (status.ok()) status = FromTheirs("iterate back", it->status());
  if (!status.ok()) return status;
  std::reverse(backward.begin(), backward.end());
  for (const auto* found : {&forward, &backward}) {
    const std::string difference = DescribeDifference(rows, *found);
    if (!difference.empty()) {
      return Status::Corruption("RocksDB reads otherwise: " + difference);
    }
  }
  for (const Row& row : rows) {
    if (row.type != ValueType::kTypeValue) continue;
    std::string value;
    status = FromTheirs(
        "Get", reader.Get(rocksdb::ReadOptions(), row.user_key, &value));
    if (!status.ok()) return status;
    if (value != row.value) {
      return Status::Corruption("RocksDB gets otherwise: 0x" +
                                ToHex(row.user_key));
    }
  }
  return {};
}

Status Inspect(const std::string& path, uint64_t* blobs) {
  auto file = OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  TableInspection found;
  Status status = InspectTable(**file, {}, &found);
  if (!status.ok()) return status;
  if (!found.faults.empty()) return found.faults.front().status;
  if (found.unreferenced_blob_bytes != 0) {
    return Status::Corruption("unreferenced bytes");
  }
  for (const BlockInfo& block : found.blocks) {
    *blobs += block.kind == BlockKind::kBlob ? 1 : 0;
  }
  return {};
}

Status ReadWithOurs(const std::string& path, const std::vector<Row>& rows) {
  std::vector<Row> found;
  Status status = interop::ReadWithOurs(path, &found);
  if (!status.ok()) return status;
  const std::string difference = DescribeDifference(rows, found);
  return difference.empty()
             ? Status()
             : Status::Corruption("we read otherwise: " + difference);
}

Status Check(const Plan& plan, const std::string& folder, ByteCounts* counts,
             uint64_t* blobs) {
  std::filesystem::create_directories(folder);
  const std::vector<Row> rows = WithEntities(
      WithoutSingleDeletions(MakeRows(plan.shape, plan.seed)), plan.seed);
  const std::string theirs = folder + "/theirs.sst";
  const std::string ours = folder + "/ours.sst";
  Status status = WriteTheirs(theirs, plan, rows);
  if (status.ok()) status = ReadWithOurs(theirs, rows);
  if (status.ok()) status = Inspect(theirs, blobs);
  if (status.ok()) {
    status = CompareBytes(theirs, folder + "/rebuilt.sst", plan, rows, counts);
  }
  if (status.ok()) {
    status = WriteOurFile(ours, plan.options, {}, /*external=*/true, rows);
  }
  if (status.ok()) status = ReadWithTheirs(ours, plan, rows);
  if (status.ok()) status = ReadWithOurs(ours, rows);
  std::filesystem::remove_all(folder);
  return status;
}

int Run(const std::string& folder) {
  constexpr size_t kPlans = 120;
  const std::vector<Plan> plans = RandomPlans(kPlans, 22, [](const Plan& plan) {
    return plan.options.format_version == 7 && plan.IsExternal() &&
           !plan.options.block_align;
  });
  constexpr uint64_t kSizes[] = {0, 20, 300, 2048};
  ByteCounts counts;
  uint64_t blobs = 0;
  int failures = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    Plan plan = plans[i];
    plan.options.embedded_blob_options = {
        .enable = true, .min_blob_size = kSizes[i % std::size(kSizes)]};
    const Status status =
        Check(plan, folder + "/" + std::to_string(i), &counts, &blobs);
    if (status.ok()) continue;
    ++failures;
    std::printf("FAILED %s, min_blob_size %ju: %s\n", plan.name.c_str(),
                uintmax_t{plan.options.embedded_blob_options.min_blob_size},
                status.ToString().c_str());
  }
  std::printf(
      "%ju tables of RocksDB rebuilt, %ju of them the same to the last byte; "
      "%ju blobs; %d failures\n",
      uintmax_t{counts.files}, uintmax_t{counts.identical_files},
      uintmax_t{blobs}, failures);
  for (const auto& [name, count] : counts.properties) {
    std::printf("  %ju differ in %s\n", uintmax_t{count}, name.c_str());
  }
  return failures == 0 && plans.size() == kPlans && blobs > 1000 ? 0 : 1;
}

}  // namespace
}  // namespace ashlar::interop

int main() {
  const ashlar::testing::TestFolder folder;
  return ashlar::interop::Run(folder.path());
}
