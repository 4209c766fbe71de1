// Tests reading without memory. In every way of reading, each allocation fails
// once, and then all allocations from each one on. The result is the right
// answer or MemoryLimit, never damage. The reader works again when there is
// memory.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/cache/tiered_cache.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/map_source.h"
#include "test/support/scarcity.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 300;
constexpr int kStep = 37;  // between the keys that are read

struct Form {
  std::string name;
  TableOptions table;
  bool deletes_range = false;
};

TableOptions SmallBlocks(CompressionType codec) {
  TableOptions options;
  options.block_size = 512;
  options.metadata_block_size = 256;
  options.compression = codec;
  return options;
}

// Returns a form with each codec, index type, filter and kind of data block.
std::vector<Form> Forms() {
  std::vector<Form> forms;
  for (const CompressionType codec : SupportedCompressionTypes()) {
    forms.push_back(
        {std::string(CompressionTypeName(codec)), SmallBlocks(codec)});
  }
  const CompressionType codec = DefaultCompressionType();
  Form dictionary{"dictionary", SmallBlocks(codec)};
  dictionary.table.compression_opts.max_dict_bytes = 2048;
  Form partitioned{"partitioned", SmallBlocks(codec)};
  partitioned.table.index_type = IndexType::kTwoLevelIndexSearch;
  partitioned.table.partition_filters = true;
  Form hash{"hash", SmallBlocks(codec)};
  hash.table.index_type = IndexType::kHashSearch;
  hash.table.prefix_extractor = NewFixedPrefixExtractor(4);
  hash.table.data_block_index_type =
      DataBlockIndexType::kDataBlockBinaryAndHash;
  Form first_key{"first_key", SmallBlocks(codec)};
  first_key.table.index_type = IndexType::kBinarySearchWithFirstKey;
  first_key.table.filter = FilterType::kRibbon;
  first_key.table.checksum = ChecksumType::kxxHash64;
  Form ranges{"ranges", SmallBlocks(codec), true};
  ranges.table.separate_key_value_in_data_block = true;
  ranges.table.checksum = ChecksumType::kxxHash;
  forms.insert(forms.end(), {dictionary, partitioned, hash, first_key, ranges});
  return forms;
}

// A range deletion that is older than all entries, so that it hides none.
Entry EmptyRangeDeletion() { return RangeDeleted("key000", 3, "key999"); }

struct CacheForm {
  std::string name;
  std::function<std::shared_ptr<Cache>()> make;
  bool metadata = false;
};

std::shared_ptr<Cache> Clock(size_t charge) {
  HyperClockCacheOptions options;
  options.capacity = size_t{1} << 20;
  options.num_shard_bits = 0;
  options.estimated_entry_charge = charge;
  return NewHyperClockCache(options).value();
}
std::shared_ptr<Cache> Lru(size_t capacity) {
  return NewLruCache({.capacity = capacity, .num_shard_bits = 0}).value();
}
std::shared_ptr<Cache> Tiered() {
  CompressedSecondaryCacheOptions pieces;
  pieces.capacity = size_t{1} << 20;
  pieces.num_shard_bits = 0;
  return NewTieredCache(
             {.primary = Lru(2000),
              .secondary = NewCompressedSecondaryCache(pieces).value(),
              .adm_policy = TieredAdmissionPolicy::kAdmPolicyAllowAll})
      .value();
}

std::vector<CacheForm> Caches() {
  return {{"none", [] { return std::shared_ptr<Cache>(); }, false},
          {"clock", [] { return Clock(600); }, true},
          {"growing", [] { return Clock(0); }, false},
          {"lru", [] { return Lru(size_t{1} << 20); }, true},
          {"full", [] { return Lru(1000); }, true},
          {"tiered", [] { return Tiered(); }, false}};
}

// A table, its entries, and the results of reads.
class ScarceReads : public ::testing::Test {
 protected:
  void Use(const Form& form) {
    entries_ = SomeEntries(kEntries);
    std::vector<Entry> added = entries_;
    if (form.deletes_range) added.insert(added.begin(), EmptyRangeDeletion());
    bytes_ = BuildTable(form.table, added);
    for (int i = 0; i < kEntries; i += kStep) {
      keys_.push_back(
          UserKeyOf(entries_[static_cast<size_t>(i)].key).ToString());
    }
    keys_.push_back("key_absent");
  }

