// Tests the compression ring with real threads. It writes the same bytes as the
// serial builder for any number of threads, returns every error, never hangs,
// and no thread uses the ring after its end.

#include "table/write/compression_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/util/file_checksum.h"
#include "ashlar/util/sync/schedule_point.h"
#include "table/write/block_writer.h"
#include "table/write/write_progress.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "test/support/thorough.h"
#include "util/compress/known_types.h"

namespace ashlar::testing {
namespace {

using internal::BlockAlignment;
using internal::BlockCompressor;
using internal::BlockHandle;
using internal::BlockWriter;
using internal::BuildWorkers;
using internal::CompressionRing;
using internal::CompressionVerifier;
using internal::FindKnownType;
using internal::RingOptions;
using internal::WriteProgress;
using internal::WrittenBlock;

constexpr uint32_t kBase = 0x12345678;

// Returns random blocks, of which about half can be compressed.
std::vector<std::string> RandomBlocks(Random* random, size_t count) {
  std::vector<std::string> blocks(count);
  for (std::string& block : blocks) {
    block.resize(1 + random->Below(300));
    const bool flat = random->OneIn(2);
    for (char& c : block) {
      c = static_cast<char>(flat ? 'x' : random->Below(256));
    }
  }
  return blocks;
}

Result<BlockCompressor> NewBlockCompressor(CompressionType type) {
  TableOptions options;
  options.compression = type;
  return internal::BlockCompressorFor(options);
}

// Rejects a block, shrinks it a little, shrinks it a lot, or yields first. The
// bytes of the block decide which. The output cannot be decompressed.
class FickleCodec final : public internal::Compressor {
 public:
  size_t Compress(const Slice& raw, char* out, size_t capacity) override {
    uint32_t sum = 0;
    for (const char c : raw) sum = sum * 31 + static_cast<uint8_t>(c);
    if (sum % 5 == 0) return 0;
    if (sum % 7 == 0) std::this_thread::yield();
    const size_t size = sum % 2 == 0 ? capacity : capacity / 8 + 1;
    for (size_t i = 0; i < size; ++i) out[i] = raw[i];
    return size;
  }
};

Result<BlockCompressor> NewFickleCompressor() {
  return BlockCompressor(std::make_unique<FickleCodec>(),
                         CompressionType::kZSTD, 896);
}

// The block that LyingCodec spoils.
std::string BadBlock() { return std::string(200, 'L'); }

// Its payloads can be decompressed, but bad blocks (BadBlock) come back as
// other bytes.
class LyingCodec final : public internal::Compressor {
 public:
  explicit LyingCodec(std::unique_ptr<internal::Compressor> codec)
      : codec_(std::move(codec)) {}
  size_t Compress(const Slice& raw, char* out, size_t capacity) override {
    if (raw != Slice(BadBlock())) return codec_->Compress(raw, out, capacity);
    return codec_->Compress(std::string(raw.size(), 'T'), out, capacity);
  }

