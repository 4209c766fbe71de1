// Tests of tables over files whose reads take long: how many requests a read
// costs, and what faults of the store do.

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/util/remote_file.h"
#include "test/support/faulty_file.h"
#include "test/support/gated_file.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

struct Requests {
  std::atomic<uint64_t> count{0};
  std::atomic<uint64_t> bytes{0};
  std::atomic<uint64_t> largest{0};
};

// A store that counts.
class CountedFile final : public RandomAccessFile {
 public:
  CountedFile(std::string contents, Requests* requests)
      : file_(NewMemoryFile("store.sst", std::move(contents))),
        requests_(requests) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    ++requests_->count;
    requests_->bytes += n;
    if (n > requests_->largest) requests_->largest = n;
    return file_->Read(offset, n, scratch, data);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  Requests* const requests_;
};

constexpr int kRows = 3000;

std::vector<Entry> Rows() {
  std::vector<Entry> entries;
  for (int i = 0; i < kRows; ++i) {
    char key[16];
    std::snprintf(key, sizeof key, "key%06d", i);
    entries.push_back(Value(key, 7, "value " + std::to_string(i * 7919)));
  }
  return entries;
}

std::string KeyOf(int i) {
  char key[16];
  std::snprintf(key, sizeof key, "key%06d", i);
  return key;
}

TableOptions SmallBlocks() {
  TableOptions options;
  options.block_size = 512;
  options.metadata_block_size = 512;
  options.compression = CompressionType::kNoCompression;
  return options;
}

ReaderOptions ForStore(uint64_t gap = 0, uint64_t most = 0) {
  ReaderOptions options;
  options.load_index_and_filter = LoadTime::kAtOpen;
  options.read_tail_at_once = true;
  options.coalesce_gap_bytes = gap;
  options.coalesce_max_bytes = most;
  return options;
}

std::unique_ptr<TableReader> OpenCounted(const std::string& bytes,
                                         const ReaderOptions& options,
                                         Requests* requests) {
  auto reader = TableReader::Open(
      std::make_unique<CountedFile>(bytes, requests), options);
  Require(reader.status());
  return std::move(reader).value();
}

TEST(RemoteTable, OpensByTwoRequestsOrOne) {
  for (const bool partitioned : {false, true}) {
    TableOptions options = SmallBlocks();
    options.compression = DefaultCompressionType();
    options.compression_opts.max_dict_bytes = 4096;
    options.partition_filters = partitioned;
    if (partitioned) options.index_type = IndexType::kTwoLevelIndexSearch;
    std::vector<Entry> entries = Rows();
    entries.push_back(RangeDeleted("a", 3, "b"));
    const std::string bytes = BuildTable(options, entries);
    {
      Requests requests;
      ReaderOptions reading = ForStore();
      const auto reader = OpenCounted(bytes, reading, &requests);
      EXPECT_EQ(requests.count, 2u) << partitioned;
      const TableProperties& p = reader->properties();
      const uint64_t tail = bytes.size() - p.tail_start_offset;
      EXPECT_LE(requests.bytes, tail + 4096 + tail);
      EXPECT_EQ(reader->RangeDeletions().size(), 1u);

      Requests known;
      reading.tail_size = tail;
      OpenCounted(bytes, reading, &known);
      EXPECT_EQ(known.count, 1u);

      Requests without;
      reading.tail_size = 0;
      reading.read_tail_at_once = false;
      OpenCounted(bytes, reading, &without);
      EXPECT_GT(without.count, 2u) << "the option changes nothing";
    }
  }
}

TEST(RemoteTable, AWrongTailOffsetCostsNoMoreThanARead) {
  TableOptions options = SmallBlocks();
  options.format_version = 2;  // the footer names the index
  const std::string bytes = BuildTable(options, Rows());
  Requests requests;
  OpenCounted(bytes, ForStore(), &requests);
  EXPECT_EQ(requests.count, 2u);
}

