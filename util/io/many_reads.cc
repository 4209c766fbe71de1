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
  std::array<Piece, kGroup> pieces;
  while (!requests.empty()) {
    const auto group = requests.first(std::min(requests.size(), kGroup));
    for (size_t i = 0; i < group.size(); ++i) pieces[i] = {fd, &group[i]};
    const auto of_group = std::span(pieces).first(group.size());
    ReadGroup(of_group);
    for (const Piece& piece : of_group) {
      if (piece.error == 0) continue;
      piece.request->status = Status::FromErrno("read", path, piece.error);
    }
    requests = requests.subspan(group.size());
  }
}

void ManyReads::Read(std::span<Piece> pieces) {
  while (!pieces.empty()) {
    const auto group = pieces.first(std::min(pieces.size(), kGroup));
    ReadGroup(group);
    pieces = pieces.subspan(group.size());
  }
}

bool ManyReads::ReadCached(Piece* piece) const {
  ReadRequest& r = *piece->request;
  r.data = Slice(r.scratch, 0);
  r.status = Status();
  piece->error = 0;
  bool is_memory = false;
  if (TakeCached(*piece, &is_memory)) return true;
  if (!is_memory) return false;
  Finish(piece);
  return r.data.size() == r.size;
}

void ManyReads::ReadGroup(std::span<Piece> pieces) {
  std::array<Piece*, kGroup> missing;
  size_t num_missing = 0;
  std::array<Piece*, kGroup> awaited;  // those that a device may have
  size_t num_awaited = 0;
  // A single piece gains nothing from being tried twice.
  const bool is_single = pieces.size() == 1;
  int memory_fd = -1;  // of a file that is in memory
  for (Piece& piece : pieces) {
    ReadRequest& r = *piece.request;
    r.data = Slice(r.scratch, 0);
    r.status = Status();
    piece.error = 0;
    bool at_once = is_single || piece.fd == memory_fd;
    if (!at_once && !piece.is_direct) {
      if (TakeCached(piece, &at_once)) continue;
      if (at_once) memory_fd = piece.fd;
    }
    missing[num_missing++] = &piece;
    if (!at_once) awaited[num_awaited++] = &piece;
  }
  const auto others = std::span(awaited).first(num_awaited);
  if (num_awaited > 1 && !ReadByRing(others)) {
    for (const Piece* const piece : others) {
      const Rest rest(*piece->request);
      calls_.expect(piece->fd, rest.offset, rest.n);
    }
  }
  for (Piece* const piece : std::span(missing).first(num_missing)) {
    Finish(piece);
  }
}

// Returns whether that was everything requested. An answer of 0 does not mean
// the end of the file: Linux 5.9 and 5.10 may return 0 if the page cache has
// nothing. Sets *is_memory if no read of the file will ever wait.
bool ManyReads::TakeCached(const Piece& piece, bool* is_memory) const {
  const Rest rest(*piece.request);
  const int64_t got =
      calls_.read_cached(piece.fd, rest.offset, rest.to, rest.n);
  if (got == -EOPNOTSUPP) *is_memory = calls_.is_memory(piece.fd);
  Advance(piece.request, got);
  return piece.request->data.size() == piece.request->size;
}

void ManyReads::Finish(Piece* piece) const {
  ReadRequest* const request = piece->request;
  while (request->data.size() < request->size) {
    if (piece->is_direct && request->data.size() % kDirectPage != 0) return;
    const Rest rest(*request);
    const int64_t got = calls_.read(piece->fd, rest.offset, rest.to, rest.n);
    if (got == 0) return;
    if (got == -EINTR) continue;
    if (got < 0) {
      request->data = Slice();
      piece->error = static_cast<int>(-got);
      return;
    }
    Advance(request, got);
  }
}

// Returns whether a ring was used. What it did not answer in full must still be
// finished.
bool ManyReads::ReadByRing(std::span<Piece*> pieces) {
  std::unique_ptr<Ring> ring = TakeRing();
  if (ring == nullptr) return false;
  const bool sound = AskRing(ring.get(), pieces);
  if (sound) {
    GiveBack(std::move(ring));
  } else {
    Close(std::move(ring));
  }
  return sound;
}

// Returns false if the kernel did not take everything that the ring has. When
// this returns, the kernel has no read of the ring.
bool ManyReads::AskRing(Ring* ring, std::span<Piece*> pieces) {
  uint32_t queued = 0;
  for (const Piece* const piece : pieces) {
    const Rest rest(*piece->request);
    if (!ring->Queue(piece->fd, rest.offset, rest.to, rest.n, queued)) break;
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
      Advance(pieces[answer.tag]->request, answer.result);
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
