// Tests DecodeAhead. Walks with a pool show what they show without one, also of
// damaged tables and failing files. Nothing goes on, and nothing is held, after
// an iterator has ended. Under TSan, the tests report no data race.

#include "table/load/decode_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/statistics.h"
#include "test/support/gated_file.h"
#include "test/support/many_blocks.h"
#include "test/support/random_table.h"

namespace ashlar::testing {
namespace {

std::string Told(const Iterator& it) {
  if (!it.Valid()) return it.status().ToString();
  return Hex(it.key().ToString()) + " " + Hex(it.value().ToString());
}

// Moves both iterators in the same way, and compares what they show.
class TwoWalks {
 public:
  TwoWalks(Iterator plain, Iterator pooled)
      : plain_(std::move(plain)), pooled_(std::move(pooled)) {}

  void Move(const std::function<void(Iterator*)>& move) {
    move(&plain_);
    move(&pooled_);
    ASSERT_EQ(Told(pooled_), Told(plain_));
  }
  void Walk(bool forward, uint64_t steps) {
    for (uint64_t i = 0; i < steps && plain_.Valid(); ++i) {
      Move([forward](Iterator* it) { forward ? it->Next() : it->Prev(); });
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  bool Valid() const { return plain_.Valid(); }

 private:
  Iterator plain_;
  Iterator pooled_;
};

// Begins walks anywhere and steps in both directions.
void CompareWalks(Random* random, const std::function<std::string()>& any_key,
                  TwoWalks* walks) {
  for (int i = 0; i < 12; ++i) {
    const uint64_t begin = random->Below(4);
    const std::string key = any_key();
    walks->Move([&](Iterator* it) {
      if (begin == 0) it->SeekToFirst();
      if (begin == 1) it->SeekToLast();
      if (begin == 2) it->Seek(key);
      if (begin == 3) it->SeekForPrev(key);
    });
    for (int turn = 0; turn < 3 && walks->Valid(); ++turn) {
      walks->Walk(random->OneIn(2),
                  random->Below(random->OneIn(3) ? 4000 : 90));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(DecodeAhead, WalksShowTheSame) {
  ForEachSeed(1, 60, [](uint64_t seed) {
    Random random(seed);
    WorkerPool pool(static_cast<uint32_t>(random.Below(4)));
    const std::string bytes = ManyBlocks(&random);
    PooledOptions options = AnyOptions(&random);
    const auto plain = OpenTable(bytes);
    const auto pooled = OpenTable(bytes, options.reader);
    const auto any_key = [&] {
      return KeyOf(static_cast<int>(random.Below(6010)));
    };
    for (int round = 0; round < 3; ++round) {
      const std::string low = any_key();
      const std::string high = any_key();
      const Slice lower(low);
      const Slice upper(high);
      options.read.iterate_lower_bound = random.OneIn(3) ? &lower : nullptr;
      options.read.iterate_upper_bound = random.OneIn(3) ? &upper : nullptr;
      options.read.worker_pool = nullptr;
      Iterator plain_walk = plain->NewIterator(options.read);
      options.read.worker_pool = &pool;
      TwoWalks walks(std::move(plain_walk), pooled->NewIterator(options.read));
      CompareWalks(&random, any_key, &walks);
      if (HasFatalFailure()) return;
    }
  });
}

// Tables of every kind: timestamps, restored keys, partitions, any comparator.
TEST(DecodeAhead, RandomTablesShowTheSame) {
  ForEachSeed(1, 80, [](uint64_t seed) {
    Random random(seed);
    RandomTable table = MakeRandomTable(&random);
    SCOPED_TRACE(table.description);
    if (!table.options.block_align) {
      table.options.block_size = random.Between(1, 300);
    }
    const std::string bytes = BuildTable(table.options, table.model.entries());
    WorkerPool pool(2);
    PooledOptions options = AnyOptions(&random);
    options.reader.comparator = table.options.comparator;
    const auto plain = OpenTable(bytes, options.reader);
    const auto pooled = OpenTable(bytes, options.reader);
    Iterator plain_walk = plain->NewIterator(options.read);
    options.read.worker_pool = &pool;
    TwoWalks walks(std::move(plain_walk), pooled->NewIterator(options.read));
    const auto& entries = table.model.entries();
    const auto any_key = [&] {
      if (entries.empty()) return std::string("key");
      return UserKeyOf(entries[random.Below(entries.size())].key).ToString();
    };
    CompareWalks(&random, any_key, &walks);
  });
}

TEST(DecodeAhead, DamageIsFoundWhereTheWalkComesToIt) {
  Random random(5);
  WorkerPool pool(2);
  const std::string good = ManyBlocks(&random, 700);
  for (const BlockInfo& block : DataBlocksOf(good)) {
    std::string bytes = good;
    bytes[block.offset + random.Below(block.size + 5)] ^= 0x40;
    for (const bool with_cache : {false, true}) {
      ReaderOptions reader_options;
      if (with_cache) reader_options.block_cache = NewLruCache({}).value();
      const auto reader = OpenTable(bytes, reader_options);
      for (const bool forward : {true, false}) {
        ReadOptions options;
        const std::string plain = Walked(*reader, options, forward);
        options.worker_pool = &pool;
        ASSERT_EQ(Walked(*reader, options, forward), plain);
        ASSERT_NE(plain.find("Corruption"), std::string::npos);
      }
    }
  }
}

// A file that any thread may read, of which one byte cannot be read.
class SpoiledFile final : public RandomAccessFile {
 public:
  SpoiledFile(std::string contents, uint64_t spoiled, bool is_short)
      : file_(NewMemoryFile("spoiled.sst", std::move(contents))),
        spoiled_(spoiled),
        is_short_(is_short) {}

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    Status status = file_->Read(offset, n, scratch, data);
    if (spoiled_ < offset || spoiled_ - offset >= data->size()) return status;
    if (!is_short_) return Status::IOError("read spoiled.sst: injected");
    *data = Slice(data->data(), static_cast<size_t>(spoiled_ - offset));
    return status;
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  const uint64_t spoiled_;
  const bool is_short_;
};

// A read ahead may fail earlier without a pool, since it joins other blocks.
// But what is shown before is right, and the error is that of the file.
TEST(DecodeAhead, FailingReads) {
  Random random(6);
  WorkerPool pool(2);
  const std::string bytes = ManyBlocks(&random, 700);
  const auto good = OpenTable(bytes);
  for (const BlockInfo& block : DataBlocksOf(bytes)) {
    for (const bool is_short : {false, true}) {
      const auto reader =
          TableReader::Open(
              std::make_unique<SpoiledFile>(
                  bytes, block.offset + random.Below(block.size), is_short),
              {})
              .value();
      for (const bool forward : {true, false}) {
        ReadOptions options;
        options.worker_pool = &pool;
        std::vector<Entry> all;
        std::vector<Entry> some;
        Require(forward ? ReadForward(*good, {}, &all)
                        : ReadBackward(*good, {}, &all));
        const Status status = forward ? ReadForward(*reader, options, &some)
                                      : ReadBackward(*reader, options, &some);
        ASSERT_EQ(status.IsIOError(), !is_short) << status.ToString();
        ASSERT_EQ(status.IsCorruption(), is_short) << status.ToString();
        ASSERT_LT(some.size(), all.size());
        all.resize(some.size());
        ASSERT_EQ(CanonicalDump(some), CanonicalDump(all));
      }
    }
  }
}

// Iterators end at any time, also while a worker reads, and leave nothing.
TEST(DecodeAhead, AbandonedWalks) {
  Random random(7);
  WorkerPool pool(3);
  const std::string bytes = ManyBlocks(&random);
  ReaderOptions reader_options;
  const std::shared_ptr<Cache> cache = NewLruCache({}).value();
  reader_options.block_cache = cache;
  for (int round = 0; round < 60; ++round) {
    const auto reader = OpenTable(bytes, reader_options);
    const size_t pinned = cache->GetPinnedUsage();
    ReadOptions options;
    options.worker_pool = &pool;
    options.fill_cache = random.OneIn(2);
    {
      Iterator it = reader->NewIterator(options);
      it.Seek(KeyOf(static_cast<int>(random.Below(5000))));
      const bool forward = random.OneIn(2);
      const uint64_t steps = random.Below(500);
      for (uint64_t i = 0; i < steps && it.Valid(); ++i) {
        forward ? it.Next() : it.Prev();
      }
      if (random.OneIn(2)) it.Seek(KeyOf(10));
    }
    ASSERT_EQ(cache->GetPinnedUsage(), pinned);
    if (random.OneIn(4)) cache->EraseUnRefEntries();
  }
}

// A seek does not wait for a worker that is reading; the end of the iterator
// does.
TEST(DecodeAhead, TheEndWaitsForWorkersAndASeekDoesNot) {
  TableOptions table_options;
  table_options.block_size = 300;
  table_options.compression = CompressionType::kZSTD;
  std::vector<Entry> entries;
  entries.reserve(500);
  for (int i = 0; i < 500; ++i) {
    entries.push_back(Value(KeyOf(i), 1, std::string(50, 'v')));
  }
  const std::string bytes = BuildTable(table_options, entries);
  const std::vector<BlockInfo> blocks = DataBlocksOf(bytes);
  Gates gates;
  const auto reader =
      TableReader::Open(std::make_unique<GatedFile>(bytes, &gates), {}).value();
  WorkerPool pool(1);
  ReadOptions options;
  options.worker_pool = &pool;
  auto it = std::make_unique<Iterator>(reader->NewIterator(options));
  // When the walk has come to its second block, the worker reads the third.
  gates.Hold(blocks[2].offset);
  const uint64_t in_block = blocks[0].num_entries;
  it->SeekToFirst();
  for (uint64_t i = 0; i < in_block; ++i) it->Next();
  gates.AwaitReads(blocks[2].offset, 1);
  it->Seek(KeyOf(400));
  EXPECT_EQ(it->user_key(), Slice(KeyOf(400)));

  std::atomic<bool> ends{false};
  std::atomic<bool> is_open{false};
  bool was_open = false;
  std::thread ending([&] {
    ends = true;
    it.reset();
    was_open = is_open;
  });
  while (!ends) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  is_open = true;
  gates.Open();
  ending.join();
  EXPECT_TRUE(was_open);
}

// A pool whose only worker does something else.
TEST(DecodeAhead, NobodyWaitsForAWorkerThatDoesNotCome) {
  Random random(8);
  const std::string bytes = ManyBlocks(&random);
  const auto plain = OpenTable(bytes);
  const std::string walked = Walked(*plain, {}, true);
  WorkerPool pool(1);
  Gates gates;
  const auto busy =
      TableReader::Open(std::make_unique<GatedFile>(bytes, &gates), {}).value();
  // Both threads that check are held up at a read, so the worker is busy.
  const std::vector<BlockInfo> blocks = DataBlocksOf(bytes);
  gates.Hold(blocks[0].offset);
  gates.Hold(blocks[1].offset);
  std::thread checking([&] {
    uint64_t entries = 0;
    ReadOptions one_by_one;
    EXPECT_TRUE(busy->CheckEntries(one_by_one, &pool, {}, &entries).ok());
  });
  gates.AwaitReads(blocks[0].offset, 1);
  gates.AwaitReads(blocks[1].offset, 1);
  ReadOptions options;
  options.worker_pool = &pool;
  EXPECT_EQ(Walked(*plain, options, true), walked);
  gates.Open();
  checking.join();
}

uint64_t BytesDecompressed(const Statistics& statistics) {
  return statistics.GetTickerCount(Ticker::kBytesDecompressedTo);
}

// However large blocks become, a walk holds its budget, and one block per
// thread.
TEST(DecodeAhead, LargeBlocksStayWithinTheBudget) {
  constexpr uint64_t kBlock = uint64_t{1} << 20;
  constexpr uint32_t kThreads = 2;
  TableOptions table_options;
  table_options.compression = CompressionType::kZSTD;
  std::vector<Entry> entries;
  entries.reserve(40);
  for (int i = 0; i < 40; ++i) {
    entries.push_back(Value(KeyOf(i), 1, std::string(kBlock, 'x')));
  }
  const std::string bytes = BuildTable(table_options, entries);
  WorkerPool pool(kThreads);
  for (const uint64_t steps : {0, 1, 2, 3, 5, 20}) {
    ReaderOptions reader_options;
    reader_options.statistics = std::make_shared<Statistics>();
    const auto reader = OpenTable(bytes, reader_options);
    ReadOptions options;
    options.worker_pool = &pool;
    const uint64_t before = BytesDecompressed(*reader_options.statistics);
    {
      Iterator it = reader->NewIterator(options);
      it.SeekToFirst();
      for (uint64_t i = 0; i < steps; ++i) it.Next();
      ASSERT_TRUE(it.Valid());
    }
    const uint64_t most = (steps + 1) * (kBlock + 100) +
                          internal::DecodeAhead::kBudget +
                          (kThreads + 1) * (kBlock + 100);
    EXPECT_LE(BytesDecompressed(*reader_options.statistics) - before, most);
  }
}

// Records how far reads go.
class WatchedFile final : public RandomAccessFile {
 public:
  WatchedFile(std::string contents, std::atomic<uint64_t>* end)
      : file_(NewMemoryFile("watched.sst", std::move(contents))), end_(end) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    Note(offset + n);
    return file_->Read(offset, n, scratch, data);
  }
  void Expect(uint64_t offset, uint64_t n) const override { Note(offset + n); }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  void Note(uint64_t end) const {
    uint64_t seen = end_->load();
    while (seen < end && !end_->compare_exchange_weak(seen, end)) {
    }
  }
  const std::unique_ptr<RandomAccessFile> file_;
  std::atomic<uint64_t>* const end_;
};

TEST(DecodeAhead, NothingBeyondTheUpperBoundIsRead) {
  TableOptions table_options;
  table_options.block_size = 300;
  std::vector<Entry> entries;
  entries.reserve(3000);
  for (int i = 0; i < 3000; ++i) {
    entries.push_back(Value(KeyOf(i), 1, std::string(50, 'v')));
  }
  const std::string bytes = BuildTable(table_options, entries);
  const std::string bound = KeyOf(1500);
  for (const bool async : {false, true}) {
    for (const uint32_t threads : {0, 2}) {
      std::atomic<uint64_t> end{0};
      const auto reader =
          TableReader::Open(std::make_unique<WatchedFile>(bytes, &end), {})
              .value();
      Iterator first = reader->NewIterator();
      first.SeekToFirst();  // loads the index
      const uint64_t limit = reader->ApproximateOffsetOf(KeyOf(1530));
      end = 0;
      WorkerPool pool(threads);
      ReadOptions options;
      options.async_io = async;
      options.worker_pool = &pool;
      const Slice upper(bound);
      options.iterate_upper_bound = &upper;
      Iterator it = reader->NewIterator(options);
      int n = 0;
      for (it.SeekToFirst(); it.Valid(); it.Next()) ++n;
      EXPECT_EQ(n, 1500);
      EXPECT_LE(end.load(), limit);
      EXPECT_GT(end.load(), 0u);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
