// The system calls of util/io/many_reads.h, served from a file in memory.
//
// A test chooses which calls are short, interrupted, refused or failed, and
// reads how many there were. System calls have no object, so only one FakeReads
// may exist at a time, in one thread.
#ifndef ASHLAR_TEST_SUPPORT_FAKE_READS_H_
#define ASHLAR_TEST_SUPPORT_FAKE_READS_H_

#include <algorithm>
#include <cerrno>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "port/read_calls.h"

namespace ashlar::testing {

class FakeReads {
 public:
  explicit FakeReads(std::string contents) : contents_(std::move(contents)) {
    current_ = this;
  }
  ~FakeReads() { current_ = nullptr; }

  // Offsets whose bytes the page cache holds: ReadCached succeeds only there.
  std::set<uint64_t> cached;
  // What the next calls return instead of the bytes. kBytes means the bytes.
  static constexpr int64_t kBytes = -1000;
  std::deque<int64_t> cached_answers, read_answers, ring_answers, enter_answers;
  // Every pread at this offset fails with EIO.
  uint64_t bad_offset = ~uint64_t{0};
  int open_ring_error = 0;
  uint32_t ring_entries = 1000;
  // The next `silent_enters` submissions return before any answer arrives.
  int silent_enters = 0;
  bool is_childs = false;
  bool is_memory = false;
  int memory_fd = -1;  // this file is in memory, whatever is_memory says
  std::function<void()> on_enter;

  int num_cached = 0, num_reads = 0, num_expected = 0;
  int num_opened = 0, num_open = 0, num_enters = 0, num_ring_reads = 0;

  static const port::ReadCalls& Calls() {
    static constexpr port::ReadCalls kCalls = {ReadCached, IsMemory, Read,
                                               Expect, OpenRing};
    return kCalls;
  }

 private:
  class Ring final : public port::ReadRing {
   public:
    ~Ring() override { --current_->num_open; }
    bool Queue(int, uint64_t offset, char* to, size_t n,
               uint64_t tag) override {
      if (queued_.size() == current_->ring_entries) return false;
      queued_.push_back({offset, to, n, tag});
      return true;
    }
    // Answers in reverse order, and never gives more answers than requested.
    int Enter(uint32_t answers) override {
      FakeReads& fake = *current_;
      ++fake.num_enters;
      if (fake.on_enter) fake.on_enter();
      const int64_t told = Next(&fake.enter_answers);
      size_t taken = queued_.size();
      if (told != kBytes) {
        if (told < 0) return static_cast<int>(told);
        taken = std::min(taken, static_cast<size_t>(told));
      }
      const auto end = queued_.begin() + static_cast<ptrdiff_t>(taken);
      in_flight_.insert(in_flight_.end(), queued_.begin(), end);
      queued_.erase(queued_.begin(), end);
      if (fake.silent_enters > 0) {
        --fake.silent_enters;
        answers = 0;
      }
      for (; answers > 0 && !in_flight_.empty(); --answers) {
        const Piece piece = in_flight_.back();
        in_flight_.pop_back();
        ++fake.num_ring_reads;
        answers_.push_back(
            {piece.tag,
             fake.Answer(&fake.ring_answers, piece.offset, piece.to, piece.n)});
      }
      return static_cast<int>(taken);
    }
    bool Take(Answer* answer) override {
      if (answers_.empty()) return false;
      *answer = answers_.front();
      answers_.pop_front();
      return true;
    }
    bool IsOfThisProcess() const override { return !current_->is_childs; }

   private:
    struct Piece {
      uint64_t offset;
      char* to;
      size_t n;
      uint64_t tag;
    };
    std::vector<Piece> queued_;
    std::vector<Piece> in_flight_;
    std::deque<port::ReadRing::Answer> answers_;
  };

  static bool IsMemory(int fd) {
    return current_->is_memory || fd == current_->memory_fd;
  }

  static int64_t Next(std::deque<int64_t>* answers) {
    if (answers->empty()) return kBytes;
    const int64_t answer = answers->front();
    answers->pop_front();
    return answer;
  }
  // A positive queued answer limits the number of bytes of this read.
  int64_t Answer(std::deque<int64_t>* answers, uint64_t offset, char* to,
                 size_t n) const {
    const int64_t told = Next(answers);
    if (told != kBytes && told <= 0) return told;
    if (told > 0) n = std::min(n, static_cast<size_t>(told));
    if (offset >= contents_.size()) return 0;
    n = std::min(n, contents_.size() - static_cast<size_t>(offset));
    contents_.copy(to, n, static_cast<size_t>(offset));
    return static_cast<int64_t>(n);
  }

  static int64_t ReadCached(int fd, uint64_t offset, char* to, size_t n) {
    ++current_->num_cached;
    if (fd == current_->memory_fd) return -EOPNOTSUPP;
    if (!current_->cached.contains(offset)) return -EAGAIN;
    return current_->Answer(&current_->cached_answers, offset, to, n);
  }
  static int64_t Read(int, uint64_t offset, char* to, size_t n) {
    ++current_->num_reads;
    if (offset == current_->bad_offset) return -EIO;
    return current_->Answer(&current_->read_answers, offset, to, n);
  }
  static void Expect(int, uint64_t, size_t) { ++current_->num_expected; }
  static int OpenRing(uint32_t, std::unique_ptr<port::ReadRing>* ring) {
    ++current_->num_opened;
    if (current_->open_ring_error != 0) return current_->open_ring_error;
    ++current_->num_open;
    *ring = std::make_unique<Ring>();
    return 0;
  }

  static inline FakeReads* current_ = nullptr;
  const std::string contents_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_FAKE_READS_H_
