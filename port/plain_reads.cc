// Reads of a file, one after the other, where the system cannot read several
// pieces at once, and does not say what it has in memory: in a browser, and
// where only POSIX is used.
#include <cerrno>

#include "port/posix_io.h"
#include "port/read_calls.h"

namespace ashlar::port {

ReadRing::~ReadRing() = default;

namespace {

int64_t ReadCached(int, uint64_t, char*, size_t) { return -EOPNOTSUPP; }

bool IsMemory(int) { return false; }

int64_t ReadOnce(int fd, uint64_t offset, char* to, size_t n) {
  size_t got = 0;
  const int error = ReadAt(fd, offset, to, n, &got);
  return error != 0 ? -error : static_cast<int64_t>(got);
}

void Expect(int, uint64_t, size_t) {}

int OpenRing(uint32_t, std::unique_ptr<ReadRing>*) { return ENOSYS; }

}  // namespace

const ReadCalls& SystemReadCalls() {
  static constexpr ReadCalls kCalls = {ReadCached, IsMemory, ReadOnce, Expect,
                                       OpenRing};
  return kCalls;
}

}  // namespace ashlar::port
