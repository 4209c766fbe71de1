// Reads of several pieces at once, whatever the system answers.

#include "util/io/many_reads.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "test/support/fake_reads.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "util/io/read_files.h"

namespace ashlar::testing {
namespace {

using internal::ManyReads;

constexpr size_t kPiece = 100;

std::string SomeBytes(size_t n) {
  Random random(n);
  std::string bytes(n, '\0');
  for (char& c : bytes) c = static_cast<char>(random.Below(256));
  return bytes;
}

// Requests of kPiece bytes each, at the given multiples of kPiece.
class Pieces {
 public:
  explicit Pieces(const std::vector<uint64_t>& numbers)
      : memory_(numbers.size() * kPiece, '#'), requests_(numbers.size()) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      requests_[i].offset = numbers[i] * kPiece;
      requests_[i].size = kPiece;
      requests_[i].scratch = memory_.data() + i * kPiece;
      // Reads must overwrite old results.
      requests_[i].data = Slice("old");
      requests_[i].status = Status::IOError("old");
    }
  }
  static Pieces Of(size_t n) {
    std::vector<uint64_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    return Pieces(numbers);
  }

  std::vector<ReadRequest>& requests() { return requests_; }
  void ReadWith(ManyReads* reads) { reads->Read(3, "a/file", requests_); }
  // Checks that request i, or all, got the bytes of the file.
  void ExpectRead(const std::string& contents, size_t i) const {
    const ReadRequest& r = requests_[i];
    EXPECT_TRUE(r.status.ok()) << i << ": " << r.status.ToString();
    const size_t at = std::min(static_cast<size_t>(r.offset), contents.size());
    EXPECT_TRUE(r.data == Slice(contents.substr(at, r.size))) << i;
  }
  void ExpectAllRead(const std::string& contents) const {
    for (size_t i = 0; i < requests_.size(); ++i) ExpectRead(contents, i);
  }

 private:
  std::string memory_;
  std::vector<ReadRequest> requests_;
};

const std::string& Contents() {
  static const std::string contents = SomeBytes(400 * kPiece + 30);
  return contents;
}

// Reads the first n pieces of the file, and checks that all arrived.
void ReadAll(ManyReads* reads, size_t n) {
  Pieces pieces = Pieces::Of(n);
  pieces.ReadWith(reads);
  pieces.ExpectAllRead(Contents());
}

TEST(ManyReads, WhatIsInMemoryTakesOneCallAndNoRing) {
  FakeReads fake(Contents());
  for (uint64_t i = 0; i < 5; ++i) fake.cached.insert(i * kPiece);
  ManyReads reads(FakeReads::Calls());
  ReadAll(&reads, 5);
  EXPECT_EQ(fake.num_cached, 5);
  EXPECT_EQ(fake.num_reads + fake.num_opened + fake.num_expected, 0);
}

TEST(ManyReads, ASingleOneIsReadAtOnce) {
  FakeReads fake(Contents());
  ManyReads reads(FakeReads::Calls());
  ReadAll(&reads, 1);
  EXPECT_EQ(fake.num_reads, 1);
  EXPECT_EQ(fake.num_cached + fake.num_opened + fake.num_expected, 0);
}

TEST(ManyReads, WhatIsMissingIsOneSubmission) {
  FakeReads fake(Contents());
  fake.cached = {0, 3 * kPiece};
  ManyReads reads(FakeReads::Calls());
  for (int round = 0; round < 3; ++round) {
    ReadAll(&reads, 8);
  }
  EXPECT_EQ(fake.num_enters, 3);
  EXPECT_EQ(fake.num_ring_reads, 18);
  EXPECT_EQ(fake.num_reads + fake.num_expected, 0);
  EXPECT_EQ(fake.num_opened, 1) << "the ring is kept";
}

// Returns pieces of files 5, 6 and 7, in turn.
std::vector<ManyReads::Piece> OfThreeFiles(Pieces* pieces) {
  std::vector<ManyReads::Piece> of_files;
  const size_t n = pieces->requests().size();
  for (size_t i = 0; i < n; ++i) {
    const int fd = static_cast<int>(5 + i * 3 / n);
    of_files.push_back({fd, &pieces->requests()[i], EINVAL});
  }
  return of_files;
}

TEST(ManyReads, PiecesOfSeveralFilesAreOneSubmission) {
  FakeReads fake(Contents());
  fake.cached = {0, 4 * kPiece};
  ManyReads reads(FakeReads::Calls());
  Pieces pieces = Pieces::Of(9);
  auto of_files = OfThreeFiles(&pieces);
  reads.Read(of_files);
  pieces.ExpectAllRead(Contents());
  EXPECT_EQ(fake.num_enters, 1);
  EXPECT_EQ(fake.num_ring_reads, 7);
  EXPECT_EQ(fake.num_reads + fake.num_expected, 0);
  for (const ManyReads::Piece& piece : of_files) EXPECT_EQ(piece.error, 0);
}

