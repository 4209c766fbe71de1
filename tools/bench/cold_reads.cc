// cold_reads: compares a MultiGet of blocks that are in no cache with the same
// reads issued by hand.
//
// It builds a table. Then, in each round, it drops the file from the page cache
// and reads one batch of keys in different blocks: by MultiGet; by one Get
// after the other; and at the offsets that MultiGet asked for, by one MultiRead
// of the file (the best that is possible) and by one read after the other. It
// prints medians, and the median of each round's ratio. With --scan, it instead
// walks over the whole table in both directions, with and without async_io. The
// folder must be on a disk: a file that is only in memory has no cold state.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/file.h"
#include "third-party/gflags_lib.h"
#include "tools/bench/command_line.h"

DEFINE_string(db, "", "folder on a disk, for the table");
DEFINE_uint64(num, 2000000, "entries of the table");
DEFINE_uint64(batch, 64, "keys of a batch");
DEFINE_uint64(rounds, 41, "rounds");
DEFINE_uint64(seed, 42, "of the keys that are read");
DEFINE_bool(scan, false, "walks over the table in place of batches");
DEFINE_bool(warm, false, "the walks find the file in the page cache");
DEFINE_uint64(readahead_size, 0, "bytes that walks read at once");
DEFINE_bool(compress, false, "zstd rather than none");

namespace ashlar::bench {
namespace {

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "cold_reads: %s\n", status.ToString().c_str());
  std::exit(1);
}

// A file that records what is read.
class NotedFile final : public RandomAccessFile {
 public:
  NotedFile(std::unique_ptr<RandomAccessFile> file,
            std::vector<ReadRequest>* reads)
      : file_(std::move(file)), reads_(reads) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    reads_->push_back({.offset = offset, .size = n});
    return file_->Read(offset, n, scratch, data);
  }
  void MultiRead(std::span<ReadRequest> requests) const override {
    for (const ReadRequest& r : requests) {
      reads_->push_back({.offset = r.offset, .size = r.size});
    }
    file_->MultiRead(requests);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  std::vector<ReadRequest>* const reads_;
};

std::string KeyNumber(uint64_t i) {
  char key[24];
  std::snprintf(key, sizeof key, "%016llu",
                static_cast<unsigned long long>(i));  // NOLINT
  return key;
}

void Build(const std::string& path) {
  auto file = OpenWritableFile(path);
  Require(file.status());
  TableOptions options;
  options.compression =
      FLAGS_compress ? CompressionType::kZSTD : CompressionType::kNoCompression;
  auto builder = TableBuilder::Create(options, {}, file->get());
  Require(builder.status());
  std::mt19937_64 random(FLAGS_seed);
  std::string value(100, ' ');
  for (uint64_t i = 0; i < FLAGS_num; ++i) {
    // Half of the value is random, as in table_bench.
    for (size_t c = 0; c < value.size() / 2; ++c) {
      value[c] = static_cast<char>(random());
    }
    Require((*builder)->Add(
        MakeInternalKey(KeyNumber(i), 1, ValueType::kTypeValue), value));
  }
  Require((*builder)->Finish());
  Require((*file)->Sync());
  Require((*file)->Close());
}

double Median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of.empty() ? 0 : of[of.size() / 2];
}

// Runs `body` on a file that is not in memory.
template <typename Body>
double ColdMicros(int fd, Body body) {
  if (!FLAGS_warm) ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  const auto begin = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double, std::micro> time =
      std::chrono::steady_clock::now() - begin;
  return time.count();
}

class Rounds {
 public:
  explicit Rounds(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    auto noted = OpenRandomAccessFile(path);
    Require(noted.status());
    auto noting = TableReader::Open(
        std::make_unique<NotedFile>(std::move(noted).value(), &reads_));
    Require(noting.status());
    noting_ = std::move(noting).value();
    auto file = OpenRandomAccessFile(path);
    Require(file.status());
    file_ = std::move(file).value();
    auto reader = TableReader::Open(path);
    Require(reader.status());
    reader_ = std::move(reader).value();
  }
  ~Rounds() { ::close(fd_); }

  void Run() {
    std::mt19937_64 random(FLAGS_seed);
    for (uint64_t round = 0; round < FLAGS_rounds; ++round) {
      DrawKeys(&random);
      reads_.clear();
      MultiGet(*noting_);
      size_t bytes = 0;
      for (const ReadRequest& r : reads_) bytes += r.size;
      memory_.resize(bytes);
      char* room = memory_.data();
      for (ReadRequest& r : reads_) {
        r.scratch = room;
        room += r.size;
      }
      // A different way is first in each round.
      for (size_t i = 0; i < kWays; ++i) {
        const size_t way = (round + i) % kWays;
        micros_[way].push_back(Time(way));
      }
    }
  }

