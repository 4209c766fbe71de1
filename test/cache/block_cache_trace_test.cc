// The file of a block cache trace, and the tracer that writes it. What was
// recorded can be read back. Sampling keeps all accesses of the sampled keys. A
// damaged file is reported with the position of the damage. A file error ends
// the trace and nothing else.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/block_cache_tracer.h"
#include "cache/trace/access_recorder.h"
#include "cache/trace/trace_format.h"
#include "test/support/faulty_file.h"
#include "util/coding/coding.h"
#include "util/hash/crc32c.h"

namespace ashlar::internal {
namespace {

struct ReadBack {
  Status status;
  TraceHeader header;
  std::vector<TracedAccess> accesses;
  TraceEnd end;
};

ReadBack ReadTrace(const std::string& bytes) {
  ReadBack back;
  size_t at = 0;
  TraceFileReader reader("t", [&](char* out, size_t n, size_t* got) {
    *got = bytes.copy(out, n, at);
    at += *got;
    return Status();
  });
  back.status = reader.ReadHeader(&back.header);
  std::vector<TracedAccess> chunk;
  while (back.status.ok()) {
    back.status = reader.ReadChunk(&chunk, &back.end);
    if (chunk.empty()) break;
    back.accesses.insert(back.accesses.end(), chunk.begin(), chunk.end());
  }
  return back;
}

// Accesses to some files, with some blocks more than once.
std::vector<TracedAccess> SomeAccesses(uint64_t count) {
  std::vector<TracedAccess> accesses;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t file = i * 7 % 5;
    const CacheKey base{file * 0x9e3779b97f4a7c15, file * 0xd1b54a32d192ed03};
    accesses.push_back({.key = base.AtOffset(i * i % 97 * 4101),
                        .micros = i * 1000 - i % 3 * 1700 + 5000,
                        .kind = static_cast<TracedBlockKind>(i % 3),
                        .caller = static_cast<TracedCaller>(i % 4),
                        .hit = i % 7 < 4,
                        .charge = i % 7 < 4 ? 4000 + i % 97 : 0});
  }
  return accesses;
}

std::string SomeTrace(const std::vector<TracedAccess>& accesses) {
  std::string bytes;
  AppendTraceHeader({.sampling_frequency = 100, .began_at_micros = 12345},
                    &bytes);
  const size_t half = accesses.size() / 2;
  AppendTraceChunk(std::span(accesses).first(half), &bytes);
  AppendTraceChunk(std::span(accesses).subspan(half), &bytes);
  AppendTraceEnd({.traced = accesses.size(), .dropped = 3}, &bytes);
  return bytes;
}

TEST(BlockCacheTraceFile, ComesBackAsItWas) {
  const auto accesses = SomeAccesses(1000);
  const std::string bytes = SomeTrace(accesses);
  const ReadBack back = ReadTrace(bytes);
  ASSERT_TRUE(back.status.ok()) << back.status.ToString();
  EXPECT_EQ(back.accesses, accesses);
  EXPECT_EQ(back.header.sampling_frequency, 100U);
  EXPECT_EQ(back.header.began_at_micros, 12345U);
  EXPECT_EQ(back.end.traced, 1000U);
  EXPECT_EQ(back.end.dropped, 3U);
  EXPECT_LE(bytes.size(), accesses.size() * 11) << "a third of 32 bytes";
}

// Either one byte is wrong, or the file is cut off anywhere.
TEST(BlockCacheTraceFile, DamageIsToldWithItsPlace) {
  const auto accesses = SomeAccesses(60);
  const std::string good = SomeTrace(accesses);
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      const ReadBack back = ReadTrace(bad);
      ASSERT_FALSE(back.status.ok()) << i;
      ASSERT_EQ(back.status.ToString().find("t: "),
                back.status.ToString().find(": ") + 2)
          << back.status.ToString();
      ASSERT_LE(back.accesses.size(), accesses.size());
      ASSERT_TRUE(std::equal(back.accesses.begin(), back.accesses.end(),
                             accesses.begin()));
    }
    const ReadBack cut = ReadTrace(good.substr(0, i));
    ASSERT_TRUE(cut.status.IsCorruption()) << i;
    ASSERT_NE(cut.status.ToString().find("ends at byte " + std::to_string(i)),
              std::string::npos)
        << cut.status.ToString();
  }
}