// A file that is in memory is not asked again and again whether it is cached,
// and does not keep the others from being read together.
TEST(ManyReads, OneOfSeveralFilesIsInMemory) {
  FakeReads fake(Contents());
  fake.memory_fd = 6;
  ManyReads reads(FakeReads::Calls());
  Pieces pieces = Pieces::Of(9);
  auto of_files = OfThreeFiles(&pieces);
  reads.Read(of_files);
  pieces.ExpectAllRead(Contents());
  EXPECT_EQ(fake.num_cached, 7);
  EXPECT_EQ(fake.num_ring_reads, 6);
  EXPECT_EQ(fake.num_reads, 3);
}

TEST(ManyReads, AnErrorIsThatOfItsPiece) {
  FakeReads fake(Contents());
  fake.open_ring_error = EPERM;
  fake.bad_offset = 4 * kPiece;
  ManyReads reads(FakeReads::Calls());
  Pieces pieces = Pieces::Of(9);
  auto of_files = OfThreeFiles(&pieces);
  reads.Read(of_files);
  EXPECT_EQ(fake.num_expected, 9);
  for (size_t i = 0; i < of_files.size(); ++i) {
    EXPECT_EQ(of_files[i].error, i == 4 ? EIO : 0);
    if (i != 4) pieces.ExpectRead(Contents(), i);
  }
}

TEST(ManyReads, PartlyInMemory) {
  FakeReads fake(Contents());
  fake.cached = {0, kPiece, 2 * kPiece};
  fake.cached_answers = {40, -EOPNOTSUPP, -EINTR};
  ManyReads reads(FakeReads::Calls());
  ReadAll(&reads, 4);
  EXPECT_EQ(fake.num_ring_reads, 4);
  EXPECT_EQ(fake.num_reads, 0);
}

// For such a file system a ring would only pass the reads to other threads.
TEST(ManyReads, AFileSystemThatIsMemoryIsReadAtOnce) {
  FakeReads fake(Contents());
  fake.is_memory = true;
  fake.cached = {0};
  fake.cached_answers = {-EOPNOTSUPP};
  ManyReads reads(FakeReads::Calls());
  ReadAll(&reads, 8);
  EXPECT_EQ(fake.num_cached, 1);
  EXPECT_EQ(fake.num_reads, 8);
  EXPECT_EQ(fake.num_opened + fake.num_expected, 0);
}

// Some kernels return 0 if the page cache does not have the bytes.
TEST(ManyReads, NothingInMemoryIsNotTheEndOfTheFile) {
  FakeReads fake(Contents());
  fake.cached = {0, kPiece};
  fake.cached_answers = {0, 0};
  ManyReads reads(FakeReads::Calls());
  ReadAll(&reads, 4);
}

TEST(ManyReads, MoreThanARingHolds) {
  FakeReads fake(Contents());
  ManyReads reads(FakeReads::Calls());
  ReadAll(&reads, 200);
  EXPECT_EQ(fake.num_enters, 4);
  EXPECT_EQ(fake.num_ring_reads, 200);

  fake.ring_entries = 10;
  ReadAll(&reads, 30);
  EXPECT_EQ(fake.num_ring_reads, 210);
  EXPECT_EQ(fake.num_reads, 20);
}

// Whatever the ring answers, pread reads what is missing.
TEST(ManyReads, AnswersOfARingThatAreNoWholeRead) {
  FakeReads fake(Contents());
  ManyReads reads(FakeReads::Calls());
  // The answers are for requests 7, 6, ... 0: the ring answers the last one
  // first.
  fake.ring_answers = {1,    99,         -EINTR,      -EAGAIN,
                       -EIO, -ECANCELED, -EOPNOTSUPP, 0};
  fake.read_answers = {-EINTR, 7, -EINTR};
  ReadAll(&reads, 8);
  EXPECT_EQ(fake.num_opened, 1);
  EXPECT_EQ(fake.num_reads, 8 + 3);
}

TEST(ManyReads, AnErrorIsOfItsRequestOnly) {
  FakeReads fake(Contents());
  ManyReads reads(FakeReads::Calls());
  for (const int denied : {0, ENOSYS}) {
    fake.open_ring_error = denied;
    fake.cached = {4 * kPiece};
    fake.cached_answers = {40};
    fake.bad_offset = 4 * kPiece + 40;
    fake.ring_answers = {kPiece, -EIO};
    Pieces pieces({1, 2, 4, 3});
    pieces.ReadWith(&reads);
    for (const size_t i : {0, 1, 3}) pieces.ExpectRead(Contents(), i);
    const ReadRequest& bad = pieces.requests()[2];
    EXPECT_TRUE(bad.status.IsIOError());
    EXPECT_EQ(bad.status.message(), "read a/file: Input/output error");
    EXPECT_TRUE(bad.data.empty());
  }
}

