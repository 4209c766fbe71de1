#include "port/read_calls.h"

#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#if ASHLAR_HAVE_URING
#include "third-party/uring_lib.h"
#endif

namespace ashlar::port {

ReadRing::~ReadRing() = default;

namespace {

// Linux transfers at most this many bytes per call.
constexpr size_t kMaxTransfer = size_t{1} << 30;

int64_t ReadCached(int fd, uint64_t offset, char* to, size_t n) {
  const iovec piece = {to, std::min(n, kMaxTransfer)};
  const ssize_t got =
      ::preadv2(fd, &piece, 1, static_cast<off_t>(offset), RWF_NOWAIT);
  return got < 0 ? -errno : got;
}

bool IsMemory(int fd) {
  constexpr uint32_t kTmpfs = 0x01021994;
  constexpr uint32_t kRamfs = 0x858458f6;
  struct statfs found;
  if (::fstatfs(fd, &found) != 0) return false;
  const auto type = static_cast<uint32_t>(found.f_type);
  return type == kTmpfs || type == kRamfs;
}

int64_t ReadOnce(int fd, uint64_t offset, char* to, size_t n) {
  const ssize_t got =
      ::pread(fd, to, std::min(n, kMaxTransfer), static_cast<off_t>(offset));
  return got < 0 ? -errno : got;
}

void Expect(int fd, uint64_t offset, size_t n) {
  // A hint: its result changes nothing.
  ::posix_fadvise(fd, static_cast<off_t>(offset), static_cast<off_t>(n),
                  POSIX_FADV_WILLNEED);
}

#if ASHLAR_HAVE_URING

class KernelRing final : public ReadRing {
 public:
  KernelRing() : process_(::getpid()) {}
  ~KernelRing() override {
    if (is_open_) ::io_uring_queue_exit(&ring_);
  }

  int Open(uint32_t entries) {
    const int error = -::io_uring_queue_init(entries, &ring_, 0);
    if (error != 0) return error;
    is_open_ = true;
    errno = 0;
    io_uring_probe* const probe = ::io_uring_get_probe_ring(&ring_);
    if (probe == nullptr) return errno == ENOMEM ? ENOMEM : ENOSYS;
    const bool reads = ::io_uring_opcode_supported(probe, IORING_OP_READ) != 0;
    ::io_uring_free_probe(probe);
    return reads ? 0 : ENOSYS;
  }

  bool Queue(int fd, uint64_t offset, char* to, size_t n,
             uint64_t tag) override {
    io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_);
    if (entry == nullptr) return false;
    ::io_uring_prep_read(entry, fd, to,
                         static_cast<unsigned>(std::min(n, kMaxTransfer)),
                         offset);
    ::io_uring_sqe_set_data64(entry, tag);
    return true;
  }
  int Enter(uint32_t answers) override {
    return ::io_uring_submit_and_wait(&ring_, answers);
  }
  bool Take(Answer* answer) override {
    io_uring_cqe* entry = nullptr;
    if (::io_uring_peek_cqe(&ring_, &entry) != 0) return false;
    *answer = {::io_uring_cqe_get_data64(entry), entry->res};
    ::io_uring_cqe_seen(&ring_, entry);
    return true;
  }
  bool IsOfThisProcess() const override { return ::getpid() == process_; }

 private:
  const pid_t process_;
  bool is_open_ = false;
  io_uring ring_ = {};
};

int OpenRing(uint32_t entries, std::unique_ptr<ReadRing>* ring) {
  std::unique_ptr<KernelRing> opened(new (std::nothrow) KernelRing());
  if (opened == nullptr) return ENOMEM;
  const int error = opened->Open(entries);
  if (error == 0) *ring = std::move(opened);
  return error;
}

#else

int OpenRing(uint32_t, std::unique_ptr<ReadRing>*) { return ENOSYS; }

#endif

}  // namespace

const ReadCalls& SystemReadCalls() {
  static constexpr ReadCalls kCalls = {ReadCached, IsMemory, ReadOnce, Expect,
                                       OpenRing};
  return kCalls;
}

}  // namespace ashlar::port