  void Print() const {
    static constexpr const char* kNames[kWays] = {
        "MultiGet", "reads by hand, together", "Gets",
        "reads by hand, one by one"};
    for (size_t way = 0; way < kWays; ++way) {
      std::vector<double> ratios;
      for (size_t i = 0; i < micros_[way].size(); ++i) {
        ratios.push_back(micros_[way][i] / micros_[1][i]);
      }
      std::printf("%-26s %8.0f us  %5.2f of the reads together\n", kNames[way],
                  Median(micros_[way]), Median(ratios));
    }
  }

 private:
  static constexpr size_t kWays = 4;

  // Draws keys so far apart that each is in a different block.
  void DrawKeys(std::mt19937_64* random) {
    keys_.clear();
    slices_.clear();
    const uint64_t share = FLAGS_num / FLAGS_batch;
    for (uint64_t i = 0; i < FLAGS_batch; ++i) {
      keys_.push_back(KeyNumber(i * share + (*random)() % (share / 2)));
    }
    std::shuffle(keys_.begin(), keys_.end(), *random);
    for (const std::string& key : keys_) slices_.emplace_back(key);
    results_.resize(keys_.size());
    statuses_.resize(keys_.size());
  }

  void MultiGet(const TableReader& reader) {
    reader.MultiGet({}, slices_, kMaxSequenceNumber, results_, statuses_);
    for (const Status& status : statuses_) Require(status);
  }

  double Time(size_t way) {
    for (GetResult& result : results_) result.Reset();
    return ColdMicros(fd_, [&] {
      if (way == 0) MultiGet(*reader_);
      if (way == 1) file_->MultiRead(reads_);
      if (way == 2) {
        for (size_t i = 0; i < slices_.size(); ++i) {
          Require(reader_->Get(slices_[i], &results_[i]));
        }
      }
      if (way == 3) {
        for (ReadRequest& r : reads_) {
          Require(file_->Read(r.offset, r.size, r.scratch, &r.data));
        }
      }
    });
  }

  const int fd_;
  std::vector<ReadRequest> reads_;
  std::vector<char> memory_;
  std::unique_ptr<TableReader> noting_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<TableReader> reader_;
  std::vector<std::string> keys_;
  std::vector<Slice> slices_;
  std::vector<GetResult> results_;
  std::vector<Status> statuses_;
  std::vector<double> micros_[kWays];
};

void Walk(const TableReader& reader, bool forward, bool async_io) {
  ReadOptions options;
  options.readahead_size = FLAGS_readahead_size;
  options.async_io = async_io;
  uint64_t n = 0;
  Iterator it = reader.NewIterator(options);
  if (forward) {
    for (it.SeekToFirst(); it.Valid(); it.Next()) ++n;
  } else {
    for (it.SeekToLast(); it.Valid(); it.Prev()) ++n;
  }
  Require(it.status());
  if (n != FLAGS_num) std::abort();
}

void RunScans(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto reader = TableReader::Open(path);
  Require(reader.status());
  for (const bool forward : {true, false}) {
    std::vector<double> micros[2];
    std::vector<double> ratios;
    for (uint64_t round = 0; round < FLAGS_rounds; ++round) {
      for (const bool second : {false, true}) {
        const bool async_io = second != (round % 2 == 1);
        micros[async_io ? 1 : 0].push_back(
            ColdMicros(fd, [&] { Walk(**reader, forward, async_io); }));
      }
      ratios.push_back(micros[1].back() / micros[0].back());
    }
    std::printf("%-9s %8.0f us, async_io %8.0f us: %.2f of it\n",
                forward ? "forward" : "backward", Median(micros[0]),
                Median(micros[1]), Median(ratios));
  }
  ::close(fd);
}

}  // namespace
}  // namespace ashlar::bench

int main(int argc, char** argv) {
  using namespace ashlar::bench;
  ParseFlags("A cold MultiGet against the same reads by hand.", argc, argv);
  if (FLAGS_db.empty()) Usage("--db is missing");
  if (FLAGS_batch == 0 || FLAGS_num / FLAGS_batch < 200) {
    Usage("too few entries for a block a key");
  }
  const std::string path = FLAGS_db + "/cold_reads.sst";
  Build(path);
  if (FLAGS_scan) {
    RunScans(path);
  } else {
    Rounds rounds(path);
    rounds.Run();
    rounds.Print();
  }
  ::unlink(path.c_str());
  return 0;
}