  std::unique_ptr<RandomAccessFile> File() const {
    return NewMemoryFile("test.sst", bytes_);
  }

  // Opens the reader. Its allocations may fail.
  Status Open() {
    reader_.reset();
    auto opened = TableReader::Open(std::move(file_), options_);
    if (!opened.ok()) return opened.status();
    reader_ = std::move(opened).value();
    return {};
  }

  Status GetAll() {
    found_ = 0;
    for (const std::string& key : keys_) {
      Status status = reader_->Get(key, &result_);
      if (!status.ok()) return status;
      found_ += result_.state == GetResult::State::kFound ? 1 : 0;
    }
    return {};
  }

  Status Walk(const ReadOptions& options, bool forward) {
    walked_ = 0;
    Iterator it = reader_->NewIterator(options);
    if (forward) {
      for (it.SeekToFirst(); it.Valid(); it.Next()) ++walked_;
    } else {
      for (it.SeekToLast(); it.Valid(); it.Prev()) ++walked_;
    }
    return it.status();
  }

  void CheckFound() { EXPECT_EQ(found_, keys_.size() - 1); }
  void CheckWalked() { EXPECT_EQ(walked_, size_t{kEntries}); }

  std::vector<Entry> entries_;
  std::string bytes_;
  std::vector<std::string> keys_;
  ReaderOptions options_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<TableReader> reader_;
  GetResult result_;
  size_t found_ = 0;
  size_t walked_ = 0;
};

TEST_F(ScarceReads, OpenAndRead) {
  for (const Form& form : Forms()) {
    SCOPED_TRACE(form.name);
    keys_.clear();
    Use(form);
    std::vector<std::unique_ptr<RandomAccessFile>> files;
    const ScarcityCounts counts = ForEachFailure(
        [this] {
          // A file of the test. Its reads allocate nothing.
          struct Copy : RandomAccessFile {
            explicit Copy(const std::string* bytes) : of(bytes) {}
            Status Read(uint64_t offset, size_t n, char*,
                        Slice* data) const override {
              *data = Slice(of->data() + offset,
                            std::min(n, of->size() - size_t(offset)));
              return {};
            }
            uint64_t Size() const override { return of->size(); }
            std::string name() const override { return "test.sst"; }
            const std::string* of;
          };
          file_.reset(new (std::nothrow) Copy(&bytes_));
          if (file_ == nullptr) return Status::OutOfMemory();
          Status status = Open();
          if (status.ok()) status = GetAll();
          if (status.ok()) status = Walk({}, true);
          if (status.ok()) status = Walk({}, false);
          return status;
        },
        [this] {
          CheckFound();
          CheckWalked();
        },
        3);
    EXPECT_GT(counts.allocations, 20u);
    EXPECT_GT(counts.failures, 10u);
  }
}

TEST_F(ScarceReads, GetWithCaches) {
  Form form{"partitioned", SmallBlocks(DefaultCompressionType())};
  form.table.index_type = IndexType::kTwoLevelIndexSearch;
  form.table.partition_filters = true;
  Use(form);
  for (const CacheForm& cache : Caches()) {
    SCOPED_TRACE(cache.name);
    options_ = ReaderOptions();
    std::shared_ptr<Cache> fresh;
    const auto reopen = [&] {
      options_.block_cache = cache.make();
      options_.cache_index_and_filter_blocks = cache.metadata;
      options_.partition_pinning = PinningTier::kNone;
      // These statistics are new to the thread, so its first read allocates a
      // shard.
      options_.statistics = std::make_shared<Statistics>();
      reader_ = OpenTable(bytes_, options_);
    };
    reopen();
    ForEachFailure([this] { return GetAll(); },
                   [&] {
                     CheckFound();
                     reopen();
                   });
    ForEachFailure([this] { return Walk({}, true); },
                   [&] {
                     CheckWalked();
                     reopen();
                   });
  }
}