 private:
  std::unique_ptr<internal::Compressor> codec_;
};

Result<BlockCompressor> NewVerifiedCompressor(CompressionType type) {
  auto codec = internal::NewCompressor(type, CompressionOptions());
  if (!codec.ok()) return codec.status();
  return BlockCompressor(
      std::make_unique<LyingCodec>(std::move(codec).value()), type, 896,
      std::make_unique<CompressionVerifier>(
          std::shared_ptr<const internal::DecompressionDictionary>()));
}

// Returns the part of an error message that names this block as the bad one.
std::string SaysItIsBad(size_t number) {
  return "verify_compression failed in data block #" + std::to_string(number) +
         " ";
}

uint64_t BytesOf(const std::vector<std::string>& blocks) {
  uint64_t bytes = 0;
  for (const std::string& block : blocks) bytes += block.size();
  return bytes;
}

struct Made {
  std::string bytes;
  std::vector<WrittenBlock> blocks;
  Status status;
};

// Makes the blocks as the serial builder does.
Made MakeSerially(const std::vector<std::string>& blocks, CompressionType type,
                  bool fickle = false, const BlockAlignment& alignment = {}) {
  Made made;
  const auto file = NewMemoryWritableFile("serial", &made.bytes);
  BlockWriter writer(file.get(), ChecksumType::kXXH3, kBase, alignment);
  BlockCompressor compressor =
      (fickle ? NewFickleCompressor() : NewBlockCompressor(type)).value();
  for (const std::string& block : blocks) {
    WrittenBlock one;
    Require(writer.AppendCompressed(block, &compressor, BlockKind::kData,
                                    writer.num_blocks(), &one));
    made.blocks.push_back(one);
  }
  Require(writer.Flush());
  return made;
}

struct HowToMake {
  CompressionType type = CompressionType::kNoCompression;
  uint32_t workers = 1;
  WorkerPool* pool = nullptr;
  size_t slot_bytes = 500;
  // Whether blocks are made in the ring, or copied into it.
  bool in_place = true;
  // The ring is destroyed after this number of blocks.
  size_t abandon_after = SIZE_MAX;
  FaultPlan faults;
  // The codec with this number, counted from 1, cannot be made. 0: all can be
  // made.
  int missing_codec = 0;
  bool fickle_codec = false;
  // Whether blocks are verified, and bad ones spoiled.
  bool verified = false;
  BlockAlignment alignment;
  // Whether the emit thread seals and places blocks that are stored raw.
  bool places_raw = true;
};

// Returns whether the ring may be told so.
bool StoresRaw(const HowToMake& how, const BlockWriter& writer) {
  return how.places_raw && how.type == CompressionType::kNoCompression &&
         !how.fickle_codec && !how.verified && writer.KeepsPlaces();
}

std::string ChecksumOf(const std::string& bytes) {
  const auto whole =
      GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator();
  whole->Update(bytes);
  return whole->Finalize();
}

Made MakeInRing(const std::vector<std::string>& blocks, HowToMake how) {
  Made made;
  const auto file = NewFaultyWritableFile("ring", &made.bytes, &how.faults);
  int codecs = 0;
  BlockWriter writer(file.get(), ChecksumType::kXXH3, kBase, how.alignment);
  const auto checksum =
      GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator();
  writer.SumTo(checksum.get());
  BuildWorkers workers(how.workers, 0, how.pool);
  RingOptions options;
  options.slot_bytes = how.slot_bytes;
  options.stores_raw = StoresRaw(how, writer);
  options.new_compressor = [&]() -> Result<BlockCompressor> {
    if (++codecs == how.missing_codec) return Status::Aborted("no codec");
    if (how.verified) return NewVerifiedCompressor(how.type);
    // The analyzer loses the verifier, a std::unique_ptr, in the moves.
    // NOLINTBEGIN(clang-analyzer-cplusplus.NewDeleteLeaks)
    return how.fickle_codec ? NewFickleCompressor()
                            : NewBlockCompressor(how.type);
  };
  // NOLINTEND(clang-analyzer-cplusplus.NewDeleteLeaks)
  CompressionRing ring(options, &workers, &writer);
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i == how.abandon_after) {
      made.status = Status::Aborted("abandoned");
      return made;
    }
    Slice block = blocks[i];
    if (how.in_place) {
      const size_t begin = ring.in_place()->size();
      ring.in_place()->Append(block);
      block = Slice(ring.in_place()->data() + begin, block.size());
    }
    made.status = ring.Add(block, &made.blocks);
    if (!made.status.ok()) return made;
  }
  made.status = ring.Finish(&made.blocks);
  if (made.status.ok()) {
    EXPECT_EQ(writer.Written().offset, made.bytes.size());
    EXPECT_EQ(writer.Written().raw_bytes, BytesOf(blocks));
    EXPECT_EQ(checksum->Finalize(), ChecksumOf(made.bytes));
  }
  return made;
}

void ExpectSame(const Made& made, const Made& expected) {
  ASSERT_TRUE(made.status.ok()) << made.status.ToString();
  ASSERT_TRUE(made.bytes == expected.bytes);
  ASSERT_EQ(made.blocks.size(), expected.blocks.size());
  for (size_t i = 0; i < made.blocks.size(); ++i) {
    ASSERT_EQ(made.blocks[i].handle, expected.blocks[i].handle);
    ASSERT_EQ(made.blocks[i].type, expected.blocks[i].type);
  }
}

