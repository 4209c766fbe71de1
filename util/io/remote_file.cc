// RemoteFile and its inside. The protocol is at the top of remote_state.h.
#include "ashlar/util/remote_file.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "util/io/remote_state.h"
#include "util/mem/memory_limit.h"
#include "util/sync/request_threads.h"

namespace ashlar {

namespace internal {

namespace {

class MachineClock final : public RemoteClock {
 public:
  uint64_t NowMs() override {
    using std::chrono::milliseconds;
    return static_cast<uint64_t>(
        std::chrono::duration_cast<milliseconds>(
            std::chrono::steady_clock::now().time_since_epoch())
            .count());
  }
  void WaitUntil(Bell* bell, uint32_t seen, uint64_t time_ms) override {
    const uint64_t now = NowMs();
    if (time_ms <= now) return;
    constexpr uint64_t kMost = 3'600'000;
    bell->WaitFor(seen, static_cast<uint32_t>(std::min(time_ms - now, kMost)));
  }
};

// Returns IOError for an answer that no file may give.
Status CheckAnswer(const RandomAccessFile& file, uint64_t offset, size_t n,
                   size_t got) {
  const uint64_t size = file.Size();
  const uint64_t there =
      offset >= size ? 0 : std::min<uint64_t>(n, size - offset);
  if (got == there) return {};
  return Status::IOError("read " + file.name() + ": got " +
                         std::to_string(got) + " of " + std::to_string(there) +
                         " bytes at offset " + std::to_string(offset));
}

// One Read of the application's file, whose answer is checked.
Status ReadChecked(const RandomAccessFile& file, uint64_t offset, size_t n,
                   char* to, Slice* data) {
  return OrMemoryLimit([&]() -> Status {
    *data = Slice();
    Status status = file.Read(offset, n, to, data);
    if (status.ok()) status = CheckAnswer(file, offset, n, data->size());
    if (!status.ok()) *data = Slice();
    return status;
  });
}

}  // namespace

RemoteClock& RemoteClock::OfMachine() {
  static auto* const clock = new MachineClock;
  return *clock;
}

}  // namespace internal

using internal::Bell;
using internal::MutexLock;

namespace {

constexpr uint32_t kOwnThreads = 8;
constexpr uint64_t kNever = ~uint64_t{0};
constexpr size_t kMostExpected = 256;  // pieces

uint64_t EndOf(const internal::RemoteRequest& request) {
  return request.offset + request.n;
}

}  // namespace

RemoteFile::State::State(std::unique_ptr<RandomAccessFile> file,
                         const RemoteFileOptions& options,
                         internal::RemoteClock* clock)
    : options_(options),
      threads_(options.threads != nullptr
                   ? options.threads
                   : std::make_shared<RequestThreads>(kOwnThreads)),
      clock_(clock),
      core_(std::make_shared<Core>()) {
  core_->file = std::move(file);
}

RemoteFileStats RemoteFile::State::Stats() const {
  const MutexLock lock(&core_->mutex);
  return core_->stats;
}

// --- Attempts ----------------------------------------------------------------

void RemoteFile::State::RunAttempt(Core* core, Request* request,
                                   bool is_second) noexcept {
  {
    const MutexLock lock(&core->mutex);
    if (request->final) {
      --request->running;
      return;
    }
    ++core->stats.requests;
  }
  std::unique_ptr<char[]> buffer;
  char* to = request->direct;
  if (to == nullptr) {
    buffer.reset(new (std::nothrow) char[std::max<size_t>(request->n, 1)]);
    to = buffer.get();
  }
  Slice data;
  Status status = to == nullptr
                      ? Status::OutOfMemory()
                      : internal::ReadChecked(*core->file, request->offset,
                                              request->n, to, &data);
  const MutexLock lock(&core->mutex);
  --request->running;
  if (status.ok()) {
    core->stats.bytes += data.size();
  } else {
    ++core->stats.failed;
  }
  if (request->final) return;
  if (status.ok()) {
    request->final = true;
    request->status = Status();
    request->data = data;
    request->buffer = std::move(buffer);
    if (is_second) ++core->stats.hedges_won;
  } else if (request->status.ok()) {
    request->status = std::move(status);
  }
  for (Bell* const bell : request->waiters) bell->Ring();
}

void RemoteFile::State::Submit(const RequestPtr& request, bool is_second) {
  bool submitted = false;
  try {
    submitted = threads_->state() != nullptr &&
                threads_->state()->Submit([core = core_, request, is_second] {
                  RunAttempt(core.get(), request.get(), is_second);
                });
  } catch (const std::bad_alloc&) {
    submitted = false;
  }
  if (!submitted) RunAttempt(core_.get(), request.get(), is_second);
}

bool RemoteFile::State::MayHedge(const RemoteFileStats& stats) const {
  return stats.hedges == 0 || (stats.hedges + 1) * 100 <=
                                  stats.requests * options_.most_hedges_per_100;
}

// Requires: no other thread knows the request.
void RemoteFile::State::Begin(Request* request) {
  request->started = request->running = 1;
  request->begun_ms = hedges() ? clock_->NowMs() : 0;
}

// --- Waiting -----------------------------------------------------------------

// A bell that has subscribed to some requests, until this ends.
class RemoteFile::State::Waiter {
 public:
  Waiter(State* state, std::span<const RequestPtr> requests)
      : state_(state), requests_(requests) {
    const MutexLock lock(&state_->core_->mutex);
    try {
      for (const RequestPtr& r : requests_) r->waiters.push_back(&bell_);
    } catch (const std::bad_alloc&) {
      Withdraw();
      throw;
    }
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    const MutexLock lock(&state_->core_->mutex);
    Withdraw();
  }

