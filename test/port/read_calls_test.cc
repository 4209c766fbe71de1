// The system's own reads. What reads do with other answers of the system is
// tested with fakes, in util/many_reads_test.cc.

#include "port/read_calls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "test/support/folder.h"

namespace ashlar::testing {
namespace {

constexpr int kNoFile = -1;

TEST(ReadCalls, MemoryIsKnownByItsFileSystem) {
  const port::ReadCalls& calls = port::SystemReadCalls();
  EXPECT_FALSE(calls.is_memory(kNoFile));
  const int no_memory = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(no_memory, 0);
  EXPECT_FALSE(calls.is_memory(no_memory));
  ::close(no_memory);
  constexpr auto kTmpfs = 0x01021994;
  struct statfs found;
  if (::statfs("/dev/shm", &found) != 0 || found.f_type != kTmpfs) {
    GTEST_SKIP() << "/dev/shm is no file system in memory";
  }
  const int memory = ::open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(memory, 0);
  EXPECT_TRUE(calls.is_memory(memory));
  ::close(memory);
}

TEST(ReadCalls, RingOfNoEntriesIsAnError) {
  std::unique_ptr<port::ReadRing> ring;
  EXPECT_NE(port::SystemReadCalls().open_ring(0, &ring), 0);
  EXPECT_EQ(ring, nullptr);
}

TEST(ReadCalls, RingTakesAsManyReadsAsItHasEntries) {
  const TestFolder folder;
  WriteFile(folder / "file", "0123456789");
  std::unique_ptr<port::ReadRing> ring;
  if (const int error = port::SystemReadCalls().open_ring(2, &ring)) {
    GTEST_SKIP() << "no io_uring here: errno " << error;
  }
  const int fd = ::open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  std::string bytes(6, '#');
  EXPECT_TRUE(ring->Queue(fd, 2, bytes.data(), 3, 0));
  EXPECT_TRUE(ring->Queue(fd, 7, bytes.data() + 3, 3, 1));
  EXPECT_FALSE(ring->Queue(fd, 0, bytes.data(), 3, 2));
  EXPECT_EQ(ring->Enter(2), 2);
  uint64_t tags = 0;
  port::ReadRing::Answer answer;
  while (ring->Take(&answer)) {
    EXPECT_EQ(answer.result, 3);
    tags += 1 + answer.tag;
  }
  EXPECT_EQ(tags, 3u);
  EXPECT_EQ(bytes, "234789");
  EXPECT_TRUE(ring->IsOfThisProcess());
  ::close(fd);
}

}  // namespace
}  // namespace ashlar::testing
