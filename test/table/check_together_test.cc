// Tests checks by several threads. They find the same faults in the same order
// as one thread. Under TSan, the tests report no data race.

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/folder.h"
#include "test/support/gated_file.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

std::string Told(const BlockInfo& block) {
  return std::string(BlockKindName(block.kind)) + " " +
         std::to_string(block.index) + " at " + std::to_string(block.offset) +
         "+" + std::to_string(block.size) + " " + block.name + " " +
         std::to_string(block.compression_type) + " " +
         std::to_string(block.raw_size) + " " +
         std::to_string(block.stored_checksum) + " " +
         std::to_string(block.computed_checksum) + " " +
         std::to_string(block.num_entries) + " " + Hex(block.first_key) + " " +
         std::to_string(static_cast<int>(block.contents_sound)) + " " +
         block.status.ToString() + "\n";
}

// Returns everything that an inspection reports, as text.
std::string Told(const RandomAccessFile& file, const InspectOptions& options) {
  TableInspection found;
  const Status status = InspectTable(file, options, &found);
  std::string told = status.ToString() + "\n";
  for (const BlockInfo& block : found.blocks) told += Told(block);
  for (const TableFault& fault : found.faults) {
    told += std::string(BlockKindName(fault.kind)) + " " +
            std::to_string(fault.index) + ": " + fault.status.ToString() + "\n";
  }
  return told + std::to_string(found.blocks_ok) + " ok, " +
         std::to_string(found.blocks_bad) + " bad, " +
         std::to_string(found.bytes_checked) + " bytes\n";
}

// Returns how many entries an iterator shows, and its status.
std::string Walked(const TableReader& reader) {
  ReadOptions options;
  options.ignore_range_deletions = true;
  Iterator it = reader.NewIterator(options);
  uint64_t entries = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) ++entries;
  return std::to_string(entries) + " entries, " + it.status().ToString();
}

std::string Checked(const TableReader& reader, uint64_t readahead_size,
                    WorkerPool* pool) {
  ReadOptions options;
  options.readahead_size = readahead_size;
  uint64_t entries = 0;
  const Status status = reader.CheckEntries(options, pool, {}, &entries);
  return std::to_string(entries) + " entries, " + status.ToString();
}

// Runs of one block, of several blocks, and of all blocks.
constexpr uint64_t kReadaheads[] = {1, 5000, uint64_t{2} << 20};

void ExpectTheSame(const std::string& bytes, WorkerPool* pool) {
  const auto file = NewMemoryFile("t.sst", bytes);
  InspectOptions options;
  options.first_keys = true;
  options.on_block = [](const BlockInfo&) {};  // checks block by block
  const std::string alone = Told(*file, options);
  options.on_block = nullptr;
  EXPECT_EQ(Told(*file, options), alone);
  options.worker_pool = pool;
  for (const uint64_t readahead_size : kReadaheads) {
    options.readahead_size = readahead_size;
    EXPECT_EQ(Told(*file, options), alone);
  }
  ReaderOptions reading;
  reading.allow_unknown_comparator = true;
  const auto reader = OpenBytes(bytes, reading);
  if (!reader.ok()) return;
  const std::string walked = Walked(**reader);
  for (const uint64_t readahead_size : kReadaheads) {
    EXPECT_EQ(Checked(**reader, readahead_size, pool), walked);
    EXPECT_EQ(Checked(**reader, readahead_size, nullptr), walked);
  }
}

TEST(CheckTogether, GoldenFiles) {
  WorkerPool pool(3);
  for (const char* folder : {"", "bad"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(GoldenPath(folder))) {
      const std::string name = entry.path().string();
      if (!name.ends_with(".sst") && !name.ends_with(".ldb")) continue;
      SCOPED_TRACE(name);
      const std::string bytes = ReadFile(name);
      if (bytes.size() < 200000) ExpectTheSame(bytes, &pool);
    }
  }
}