TEST(CompressionRing, SameBytesForAnyNumberOfThreads) {
  Random random(1);
  const std::vector<std::string> blocks = RandomBlocks(&random, 400);
  for (const CompressionType type : SupportedCompressionTypes()) {
    const Made expected = MakeSerially(blocks, type);
    for (const uint32_t workers : {1, 2, 3, 4, 8, 16, 100}) {
      for (const bool places_raw : {false, true}) {
        ExpectSame(MakeInRing(blocks, {.type = type,
                                       .workers = workers,
                                       .places_raw = places_raw}),
                   expected);
      }
    }
  }
}

// Zeros before and after blocks, some of which are too large for the writer's
// buffer.
TEST(CompressionRing, PaddingIsTheSame) {
  Random random(9);
  std::vector<std::string> blocks = RandomBlocks(&random, 200);
  for (const size_t large : {50, 51, 120}) {
    blocks[large] = random.Bytes(200000);
  }
  TableOptions options;
  options.block_size = 256;
  options.super_block_alignment_size = 2048;
  for (const auto& [block_align, moves] :
       {std::pair(false, true), std::pair(true, true),
        std::pair(true, false)}) {
    options.block_align = block_align;
    options.super_block_alignment_space_overhead_ratio = moves ? 1 : 0;
    const BlockAlignment alignment(options);
    for (const CompressionType type : SupportedCompressionTypes()) {
      const Made plain = MakeSerially(blocks, type);
      const Made expected = MakeSerially(blocks, type, false, alignment);
      EXPECT_GT(expected.bytes.size(), plain.bytes.size());
      uint64_t end = 0;
      for (const WrittenBlock& block : expected.blocks) {
        const uint64_t begin = end + alignment.Before(end, block.handle.size);
        ASSERT_EQ(block.handle.offset, begin);
        end = block.handle.End() + alignment.After(block.handle.size);
      }
      EXPECT_EQ(expected.bytes.size(), end);
      for (const uint32_t workers : {1, 3}) {
        ExpectSame(MakeInRing(blocks, {.type = type,
                                       .workers = workers,
                                       .alignment = alignment}),
                   expected);
      }
    }
  }
}

TEST(CompressionRing, NoBlocksAndOne) {
  for (const size_t count : {0, 1}) {
    Random random(2);
    const std::vector<std::string> blocks = RandomBlocks(&random, count);
    ExpectSame(MakeInRing(blocks, {}), MakeSerially(blocks, {}));
  }
}

// The pool has no threads, so the emit thread does all the work.
TEST(CompressionRing, PoolWithoutThreads) {
  Random random(3);
  const std::vector<std::string> blocks = RandomBlocks(&random, 300);
  WorkerPool pool(0);
  ExpectSame(MakeInRing(blocks, {.workers = 3, .pool = &pool}),
             MakeSerially(blocks, {}));
}

// Some builds fail in one way or another. All others must be right.
void MakeAtRandom(uint64_t seed, WorkerPool* pool) {
  Random random(seed);
  std::vector<std::string> blocks = RandomBlocks(&random, random.Below(60));
  const std::vector<CompressionType> types = SupportedCompressionTypes();
  HowToMake how;
  how.type = types[random.Below(types.size())];
  how.fickle_codec = random.OneIn(4);
  // At most 16 threads, with the calling thread.
  how.workers =
      1 + static_cast<uint32_t>(random.Below(random.OneIn(4) ? 15 : 4));
  how.pool = pool;
  how.slot_bytes = 1 + random.Below(600);
  how.places_raw = random.OneIn(2);
  how.in_place = seed % 2 == 0;
  if (random.OneIn(4)) how.abandon_after = random.Below(60);
  if (random.OneIn(4)) how.faults.fail_at = 1 + random.Below(40);
  if (random.OneIn(8))
    how.missing_codec = 1 + static_cast<int>(random.Below(3));
  size_t bad = SIZE_MAX;
  if (random.OneIn(4) && !blocks.empty() &&
      DefaultCompressionType() != CompressionType::kNoCompression) {
    how.type = DefaultCompressionType();
    how.fickle_codec = false;
    how.verified = true;
    if (random.OneIn(2)) {
      bad = random.Below(blocks.size());
      blocks[bad] = BadBlock();
    }
  }
  const Made made = MakeInRing(blocks, how);
  if (made.status.ok()) {
    ASSERT_EQ(bad, SIZE_MAX) << "seed " << seed;
    ASSERT_NO_FATAL_FAILURE(
        ExpectSame(made, MakeSerially(blocks, how.type, how.fickle_codec)))
        << "seed " << seed;
    return;
  }
  const std::string why = made.status.ToString();
  const bool expected =
      why.find(SaysItIsBad(bad)) != std::string::npos ||
      (how.faults.fail_at != 0 && why.find(kInjected) != std::string::npos) ||
      (how.missing_codec != 0 && why.find("no codec") != std::string::npos) ||
      (how.abandon_after < blocks.size() &&
       why.find("abandoned") != std::string::npos);
  EXPECT_TRUE(expected) << "seed " << seed << ": " << why;
}