  // Returns when all requests are final, and sends second requests meanwhile.
  void Run() {
    for (;;) {
      const uint32_t seen = bell_.Count();
      uint64_t next_ms = kNever;
      RequestPtr late;
      const bool all_final = Look(&late, &next_ms);
      if (late != nullptr) {
        state_->Submit(late, true);
      } else if (all_final) {
        return;
      } else if (next_ms == kNever) {
        bell_.Wait(seen);
      } else {
        state_->clock_->WaitUntil(&bell_, seen, next_ms);
      }
    }
  }

 private:
  // Requires: the mutex is held.
  void Withdraw() {
    for (const RequestPtr& r : requests_) std::erase(r->waiters, &bell_);
  }

  // Looks at all requests, and moves those that have failed for good. Sets
  // *late to one that needs a second attempt, which it counts, or else *next_ms
  // to when one will. Returns whether all are final.
  bool Look(RequestPtr* late, uint64_t* next_ms) {
    const bool hedges = state_->hedges();
    const uint64_t now = hedges ? state_->clock_->NowMs() : 0;
    const MutexLock lock(&state_->core_->mutex);
    bool all_final = true;
    for (const RequestPtr& r : requests_) {
      if (r->final) continue;
      const bool may_try =
          hedges && r->started == 1 && state_->MayHedge(state_->core_->stats);
      const uint64_t due_ms =
          r->running == 0 ? 0 : r->begun_ms + state_->options_.hedge_delay_ms;
      if (may_try && due_ms <= now) {
        ++r->started;
        ++r->running;
        ++state_->core_->stats.hedges;
        *late = r;
        return false;
      }
      if (r->running == 0) {
        r->final = true;
        continue;
      }
      all_final = false;
      if (may_try) *next_ms = std::min(*next_ms, due_ms);
    }
    return all_final;
  }