TEST(CheckTogether, DamagedFiles) {
  WorkerPool pool(3);
  Random random(18);
  for (const char* name :
       {"r119-part-fv7.sst", "r119-comp-zstd-fv6.sst",
        "r119-hashsearch-fv7.sst", "r119-firstkey-fv7.sst", "r119-embedded.sst",
        "r119-ts.sst", "r78-fv5-none.sst", "peb-zstd.sst", "ldb-bloom.ldb"}) {
    const std::string good = ReadFile(GoldenPath(name));
    for (int round = 0; round < 8; ++round) {
      SCOPED_TRACE(std::string(name) + ", round " + std::to_string(round));
      std::string bytes = good;
      for (uint64_t faults = random.Below(5) + 1; faults > 0; --faults) {
        bytes[random.Below(bytes.size())] ^= static_cast<char>(1)
                                             << random.Below(7);
      }
      ExpectTheSame(bytes, &pool);
    }
  }
}

// Runs `check` on a table of many blocks with faults in blocks 2 and 7. A
// thread that reads block 2 waits until another thread has read block 7.
void MeetLaterFaultFirst(
    const std::function<void(std::unique_ptr<GatedFile>)>& check) {
  TableOptions options;
  options.block_size = 100;
  options.compression = CompressionType::kNoCompression;
  std::string bytes = BuildTable(options, SomeEntries(200));
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("gated.sst", bytes), {}, &found));
  const uint64_t early = found.blocks[2].offset;
  const uint64_t late = found.blocks[7].offset;
  bytes[early + 3] ^= 1;
  bytes[late + 3] ^= 1;
  Gates gates;
  auto file = std::make_unique<GatedFile>(bytes, &gates);
  gates.Hold(early);
  std::thread opener([&] {
    gates.AwaitReads(late, 1);
    gates.Open();
  });
  check(std::move(file));
  opener.join();
}

TEST(CheckTogether, EntriesUpToTheFirstFaultWhoeverMeetsOne) {
  WorkerPool pool(3);
  for (int round = 0; round < 20; ++round) {
    MeetLaterFaultFirst([&pool](std::unique_ptr<GatedFile> file) {
      const auto reader = TableReader::Open(std::move(file));
      ASSERT_TRUE(reader.ok());
      const std::string checked = Checked(**reader, 1, &pool);
      EXPECT_EQ(checked, Walked(**reader));
      EXPECT_NE(checked.find("data block #2 "), std::string::npos) << checked;
    });
  }
}

TEST(CheckTogether, FaultsInFileOrderWhoeverMeetsThem) {
  WorkerPool pool(3);
  for (int round = 0; round < 20; ++round) {
    MeetLaterFaultFirst([&pool](std::unique_ptr<GatedFile> file) {
      InspectOptions options;
      options.readahead_size = 1;
      options.worker_pool = &pool;
      const std::string together = Told(*file, options);
      options.worker_pool = nullptr;
      EXPECT_EQ(together, Told(*file, options));
    });
  }
}

TEST(CheckTogether, GivesUpWhenAsked) {
  WorkerPool pool(3);
  TableOptions table;
  table.block_size = 100;
  const std::string bytes = BuildTable(table, SomeEntries(3000));
  const auto reader = OpenTable(bytes);
  for (const int calls : {1, 3, 10}) {
    int left = calls;
    const auto give_up = [&left](uint64_t, uint64_t) { return --left > 0; };
    ReadOptions options;
    options.readahead_size = 1;
    uint64_t entries = 0;
    // Other threads may have finished the check before the caller is asked
    // again.
    const Status status =
        reader->CheckEntries(options, &pool, give_up, &entries);
    EXPECT_TRUE(status.IsAborted() || (left > 0 && entries == 3000))
        << status.ToString();
    left = calls;
    InspectOptions inspect;
    inspect.readahead_size = 1;
    inspect.worker_pool = &pool;
    inspect.on_progress = give_up;
    TableInspection found;
    const Status inspected = InspectTable(reader->file(), inspect, &found);
    EXPECT_TRUE(inspected.IsAborted() || left > 0) << inspected.ToString();
  }
  int left = 1;
  uint64_t entries = 0;
  const Status alone = reader->CheckEntries(
      {}, nullptr, [&left](uint64_t, uint64_t) { return --left > 0; },
      &entries);
  EXPECT_TRUE(alone.IsAborted()) << alone.ToString();
}

}  // namespace
}  // namespace ashlar::testing