// Reads every 100th key in one batch of 30, and returns the requests.
uint64_t ReadWave(const std::string& bytes, const ReaderOptions& options,
                  Requests* requests) {
  const auto reader = OpenCounted(bytes, options, requests);
  const uint64_t before = requests->count;
  requests->largest = 0;
  std::vector<std::string> keys;
  keys.reserve(30);
  for (int i = 0; i < 30; ++i) keys.push_back(KeyOf(i * 100));
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  reader->MultiGet(slices, results, statuses);
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_TRUE(statuses[i].ok()) << statuses[i].ToString();
    EXPECT_EQ(results[i].value.ToString(),
              "value " + std::to_string(i * 100 * 7919));
  }
  return requests->count - before;
}

TEST(RemoteTable, MultiGetReadsBlocksTogetherByGapAndSize) {
  const std::string bytes = BuildTable(SmallBlocks(), Rows());
  for (const bool cached : {false, true}) {
    const auto with = [cached](ReaderOptions options) {
      if (cached) options.block_cache = NewLruCache({}).value();
      return options;
    };
    Requests apart;
    EXPECT_EQ(ReadWave(bytes, with(ForStore()), &apart), 30u);
    EXPECT_EQ(ReadWave(bytes, with({}), &apart), 31u) << "and the index";
    Requests together;
    EXPECT_EQ(ReadWave(bytes, with(ForStore(1 << 20)), &together), 1u);
    // The gap between two of these blocks is some thousand bytes.
    const uint64_t whole = together.largest;
    const uint64_t step = whole / 29;
    Requests too_small;
    EXPECT_EQ(ReadWave(bytes, with(ForStore(step / 2)), &too_small), 30u);
    Requests parts;
    const uint64_t most = 10 * step;
    const uint64_t n = ReadWave(bytes, with(ForStore(1 << 20, most)), &parts);
    EXPECT_GE(n, 3u);
    EXPECT_LE(n, 4u);
    EXPECT_LE(parts.largest, most);
    // A block larger than that is one request.
    Requests single;
    EXPECT_EQ(ReadWave(bytes, with(ForStore(1 << 20, 1)), &single), 30u);
  }
}

TEST(RemoteTable, AScanWithALargeReadahead) {
  const std::string bytes = BuildTable(SmallBlocks(), Rows());
  Requests requests;
  const auto reader = OpenCounted(bytes, ForStore(), &requests);
  const uint64_t before = requests.count;
  ReadOptions options;
  options.readahead_size = 16 << 10;
  std::vector<Entry> found;
  ASSERT_TRUE(ReadForward(*reader, options, &found).ok());
  EXPECT_EQ(found.size(), static_cast<size_t>(kRows));
  const uint64_t data = reader->properties().data_size;
  EXPECT_LE(requests.count - before, data / options.readahead_size + 2);
}

// Opens the tables over remote files that share threads.
TEST(RemoteTable, MultiGetOverTablesAsksAllStoresAtOnce) {
  constexpr int kTables = 4;
  const std::vector<Entry> rows = Rows();
  RemoteFileOptions remote;
  remote.threads = std::make_shared<RequestThreads>(8);
  Gates gates[kTables];
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<std::string> firsts;
  std::vector<TableRange> ranges;
  constexpr int kEach = kRows / kTables;
  firsts.reserve(2 * kTables);
  for (int t = 0; t < kTables; ++t) {
    const std::vector<Entry> part(rows.begin() + t * kEach,
                                  rows.begin() + (t + 1) * kEach);
    auto file = RemoteFile::Make(
        std::make_unique<GatedFile>(BuildTable(SmallBlocks(), part), &gates[t]),
        remote);
    auto reader = TableReader::Open(std::move(file).value(), ForStore());
    Require(reader.status());
    readers.push_back(std::move(reader).value());
    firsts.push_back(KeyOf(t * kEach));
    firsts.push_back(KeyOf((t + 1) * kEach - 1));
    ranges.push_back({readers.back().get(), firsts[2 * static_cast<size_t>(t)],
                      firsts[2 * static_cast<size_t>(t) + 1]});
    gates[t].Hold(0);  // the first block
  }
  const std::vector<TableLevel> levels = {{ranges, true}};
  std::vector<Slice> keys;
  keys.reserve(static_cast<size_t>(kTables));
  for (int t = 0; t < kTables; ++t) {
    keys.emplace_back(firsts[2 * static_cast<size_t>(t)]);
  }
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  std::thread thread(
      [&] { MultiGetFromTables(levels, keys, results, statuses); });
  for (Gates& g : gates) g.AwaitReads(0, 1);
  for (Gates& g : gates) g.Open();
  thread.join();
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(statuses[i].ok()) << statuses[i].ToString();
    EXPECT_EQ(results[i].state, GetResult::State::kFound);
    EXPECT_EQ(gates[i].Reads(0), 1) << "announced, and read once more";
  }
}