TEST(CompressionRing, ThousandsOfShortBuilds) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    ASSERT_NO_FATAL_FAILURE(MakeAtRandom(seed, nullptr));
  }
}

// Eight callers share eight workers, which change from builder to builder all
// the time.
TEST(CompressionRing, SixteenThreads) {
  constexpr uint64_t kBuilders = 8;
  WorkerPool pool(8);
  std::vector<std::thread> builders;
  builders.reserve(kBuilders);
  for (uint64_t b = 1; b <= kBuilders; ++b) {
    builders.emplace_back([b, &pool] {
      for (uint64_t i = 0; i < 250; ++i) MakeAtRandom(b << 40 | i, &pool);
    });
  }
  for (std::thread& builder : builders) builder.join();
}

// In a build with schedule points, threads yielded there.
TEST(CompressionRing, SchedulePointsYield) {
#if defined(ASHLAR_SCHEDULE_POINTS)
  const uint64_t before = internal::ScheduleYields();
  Random random(6);
  static_cast<void>(MakeInRing(RandomBlocks(&random, 300), {}));
  EXPECT_GT(internal::ScheduleYields(), before + 20);
#else
  EXPECT_EQ(internal::ScheduleYields(), 0u);
#endif
}

TEST(CompressionRing, ManyBuildersThroughOnePool) {
  constexpr uint64_t kBuilders = 8;
  for (const uint32_t threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    std::vector<std::thread> builders;
    builders.reserve(kBuilders);
    for (uint64_t b = 0; b < kBuilders; ++b) {
      builders.emplace_back([b, &pool] {
        for (uint64_t i = 0; i < 100; ++i) MakeAtRandom(b << 32 | i, &pool);
      });
    }
    for (std::thread& builder : builders) builder.join();
  }
}

// Each write fails in turn.
TEST(CompressionRing, EveryFaultComesBack) {
  Random random(5);
  const std::vector<std::string> blocks = RandomBlocks(&random, 40);
  for (uint64_t at = 1;; ++at) {
    HowToMake how{.workers = 2};
    how.faults.fail_at = at;
    const Made made = MakeInRing(blocks, how);
    if (made.status.ok()) break;
    EXPECT_TRUE(made.status.IsIOError()) << made.status.ToString();
    ASSERT_LT(at, 100u);
  }
}