TEST(BlockCacheTraceFile, NothingStandsBehindTheEnd) {
  const std::string one = SomeTrace(SomeAccesses(60));
  for (const std::string& more : {std::string(1, '\0'), one}) {
    const ReadBack back = ReadTrace(one + more);
    EXPECT_TRUE(back.status.IsCorruption());
    EXPECT_NE(back.status.ToString().find("after the end record"),
              std::string::npos)
        << back.status.ToString();
  }
}

template <size_t N>
std::string Bytes(const char (&text)[N]) {
  return std::string(text, N - 1);
}

// Files of version 1 have no charges.
TEST(BlockCacheTraceFile, OldFilesAreRead) {
  std::string bytes;
  AppendTraceHeader({.sampling_frequency = 100}, &bytes);
  constexpr size_t kVersionOffset = 8;
  constexpr size_t kChecked = 24;
  StoreFixed32(bytes.data() + kVersionOffset, 1);
  StoreFixed32(bytes.data() + kChecked,
               MaskCrc32c(Crc32c(bytes.data(), kChecked)));
  AppendTraceChunkAsIs(2, Bytes("\x03\2\0AAAAAAAA\5\x12\2\0\1"), &bytes);
  AppendTraceEnd({.traced = 2}, &bytes);
  const ReadBack back = ReadTrace(bytes);
  ASSERT_TRUE(back.status.ok()) << back.status.ToString();
  EXPECT_EQ(back.header.version, 1U);
  const uint64_t file = 0x4141414141414141;
  EXPECT_EQ(back.accesses,
            (std::vector<TracedAccess>{{.key = {file, 5},
                                        .micros = 1,
                                        .caller = TracedCaller::kGet,
                                        .hit = true},
                                       {.key = {file, 4},
                                        .micros = 2,
                                        .kind = TracedBlockKind::kIndex,
                                        .caller = TracedCaller::kGet}}));
}

