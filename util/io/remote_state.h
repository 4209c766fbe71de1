// The inside of a RemoteFile: requests, who waits for them, second requests.
//
// A *request* is a range of the file that is to be read. An *attempt* is one
// Read of it that a thread does. A request has one attempt, or two if it is
// hedged. Everything below is guarded by RemoteCore::mutex.
//
//   state of a request        who moves it, and when
//   ------------------        ----------------------
//   waiting, n attempts run   the thread that wants it submits the first
//                             attempt, and a waiter the second
//   waiting, none run         an attempt has failed, and was the last; a waiter
//                             submits a second one, or moves on to "failed"
//   good                      the first attempt with a good answer; the request
//                             then has the answer and the attempt's buffer
//   failed                    a waiter that may not try again; the request has
//                             the first error
//
// Good and failed are final. An attempt that ends later changes nothing but
// counters, and frees its own buffer. An attempt that begins when the request
// is final sends nothing.
//
// *Waiting.* A waiter has a Bell. It subscribes to its requests, and looks at
// all of them whenever the bell rings or the time of the next second request
// has come. The thread that ends an attempt rings the bells that have
// subscribed, under the mutex; a waiter withdraws its bell under the mutex
// before the bell ends. There is no thread for the time: only a waiter sends
// second requests, so an announced piece that nobody waits for is not hedged.
//
// *Buffers.* Without hedging, an attempt of a MultiRead writes straight to the
// caller's memory. That is safe because the waiter does not return before all
// of its attempts have ended: there is no second one to return for. Therefore
// all that may throw (requests, subscriptions) is done before the first attempt
// is submitted. With hedging, and for announced pieces, each attempt has a
// buffer of its own, and the waiter copies.
//
// *Lifetime.* An attempt shares ownership of the core, which has the
// application's file, and of its request. It does not own the threads. So a
// RemoteFile may end while losers still read, and RequestThreads may not end
// before the last RemoteFile. An attempt may be the last owner of the core, and
// the file in it the last owner of the threads: see request_threads.h.
//
// *Announced pieces* are requests without a waiter, in a list, oldest first.
// Bytes of the list are bounded. A read is answered from them if they cover it
// together. Pieces that a read has used up are dropped. If a piece fails, the
// read sends a request of its own.
//
// Limits: the mutex is held for some comparisons per request, never while
// bytes are read, copied or allocated for an answer. Rejected: one bell for the
// file (each answer would wake all waiters), a timer thread (a waiter is there
// anyway, and knows when it is done), and cancelling losers (RandomAccessFile
// cannot).
//
// Tests: test/util/remote_file_test.cc holds attempts up at gates, and moves
// the clock by hand.
#ifndef ASHLAR_UTIL_IO_REMOTE_STATE_H_
#define ASHLAR_UTIL_IO_REMOTE_STATE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ashlar/util/remote_file.h"
#include "ashlar/util/sync/mutex.h"
#include "util/sync/bell.h"

namespace ashlar::internal {

// The time, for second requests. Any number of threads.
class RemoteClock {
 public:
  RemoteClock() = default;
  RemoteClock(const RemoteClock&) = delete;
  RemoteClock& operator=(const RemoteClock&) = delete;
  virtual ~RemoteClock() = default;

  virtual uint64_t NowMs() = 0;
  // Returns when the bell's count is not `seen`, or at about this time; or for
  // no reason.
  virtual void WaitUntil(Bell* bell, uint32_t seen, uint64_t time_ms) = 0;

  // The clock of the machine. It lives forever.
  static RemoteClock& OfMachine();
};

struct RemoteRequest {
  uint64_t offset = 0;
  size_t n = 0;
  char* direct = nullptr;  // where to read to; null: each attempt has a buffer

  // Guarded by RemoteCore::mutex.
  uint32_t started = 0;   // attempts
  uint32_t running = 0;   // attempts that have not ended
  uint64_t begun_ms = 0;  // when the first attempt was submitted
  bool final = false;
  Status status;  // the first error, unless the request is good
  Slice data;     // the answer
  std::unique_ptr<char[]> buffer;
  std::vector<Bell*> waiters;
};
using RemoteRequestPtr = std::shared_ptr<RemoteRequest>;

// What attempts share, and what may outlive the RemoteFile.
struct RemoteCore {
  std::unique_ptr<RandomAccessFile> file;
  Mutex mutex;
  RemoteFileStats stats ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex));
};

}  // namespace ashlar::internal

namespace ashlar {

class RemoteFile::State {
 public:
  // Requires: the clock outlives this.
  State(std::unique_ptr<RandomAccessFile> file,
        const RemoteFileOptions& options, internal::RemoteClock* clock);

  Status Read(uint64_t offset, size_t n, char* scratch, Slice* data);
  void MultiRead(std::span<ReadRequest> requests);
  void Expect(uint64_t offset, uint64_t n);
  const RandomAccessFile& file() const { return *core_->file; }
  RemoteFileStats Stats() const;

 private:
  using Request = internal::RemoteRequest;
  using RequestPtr = internal::RemoteRequestPtr;
  using Core = internal::RemoteCore;
  class Waiter;

  bool has_threads() const { return threads_->threads() != 0; }
  bool hedges() const { return options_.hedge_delay_ms != 0 && has_threads(); }
  static void RunAttempt(Core* core, Request* request, bool is_second) noexcept;
  // Submits an attempt that was counted, or runs it here if that is not
  // possible.
  void Submit(const RequestPtr& request, bool is_second);
  // Returns whether the share of second requests allows another one.
  bool MayHedge(const RemoteFileStats& stats) const;
  // Counts the first attempt of a request, to be submitted or run.
  void Begin(Request* request);
  void ReadHere(Request* request);

  std::vector<RequestPtr> TakeExpected(uint64_t offset, size_t n);
  bool ReadFromExpected(uint64_t offset, size_t n, char* scratch, Slice* data);
  void Await(std::span<const RequestPtr> requests);
  void Give(const Request& request, char* scratch, Slice* data, Status* status);

  const RemoteFileOptions options_;
  const std::shared_ptr<RequestThreads> threads_;
  internal::RemoteClock* const clock_;
  const std::shared_ptr<Core> core_;
  // Announced pieces; guarded by core_->mutex.
  std::deque<RequestPtr> expected_;
  uint64_t expected_bytes_ = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_IO_REMOTE_STATE_H_
