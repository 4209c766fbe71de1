// mini_lsm: damage of its files, failing file calls, and readers beside a
// writer. mini_lsm_crash_test.cc kills it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "test/support/faulty_calls.h"
#include "test/support/folder.h"
#include "test/tools/examples/mini_lsm_run.h"

namespace ashlar::testing {
namespace {

using mini_lsm::Db;
using mini_lsm::WriteBatch;
using ::testing::HasSubstr;

std::unique_ptr<Db> MustOpen(const std::string& folder) {
  auto db = Db::Open(folder, SmallMiniOptions(/*sync_files=*/false));
  EXPECT_TRUE(db.ok()) << db.status().ToString();
  return db.ok() ? std::move(db).value() : nullptr;
}

mini_lsm::Manifest ManifestOf(const std::string& folder) {
  mini_lsm::Manifest manifest;
  EXPECT_TRUE(mini_lsm::ReadManifest(folder, nullptr, &manifest).ok());
  return manifest;
}

// A folder whose log has three batches, of which the second has two writes.
class LogTest : public ::testing::Test {
 protected:
  LogTest() {
    const auto db = MustOpen(folder_.path());
    log_ = folder_ / mini_lsm::LogName(ManifestOf(folder_.path()).log);
    manifest_ = ReadFile(folder_ / "MANIFEST");
    ends_.push_back(0);
    for (const int writes : {1, 2, 1}) {
      WriteBatch batch;
      for (int i = 0; i < writes; ++i, ++keys_) {
        batch.Put("key" + std::to_string(keys_), "value");
      }
      EXPECT_TRUE(db->Write(batch).ok());
      ends_.push_back(ReadFile(log_).size());
    }
    bytes_ = ReadFile(log_);
  }

  // Opens the folder with these bytes as the log.
  Result<std::unique_ptr<Db>> OpenWith(const std::string& bytes) {
    WriteFile(log_, bytes);
    WriteFile(folder_ / "MANIFEST", manifest_);
    return Db::Open(folder_.path(), SmallMiniOptions(false));
  }
  static size_t KeysOf(Db* db) {
    auto it = db->NewIterator();
    if (!it.ok()) return ~size_t{0};
    size_t keys = 0;
    for ((*it)->it.SeekToFirst(); (*it)->it.Valid(); (*it)->it.Next()) ++keys;
    return keys;
  }

