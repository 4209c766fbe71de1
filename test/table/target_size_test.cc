// Tests files that are cut where EstimatedFileSize says, with any number of
// threads.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ashlar/table/table_builder.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// The values of compression_ring.h.
constexpr uint64_t kSlotBytes = uint64_t{128} << 10;
constexpr uint64_t kSlots = 16;
constexpr uint64_t kBlockBytes = 4096 + 600;  // with the entry that fills it
constexpr uint64_t kTarget = uint64_t{5} << 20;
constexpr size_t kValueBytes = 500;

struct Cut {
  uint64_t entries = 0;
  uint64_t estimate = 0;
  uint64_t size = 0;
};

// Returns how many bytes of an entry's value are random.
using Randomness = std::function<size_t(uint64_t entry)>;

// More bytes than the values of one file need.
const std::string& RandomBytes() {
  static const std::string bytes = Random(7).Bytes(3 * kTarget);
  return bytes;
}

Cut CutByEstimate(CompressionType type, const Randomness& randomness,
                  BuildOptions build) {
  TableOptions options;
  options.compression = type;
  build.identity = FixedBuild().identity;
  std::string bytes;
  const auto file = NewMemoryWritableFile("cut", &bytes);
  auto builder = TableBuilder::Create(options, build, file.get());
  Require(builder.status());
  size_t used = 0;  // random bytes used so far
  Cut cut;
  while ((cut.estimate = (*builder)->EstimatedFileSize()) < kTarget) {
    const size_t random = randomness(cut.entries);
    std::string value = RandomBytes().substr(used, random);
    EXPECT_EQ(value.size(), random);
    used += random;
    value.resize(kValueBytes, 'v');
    const std::string key = "key" + std::to_string(100000000 + cut.entries);
    Require(
        (*builder)->Add(MakeInternalKey(key, 1, ValueType::kTypeValue), value));
    ++cut.entries;
  }
  Require((*builder)->Finish());
  cut.size = bytes.size();
  EXPECT_EQ((*builder)->EstimatedFileSize(), cut.size);
  return cut;
}

size_t Half(uint64_t) { return kValueBytes / 2; }

// Returns build options for several crews. With a pool without threads, the
// emit thread does all the work while the ring is as full as possible. The
// result then does not depend on the speed of any thread.
std::vector<BuildOptions> Crews(WorkerPool* nobody) {
  return {{.workers = 1, .worker_pool = nobody, .target_file_size = kTarget},
          {.workers = 1, .target_file_size = kTarget},
          {.workers = 3, .target_file_size = kTarget},
          {.workers = 15, .target_file_size = kTarget}};
}

TEST(TargetSize, SteadyRatio) {
  WorkerPool nobody(0);
  for (const CompressionType type :
       {CompressionType::kNoCompression, DefaultCompressionType()}) {
    const Cut serial = CutByEstimate(type, Half, {});
    EXPECT_LE(serial.size, kTarget);
    EXPECT_GE(serial.size, kTarget - kTarget / 50);
    for (const BuildOptions& build : Crews(&nobody)) {
      const Cut cut = CutByEstimate(type, Half, build);
      // Rounding may add one block.
      EXPECT_LE(cut.size, serial.size + kBlockBytes);
      EXPECT_GE(cut.size, serial.size - serial.size / 1000);
    }
  }
}

// What is in flight when the data changes was estimated much too small. The
// bounds hold for any speed of the threads.
TEST(TargetSize, DataThatTurnsIncompressible) {
  WorkerPool nobody(0);
  const CompressionType type = DefaultCompressionType();
  // The data changes early, or at one of two places near the end.
  for (const uint64_t turn : {5000, 50000, 60000}) {
    const Randomness randomness = [turn](uint64_t entry) {
      return entry < turn ? kValueBytes / 10 : kValueBytes;
    };
    for (const BuildOptions& build : Crews(&nobody)) {
      const Cut cut = CutByEstimate(type, randomness, build);
      EXPECT_LE(cut.size, kTarget + kSlotBytes + kBlockBytes);
      EXPECT_GE(cut.size, kTarget - kSlots * kSlotBytes);
    }
    // Without a target, only the size of the ring limits the excess.
    const Cut blind =
        CutByEstimate(type, randomness, {.workers = 1, .worker_pool = &nobody});
    EXPECT_LE(blind.size, kTarget + (kSlots + 1) * kSlotBytes + kBlockBytes);
    EXPECT_GE(blind.size, kTarget - kSlots * kSlotBytes);
  }
}

// A caller that goes on beyond the target gets the same file as without one.
TEST(TargetSize, BeyondTheTarget) {
  BuildOptions build = FixedBuild();
  const std::string serial = BuildTable({}, SomeEntries(30000), build);
  for (const uint32_t workers : {1, 4}) {
    build.workers = workers;
    for (const uint64_t target : {uint64_t{1}, uint64_t{200000}}) {
      build.target_file_size = target;
      EXPECT_TRUE(serial == BuildTable({}, SomeEntries(30000), build));
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
