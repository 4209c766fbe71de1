#include "util/io/many_reads.h"

#include <algorithm>
#include <cerrno>

namespace ashlar::internal {

namespace {

// A request's `data` tells how much of it has been read.
void Advance(ReadRequest* request, int64_t got) {
  if (got <= 0) return;
  request->data =
      Slice(request->scratch, request->data.size() + static_cast<size_t>(got));
}

// The part of a request that is still to be read.
struct Rest {
  explicit Rest(const ReadRequest& r)
      : offset(r.offset + r.data.size()),
        to(r.scratch + r.data.size()),
        n(r.size - r.data.size()) {}

  uint64_t offset;
  char* to;
  size_t n;
};

}  // namespace

ManyReads::~ManyReads() {
  for (Place& place : idle_) delete place.ring.ExchangeAcquire(nullptr);
}

ManyReads& ManyReads::OfProcess() {
  static auto* const reads = new ManyReads(port::SystemReadCalls());
  return *reads;
}

void ManyReads::Read(int fd, const std::string& path,
                     std::span<ReadRequest> requests) {
  while (!requests.empty()) {
    const auto group = requests.first(std::min(requests.size(), kGroup));
    ReadGroup(fd, path, group);
    requests = requests.subspan(group.size());
  }
}

void ManyReads::ReadGroup(int fd, const std::string& path,
                          std::span<ReadRequest> requests) {
  std::array<ReadRequest*, kGroup> missing;
  size_t n = 0;
  // A single request gains nothing from being tried twice.
  bool at_once = requests.size() == 1;
  for (ReadRequest& r : requests) {
    r.data = Slice(r.scratch, 0);
    r.status = Status();
    if (!at_once && TakeCached(fd, &r, &at_once)) continue;
    missing[n++] = &r;
  }
  const auto awaited = std::span(missing).first(n);
  if (n > 1 && !at_once && !ReadByRing(fd, awaited)) {
    for (const ReadRequest* const r : awaited) {
      const Rest rest(*r);
      calls_.expect(fd, rest.offset, rest.n);
    }
  }
  for (ReadRequest* const r : awaited) Finish(fd, path, r);
}

// Returns whether that was everything requested. An answer of 0 does not mean
// the end of the file: Linux 5.9 and 5.10 may return 0 if the page cache has
// nothing. Sets *at_once if no read of the file will ever wait.
bool ManyReads::TakeCached(int fd, ReadRequest* request, bool* at_once) const {
  const Rest rest(*request);
  const int64_t got = calls_.read_cached(fd, rest.offset, rest.to, rest.n);
  if (got == -EOPNOTSUPP) *at_once = calls_.is_memory(fd);
  Advance(request, got);
  return request->data.size() == request->size;
}

void ManyReads::Finish(int fd, const std::string& path,
                       ReadRequest* request) const {
  while (request->data.size() < request->size) {
    const Rest rest(*request);
    const int64_t got = calls_.read(fd, rest.offset, rest.to, rest.n);
    if (got == 0) return;
    if (got == -EINTR) continue;
    if (got < 0) {
      request->data = Slice();
      request->status = Status::FromErrno("read", path, static_cast<int>(-got));
      return;
    }
    Advance(request, got);
  }
}

// Returns whether a ring was used. What it did not answer in full must still be
// finished.
bool ManyReads::ReadByRing(int fd, std::span<ReadRequest*> requests) {
  std::unique_ptr<Ring> ring = TakeRing();
  if (ring == nullptr) return false;
  const bool sound = AskRing(ring.get(), fd, requests);
  if (sound) {
    GiveBack(std::move(ring));
  } else {
    Close(std::move(ring));
  }
  return sound;
}

// Returns false if the kernel did not take everything that the ring has. When
// this returns, the kernel has no read of the ring.
bool ManyReads::AskRing(Ring* ring, int fd, std::span<ReadRequest*> requests) {
  uint32_t queued = 0;
  for (const ReadRequest* const r : requests) {
    const Rest rest(*r);
    if (!ring->Queue(fd, rest.offset, rest.to, rest.n, queued)) break;
    ++queued;
  }
  uint32_t taken = 0;
  uint32_t answered = 0;
  while (answered < queued) {
    const int entered = ring->Enter(queued - answered);
    if (entered > 0) taken += static_cast<uint32_t>(entered);
    Ring::Answer answer;
    while (ring->Take(&answer)) {
      ++answered;
      Advance(requests[answer.tag], answer.result);
    }
    const bool waits = taken != answered;
    if (!waits && entered <= 0 && entered != -EINTR) break;
  }
  return answered == queued;
}

std::unique_ptr<port::ReadRing> ManyReads::TakeRing() {
  for (Place& place : idle_) {
    if (place.ring.LoadRelaxed() == nullptr) continue;
    std::unique_ptr<Ring> ring(place.ring.ExchangeAcquire(nullptr));
    if (ring == nullptr) continue;
    if (ring->IsOfThisProcess()) return ring;
    Close(std::move(ring));
  }
  return OpenRing();
}

std::unique_ptr<port::ReadRing> ManyReads::OpenRing() {
  if (denied_.Load()) return nullptr;
  if (num_rings_.FetchAdd(1) >= kMostRings) {
    num_rings_.FetchSub(1);
    return nullptr;
  }
  std::unique_ptr<Ring> ring;
  const int error = calls_.open_ring(kGroup, &ring);
  if (error == 0) return ring;
  num_rings_.FetchSub(1);
  // The other reasons will not go away.
  if (error != ENOMEM && error != EMFILE && error != ENFILE) {
    denied_.Store(true);
  }
  return nullptr;
}

void ManyReads::GiveBack(std::unique_ptr<Ring> ring) {
  for (Place& place : idle_) {
    Ring* expected = nullptr;
    if (place.ring.CompareExchangeRelease(&expected, ring.get())) {
      static_cast<void>(ring.release());
      return;
    }
  }
  Close(std::move(ring));
}

void ManyReads::Close(std::unique_ptr<Ring> ring) {
  ring.reset();
  num_rings_.FetchSub(1);
}

}  // namespace ashlar::internal