// A block that cannot be decompressed to its contents stops the file before
// that block. If several are bad, the error names the first one in the file,
// and not the one that some thread found first.
TEST(CompressionRing, TheFirstBadBlockIsReported) {
  const CompressionType type = DefaultCompressionType();
  if (type == CompressionType::kNoCompression) return;
  Random random(8);
  constexpr size_t kBlocks = 60;
  for (size_t first = 0; first < kBlocks; first += 7) {
    std::vector<std::string> blocks = RandomBlocks(&random, kBlocks);
    for (size_t bad = first; bad < kBlocks; bad += 5) blocks[bad] = BadBlock();
    const Made sound = MakeSerially(blocks, type);
    const BlockHandle& handle = sound.blocks[first].handle;
    for (const uint32_t workers : {1, 2, 3, 4, 8}) {
      for (const size_t slot_bytes : {1, 500, 3000}) {
        const Made made = MakeInRing(blocks, {.type = type,
                                              .workers = workers,
                                              .slot_bytes = slot_bytes,
                                              .verified = true});
        EXPECT_TRUE(made.status.IsCorruption()) << made.status.ToString();
        EXPECT_EQ(made.status.message(),
                  "ring: " + SaysItIsBad(first) + "offset " +
                      std::to_string(handle.offset) + " size " +
                      std::to_string(handle.size) + ": " +
                      std::string(FindKnownType(type)->word) +
                      " gives back other bytes: byte 0 of 200 is 0x54, "
                      "expected 0x4c");
        EXPECT_LE(made.bytes.size(), handle.offset);
        EXPECT_TRUE(sound.bytes.starts_with(made.bytes));
      }
    }
  }
}

// A reader always sees two counts of the same moment. The writer waits for the
// readers and yields to them, because otherwise it would be done before they
// look.
TEST(WriteProgress, CountsGoTogether) {
  constexpr int kReaders = 3;
  const uint64_t steps = IsThorough() ? 100000 : 5000;
  constexpr uint64_t kStepsAtOnce = 50;
  WriteProgress progress(7);
  std::atomic<bool> done = false;
  std::atomic<int> looking = 0;
  std::vector<std::thread> readers;
  readers.reserve(kReaders);
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      uint64_t last = 0;
      for (bool first = true; !done; first = false) {
        const WriteProgress::Counts seen = progress.Look();
        EXPECT_EQ(seen.offset, 7 + 3 * seen.raw_bytes);
        EXPECT_GE(seen.raw_bytes, last);
        last = seen.raw_bytes;
        if (first) ++looking;
      }
    });
  }
  while (looking < kReaders) std::this_thread::yield();
  for (uint64_t i = 1; i <= steps; ++i) {
    progress.Advance(1, 7 + 3 * i);
    if (i % kStepsAtOnce == 0) std::this_thread::yield();
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(progress.Look().raw_bytes, steps);
}

// Builds a whole table that is large enough to have many runs under way.
std::string BuildWith(const TableOptions& options, BuildOptions build) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("table", &bytes);
  build.identity = FixedBuild().identity;
  auto writer = ExternalFileWriter::Create(file.get(), options, build);
  Require(writer.status());
  Random random(11);
  for (int i = 0; i < 40000; ++i) {
    std::string value(50, static_cast<char>('a' + i % 26));
    for (size_t j = 0; j < 25; ++j) {
      value[j] = static_cast<char>(random.Below(256));
    }
    Require((*writer)->Put("key" + std::to_string(1000000 + i), value));
    // Both sizes can be read while workers write. FileSize is read first,
    // because the file grows meanwhile.
    const uint64_t size = (*writer)->FileSize();
    EXPECT_LE(size, (*writer)->EstimatedFileSize());
  }
  Require((*writer)->Finish());
  return bytes;
}

TEST(CompressionRing, EveryIndexTypeIsTheSame) {
  for (const IndexType type : {IndexType::kTwoLevelIndexSearch,
                               IndexType::kBinarySearchWithFirstKey}) {
    TableOptions options;
    options.index_type = type;
    options.metadata_block_size = 300;
    const std::string serial = BuildWith(options, {});
    EXPECT_TRUE(serial == BuildWith(options, {.workers = 3}));
  }
}

TEST(CompressionRing, TablesAreTheSame) {
  for (const CompressionType type :
       {CompressionType::kNoCompression, DefaultCompressionType()}) {
    TableOptions options;
    options.compression = type;
    const std::string serial = BuildWith(options, {});
    WorkerPool pool(2);
    EXPECT_TRUE(serial == BuildWith(options, {.parallel_threads = 2}));
    EXPECT_TRUE(serial == BuildWith(options, {.parallel_threads = 0}));
    EXPECT_TRUE(serial == BuildWith(options, {.workers = 4}));
    EXPECT_TRUE(serial ==
                BuildWith(options, {.workers = 2, .worker_pool = &pool}));
  }
}

}  // namespace
}  // namespace ashlar::testing
