// RemoteFile: a RandomAccessFile over a file whose reads take long, such as an
// object of an object store.
//
// An application implements RandomAccessFile::Read of its store as one request
// that waits for its answer, puts a RemoteFile over it, and opens tables from
// that. The RemoteFile does all requests of a MultiRead at once, on threads of
// its own. By option it hedges: if a request has not been answered after a
// while, or has failed, it sends a second one, and takes the first good answer.
// It begins to read what is announced (Expect), and answers later reads of
// these bytes from memory. It turns answers that are too short or too long into
// IOError.
//
//   ashlar::RemoteFileOptions remote;
//   remote.threads = std::make_shared<ashlar::RequestThreads>(32);
//   remote.hedge_delay_ms = 30;
//   auto file = ashlar::RemoteFile::Make(std::move(object), remote);
//   if (!file.ok()) return file.status();
//
//   ashlar::ReaderOptions options;
//   options.load_index_and_filter = ashlar::LoadTime::kAtOpen;
//   options.tail_size = 64 << 10;
//   options.read_tail_at_once = true;
//   options.coalesce_gap_bytes = 64 << 10;
//   options.coalesce_max_bytes = 8 << 20;
//   auto reader =
//       ashlar::TableReader::Open(std::move(file).value(), options);
//
// With these reader options a table is opened by one request or two, and a
// MultiGet of up to 32 keys reads its data blocks by one wave of requests. Set
// ReadOptions::readahead_size to a few MiB for scans. An application whose
// client has asynchronous requests may implement RandomAccessFile::MultiRead by
// them, and needs no RemoteFile. Nothing is kept of what was read: for that
// there is ReaderOptions::block_cache.
//
// Any number of threads may use a RemoteFile, and any number of files the same
// RequestThreads.
#ifndef ASHLAR_UTIL_REMOTE_FILE_H_
#define ASHLAR_UTIL_REMOTE_FILE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// Threads that send requests of remote files, each one at a time, and wait for
// the answers. A request that is late occupies its thread, whether or not its
// answer is still wanted: have more threads than requests are late at once.
class ASHLAR_EXPORT RequestThreads {
 public:
  class State;  // internal

  // Starts `threads` threads, or as many as the system and memory allow. If
  // there are none, files send their requests one after the other, and do not
  // hedge. Does not throw.
  explicit RequestThreads(uint32_t threads);
  RequestThreads(const RequestThreads&) = delete;
  RequestThreads& operator=(const RequestThreads&) = delete;
  // Waits for the answers of requests that were sent, and ends the threads.
  // Requires: no file uses them any more. One of the threads may be the one
  // that calls this, as where a store owns them and its file keeps the store
  // alive: that thread ends by itself, soon after.
  ~RequestThreads();

  // Returns the number of threads that were started.
  uint32_t threads() const;

  // Internal. Null if there was no memory for it.
  State* state() const { return state_.get(); }

 private:
  std::unique_ptr<State> state_;
};

// How a RemoteFile sends its requests.
struct RemoteFileOptions {
  // The threads that send requests. Null, the default: the file starts 8
  // threads of its own, and ends them with itself. Set it to share threads
  // among files.
  std::shared_ptr<RequestThreads> threads;

  // After how many milliseconds without an answer a second request is sent. 0,
  // the default: never. Set it to a time that a twentieth of the requests
  // takes. With it each request has a buffer of its own, which is copied, and
  // which lives until the request is answered, even if the other one was
  // faster. With it a request that fails is sent once more, at once; without,
  // its error is the error of the read.
  uint32_t hedge_delay_ms = 0;
  // How many second requests may be sent for each 100 requests; one may always
  // be sent. Default: 10. It bounds the load on a store that has become slow.
  uint32_t most_hedges_per_100 = 10;

  // How many bytes of announced pieces (RandomAccessFile::Expect) are held, at
  // most. Default: 16 MiB. The oldest are dropped first. 0: announcements are
  // ignored. A MultiGet over several tables and a backward scan with
  // ReadOptions::async_io announce what they read.
  uint64_t expected_bytes = uint64_t{16} << 20;
};

// What a RemoteFile has done. Sizes are in bytes.
struct RemoteFileStats {
  uint64_t requests = 0;  // that were sent, second ones included
  uint64_t bytes = 0;     // that good answers had
  uint64_t failed = 0;    // requests that failed, or whose answer was wrong
  uint64_t hedges = 0;    // second requests
  uint64_t hedges_won = 0;
  uint64_t expected = 0;       // announced pieces that were requested
  uint64_t expected_used = 0;  // reads that were answered from such pieces
};

class ASHLAR_EXPORT RemoteFile final : public RandomAccessFile {
 public:
  class State;  // internal

  // Returns a file that reads `file`. Any number of threads call Read of it at
  // once; no other function of it but Size and name is called. A read may go on
  // after this object has ended, and keeps `file` alive until then. Returns
  // InvalidArgument if `file` is null, or MemoryLimit.
  static Result<std::unique_ptr<RemoteFile>> Make(
      std::unique_ptr<RandomAccessFile> file, const RemoteFileOptions& options);
  // Internal.
  explicit RemoteFile(std::unique_ptr<State> state);
  ~RemoteFile() override;

  // Returns IOError also if an answer is longer than what was asked for, or
  // shorter although the file does not end there.
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override;
  void MultiRead(std::span<ReadRequest> requests) const override;
  void Expect(uint64_t offset, uint64_t n) const override;
  uint64_t Size() const override;
  std::string name() const override;

  // Returns what was counted since the file was made. Any thread.
  RemoteFileStats Stats() const;

 private:
  const std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_REMOTE_FILE_H_
