// The reads of a file in a browser (port/browser_io.cc), for code that would
// read several pieces at once. The browser reads one after the other, and does
// not say what it has in memory.
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