  TestFolder folder_;
  std::string log_;
  std::string bytes_;
  std::string manifest_;
  std::vector<size_t> ends_;  // of the batches in the log
  int keys_ = 0;
};

TEST_F(LogTest, ATornTailLosesItsBatchAndNoOther) {
  const std::vector<size_t> keys = {0, 1, 3, 4};
  for (size_t size = 0; size <= bytes_.size(); ++size) {
    SCOPED_TRACE(size);
    auto db = OpenWith(bytes_.substr(0, size));
    ASSERT_TRUE(db.ok()) << db.status().ToString();
    const auto whole = std::upper_bound(ends_.begin(), ends_.end(), size);
    ASSERT_EQ(KeysOf(db->get()), keys[whole - ends_.begin() - 1]);
  }
  // So does a tail of zeros, which a crash of the machine may leave.
  auto db = OpenWith(bytes_.substr(0, ends_[2] + 5) + std::string(100, '\0'));
  ASSERT_TRUE(db.ok()) << db.status().ToString();
  EXPECT_EQ(KeysOf(db->get()), 3u);
}

TEST_F(LogTest, DamageBeforeOtherRecordsIsReported) {
  for (size_t at = 0; at < ends_[2]; ++at) {
    SCOPED_TRACE(at);
    std::string damaged = bytes_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    auto db = OpenWith(damaged);
    ASSERT_TRUE(db.status().IsCorruption()) << db.status().ToString();
    ASSERT_THAT(db.status().ToString(), HasSubstr(log_));
    ASSERT_THAT(db.status().ToString(), HasSubstr("at offset"));
  }
  // A record that is missing is damage, too.
  auto db = OpenWith(bytes_.substr(0, ends_[1]) + bytes_.substr(ends_[2]));
  EXPECT_TRUE(db.status().IsCorruption()) << db.status().ToString();
}

TEST_F(LogTest, ADamagedManifestIsReported) {
  for (size_t at = 0; at < manifest_.size(); ++at) {
    std::string damaged = manifest_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    WriteFile(folder_ / "MANIFEST", damaged);
    auto db = Db::Open(folder_.path(), SmallMiniOptions(false));
    ASSERT_TRUE(db.status().IsCorruption()) << db.status().ToString();
    WriteFile(folder_ / "MANIFEST", manifest_.substr(0, at));
    db = Db::Open(folder_.path(), SmallMiniOptions(false));
    ASSERT_TRUE(db.status().IsCorruption()) << db.status().ToString();
  }
}

TEST(MiniLsm, FilesThatNothingNamesAreDeleted) {
  const TestFolder folder;
  MustOpen(folder.path());
  for (const char* name : {"77.sst", "78.log", "MANIFEST.tmp.1.2"}) {
    WriteFile(folder / name, "left over");
  }
  WriteFile(folder / "notes.txt", "of the user");
  MustOpen(folder.path());
  const std::string log = mini_lsm::LogName(ManifestOf(folder.path()).log);
  EXPECT_THAT(folder.Names(),
              ::testing::UnorderedElementsAre("MANIFEST", log, "notes.txt"));
}

TEST(MiniLsm, TablesGoToDeeperLevelsAndOldFilesGo) {
  const TestFolder folder;
  MiniRun run(folder.path(), /*seed=*/1, {});
  ASSERT_EQ(run.Open(), "");
  for (uint64_t i = 0; i < 20000; ++i) ASSERT_EQ(run.Do(i), "");
  const mini_lsm::Manifest manifest = ManifestOf(folder.path());
  size_t tables = 0;
  const auto& levels = manifest.version.levels;
  for (const VersionLevel& level : levels) tables += level.size();
  EXPECT_LT(levels[0].size(), 5u);
  EXPECT_GT(levels[1].size(), 1u);
  EXPECT_GT(levels[2].size(), 1u);
  ASSERT_EQ(run.Open(), "");  // no iterator is left
  EXPECT_LE(folder.Names().size(),
            tables + 3);  // one more table; manifest, log
}

TEST(MiniLsm, OversizedBatchesAreRefused) {
  const TestFolder folder;
  const auto db = MustOpen(folder.path());
  WriteBatch batch;
  batch.Put("key", std::string(Db::kMostBatchBytes, 'v'));
  EXPECT_TRUE(db->Write(batch).IsInvalidArgument());
  WriteBatch small;
  small.Put("key", "value");
  EXPECT_TRUE(db->Write(small).ok());
}

// After a failed call all that was acknowledged is still there.
TEST(MiniLsm, FailingFileCallsLoseNothing) {
  uint64_t failed = 0;
  ForEachSeed(1, 60, [&](uint64_t seed) {
    const TestFolder folder;
    Random random(seed);
    MiniRun run(folder.path(), seed, {});
    ASSERT_EQ(run.Open(), "");
    uint64_t number = 0;
    for (; number < 500; ++number) ASSERT_EQ(run.Do(number), "");
    BeginFaults(folder.path(), std::to_string(random.Between(1, 700)) +
                                   (random.OneIn(2) ? "+:ENOSPC" : ":EIO"));
    std::string problem;
    MiniModel before;
    for (; number < 1200 && problem.empty(); ++number) {
      before = run.model();
      problem = run.Do(number);
    }
    EndFaults();
    if (problem.empty()) return;
    ++failed;
    ASSERT_THAT(problem, HasSubstr("IO error"));
    MiniRun again(folder.path(), seed, before);
    ASSERT_EQ(again.Open(), "");
    bool happened = false;
    ASSERT_EQ(again.Settle(number - 1, &happened), "");
    for (uint64_t i = 0; i < 100; ++i) ASSERT_EQ(again.Do(number + i), "");
  });
  EXPECT_GT(failed, 10u);
}

// Each batch writes the same number to two keys. A reader never sees two, nor
// an older one than before.
TEST(MiniLsm, ReadersSeeWholeBatchesBesideAWriter) {
  const TestFolder folder;
  const auto db = MustOpen(folder.path());
  const auto write = [&](uint64_t number) {
    WriteBatch batch;
    batch.Put("a", std::to_string(number));
    batch.Put("filler" + std::to_string(number % 300), std::string(100, 'f'));
    if (number % 50 == 0) batch.DeleteRange("filler1", "filler2");
    batch.Put("z", std::to_string(number));
    EXPECT_TRUE(db->Write(batch).ok());
  };
  write(0);
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> reads = 0;
  const auto read = [&](bool walks) {
    const std::vector<Slice> keys = {"a", "z"};
    uint64_t last = 0;
    while (!stop) {
      std::vector<std::string> values(2);
      if (walks) {
        auto it = db->NewIterator();
        ASSERT_TRUE(it.ok()) << it.status().ToString();
        (*it)->it.SeekToFirst();
        ASSERT_TRUE((*it)->it.Valid());
        values[0] = (*it)->it.value().ToString();
        (*it)->it.SeekToLast();
        ASSERT_TRUE((*it)->it.Valid());
        values[1] = (*it)->it.value().ToString();
      } else {
        std::vector<Status> statuses(2);
        db->MultiGet(keys, values, statuses);
        ASSERT_TRUE(statuses[0].ok() && statuses[1].ok());
      }
      ASSERT_EQ(values[0], values[1]);
      ASSERT_GE(std::stoull(values[0]), last);
      last = std::stoull(values[0]);
      ++reads;
    }
  };
  std::vector<std::thread> threads;
  for (const bool walks : {false, true, false}) {
    threads.emplace_back(read, walks);
  }
  for (uint64_t number = 1; number < 4000; ++number) write(number);
  EXPECT_TRUE(db->Compact().ok());
  // Each reader has had a turn, however the threads were scheduled.
  for (uint64_t number = 4000; reads < 100 && !HasFailure(); ++number) {
    write(number);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ashlar::testing