// Opens, gets, batches and scans. Returns the first error, and checks what was
// found before it.
Status DoAll(std::unique_ptr<RandomAccessFile> store, bool remote_file,
             uint32_t hedge_delay_ms) {
  if (remote_file) {
    RemoteFileOptions options;
    // A plan of faults is for one thread.
    options.threads =
        std::make_shared<RequestThreads>(hedge_delay_ms == 0 ? 0 : 1);
    options.hedge_delay_ms = hedge_delay_ms;
    options.most_hedges_per_100 = 100;
    auto file = RemoteFile::Make(std::move(store), options);
    if (!file.ok()) return file.status();
    store = std::move(file).value();
  }
  auto reader = TableReader::Open(std::move(store), ForStore(4096, 16384));
  if (!reader.ok()) return reader.status();
  GetResult result;
  Status first = (*reader)->Get(KeyOf(17), &result);
  if (first.ok()) {
    EXPECT_EQ(result.value.ToString(), "value " + std::to_string(17 * 7919));
  }
  std::vector<std::string> names;
  names.reserve(20);
  for (int i = 0; i < 20; ++i) names.push_back(KeyOf(i * 100));
  const std::vector<Slice> keys(names.begin(), names.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  (*reader)->MultiGet(keys, results, statuses);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].ok()) {
      EXPECT_EQ(results[i].value.ToString(),
                "value " + std::to_string(i * 100 * 7919));
    } else if (first.ok()) {
      first = statuses[i];
    }
  }
  std::vector<Entry> found;
  ReadOptions scan;
  scan.readahead_size = 32 << 10;
  const Status scanned = ReadForward(**reader, scan, &found);
  const std::vector<Entry> all = Rows();
  EXPECT_TRUE(found.size() <= all.size() &&
              std::equal(found.begin(), found.end(), all.begin()));
  if (scanned.ok()) {
    EXPECT_EQ(found.size(), all.size());
  }
  return first.ok() ? scanned : first;
}

TEST(RemoteTable, EveryFaultOfEveryReadIsAnErrorOrIsTriedAgain) {
  const std::string bytes = BuildTable(SmallBlocks(), Rows());
  for (const bool remote : {false, true}) {
    for (const uint32_t delay : {0u, 60'000u}) {
      if (!remote && delay != 0) continue;
      FaultPlan counting;
      ASSERT_TRUE(
          DoAll(NewFaultyFile("store.sst", bytes, &counting), remote, delay)
              .ok());
      ASSERT_GE(counting.operations, 10u);
      for (const FaultPlan::Kind kind :
           {FaultPlan::Kind::kError, FaultPlan::Kind::kNothing,
            FaultPlan::Kind::kOneByte, FaultPlan::Kind::kOneShort}) {
        for (uint64_t i = 1; i <= counting.operations; ++i) {
          FaultPlan plan;
          plan.fail_at = i;
          plan.kind = kind;
          const Status status =
              DoAll(NewFaultyFile("store.sst", bytes, &plan), remote, delay);
          ASSERT_EQ(plan.faults, 1u);
          if (delay != 0) {
            EXPECT_TRUE(status.ok()) << status.ToString() << " at " << i;
          } else if (!status.ok()) {
            EXPECT_TRUE(status.IsIOError() || status.IsCorruption())
                << status.ToString();
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