TEST(ManyReads, TheEndOfTheFile) {
  FakeReads fake(Contents());
  for (const int denied : {0, EPERM}) {
    fake.open_ring_error = denied;
    ManyReads reads(FakeReads::Calls());
    for (const bool in_memory : {true, false}) {
      if (in_memory) fake.cached = {399 * kPiece, 400 * kPiece, 401 * kPiece};
      Pieces pieces({399, 400, 401, 1000});
      pieces.ReadWith(&reads);
      pieces.ExpectAllRead(Contents());
      EXPECT_EQ(pieces.requests()[1].data.size(), 30u);
      fake.cached.clear();
    }
  }
}

TEST(ManyReads, WhereRingsAreDeniedNobodyAsksAgain) {
  for (const int error : {ENOSYS, EPERM, EACCES, EINVAL}) {
    FakeReads fake(Contents());
    fake.open_ring_error = error;
    ManyReads reads(FakeReads::Calls());
    for (int round = 0; round < 3; ++round) {
      ReadAll(&reads, 70);
    }
    EXPECT_EQ(fake.num_opened, 1);
    EXPECT_EQ(fake.num_expected, 210) << "the kernel knows before the first";
    EXPECT_EQ(fake.num_reads, 210);
  }
}

TEST(ManyReads, WhatHasRunOutIsAskedForAgain) {
  for (const int error : {EMFILE, ENFILE, ENOMEM}) {
    FakeReads fake(Contents());
    fake.open_ring_error = error;
    ManyReads reads(FakeReads::Calls());
    for (int round = 0; round < 40; ++round) {
      if (round == 39) fake.open_ring_error = 0;
      ReadAll(&reads, 3);
    }
    EXPECT_EQ(fake.num_opened, 40);
    EXPECT_EQ(fake.num_open, 1);
    EXPECT_EQ(fake.num_ring_reads, 3);
  }
}

// While the kernel has a read in flight, the call waits, whatever Enter
// returns.
TEST(ManyReads, SubmissionsInPartsAndInterrupted) {
  FakeReads fake(Contents());
  fake.enter_answers = {-EINTR, 2, -EAGAIN, -EBADF, -EINTR};
  fake.silent_enters = 1;
  ManyReads reads(FakeReads::Calls());
  ReadAll(&reads, 3);
  EXPECT_EQ(fake.num_enters, 6);
  EXPECT_EQ(fake.num_ring_reads, 3);
  EXPECT_EQ(fake.num_reads, 0);
  EXPECT_EQ(fake.num_open, 1);
}

// Reads that the kernel did not accept are lost with the ring, so pread does
// them.
TEST(ManyReads, ASubmissionThatFailsClosesTheRing) {
  for (const int64_t answer : {-int64_t{EAGAIN}, -int64_t{EBADF}, int64_t{0}}) {
    FakeReads fake(Contents());
    ManyReads reads(FakeReads::Calls());
    fake.enter_answers = {4, answer};
    ReadAll(&reads, 10);
    EXPECT_EQ(fake.num_ring_reads, 4);
    EXPECT_EQ(fake.num_reads, 6);
    EXPECT_EQ(fake.num_expected, 10);
    EXPECT_EQ(fake.num_open, 0);
    // The next call opens a new ring.
    ReadAll(&reads, 10);
    EXPECT_EQ(fake.num_opened, 2);
    EXPECT_EQ(fake.num_open, 1);
  }
}

TEST(ManyReads, SoManyRingsAndNoMore) {
  FakeReads fake(Contents());
  {
    ManyReads reads(FakeReads::Calls());
    int depth = 0;
    // While one call waits for its ring, other calls begin.
    fake.on_enter = [&] {
      if (++depth > 20) return;
      ReadAll(&reads, 2);
    };
    ReadAll(&reads, 2);
    EXPECT_EQ(fake.num_opened, static_cast<int>(ManyReads::kMostRings));
    EXPECT_EQ(fake.num_open, static_cast<int>(ManyReads::kMostRings));
    EXPECT_EQ(fake.num_expected, 2);
  }
  EXPECT_EQ(fake.num_open, 0);
}

TEST(ManyReads, AChildOfForkHasRingsOfItsOwn) {
  FakeReads fake(Contents());
  ManyReads reads(FakeReads::Calls());
  Pieces::Of(4).ReadWith(&reads);
  fake.is_childs = true;
  ReadAll(&reads, 4);
  EXPECT_EQ(fake.num_opened, 2);
  EXPECT_EQ(fake.num_open, 1);
}

