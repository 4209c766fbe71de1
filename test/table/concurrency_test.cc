// Tests one reader used by many threads. Every answer is right. Under TSan, the
// tests report no data race.

#include <gtest/gtest.h>

#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/folder.h"
#include "test/support/random_table.h"
#include "test/support/run_together.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kThreads = 6;

std::string GetMany(const TableReader& reader, uint64_t seed) {
  constexpr int kGets = 1500;
  Random random(seed);
  std::vector<GetResult> pinned(8);
  for (int i = 0; i < kGets; ++i) {
    const uint64_t number = random.Below(2200);
    std::string key = std::to_string(100000 + number);
    key = "key" + key.substr(1);
    GetResult& result = pinned[random.Below(pinned.size())];
    const Status status = reader.Get(key, &result);
    if (!status.ok()) return status.ToString();
    const bool found = result.state == GetResult::State::kFound;
    if (found != (number < 2000)) return "wrong about " + key;
    if (found && result.value.ToString() != "value" + std::to_string(number)) {
      return "wrong value of " + key;
    }
  }
  return {};
}

std::string ScanAll(const TableReader& reader,
                    const std::vector<Entry>& entries, bool backward) {
  std::vector<Entry> found;
  const Status status = backward ? ReadBackward(reader, {}, &found)
                                 : ReadForward(reader, {}, &found);
  if (!status.ok()) return status.ToString();
  if (backward) std::reverse(found.begin(), found.end());
  return found == entries ? "" : "wrong entries";
}

std::string CheckAll(const TableReader& reader) {
  const Status status = reader.VerifyChecksum();
  if (!status.ok()) return status.ToString();
  TableInspection found;
  const Status inspected = InspectTable(reader.file(), {}, &found);
  if (!inspected.ok()) return inspected.ToString();
  return found.faults.empty() ? "" : found.faults[0].status.ToString();
}

void ShareReader(const TableReader& reader, const std::vector<Entry>& entries) {
  RunTogether(kThreads, [&](int thread) {
    std::string complaint;
    for (int round = 0; round < 2 && complaint.empty(); ++round) {
      complaint = GetMany(reader, static_cast<uint64_t>(thread));
      if (complaint.empty()) {
        complaint = ScanAll(reader, entries, (thread + round) % 2 == 0);
      }
      if (complaint.empty()) complaint = CheckAll(reader);
    }
    return complaint;
  });
}

TEST(Concurrency, OneReaderForAll) {
  const std::vector<Entry> entries = SomeEntries(2000);
  for (const CompressionType codec : SupportedCompressionTypes()) {
    TableOptions options;
    options.compression = codec;
    options.block_size = 1000;
    const std::string table = BuildTable(options, entries);
    ShareReader(*OpenTable(table), entries);
  }
}

TEST(Concurrency, OneReaderOfARealFile) {
  const std::vector<Entry> entries = SomeEntries(2000);
  const TestFolder folder;
  const std::string path = folder / "table.sst";
  WriteFile(path, BuildTable({}, entries));
  auto reader = TableReader::Open(path);
  ASSERT_TRUE(reader.ok());
  ShareReader(**reader, entries);
}

// Threads pass pinned values to other threads, and the values outlive the
// reader.
TEST(Concurrency, PinnedValuesTravel) {
  auto reader = OpenTable(BuildTable({}, SomeEntries(2000)));
  std::vector<std::vector<GetResult>> results(kThreads);
  RunTogether(kThreads, [&](int thread) -> std::string {
    auto& mine = results[static_cast<size_t>(thread)];
    for (const Entry& entry : SomeEntries(200)) {
      mine.emplace_back();
      const Status status = reader->Get(UserKeyOf(entry.key), &mine.back());
      if (!status.ok()) return status.ToString();
    }
    return {};
  });
  reader.reset();
  RunTogether(kThreads, [&](int thread) -> std::string {
    auto& other = results[static_cast<size_t>((thread + 1) % kThreads)];
    for (size_t i = 0; i < other.size(); ++i) {
      if (other[i].value.ToString() != "value" + std::to_string(i)) {
        return "wrong value";
      }
      other[i].value.Reset();
    }
    return {};
  });
}

// No count is lost when threads start and end, while another thread reads the
// sums.
TEST(Concurrency, StatisticsOfManyThreads) {
  const auto statistics = std::make_shared<Statistics>();
  ReaderOptions options;
  options.statistics = statistics;
  const auto reader = OpenTable(BuildTable({}, SomeEntries(2000)), options);
  constexpr uint64_t kGets = 1500;
  for (uint64_t round = 1; round <= 3; ++round) {
    RunTogether(kThreads, [&](int thread) -> std::string {
      if (thread != 0) return GetMany(*reader, round);
      uint64_t last = 0;
      for (int i = 0; i < 100; ++i) {
        const uint64_t now =
            statistics->GetTickerCount(Ticker::kNumberKeysRead);
        if (now < last) return "a count went back";
        last = now;
      }
      return {};
    });
    EXPECT_EQ(statistics->GetTickerCount(Ticker::kNumberKeysRead),
              round * (kThreads - 1) * kGets);
  }
  // A thread may outlive the statistics that it counted for, and statistics may
  // outlive a thread.
  auto mortal = std::make_shared<Statistics>();
  std::barrier gone(2);
  std::thread late([&] {
    options.statistics = mortal;
    auto own = OpenTable(BuildTable({}, SomeEntries(10)), options);
    GetResult result;
    Require(own->Get("key00003", &result));
    own.reset();
    options.statistics.reset();
    gone.arrive_and_wait();
    gone.arrive_and_wait();
  });
  gone.arrive_and_wait();
  EXPECT_EQ(mortal->GetTickerCount(Ticker::kNumberKeysRead), 1u);
  EXPECT_EQ(mortal.use_count(), 1);
  mortal.reset();
  gone.arrive_and_wait();
  late.join();
}

// Builders share no state. Session ids are drawn at random, so tables without a
// fixed identity differ.
TEST(Concurrency, ManyBuilders) {
  const std::vector<Entry> entries = SomeEntries(2000);
  const std::string expected = BuildTable({}, entries);
  std::vector<std::string> own(kThreads);
  RunTogether(kThreads, [&](int thread) -> std::string {
    for (int round = 0; round < 3; ++round) {
      if (BuildTable({}, entries) != expected) return "different bytes";
    }
    own[static_cast<size_t>(thread)] = BuildTable({}, entries, {});
    return {};
  });
  for (size_t i = 1; i < own.size(); ++i) EXPECT_NE(own[i], own[0]);
}

TEST(Concurrency, AtomicFilesOfOneName) {
  const TestFolder folder;
  const std::string path = folder / "file";
  RunTogether(kThreads, [&](int thread) -> std::string {
    for (int round = 0; round < 10; ++round) {
      auto file = AtomicFile::Create(path, {.sync = false});
      if (!file.ok()) return file.status().ToString();
      const std::string contents(1000, static_cast<char>('a' + thread));
      Status status = (*file)->file()->Append(contents);
      if (status.ok()) status = (*file)->Commit();
      if (!status.ok()) return status.ToString();
    }
    return {};
  });
  EXPECT_EQ(folder.Names(), std::vector<std::string>{"file"});
  const std::string contents = ReadFile(path);
  EXPECT_EQ(contents, std::string(1000, contents[0]));
}

}  // namespace
}  // namespace ashlar::testing