// The checksum is right, but the contents are invalid.
TEST(BlockCacheTraceFile, SoundChunksOfNonsenseAreRefused) {
  std::string header;
  AppendTraceHeader({}, &header);
  const auto with = [&](uint32_t count, const std::string& payload) {
    std::string bytes = header;
    AppendTraceChunkAsIs(count, payload, &bytes);
    return ReadTrace(bytes).status.ToString();
  };
  EXPECT_EQ(with(1, Bytes("\0\0\5\0")),
            "Corruption: t: byte 28: record 0 of the chunk is bad");
  EXPECT_EQ(with(1, Bytes("\x0e\0\0AAAAAAAA\0")),
            "Corruption: t: byte 28: record 0 of the chunk is bad");
  EXPECT_EQ(with(1, Bytes("\x30\0\0AAAAAAAA\0")),
            "Corruption: t: byte 28: record 0 of the chunk is bad");
  EXPECT_EQ(with(1, Bytes("\0\0\0AAAA")),
            "Corruption: t: byte 28: record 0 of the chunk is bad");
  EXPECT_EQ(
      with(1, Bytes("\0\0\0AAAAAAAA\0\0AA")),
      "Corruption: t: byte 28: 2 bytes after the last record of the chunk");
  EXPECT_EQ(with(2, Bytes("\0\0\0AAAAAAAA\0\0")),
            "Corruption: t: byte 28: record 1 of the chunk is bad");
  // A charge of 2^40 bytes, and one of a byte more.
  EXPECT_EQ(with(1, Bytes("\0\0\0AAAAAAAA\0\x80\x80\x80\x80\x80\x20")),
            "Corruption: t: byte " + std::to_string(28 + 12 + 18) +
                ": the file ends at byte " + std::to_string(28 + 12 + 18) +
                ", before its end record: it is cut off");
  EXPECT_EQ(with(1, Bytes("\0\0\0AAAAAAAA\0\x81\x80\x80\x80\x80\x20")),
            "Corruption: t: byte 28: record 0 of the chunk is bad");
  EXPECT_EQ(with(4'000'000'000, Bytes("\0\0\0AAAAAAAA\0")),
            "Corruption: t: byte 28: bad chunk header: 4000000000 records in "
            "12 bytes");
  EXPECT_EQ(with(0, std::string(16, '\1')),
            "Corruption: t: byte 28: the end record counts 72340172838076673 "
            "records, found 0");
}

// --- The tracer ---

CacheKey KeyOf(uint64_t n) { return CacheKey{7, 11}.AtOffset(n * 4096); }

void Access(BlockCacheTracer* tracer, uint64_t n, bool hit = true) {
  if (!tracer->recorder()->Wants(KeyOf(n))) return;
  tracer->recorder()->Record(KeyOf(n), TracedBlockKind::kIndex,
                             TracedCaller::kGet, hit, hit ? 100 + n : 0);
}

std::unique_ptr<WritableFile> FileAt(std::string* bytes) {
  return NewMemoryWritableFile("t", bytes);
}

TEST(BlockCacheTracer, WritesWhatWasAccessed) {
  BlockCacheTracer tracer;
  Access(&tracer, 1);
  EXPECT_FALSE(tracer.is_tracing());
  std::string bytes;
  ASSERT_TRUE(tracer.StartTrace({}, FileAt(&bytes)).ok());
  EXPECT_TRUE(tracer.is_tracing());
  for (uint64_t n = 0; n < 20'000; ++n) Access(&tracer, n % 500, n % 3 == 0);
  ASSERT_TRUE(tracer.EndTrace().ok());
  EXPECT_FALSE(tracer.is_tracing());
  Access(&tracer, 2);
  const ReadBack back = ReadTrace(bytes);
  ASSERT_TRUE(back.status.ok()) << back.status.ToString();
  ASSERT_EQ(back.accesses.size(), 20'000U);
  for (uint64_t n = 0; n < 20'000; ++n) {
    const TracedAccess& a = back.accesses[n];
    ASSERT_EQ(a.key, KeyOf(n % 500));
    ASSERT_EQ(a.kind, TracedBlockKind::kIndex);
    ASSERT_EQ(a.caller, TracedCaller::kGet);
    ASSERT_EQ(a.hit, n % 3 == 0);
    ASSERT_EQ(a.charge, n % 3 == 0 ? 100 + n % 500 : 0);
  }
  EXPECT_EQ(tracer.traced(), 20'000U);
  EXPECT_EQ(back.end.dropped, 0U);
}

// Sampling records all accesses of one key in ten, and none of other keys.
TEST(BlockCacheTracer, SamplesKeysAndNotAccesses) {
  BlockCacheTracer tracer;
  std::string bytes;
  ASSERT_TRUE(
      tracer.StartTrace({.sampling_frequency = 10}, FileAt(&bytes)).ok());
  for (int round = 0; round < 5; ++round) {
    for (uint64_t n = 0; n < 9'999; ++n) Access(&tracer, n);
  }
  ASSERT_TRUE(tracer.EndTrace().ok());
  const ReadBack back = ReadTrace(bytes);
  ASSERT_TRUE(back.status.ok());
  EXPECT_EQ(back.header.sampling_frequency, 10U);
  std::map<CacheKey, int> times;
  for (const TracedAccess& each : back.accesses) ++times[each.key];
  EXPECT_NEAR(static_cast<double>(times.size()), 1000, 100);
  for (const auto& [key, count] : times) EXPECT_EQ(count, 5);
}

TEST(BlockCacheTracer, OneTraceAtATime) {
  BlockCacheTracer tracer;
  EXPECT_TRUE(tracer.EndTrace().IsInvalidArgument());
  std::string first;
  std::string second;
  EXPECT_TRUE(tracer.StartTrace({.sampling_frequency = 0}, FileAt(&first))
                  .IsInvalidArgument());
  ASSERT_TRUE(tracer.StartTrace({}, FileAt(&first)).ok());
  EXPECT_TRUE(tracer.StartTrace({}, FileAt(&second)).IsInvalidArgument());
  Access(&tracer, 1);
  ASSERT_TRUE(tracer.EndTrace().ok());
  EXPECT_TRUE(tracer.EndTrace().IsInvalidArgument());
  ASSERT_TRUE(tracer.StartTrace({}, FileAt(&second)).ok());
  Access(&tracer, 2);
  Access(&tracer, 3);
  ASSERT_TRUE(tracer.EndTrace().ok());
  EXPECT_EQ(ReadTrace(first).accesses.size(), 1U);
  EXPECT_EQ(ReadTrace(second).accesses.size(), 2U);
}

TEST(BlockCacheTracer, EndsWithItself) {
  std::string bytes;
  {
    BlockCacheTracer tracer;
    ASSERT_TRUE(tracer.StartTrace({}, FileAt(&bytes)).ok());
    Access(&tracer, 1);
  }
  const ReadBack back = ReadTrace(bytes);
  EXPECT_TRUE(back.status.ok());
  EXPECT_EQ(back.accesses.size(), 1U);
}

// Whichever operation of the file fails, the tracer reports it, and readers
// continue.
TEST(BlockCacheTracer, AFullDiskEndsTheTrace) {
  constexpr uint64_t kAccesses = 50'000;
  uint64_t operations = 0;
  for (uint64_t i = 0; i <= 2 * operations + 1; ++i) {
    const uint64_t fail_at = i / 2;
    testing::FaultPlan plan{.fail_at = fail_at, .persistent = i % 2 != 0};
    std::string bytes;
    BlockCacheTracer tracer;
    Status status = tracer.StartTrace(
        {}, testing::NewFaultyWritableFile("t", &bytes, &plan));
    EXPECT_EQ(status.ok(), fail_at != 1);
    for (uint64_t n = 0; n < kAccesses; ++n) Access(&tracer, n);
    if (status.ok()) status = tracer.EndTrace();
    EXPECT_FALSE(tracer.is_tracing());
    EXPECT_EQ(status.IsIOError(), fail_at != 0) << status.ToString();
    if (fail_at == 0) operations = plan.operations;
    std::string other;
    EXPECT_TRUE(tracer.StartTrace({}, FileAt(&other)).ok());
    EXPECT_TRUE(tracer.EndTrace().ok());
  }
  EXPECT_GE(operations, 4U) << "a header, pieces, the end, close";
}

TEST(BlockCacheTracer, AFileOfItsSizeIsWhole) {
  for (const uint64_t most : {0U, 100U, 3000U, 100'000U}) {
    BlockCacheTracer tracer;
    std::string bytes;
    ASSERT_TRUE(
        tracer.StartTrace({.max_trace_file_size = most}, FileAt(&bytes)).ok());
    for (uint64_t n = 0; n < 50'000; ++n) Access(&tracer, n);
    EXPECT_FALSE(tracer.is_tracing());
    ASSERT_TRUE(tracer.EndTrace().ok());
    EXPECT_LE(bytes.size(), std::max<uint64_t>(most, 28 + kTraceEndBytes));
    const ReadBack back = ReadTrace(bytes);
    EXPECT_TRUE(back.status.ok()) << back.status.ToString();
    EXPECT_EQ(back.accesses.size(), tracer.traced());
    if (most >= 3000) {
      EXPECT_GE(bytes.size(), most * 2 / 3);
    }
  }
}

// At each append, another thread continues to record accesses.
class BusyFile final : public WritableFile {
 public:
  BusyFile(BlockCacheTracer* tracer, int* appended)
      : tracer_(tracer), appended_(appended) {}
  Status Append(const Slice& /*data*/) override {
    // The header and the end are appended too.
    if (++*appended_ == 1 || *appended_ > kMost) return {};
    std::thread([this] {
      // As many accesses as the buffer holds, each to a file of its own.
      for (int i = 0; i < 22 * 126; ++i) RecordOne(tracer_, ++next_);
    }).join();
    return {};
  }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  std::string name() const override { return "t"; }

  static void RecordOne(BlockCacheTracer* tracer, uint64_t n) {
    const CacheKey key = {n * 0x9e3779b97f4a7c15, n << 40};
    if (!tracer->recorder()->Wants(key)) return;
    tracer->recorder()->Record(key, TracedBlockKind::kData, TracedCaller::kGet,
                               false, kMostTracedCharge);
  }
  static constexpr int kMost = 60;

 private:
  BlockCacheTracer* const tracer_;
  int* const appended_;
  uint64_t next_ = uint64_t{1} << 20;
};

TEST(BlockCacheTracer, NobodyWritesForEverForOthers) {
  BlockCacheTracer tracer;
  int appended = 0;
  ASSERT_TRUE(
      tracer.StartTrace({}, std::make_unique<BusyFile>(&tracer, &appended))
          .ok());
  uint64_t n = 0;
  while (appended < 2) BusyFile::RecordOne(&tracer, ++n);
  EXPECT_LT(appended, 8);
  EXPECT_GT(tracer.dropped(), 0u);
  EXPECT_TRUE(tracer.EndTrace().ok());
}

}  // namespace
}  // namespace ashlar::internal
