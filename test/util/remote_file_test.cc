// Tests of RemoteFile: requests at once, second requests, announced pieces,
// and wrong answers. Gates hold requests up, and the clock moves by hand.

#include "ashlar/util/remote_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test/support/gated_file.h"
#include "test/support/manual_remote_clock.h"
#include "test/support/random.h"
#include "util/sync/request_threads.h"

namespace ashlar::testing {
namespace {

constexpr uint32_t kDelayMs = 50;

std::string Contents(size_t n = 100'000) { return Random(5).Bytes(n); }

// Writes to the caller's memory, as a store does, and only after the gate.
class CopiedFile final : public RandomAccessFile {
 public:
  explicit CopiedFile(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    Status status = file_->Read(offset, n, scratch, data);
    if (!status.ok()) return status;
    std::copy_n(data->data(), data->size(), scratch);
    *data = Slice(scratch, data->size());
    return status;
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
};

// A RemoteFile over a gated file.
class Remote {
 public:
  explicit Remote(uint32_t hedge_delay_ms = 0, uint32_t threads = 8,
                  uint64_t expected_bytes = 1 << 20)
      : contents(Contents()) {
    RemoteFileOptions options;
    options.threads = std::make_shared<RequestThreads>(threads);
    options.hedge_delay_ms = hedge_delay_ms;
    options.expected_bytes = expected_bytes;
    options.most_hedges_per_100 = 100;
    Make(options);
  }
  void Make(const RemoteFileOptions& options) {
    file = std::make_unique<RemoteFile>(std::make_unique<RemoteFile::State>(
        std::make_unique<CopiedFile>(
            std::make_unique<GatedFile>(contents, &gates)),
        options, &clock));
  }

  // Reads, and compares with what the file has. Returns the status.
  Status Check(uint64_t offset, size_t n) const {
    std::string scratch(n, '?');
    Slice data;
    Status status = file->Read(offset, n, scratch.data(), &data);
    if (status.ok()) {
      EXPECT_EQ(data.ToString(), contents.substr(offset, n));
    }
    return status;
  }
  uint64_t requests() const { return file->Stats().requests; }
  // Waits until answers of this many bytes in all have been taken. Their
  // requests are final from then on.
  void AwaitAnswers(uint64_t bytes) const {
    while (file->Stats().bytes < bytes) std::this_thread::yield();
  }

  Gates gates;
  ManualRemoteClock clock;
  std::string contents;
  std::unique_ptr<RemoteFile> file;
};

TEST(RemoteFile, ReadsWhatTheFileHas) {
  for (const uint32_t delay : {0u, kDelayMs}) {
    const Remote remote(delay);
    EXPECT_TRUE(remote.Check(0, 100).ok());
    EXPECT_TRUE(remote.Check(5, 0).ok());
    EXPECT_TRUE(remote.Check(99'990, 100).ok());  // the file ends
    EXPECT_EQ(remote.file->Size(), 100'000u);
    EXPECT_EQ(remote.file->name(), "gated.sst");
    EXPECT_EQ(remote.requests(), 3u);
    EXPECT_EQ(remote.file->Stats().bytes, 110u);
  }
  EXPECT_TRUE(RemoteFile::Make(nullptr, {}).status().IsInvalidArgument());
}

// Returns requests of 100 bytes at multiples of 1000.
std::vector<ReadRequest> Wave(size_t n, std::vector<std::string>* memory) {
  memory->assign(n, std::string(100, '?'));
  std::vector<ReadRequest> wave(n);
  for (size_t i = 0; i < n; ++i) {
    wave[i] = {.offset = 1000 * i, .size = 100, .scratch = (*memory)[i].data()};
  }
  return wave;
}

TEST(RemoteFile, AllRequestsOfAWaveAreUnderWayAtOnce) {
  for (const uint32_t delay : {0u, kDelayMs}) {
    Remote remote(delay);
    std::vector<std::string> memory;
    std::vector<ReadRequest> wave = Wave(6, &memory);
    for (size_t i = 0; i < wave.size(); ++i) remote.gates.Hold(1000 * i);
    std::thread reader([&] { remote.file->MultiRead(wave); });
    for (size_t i = 0; i < wave.size(); ++i) {
      remote.gates.AwaitReads(1000 * i, 1);
    }
    remote.gates.Open();
    reader.join();
    for (const ReadRequest& r : wave) {
      EXPECT_TRUE(r.status.ok());
      EXPECT_EQ(r.data.ToString(), remote.contents.substr(r.offset, 100));
      EXPECT_EQ(r.data.data(), r.scratch);
    }
    EXPECT_EQ(remote.requests(), 6u);
  }
}

TEST(RemoteFile, WithoutThreadsItReadsOneByOne) {
  const Remote remote(kDelayMs, 0);
  std::vector<std::string> memory;
  std::vector<ReadRequest> wave = Wave(5, &memory);
  remote.file->Expect(0, 1000);
  remote.file->MultiRead(wave);
  for (const ReadRequest& r : wave) {
    EXPECT_EQ(r.data.ToString(), remote.contents.substr(r.offset, 100));
  }
  EXPECT_EQ(remote.requests(), 5u);
}

TEST(RemoteFile, AFailedRequestOfAWaveFailsAlone) {
  Remote remote;
  std::vector<std::string> memory;
  std::vector<ReadRequest> wave = Wave(5, &memory);
  remote.gates.Fail(2000);
  remote.file->MultiRead(wave);
  for (size_t i = 0; i < wave.size(); ++i) {
    EXPECT_EQ(wave[i].status.IsIOError(), i == 2) << i;
  }
  EXPECT_EQ(remote.file->Stats().failed, 1u);
}

TEST(RemoteFile, ASecondRequestWinsAndTheLosersBufferOutlivesIt) {
  Remote remote(kDelayMs);
  remote.gates.Hold(400);
  std::thread reader([&] { EXPECT_TRUE(remote.Check(400, 5000).ok()); });
  remote.gates.AwaitReads(400, 1);
  remote.clock.AwaitWaiters(1);
  remote.clock.Advance(kDelayMs - 1);
  remote.clock.AwaitWaiters(1);
  EXPECT_EQ(remote.gates.Reads(400), 1) << "sent too early";
  remote.clock.Advance(1);
  reader.join();
  EXPECT_EQ(remote.gates.Reads(400), 2);
  const RemoteFileStats stats = remote.file->Stats();
  EXPECT_EQ(stats.hedges, 1u);
  EXPECT_EQ(stats.hedges_won, 1u);
  // The first request is answered only after the file has gone. The thread
  // that does it belongs to RequestThreads, which wait for it.
  std::thread opener([&] { remote.gates.Open(); });
  remote.file.reset();
  opener.join();
}

// Counts down when the calling thread ends.
class CountsDownAtEnd {
 public:
  explicit CountsDownAtEnd(std::shared_ptr<std::latch> threads_left)
      : threads_left_(std::move(threads_left)) {}
  CountsDownAtEnd(const CountsDownAtEnd&) = delete;
  CountsDownAtEnd& operator=(const CountsDownAtEnd&) = delete;
  ~CountsDownAtEnd() { threads_left_->count_down(); }

 private:
  const std::shared_ptr<std::latch> threads_left_;
};

// Keeps the threads that read it alive, as a file of a store that owns them.
class OwningFile final : public RandomAccessFile {
 public:
  OwningFile(std::unique_ptr<RandomAccessFile> file,
             std::shared_ptr<RequestThreads> threads,
             std::shared_ptr<std::latch> threads_left)
      : file_(std::move(file)),
        threads_(std::move(threads)),
        threads_left_(std::move(threads_left)) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    static thread_local const CountsDownAtEnd at_end(threads_left_);
    return file_->Read(offset, n, scratch, data);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  const std::shared_ptr<RequestThreads> threads_;
  const std::shared_ptr<std::latch> threads_left_;
};

// Returns once both threads have ended. What a thread does to memory that is
// gone, only sanitizers and valgrind are sure to see.
TEST(RemoteFile, ALateAnswerMayEndTheThreadsThatWaitedForIt) {
  const auto threads_left = std::make_shared<std::latch>(2);
  Gates gates;
  ManualRemoteClock clock;
  RemoteFileOptions options;
  options.threads = std::make_shared<RequestThreads>(2);
  options.hedge_delay_ms = kDelayMs;
  gates.Hold(400);
  auto file = std::make_unique<RemoteFile>(std::make_unique<RemoteFile::State>(
      std::make_unique<OwningFile>(
          std::make_unique<GatedFile>(Contents(), &gates), options.threads,
          threads_left),
      options, &clock));
  std::thread reader([&] {
    char scratch[100];
    Slice data;
    EXPECT_TRUE(file->Read(400, sizeof scratch, scratch, &data).ok());
  });
  gates.AwaitReads(400, 1);
  clock.AwaitWaiters(1);
  clock.Advance(kDelayMs);
  reader.join();
  EXPECT_EQ(file->Stats().hedges_won, 1u);
  options.threads.reset();
  file.reset();
  gates.Open();
  threads_left->wait();
}

// Work that submits other work when it ends, as an application's file might.
TEST(RemoteFile, WorkThatIsDroppedMaySubmit) {
  std::latch begun(1);
  std::latch may_end(1);
  bool is_taken = true;
  {
    auto threads = std::make_unique<RequestThreads>(1);
    RequestThreads::State* const state = threads->state();
    ASSERT_TRUE(state->Submit([&] {
      begun.count_down();
      may_end.wait();
    }));
    begun.wait();
    const auto submits_at_end = [&, state](void*) {
      is_taken = state->Submit([] {});
      may_end.count_down();
    };
    ASSERT_TRUE(state->Submit(
        [last = std::shared_ptr<void>(nullptr, submits_at_end)] {}));
  }
  EXPECT_FALSE(is_taken);
}

TEST(RemoteFile, TheFirstRequestMayStillWin) {
  Remote remote(kDelayMs);
  remote.gates.Hold(400);
  std::thread reader([&] { EXPECT_TRUE(remote.Check(400, 5000).ok()); });
  remote.gates.AwaitReads(400, 1);
  remote.gates.Hold(400);  // the second request
  remote.clock.AwaitWaiters(1);
  remote.clock.Advance(kDelayMs);
  remote.gates.AwaitReads(400, 2);
  remote.gates.Open();
  reader.join();
  EXPECT_EQ(remote.file->Stats().hedges, 1u);
}

TEST(RemoteFile, AllLateRequestsOfAWaveAreHedged) {
  Remote remote(kDelayMs);
  std::vector<std::string> memory;
  std::vector<ReadRequest> wave = Wave(3, &memory);
  remote.gates.Hold(0);
  remote.gates.Hold(2000);
  std::thread reader([&] { remote.file->MultiRead(wave); });
  remote.gates.AwaitReads(0, 1);
  remote.gates.AwaitReads(2000, 1);
  remote.AwaitAnswers(100);  // of the request that is not held up
  remote.clock.AwaitWaiters(1);
  remote.clock.Advance(kDelayMs);
  reader.join();
  for (const ReadRequest& r : wave) {
    EXPECT_EQ(r.data.ToString(), remote.contents.substr(r.offset, 100));
  }
  EXPECT_EQ(remote.file->Stats().hedges, 2u);
  remote.gates.Open();
}

TEST(RemoteFile, AFailedRequestIsSentOnceMoreAtOnce) {
  Remote remote(kDelayMs);
  remote.gates.Fail(400);
  EXPECT_TRUE(remote.Check(400, 50).ok());  // the clock stands still
  EXPECT_EQ(remote.gates.Reads(400), 2);
}

TEST(RemoteFile, SecondRequestsAreBounded) {
  Remote remote;
  RemoteFileOptions options;
  options.threads = std::make_shared<RequestThreads>(4);
  options.hedge_delay_ms = kDelayMs;
  options.most_hedges_per_100 = 10;
  remote.Make(options);
  remote.gates.Fail(0);
  EXPECT_TRUE(remote.Check(0, 10).ok());  // one is always allowed
  remote.gates.Fail(0);
  EXPECT_TRUE(remote.Check(0, 10).IsIOError());
  for (int i = 0; i < 17; ++i) EXPECT_TRUE(remote.Check(0, 10).ok());
  remote.gates.Fail(0);
  EXPECT_TRUE(remote.Check(0, 10).ok()) << "2 of 20 and more";
  EXPECT_EQ(remote.file->Stats().hedges, 2u);
}

// A file whose answers are wrong.
class LyingFile final : public RandomAccessFile {
 public:
  explicit LyingFile(int surplus) : surplus_(surplus) {}
  Status Read(uint64_t /*offset*/, size_t n, char* scratch,
              Slice* data) const override {
    std::fill(scratch, scratch + n, 'x');
    *data = Slice(scratch, static_cast<size_t>(static_cast<int>(n) + surplus_));
    return {};
  }
  uint64_t Size() const override { return 1000; }
  std::string name() const override { return "liar"; }

 private:
  const int surplus_;
};

TEST(RemoteFile, AnswersOfAWrongLengthAreErrors) {
  for (const int surplus : {-1, 1, -50}) {
    for (const uint32_t delay : {0u, kDelayMs}) {
      RemoteFileOptions options;
      options.hedge_delay_ms = delay;
      const auto file =
          RemoteFile::Make(std::make_unique<LyingFile>(surplus), options);
      ASSERT_TRUE(file.ok());
      char scratch[100];
      Slice data;
      const Status status = (*file)->Read(10, 100, scratch, &data);
      EXPECT_TRUE(status.IsIOError()) << status.ToString();
      EXPECT_NE(status.message().find("of 100 bytes at offset 10"),
                std::string_view::npos)
          << status.ToString();
      EXPECT_EQ((*file)->Stats().requests, delay == 0 ? 1u : 2u);
    }
  }
}

TEST(RemoteFile, AnnouncedPiecesAnswerReads) {
  for (const uint32_t delay : {0u, kDelayMs}) {
    Remote remote(delay);
    remote.file->Expect(1000, 4000);
    remote.file->Expect(5000, 2000);
    remote.file->Expect(1500, 100);  // is covered
    EXPECT_TRUE(remote.Check(1200, 300).ok());
    EXPECT_TRUE(remote.Check(4900, 200).ok());   // of two pieces
    EXPECT_TRUE(remote.Check(1000, 6000).ok());  // uses both up
    EXPECT_EQ(remote.requests(), 2u);
    EXPECT_EQ(remote.file->Stats().expected_used, 3u);
    EXPECT_TRUE(remote.Check(1000, 10).ok());
    EXPECT_EQ(remote.requests(), 3u);
    remote.file->Expect(99'000, 5000);  // as far as the file goes
    EXPECT_TRUE(remote.Check(99'500, 5000).ok());
    EXPECT_EQ(remote.requests(), 4u);
    remote.file->Expect(200'000, 5);
    remote.file->Expect(0, 2 << 20);  // more than is there: all
    EXPECT_TRUE(remote.Check(0, 100'000).ok());
    EXPECT_EQ(remote.requests(), 5u);
  }
}

TEST(RemoteFile, AReadThatIsAnnouncedInPartAsksForAllOfIt) {
  Remote remote;
  remote.file->Expect(1000, 1000);
  EXPECT_TRUE(remote.Check(500, 1000).ok());
  EXPECT_TRUE(remote.Check(1500, 1000).ok());
  std::vector<std::string> memory;
  std::vector<ReadRequest> wave = Wave(3, &memory);
  remote.file->MultiRead(wave);
  for (const ReadRequest& r : wave) {
    EXPECT_EQ(r.data.ToString(), remote.contents.substr(r.offset, 100));
  }
  EXPECT_EQ(remote.requests(), 5u);
}

TEST(RemoteFile, OldPiecesAreDroppedForMemory) {
  Remote remote(0, 4, 3000);
  for (uint64_t i = 0; i < 5; ++i) remote.file->Expect(1000 * i, 1000);
  remote.file->Expect(50'000, 3001);  // too large
  for (uint64_t i = 0; i < 5; ++i) EXPECT_TRUE(remote.Check(1000 * i, 9).ok());
  EXPECT_EQ(remote.file->Stats().expected, 5u);
  EXPECT_EQ(remote.file->Stats().expected_used, 3u);
}

TEST(RemoteFile, APieceThatFailsCostsOneRequestMore) {
  for (const uint32_t delay : {0u, kDelayMs}) {
    Remote remote(delay);
    remote.gates.Fail(1000);
    remote.file->Expect(1000, 500);
    remote.gates.AwaitReads(1000, 1);
    EXPECT_TRUE(remote.Check(1000, 500).ok());
    EXPECT_EQ(remote.gates.Reads(1000), 2);
  }
}

TEST(RemoteFile, AWaiterHedgesAnAnnouncedPiece) {
  Remote remote(kDelayMs);
  remote.gates.Hold(1000);
  remote.file->Expect(1000, 500);
  remote.gates.AwaitReads(1000, 1);
  std::thread reader([&] { EXPECT_TRUE(remote.Check(1000, 500).ok()); });
  remote.clock.AwaitWaiters(1);
  remote.clock.Advance(kDelayMs);
  reader.join();
  EXPECT_EQ(remote.file->Stats().hedges_won, 1u);
  remote.gates.Open();
}

// Fails, lies and answers by chance.
class MoodyFile final : public RandomAccessFile {
 public:
  explicit MoodyFile(std::string contents) : contents_(std::move(contents)) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    const uint64_t mood = Random(calls_.fetch_add(1)).Below(8);
    if (mood == 0) return Status::IOError("moody: failed");
    const size_t there = std::min(n, contents_.size() - offset);
    std::copy_n(contents_.data() + offset, there, scratch);
    *data = Slice(scratch, mood == 1 && there > 1 ? there / 2 : there);
    return {};
  }
  uint64_t Size() const override { return contents_.size(); }
  std::string name() const override { return "moody"; }

 private:
  const std::string contents_;
  mutable std::atomic<uint64_t> calls_{0};
};

TEST(RemoteFile, ManyThreadsOverAMoodyFile) {
  const std::string contents = Contents();
  for (const uint32_t delay : {0u, 1u}) {
    RemoteFileOptions options;
    options.threads = std::make_shared<RequestThreads>(6);
    options.hedge_delay_ms = delay;
    options.most_hedges_per_100 = 60;
    options.expected_bytes = 20'000;
    const auto file =
        RemoteFile::Make(std::make_unique<MoodyFile>(contents), options);
    ASSERT_TRUE(file.ok());
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        Random random(100 + t);
        for (int i = 0; i < 150; ++i) {
          std::vector<std::string> memory(1 + random.Below(6));
          std::vector<ReadRequest> wave(memory.size());
          for (size_t k = 0; k < wave.size(); ++k) {
            memory[k].resize(1 + random.Below(3000));
            wave[k] = {.offset = random.Below(contents.size() - 4000),
                       .size = memory[k].size(),
                       .scratch = memory[k].data()};
            if (random.OneIn(2)) {
              (*file)->Expect(wave[k].offset, random.Below(6000));
            }
          }
          (*file)->MultiRead(wave);
          for (const ReadRequest& r : wave) {
            if (r.status.ok()) {
              EXPECT_EQ(r.data.ToString(), contents.substr(r.offset, r.size));
            } else {
              EXPECT_TRUE(r.status.IsIOError()) << r.status.ToString();
            }
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace ashlar::testing