// The real system, with any part of the file in the page cache.

class RealFile {
 public:
  RealFile() {
    WriteFile(path(), Contents());
    fd_ = ::open(path().c_str(), O_RDONLY | O_CLOEXEC);
  }
  ~RealFile() { ::close(fd_); }
  std::string path() const { return folder_ / "file"; }
  void Drop() const {
    ::fsync(fd_);
    ::posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED);
  }

 private:
  TestFolder folder_;
  int fd_;
};

void ReadAllOf(const RandomAccessFile& file) {
  Pieces pieces = Pieces::Of(150);
  pieces.requests().front().offset = Contents().size() - 7;
  pieces.requests().back().offset = Contents().size();
  file.MultiRead(pieces.requests());
  pieces.ExpectAllRead(Contents());
}

TEST(ManyReads, FilesOfTheSystem) {
  const RealFile real;
  auto file = OpenRandomAccessFile(real.path());
  ASSERT_TRUE(file.ok());
  for (int round = 0; round < 3; ++round) {
    real.Drop();
    ReadAllOf(**file);
    ReadAllOf(**file);
  }
}

// Simulates a sandbox that forbids io_uring.
TEST(ManyReads, TheSystemWithoutRings) {
  const RealFile real;
  static const port::ReadCalls calls = [] {
    port::ReadCalls c = port::SystemReadCalls();
    c.open_ring = [](uint32_t, std::unique_ptr<port::ReadRing>*) {
      return EPERM;
    };
    return c;
  }();
  ManyReads reads(calls);
  const int fd = ::open(real.path().c_str(), O_RDONLY | O_CLOEXEC);
  real.Drop();
  Pieces pieces = Pieces::Of(150);
  reads.Read(fd, real.path(), pieces.requests());
  pieces.ExpectAllRead(Contents());
  ::close(fd);
}

TEST(ManyReads, ReadsOfAClosedFileFail) {
  ManyReads reads(port::SystemReadCalls());
  Pieces pieces = Pieces::Of(3);
  reads.Read(-1, "gone", pieces.requests());
  for (const ReadRequest& r : pieces.requests()) {
    EXPECT_EQ(r.status.message(), "read gone: Bad file descriptor");
  }
}

// Files of the system, and others, in any order.
TEST(ReadFiles, ReadsAllFiles) {
  const RealFile real;
  auto first = OpenRandomAccessFile(real.path());
  auto second = OpenRandomAccessFile(real.path());
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_GE((*first)->FileDescriptor(), 0);
  const auto memory = NewMemoryFile("memory", Contents());
  EXPECT_EQ(memory->FileDescriptor(), -1);
  std::vector<Pieces> pieces;
  for (const size_t n : {100, 3, 70}) pieces.push_back(Pieces::Of(n));
  const internal::FileReads files[] = {{first->get(), pieces[0].requests()},
                                       {memory.get(), pieces[1].requests()},
                                       {second->get(), pieces[2].requests()}};
  for (int round = 0; round < 2; ++round) {
    real.Drop();
    internal::ReadFiles(files);
    for (const Pieces& of_file : pieces) of_file.ExpectAllRead(Contents());
  }
  internal::ReadFiles(std::span(files).first(1));
  pieces[0].ExpectAllRead(Contents());
}

// Each error names its file.
TEST(ReadFiles, ErrorsNameTheirFiles) {
  class Closed final : public RandomAccessFile {
   public:
    explicit Closed(std::string name) : name_(std::move(name)) {}
    Status Read(uint64_t, size_t, char*, Slice*) const override {
      return Status::IOError("not read by this");
    }
    uint64_t Size() const override { return 0; }
    std::string name() const override { return name_; }
    // No process has so many files.
    int FileDescriptor() const override { return 1 << 30; }

   private:
    const std::string name_;
  };
  const Closed first("first");
  const Closed second("second");
  Pieces pieces[] = {Pieces::Of(2), Pieces::Of(2)};
  const internal::FileReads files[] = {{&first, pieces[0].requests()},
                                       {&second, pieces[1].requests()}};
  internal::ReadFiles(files);
  EXPECT_EQ(pieces[0].requests()[1].status.message(),
            "read first: Bad file descriptor");
  EXPECT_EQ(pieces[1].requests()[0].status.message(),
            "read second: Bad file descriptor");
}

TEST(ManyReads, ParentAndChildReadOn) {
  const RealFile real;
  auto file = OpenRandomAccessFile(real.path());
  ASSERT_TRUE(file.ok());
  real.Drop();
  ReadAllOf(**file);
  real.Drop();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ReadAllOf(**file);
    ::_exit(HasFailure() ? 1 : 0);
  }
  ReadAllOf(**file);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ashlar::testing