// The first reads of a thread allocate what the thread keeps for later reads.
TEST_F(ScarceReads, ThreadsThatAreNew) {
  Use(Forms().front());
  ForEachFailure(
      [this] {
        // The allocations for the reader and for the thread are the test's own,
        // so they do not fail.
        FailingMemory::Hold();
        options_.statistics = std::make_shared<Statistics>();
        reader_ = OpenTable(bytes_, options_);
        Status status;
        std::thread([&] {
          FailingMemory::Resume();
          status = GetAll();
          if (status.ok()) status = Walk({}, true);
          FailingMemory::Hold();
        }).join();
        FailingMemory::Resume();
        return status;
      },
      [this] {
        CheckFound();
        CheckWalked();
      });
}

TEST_F(ScarceReads, MultiGet) {
  Use(Forms().back());
  std::vector<Slice> keys(keys_.begin(), keys_.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  reader_ = OpenTable(bytes_);
  ForEachFailure(
      [&] {
        reader_->MultiGet(keys, results, statuses);
        Status worst;
        for (const Status& status : statuses) {
          if (!status.ok() && (worst.ok() || !status.IsMemoryLimit())) {
            worst = status;
          }
        }
        return worst;
      },
      [&] {
        for (size_t i = 0; i + 1 < keys.size(); ++i) {
          EXPECT_EQ(results[i].value.ToStringView(), entries_[i * kStep].value);
        }
        EXPECT_EQ(results.back().state, GetResult::State::kNotFound);
      });
}

TEST_F(ScarceReads, EveryKindOfWalk) {
  Use(Forms().back());
  reader_ = OpenTable(bytes_);
  ReadOptions pinning;
  pinning.pin_data = true;
  ReadOptions snapshot;
  snapshot.snapshot = 100;
  ReadOptions bounded;
  const Slice low("key");
  bounded.iterate_lower_bound = &low;
  for (const ReadOptions& options : {pinning, snapshot, bounded}) {
    for (const bool forward : {true, false}) {
      ForEachFailure([&] { return Walk(options, forward); },
                     [this] { CheckWalked(); });
    }
  }
}

// After MemoryLimit the same iterator can be used again.
TEST_F(ScarceReads, AnIteratorGoesOn) {
  Use(Forms().front());
  reader_ = OpenTable(bytes_);
  std::optional<Iterator> it;
  it.emplace(reader_->NewIterator());
  const std::string key = UserKeyOf(entries_[kEntries / 2].key).ToString();
  ForEachFailure(
      [&] {
        it->Seek(key);
        if (it->Valid()) it->Prev();
        return it->status();
      },
      [&] {
        ASSERT_TRUE(it->Valid());
        EXPECT_EQ(it->value(), Slice(entries_[kEntries / 2 - 1].value));
      });
  MergingIterator merged(BytewiseComparator(), {});
  ForEachFailure(
      [&] {
        std::vector<Iterator> children;
        try {
          children.push_back(reader_->NewIterator());
          children.push_back(reader_->NewIterator());
        } catch (const std::bad_alloc&) {
          return Status::OutOfMemory();  // for the test's own vector
        }
        merged = MergingIterator(BytewiseComparator(), std::move(children));
        merged.Seek(key);
        if (merged.Valid()) merged.Next();
        if (merged.Valid()) merged.Next();
        return merged.status();
      },
      [&] {
        ASSERT_TRUE(merged.Valid());
        EXPECT_EQ(merged.value(), Slice(entries_[kEntries / 2 + 1].value));
      });
}

// An iterator over a source, alone and merged with a table. The source needs
// memory for each entry.
TEST_F(ScarceReads, IteratorsOverSources) {
  Use(Forms().front());
  reader_ = OpenTable(bytes_);
  const EntryMap map = MapOf({Value("key", 1, "first"), Value("z", 1, "last")});
  ReadOptions bounded;
  const Slice low("key");
  const Slice high("zz");
  bounded.iterate_lower_bound = &low;
  bounded.iterate_upper_bound = &high;
  PinnableSlice values[2];
  const ScarcityCounts alone = ForEachFailure(
      [&] {
        std::unique_ptr<EntrySource> source;
        try {
          source = std::make_unique<MapSource>(&map);
        } catch (const std::bad_alloc&) {
          return Status::OutOfMemory();  // for the test's own source
        }
        Iterator it =
            NewSourceIterator(BytewiseComparator(), std::move(source), bounded);
        it.SeekForPrev("zzz");
        if (!it.Valid()) return it.status();
        Status status = it.PinValue(&values[1]);
        if (!status.ok()) return status;
        it.Prev();
        return it.Valid() ? it.PinValue(&values[0]) : it.status();
      },
      [&] {
        EXPECT_EQ(values[0].ToStringView(), "first");
        EXPECT_EQ(values[1].ToStringView(), "last");
      });
  EXPECT_GT(alone.failures, 6U);
  MergingIterator merged(BytewiseComparator(), {});
  ForEachFailure(
      [&] {
        std::vector<Iterator> children;
        try {
          children.push_back(reader_->NewIterator());
          children.push_back(NewSourceIterator(
              BytewiseComparator(), std::make_unique<MapSource>(&map)));
        } catch (const std::bad_alloc&) {
          return Status::OutOfMemory();  // for the test's own
        }
        merged = MergingIterator(BytewiseComparator(), std::move(children));
        merged.SeekToFirst();
        if (merged.Valid()) merged.Next();
        if (merged.Valid()) merged.Prev();
        return merged.status();
      },
      [&] {
        ASSERT_TRUE(merged.Valid());
        EXPECT_EQ(merged.value(), Slice("first"));
      });
  // The same iterator goes on once there is memory.
  std::optional<Iterator> it;
  it.emplace(NewSourceIterator(BytewiseComparator(),
                               std::make_unique<MapSource>(&map)));
  ForEachFailure(
      [&] {
        it->Seek("y");
        if (it->Valid()) it->Prev();
        return it->status();
      },
      [&] {
        ASSERT_TRUE(it->Valid());
        EXPECT_EQ(it->value(), Slice("first"));
      });
}

TEST_F(ScarceReads, ValuesThatArePinned) {
  Use(Forms().front());
  // Without a cache the bytes are the file's, and are copied. With one, the
  // cached block is shared.
  for (const bool is_cached : {false, true}) {
    ReaderOptions options;
    if (is_cached) options.block_cache = Clock(600);
    reader_ = OpenTable(bytes_, options);
    Iterator it = reader_->NewIterator();
    PinnableSlice value;
    const ScarcityCounts counts = ForEachFailure(
        [&] {
          it.SeekToLast();
          it.SeekToFirst();
          return it.Valid() ? it.PinValue(&value) : it.status();
        },
        [&] { EXPECT_EQ(value.ToStringView(), entries_[0].value); });
    EXPECT_GT(counts.failures, 0U) << is_cached;
  }
}

TEST_F(ScarceReads, ChecksOfAWholeTable) {
  for (const Form& form : Forms()) {
    SCOPED_TRACE(form.name);
    keys_.clear();
    Use(form);
    reader_ = OpenTable(bytes_);
    const auto file = File();
    uint64_t entries = 0;
    TableInspection inspection;
    for (const uint32_t workers : {0u, 2u}) {
      WorkerPool pool(workers);
      ForEachFailure(
          [&] { return reader_->CheckEntries({}, &pool, nullptr, &entries); },
          [&] { EXPECT_EQ(entries, uint64_t{kEntries}); });
      InspectOptions options;
      options.worker_pool = &pool;
      options.filter_keys = InspectOptions::FilterKeys::kAll;
      ForEachFailure([&] { return InspectTable(*file, options, &inspection); },
                     [&] {
                       EXPECT_TRUE(inspection.faults.empty());
                       EXPECT_EQ(inspection.blocks_bad, 0u);
                       EXPECT_GT(inspection.blocks_ok, 10u);
                     },
                     7);
    }
    ForEachFailure([&] { return reader_->VerifyChecksum(); }, [] {});
  }
}

}  // namespace
}  // namespace ashlar::testing
