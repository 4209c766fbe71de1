// Tests damaged dumps. What is damaged is passed over, and costs only itself.
// No read is ever wrong.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "table/dump/dump_format.h"
#include "test/support/dumped_tables.h"
#include "util/coding/coding.h"
#include "util/hash/crc32c.h"

namespace ashlar::testing {
namespace {

using internal::kDumpHeadBytes;
using internal::kDumpHeaderBytes;

// Counts the bytes that are read.
class MeteredFile final : public RandomAccessFile {
 public:
  MeteredFile(std::unique_ptr<RandomAccessFile> file, uint64_t* bytes)
      : file_(std::move(file)), bytes_(*bytes) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    bytes_ += n;
    return file_->Read(offset, n, scratch, data);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  uint64_t& bytes_;
};

// A small dump, with every kind of block, and where its records begin.
class CacheDumpDamage : public ::testing::Test {
 protected:
  static constexpr int kFew = 40;

  CacheDumpDamage() {
    TableOptions options = OptionsOf(kDumpedForms[3]);
    options.block_size = 250;
    table_ = BuildTable(options, SomeEntries(kFew), FixedBuild("test"));
    const auto cache = DumpedLru(size_t{1} << 20);
    const auto reader = OpenTable(table_, InCache(cache));
    expected_ = AllEntries(*reader);
    Gets(*reader);
    CacheDumpStats stats;
    dump_ = DumpOf(*cache, {}, &stats);
    entries_ = stats.entries;
    for (uint64_t at = kDumpHeaderBytes; at < dump_.size();) {
      begins_.push_back(at);
      uint32_t size;
      std::memcpy(&size, dump_.data() + at + 12, sizeof size);
      at += kDumpHeadBytes + size;
    }
    // And the end.
    EXPECT_EQ(begins_.size(), entries_ + 1);
    EXPECT_GE(entries_, 6u);
  }

  static void Gets(const TableReader& reader) {
    for (int i = 0; i < kFew; i += 3) {
      ASSERT_EQ(GetOne(reader, i), ValueNumber(i));
    }
  }

  // Loads the dump, and reads all through the cache that has it.
  CacheLoadStats LoadAndRead(const std::string& dump, Status* status) {
    const auto cache = DumpedLru(size_t{1} << 20);
    CacheLoadStats stats;
    const auto file = NewMemoryFile("cache.dump", dump);
    *status = LoadBlockCache(*file, cache.get(), {}, &stats);
    const auto reader = OpenTable(table_, InCache(cache));
    EXPECT_EQ(AllEntries(*reader), expected_);
    Gets(*reader);
    return stats;
  }