  State* const state_;
  const std::span<const RequestPtr> requests_;
  Bell bell_;
};

void RemoteFile::State::Await(std::span<const RequestPtr> requests) {
  Waiter(this, requests).Run();
}

// Copies the answer unless it is where it belongs. Requires: the request is
// final, so that nobody changes it.
void RemoteFile::State::Give(const Request& request, char* scratch, Slice* data,
                             Status* status) {
  *status = request.status;
  *data = request.data;
  if (!status->ok() || request.direct != nullptr) return;
  if (!data->empty()) std::memcpy(scratch, data->data(), data->size());
  *data = Slice(scratch, data->size());
}

// --- Announced pieces --------------------------------------------------------

void RemoteFile::State::Expect(uint64_t offset, uint64_t n) {
  const uint64_t size = file().Size();
  if (offset >= size || !has_threads()) return;
  n = std::min(n, size - offset);
  if (n == 0 || n > options_.expected_bytes) return;
  try {
    auto piece = std::make_shared<Request>();
    piece->offset = offset;
    piece->n = static_cast<size_t>(n);
    Begin(piece.get());
    {
      const MutexLock lock(&core_->mutex);
      for (const RequestPtr& p : expected_) {
        if (p->offset <= offset && offset + n <= EndOf(*p)) return;
      }
      while (!expected_.empty() &&
             (expected_bytes_ + n > options_.expected_bytes ||
              expected_.size() >= kMostExpected)) {
        expected_bytes_ -= expected_.front()->n;
        expected_.pop_front();
      }
      expected_.push_back(piece);
      expected_bytes_ += n;
      ++core_->stats.expected;
    }
    // Run here it would make the caller wait, as a read does.
    Submit(piece, false);
  } catch (const std::bad_alloc&) {
    // Nothing was announced.
  }
}

// Returns the pieces that cover the range, in order; none if they do not. Those
// that the range uses up are dropped.
std::vector<internal::RemoteRequestPtr> RemoteFile::State::TakeExpected(
    uint64_t offset, size_t n) {
  std::vector<RequestPtr> pieces;
  const MutexLock lock(&core_->mutex);
  const uint64_t size = file().Size();
  if (expected_.empty() || offset >= size) return pieces;
  const uint64_t end = offset + std::min<uint64_t>(n, size - offset);
  for (uint64_t at = offset; at < end;) {
    const auto found = std::find_if(expected_.begin(), expected_.end(),
                                    [at](const RequestPtr& p) {
                                      return p->offset <= at && at < EndOf(*p);
                                    });
    if (found == expected_.end()) return {};
    pieces.push_back(*found);
    at = EndOf(**found);
  }
  if (!pieces.empty()) ++core_->stats.expected_used;
  std::erase_if(expected_, [&](const RequestPtr& p) {
    const bool used_up = p->offset >= offset && EndOf(*p) <= end;
    if (used_up) expected_bytes_ -= p->n;
    return used_up;
  });
  return pieces;
}

// Returns whether the range was read from announced pieces.
bool RemoteFile::State::ReadFromExpected(uint64_t offset, size_t n,
                                         char* scratch, Slice* data) {
  const std::vector<RequestPtr> pieces = TakeExpected(offset, n);
  if (pieces.empty()) return false;
  Await(pieces);
  uint64_t at = offset;
  char* to = scratch;
  for (const RequestPtr& piece : pieces) {
    if (!piece->status.ok()) return false;
    const auto skipped = static_cast<size_t>(at - piece->offset);
    const size_t part = std::min(piece->data.size() - skipped,
                                 n - static_cast<size_t>(to - scratch));
    std::memcpy(to, piece->data.data() + skipped, part);
    to += part;
    at += part;
  }
  *data = Slice(scratch, static_cast<size_t>(to - scratch));
  return true;
}

// --- Reads -------------------------------------------------------------------

// Does the request on this thread, without a second attempt.
void RemoteFile::State::ReadHere(Request* request) {
  RunAttempt(core_.get(), request, false);
  const MutexLock lock(&core_->mutex);
  request->final = true;
}

Status RemoteFile::State::Read(uint64_t offset, size_t n, char* scratch,
                               Slice* data) {
  if (ReadFromExpected(offset, n, scratch, data)) return {};
  const auto request = std::make_shared<Request>();
  request->offset = offset;
  request->n = n;
  Begin(request.get());
  if (hedges()) {
    Waiter waiter(this, {&request, 1});
    Submit(request, false);
    waiter.Run();
  } else {
    request->direct = scratch;
    ReadHere(request.get());
  }
  Status status;
  Give(*request, scratch, data, &status);
  return status;
}

void RemoteFile::State::MultiRead(std::span<ReadRequest> requests) {
  std::vector<RequestPtr> sent;
  std::vector<ReadRequest*> asked;
  sent.reserve(requests.size());
  asked.reserve(requests.size());
  // The pieces of other reads are under way already: they are taken last.
  std::vector<ReadRequest*> expected;
  expected.reserve(requests.size());
  for (ReadRequest& r : requests) {
    {
      const MutexLock lock(&core_->mutex);
      const bool covered = std::any_of(
          expected_.begin(), expected_.end(), [&r](const RequestPtr& p) {
            return p->offset <= r.offset && r.offset < EndOf(*p);
          });
      if (covered) {
        expected.push_back(&r);
        continue;
      }
    }
    auto request = std::make_shared<Request>();
    request->offset = r.offset;
    request->n = r.size;
    request->direct = hedges() ? nullptr : r.scratch;
    sent.push_back(std::move(request));
    asked.push_back(&r);
  }
  if (!sent.empty()) {
    Waiter waiter(this, sent);
    // Without second requests this thread would only wait: it does the last.
    const size_t here = hedges() ? sent.size() : sent.size() - 1;
    for (const RequestPtr& request : sent) Begin(request.get());
    for (size_t i = 0; i < here; ++i) Submit(sent[i], false);
    if (here < sent.size()) ReadHere(sent[here].get());
    waiter.Run();
  }
  for (size_t i = 0; i < sent.size(); ++i) {
    Give(*sent[i], asked[i]->scratch, &asked[i]->data, &asked[i]->status);
  }
  for (ReadRequest* const r : expected) {
    r->status = Read(r->offset, r->size, r->scratch, &r->data);
  }
}

// --- The public class --------------------------------------------------------

RemoteFile::RemoteFile(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

RemoteFile::~RemoteFile() = default;

Result<std::unique_ptr<RemoteFile>> RemoteFile::Make(
    std::unique_ptr<RandomAccessFile> file, const RemoteFileOptions& options) {
  if (file == nullptr) return Status::InvalidArgument("file is null");
  return internal::OrMemoryLimit([&]() -> Result<std::unique_ptr<RemoteFile>> {
    return std::make_unique<RemoteFile>(std::make_unique<State>(
        std::move(file), options, &internal::RemoteClock::OfMachine()));
  });
}

Status RemoteFile::Read(uint64_t offset, size_t n, char* scratch,
                        Slice* data) const {
  return internal::OrMemoryLimit(
      [&] { return state_->Read(offset, n, scratch, data); });
}

void RemoteFile::MultiRead(std::span<ReadRequest> requests) const {
  const Status status = internal::OrMemoryLimit([&]() -> Status {
    state_->MultiRead(requests);
    return {};
  });
  if (status.ok()) return;
  for (ReadRequest& r : requests) {
    r.data = Slice();
    r.status = status;
  }
}

void RemoteFile::Expect(uint64_t offset, uint64_t n) const {
  state_->Expect(offset, n);
}

uint64_t RemoteFile::Size() const { return state_->file().Size(); }
std::string RemoteFile::name() const { return state_->file().name(); }
RemoteFileStats RemoteFile::Stats() const { return state_->Stats(); }

}  // namespace ashlar
