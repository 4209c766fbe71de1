// Tests what a file class of an application gets and gives: the context of a
// read, the payload of an error, and the file itself if it is no table.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/built_table.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// What the reads of an EngineFile were given, and what they return.
struct Traffic {
  std::vector<const void*> contexts;  // null: none
  std::vector<int64_t> timeouts;
  std::vector<const void*> expected;  // the contexts of what was announced
  Status fails;                       // unless it is ok
  bool ended = false;
};

class EngineFile final : public RandomAccessFile {
 public:
  EngineFile(std::string bytes, Traffic* traffic)
      : file_(NewMemoryFile("engine.sst", std::move(bytes))),
        traffic_(*traffic) {}
  ~EngineFile() override { traffic_.ended = true; }

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    return ReadWithin({}, offset, n, scratch, data);
  }
  Status ReadWithin(const ReadContext& context, uint64_t offset, size_t n,
                    char* scratch, Slice* data) const override {
    traffic_.contexts.push_back(context.io_context);
    traffic_.timeouts.push_back(context.timeout.count());
    if (!traffic_.fails.ok()) return traffic_.fails;
    return file_->Read(offset, n, scratch, data);
  }
  void MultiReadWithin(const ReadContext& context,
                       std::span<ReadRequest> requests) const override {
    for (ReadRequest& r : requests) {
      r.status = ReadWithin(context, r.offset, r.size, r.scratch, &r.data);
    }
  }
  void Expect(uint64_t offset, uint64_t n) const override {
    ExpectWithin({}, offset, n);
  }
  void ExpectWithin(const ReadContext& context, uint64_t /*offset*/,
                    uint64_t /*n*/) const override {
    traffic_.expected.push_back(context.io_context);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  Traffic& traffic_;
};

std::string SomeBytes() {
  TableOptions options;
  options.block_size = 500;
  return BuildTable(options, SomeEntries(2000));
}

std::unique_ptr<TableReader> OpenEngineFile(Traffic* traffic,
                                            const ReaderOptions& options = {}) {
  auto reader = TableReader::Open(
      std::make_unique<EngineFile>(SomeBytes(), traffic), options);
  Require(reader.status());
  return std::move(reader).value();
}

// Does one read of each kind.
void ReadInEveryWay(const TableReader& reader, const ReadOptions& options) {
  GetResult results[3];
  Status statuses[3];
  const Slice keys[] = {"key01500", "key00003", "key00077"};
  // First, since it may have to load the index.
  EXPECT_GT(reader.ApproximateSize(options, keys[1], keys[0]), 0U);
  reader.Get(options, keys[0], kMaxSequenceNumber, results).IgnoreError();
  reader.MultiGet(options, keys, kMaxSequenceNumber, results, statuses);
  Iterator it = reader.NewIterator(options);
  for (it.Seek("key00600"); it.Valid(); it.Next()) continue;
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    if (it.user_key().starts_with("key008")) break;
  }
  uint64_t entries;
  reader.CheckEntries(options, nullptr, {}, &entries).IgnoreError();
  reader.VerifyChecksum(options).IgnoreError();
  reader.Prefetch(options, nullptr, nullptr).IgnoreError();
  reader.VisitVersions(options, "key00009", 9, [](const auto&) { return true; })
      .IgnoreError();
}

TEST(IoContext, ReachesEveryReadOfTheFile) {
  for (const bool late : {false, true}) {
    Traffic traffic;
    ReaderOptions options;
    if (late) options.load_index_and_filter = LoadTime::kAtFirstUse;
    const auto reader = OpenEngineFile(&traffic, options);
    traffic.contexts.clear();
    ReadOptions read;
    const int context = 7;
    read.io_context = &context;
    ReadInEveryWay(*reader, read);
    EXPECT_GT(traffic.contexts.size(), 8U);
    EXPECT_EQ(
        std::count(traffic.contexts.begin(), traffic.contexts.end(), &context),
        static_cast<ptrdiff_t>(traffic.contexts.size()));
    EXPECT_EQ(
        *std::max_element(traffic.timeouts.begin(), traffic.timeouts.end()), 0);
    traffic.contexts.clear();
    ReadInEveryWay(*reader, {});
    EXPECT_GT(traffic.contexts.size(), 8U);
    for (const void* given : traffic.contexts) EXPECT_EQ(given, nullptr);
  }
}

TEST(IoContext, ReachesWhatIsAnnounced) {
  Traffic traffic;
  const auto reader = OpenEngineFile(&traffic);
  const int context = 7;
  for (const void* given : {static_cast<const void*>(&context),
                            static_cast<const void*>(nullptr)}) {
    traffic.expected.clear();
    ReadOptions read;
    read.io_context = given;
    read.async_io = true;
    read.readahead_size = 700;
    Iterator it = reader->NewIterator(read);
    for (it.SeekToFirst(); it.Valid(); it.Next()) continue;
    Require(it.status());
    EXPECT_GT(traffic.expected.size(), 3U);
    for (const void* told : traffic.expected) EXPECT_EQ(told, given);
  }
}