  std::string table_;
  std::vector<Entry> expected_;
  std::string dump_;
  uint64_t entries_ = 0;
  std::vector<uint64_t> begins_;
};

TEST_F(CacheDumpDamage, OfAnyByteCostsItsRecord) {
  for (size_t i = 0; i < dump_.size() && !HasFailure(); ++i) {
    SCOPED_TRACE("byte " + std::to_string(i));
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = dump_;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      Status status;
      const CacheLoadStats stats = LoadAndRead(damaged, &status);
      if (i < kDumpHeaderBytes) {
        EXPECT_TRUE(status.IsCorruption()) << status.ToString();
        EXPECT_TRUE(status.message().starts_with("cache.dump: byte 0: "));
        EXPECT_EQ(stats.loaded, 0u);
        continue;
      }
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(stats.damaged, 1u);
      EXPECT_EQ(stats.refused, 0u);
      const bool is_end = i >= begins_.back();
      EXPECT_EQ(stats.loaded, is_end ? entries_ : entries_ - 1);
      EXPECT_EQ(stats.cut_off, is_end);
    }
  }
}

TEST_F(CacheDumpDamage, ACutDumpHasWhatIsBefore) {
  for (size_t n = 0; n < dump_.size() && !HasFailure(); ++n) {
    SCOPED_TRACE("cut at " + std::to_string(n));
    Status status;
    const CacheLoadStats stats = LoadAndRead(dump_.substr(0, n), &status);
    EXPECT_EQ(status.ok(), n >= kDumpHeaderBytes);
    if (!status.ok()) continue;
    uint64_t whole = 0;
    while (whole < entries_ && begins_[whole + 1] <= n) ++whole;
    EXPECT_EQ(stats.loaded, whole);
    EXPECT_TRUE(stats.cut_off);
    EXPECT_EQ(stats.damaged, std::ranges::count(begins_, n) == 1 ? 0u : 1u);
  }
}

// Bytes between records, records in another order or twice, pieces of another
// dump, and runs of zeros.
TEST_F(CacheDumpDamage, OfEveryOtherKind) {
  const auto other_cache = DumpedLru(size_t{1} << 20);
  AllEntries(*OpenTable(
      BuildTable(OptionsOf(kDumpedForms[0]), SomeEntries(20), FixedBuild("x")),
      In(other_cache)));
  const std::string other = DumpOf(*other_cache, {});
  ForEachSeed(1, 2000, [&](uint64_t seed) {
    Random random(seed);
    std::string damaged = dump_;
    for (uint64_t n = random.Between(1, 4); n > 0; --n) {
      const size_t at = random.Between(kDumpHeaderBytes, damaged.size());
      const size_t length = random.Below(damaged.size() - at + 1);
      const size_t from = random.Below(dump_.size());
      switch (random.Below(6)) {
        case 0:
          damaged.insert(at, random.Bytes(random.Below(100)));
          break;
        case 1:
          damaged.erase(at, random.Below(length + 1));
          break;
        case 2:
          damaged.insert(at, dump_, from, random.Below(1000));
          break;
        case 3:
          damaged.insert(at, other, from % other.size(), random.Below(1000));
          break;
        case 4:
          damaged.replace(at, length / 4, std::string(length / 4, '\0'));
          break;
        default:
          if (at < damaged.size()) {
            damaged[at] = static_cast<char>(random.Next());
          }
          break;
      }
    }
    Status status;
    const CacheLoadStats stats = LoadAndRead(damaged, &status);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_LE(stats.loaded, entries_);
    EXPECT_EQ(stats.other_files, 0u);
  });
}

// A head within a body belongs to the body.
TEST_F(CacheDumpDamage, ADumpWithinABlockIsNotTakenForRecords) {
  std::vector<Entry> entries = SomeEntries(3);
  entries[1].value = dump_;
  const std::string table =
      BuildTable(OptionsOf(kDumpedForms[0]), entries, FixedBuild("holder"));
  const auto cache = DumpedLru(size_t{1} << 20);
  AllEntries(*OpenTable(table, In(cache)));
  CacheDumpStats stats;
  std::string dump = DumpOf(*cache, {}, &stats);
  // The heads of all records are gone, so every byte is looked at.
  for (size_t at = kDumpHeaderBytes; (at = dump.find("\x9e"
                                                     "acd",
                                                     at)) != std::string::npos;
       ++at) {
    if (dump.compare(at + 4, 4, dump_, begins_[0] + 4, 4) == 0) break;
    dump[at + 5] = static_cast<char>(dump[at + 5] ^ 1);
  }
  const auto second = DumpedLru(size_t{1} << 20);
  const CacheLoadStats loaded = Load(dump, second.get());
  EXPECT_LT(loaded.loaded, stats.entries);
  second->ForEachEntry([&](const CacheEntryView& entry) {
    EXPECT_FALSE(entry.key.IsOfFile(FileKeyOf(*OpenTable(table_))));
  });
}

// A record belongs to its dump, and to its place there.
TEST(CacheDumpFormat, RecordsDoNotMove) {
  const auto written = [](uint64_t id) {
    std::string bytes;
    const auto file = NewMemoryWritableFile("dump", &bytes);
    internal::DumpWriter writer(file.get(), id);
    Require(writer.AddHeader(true));
    for (uint64_t i = 0; i < 3; ++i) {
      internal::DumpRecord record;
      record.entry.key = {i, i};
      record.body = Slice("abcdefgh");
      Require(writer.AddBlock(record));
    }
    Require(writer.AddEnd());
    return bytes;
  };
  const auto read = [](const std::string& bytes, uint64_t* damaged) {
    const auto file = NewMemoryFile("dump", bytes);
    internal::DumpReader reader(file.get());
    Require(reader.ReadHeader());
    std::string found;
    internal::DumpRecord record;
    for (bool any = true; any;) {
      Require(reader.Next(&record, &any));
      if (any) found += std::to_string(record.entry.key.file);
    }
    *damaged = reader.damaged();
    return found;
  };
  constexpr size_t kRecord = kDumpHeadBytes + 8;
  uint64_t damaged = 0;
  const std::string dump = written(1);
  EXPECT_EQ(read(dump, &damaged), "012");
  EXPECT_EQ(damaged, 0u);
  std::string moved = dump;
  moved.replace(kDumpHeaderBytes + kRecord, kRecord, dump, kDumpHeaderBytes,
                kRecord);
  EXPECT_EQ(read(moved, &damaged), "02");
  EXPECT_EQ(damaged, 1u);
  // Two damaged heads in succession are one piece, and two bodies are two.
  std::string heads = dump;
  heads[kDumpHeaderBytes + 9] ^= 1;
  heads[kDumpHeaderBytes + kRecord + 9] ^= 1;
  EXPECT_EQ(read(heads, &damaged), "2");
  EXPECT_EQ(damaged, 1u);
  std::string bodies = dump;
  bodies[kDumpHeaderBytes + kRecord - 1] ^= 1;
  bodies[kDumpHeaderBytes + 2 * kRecord - 1] ^= 1;
  EXPECT_EQ(read(bodies, &damaged), "2");
  EXPECT_EQ(damaged, 2u);
  std::string of_other = dump;
  of_other.replace(kDumpHeaderBytes + kRecord, kRecord, written(2),
                   kDumpHeaderBytes + kRecord, kRecord);
  EXPECT_EQ(read(of_other, &damaged), "02");
  EXPECT_EQ(damaged, 1u);
}

// A reader that has come to the end stays there.
TEST(CacheDumpFormat, NothingFollowsTheEnd) {
  std::string bytes;
  const auto written = NewMemoryWritableFile("dump", &bytes);
  internal::DumpWriter writer(written.get(), 1);
  Require(writer.AddHeader(true));
  Require(writer.AddEnd());
  const auto file = NewMemoryFile("dump", bytes + bytes);
  internal::DumpReader reader(file.get());
  Require(reader.ReadHeader());
  for (int i = 0; i < 3; ++i) {
    internal::DumpRecord record;
    bool found = true;
    Require(reader.Next(&record, &found));
    EXPECT_FALSE(found);
    EXPECT_EQ(reader.damaged(), 0u);
  }
}

// Sound records whose bytes are no blocks.
TEST_F(CacheDumpDamage, RecordsThatMakeNoBlockAreRefused) {
  ForEachSeed(1, 500, [&](uint64_t seed) {
    Random random(seed);
    std::string bytes;
    const auto file = NewMemoryWritableFile("dump", &bytes);
    internal::DumpWriter writer(file.get(), seed);
    Require(writer.AddHeader(true));
    constexpr uint64_t kRecords = 20;
    for (uint64_t i = 0; i < kRecords; ++i) {
      const std::string body = random.Bytes(random.Below(60));
      internal::DumpRecord record;
      record.entry.key = {random.Next(), random.Next()};
      record.entry.role =
          static_cast<CacheEntryRole>(random.Below(kCacheEntryRoles));
      record.compression = static_cast<CompressionType>(random.Below(9));
      record.raw_size = static_cast<uint32_t>(random.Below(100));
      record.body = Slice(body);
      Require(writer.AddBlock(record));
    }
    Require(writer.AddEnd());
    const auto cache = DumpedLru(size_t{1} << 20);
    const CacheLoadStats stats = Load(bytes, cache.get());
    EXPECT_EQ(stats.damaged, 0u);
    EXPECT_EQ(stats.loaded + stats.refused, kRecords);
  });
}

TEST_F(CacheDumpDamage, DumpsOfLaterReleasesAreRefused) {
  dump_[8] = 2;
  internal::StoreFixed32(
      &dump_[24], internal::MaskCrc32c(internal::Crc32c(dump_.data(), 24)));
  Status status;
  EXPECT_EQ(LoadAndRead(dump_, &status).loaded, 0u);
  EXPECT_TRUE(status.IsNotSupported()) << status.ToString();
  EXPECT_EQ(status.subcode(), Status::SubCode::kNewerFormat);
  EXPECT_EQ(status.message(),
            "cache.dump: cache dump of version 2, expected 1");
}

// What looks like the beginning of a record costs no read of its own.
TEST_F(CacheDumpDamage, ASearchForRecordsReadsLittleMoreThanTheFile) {
  for (const auto wants : {internal::DumpReader::Wants::kBlocks,
                           internal::DumpReader::Wants::kKeys}) {
    std::string dump = dump_.substr(0, kDumpHeaderBytes);
    while (dump.size() < size_t{4} << 20) dump += dump_.substr(begins_[0], 4);
    uint64_t read = 0;
    const MeteredFile file(NewMemoryFile("cache.dump", dump), &read);
    internal::DumpReader reader(&file, wants);
    Require(reader.ReadHeader());
    internal::DumpRecord record;
    bool found = true;
    Require(reader.Next(&record, &found));
    EXPECT_FALSE(found);
    EXPECT_LE(read, 3 * dump.size());
  }
}

TEST_F(CacheDumpDamage, OtherFilesAreNoDumps) {
  for (const std::string& bytes :
       {std::string(), std::string("\x89"), table_, std::string(100, '\0')}) {
    Status status;
    LoadAndRead(bytes, &status);
    EXPECT_TRUE(status.IsCorruption());
    EXPECT_NE(status.message().find("not a cache dump"), std::string::npos);
  }
  CacheLoadStats stats;
  const auto cache = DumpedLru(1000);
  EXPECT_TRUE(LoadBlockCache("/nowhere/cache.dump", cache.get(), {}, &stats)
                  .IsIOError());
}

}  // namespace
}  // namespace ashlar::testing