TEST(IoContext, ReachesWhatIsAnnouncedToAFileThatWasJustBuilt) {
  TableOptions options;
  options.block_size = 500;
  std::string bytes;
  const auto file = NewMemoryWritableFile("engine.sst", &bytes);
  BuildOptions build;
  build.keep_tail = true;
  auto builder = TableBuilder::Create(options, build, file.get()).value();
  for (const Entry& entry : SomeEntries(2000)) {
    Require(builder->Add(entry.key, entry.value));
  }
  Require(builder->Finish());
  Traffic traffic;
  auto reader =
      OpenBuiltTable(*builder, std::make_unique<EngineFile>(bytes, &traffic));
  Require(reader.status());
  const int context = 7;
  ReadOptions read;
  read.io_context = &context;
  read.async_io = true;
  read.readahead_size = 700;
  Iterator it = (*reader)->NewIterator(read);
  for (it.SeekToFirst(); it.Valid(); it.Next()) continue;
  Require(it.status());
  EXPECT_GT(traffic.expected.size(), 3U);
  for (const void* told : traffic.expected) EXPECT_EQ(told, &context);
}

TEST(IoContext, ComesWithTheTimeout) {
  Traffic traffic;
  const auto reader = OpenEngineFile(&traffic);
  traffic = {};
  ReadOptions read;
  const int context = 7;
  read.io_context = &context;
  read.io_timeout = std::chrono::microseconds(123);
  GetResult result;
  Require(reader->Get(read, "key00005", kMaxSequenceNumber, &result));
  EXPECT_FALSE(traffic.contexts.empty());
  for (const void* given : traffic.contexts) EXPECT_EQ(given, &context);
  for (const int64_t timeout : traffic.timeouts) EXPECT_EQ(timeout, 123);
}

constexpr uint64_t kPayload = 0xfedcba9876543210;

TEST(StatusPayload, IsKept) {
  const Status plain = Status::IOError("disk");
  EXPECT_EQ(plain.payload(), 0U);
  const Status status = plain.WithPayload(kPayload);
  EXPECT_EQ(status.payload(), kPayload);
  EXPECT_EQ(status.ToString(), plain.ToString());
  EXPECT_EQ(status.WithPrefix("file").payload(), kPayload);
  EXPECT_EQ(status.WithPrefix("file").ToString(), "IO error: file: disk");
  const Status copy = status;  // NOLINT: a copy is what is tested
  EXPECT_EQ(copy.payload(), kPayload);
  const Status with_subcode =
      Status::FromErrno("read", "a.sst", ENOENT).WithPayload(3);
  EXPECT_EQ(with_subcode.subcode(), Status::SubCode::kPathNotFound);
  EXPECT_EQ(with_subcode.WithPayload(4).payload(), 4U);
  EXPECT_TRUE(Status().WithPayload(1).ok());
  EXPECT_EQ(Status().WithPayload(1).payload(), 0U);
}

TEST(StatusPayload, ComesBackFromEveryRead) {
  Traffic traffic;
  const auto reader = OpenEngineFile(&traffic);
  traffic.fails = Status::IOError("engine.sst: fenced").WithPayload(kPayload);
  GetResult results[2];
  Status statuses[2];
  const Slice keys[] = {"key01500", "key00003"};
  EXPECT_EQ(reader->Get(keys[0], results).payload(), kPayload);
  reader->MultiGet(keys, results, statuses);
  EXPECT_EQ(statuses[1].payload(), kPayload);
  Iterator it = reader->NewIterator();
  it.SeekToFirst();
  EXPECT_EQ(it.status().payload(), kPayload);
  EXPECT_EQ(reader->VerifyChecksum().payload(), kPayload);
  const auto opened =
      TableReader::Open(std::make_unique<EngineFile>(SomeBytes(), &traffic));
  EXPECT_EQ(opened.status().payload(), kPayload);
}

TEST(OpenOfAPointer, LeavesTheFileUnlessItSucceeds) {
  Traffic traffic;
  std::unique_ptr<RandomAccessFile> file =
      std::make_unique<EngineFile>(SomeBytes(), &traffic);
  const RandomAccessFile* const same = file.get();
  // Errors before, while, and after a table is made.
  ReaderOptions impossible;
  impossible.cache_index_and_filter_blocks = true;  // without a cache
  EXPECT_TRUE(
      TableReader::Open(&file, impossible).status().IsInvalidArgument());
  ASSERT_EQ(file.get(), same);
  ReaderOptions other_order;
  other_order.comparator = ReverseBytewiseComparator();
  EXPECT_TRUE(
      TableReader::Open(&file, other_order).status().IsInvalidArgument());
  ASSERT_EQ(file.get(), same);
  traffic.fails = Status::IOError("engine.sst: fenced");
  EXPECT_TRUE(TableReader::Open(&file, {}).status().IsIOError());
  ASSERT_EQ(file.get(), same);
  traffic.fails = Status();
  EXPECT_FALSE(traffic.ended);
  {
    auto reader = TableReader::Open(&file, {});
    Require(reader.status());
    EXPECT_EQ(file, nullptr);
    GetResult result;
    Require((*reader)->Get("key00003", &result));
    EXPECT_EQ(result.value.ToString(), "value3");
  }
  EXPECT_TRUE(traffic.ended);
  // A table of a kind that is not read.
  std::unique_ptr<RandomAccessFile> no_table =
      NewMemoryFile("x.sst", std::string(200, 'x'));
  EXPECT_FALSE(TableReader::Open(&no_table, {}).ok());
  EXPECT_NE(no_table, nullptr);
}

}  // namespace
}  // namespace ashlar::testing
