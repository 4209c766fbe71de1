// The physical limits, as engines: the generator alone, a bare copy of its
// bytes, and codec, checksum and write over the same blocks.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ashlar/util/file.h"
#include "tools/bench/engine.h"
#include "tools/bench/filter_questions.h"
#include "util/compress/codec.h"
#include "util/hash/checksum.h"
#include "util/hash/filter_hash.h"
#include "util/mem/buffer.h"

namespace ashlar::bench {

namespace {

// The size of the writes of a builder to its file.
constexpr size_t kWriteBytes = size_t{128} << 10;

// Keeps the compiler from removing what is never read.
void Use(const void* p) { asm volatile("" : : "r"(p) : "memory"); }

class LimitEngine final : public Engine {
 public:
  explicit LimitEngine(std::string kind) : kind_(std::move(kind)) {}

  std::string Name() const override { return kind_; }

  std::string Describe(const BenchOptions&) const override {
    if (kind_ == "generator") return "keys and values are made, no more";
    if (kind_ == "copy") {
      return "and copied, into memory as large as the table";
    }
    return "keys and values are copied into blocks, compressed, hashed by XXH3 "
           "and written, block by block; "
           "reads: a walk over the bytes of ashlar's file";
  }

  bool Has(const std::string& benchmark) const override {
    if (benchmark == "fillseq") return true;
    if (benchmark == "filterbuild") return kind_ == "generator";
    if (benchmark == "filterquery") return kind_ == "limit";
    return kind_ == "limit" &&
           (benchmark == "readseq" || benchmark == "verify");
  }

  std::string Run(const std::string& benchmark, const BenchOptions& options,
                  const Workload& workload, RunResult* result) override {
    Status status;
    if (benchmark == "filterbuild") {
      GenerateKeys(workload, result);
    } else if (benchmark == "filterquery") {
      TouchLines(options, workload, result);
    } else if (benchmark != "fillseq") {
      status = Walk(benchmark == "verify", options, result);
    } else if (kind_ == "generator") {
      Generate(workload, result);
    } else if (kind_ == "copy") {
      Copy(workload, result);
    } else {
      status = Fill(options, workload, result);
    }
    return status.ok() ? "" : status.ToString();
  }

 private:
  static void Count(const Workload& workload, RunResult* result) {
    result->operations = workload.num();
    result->bytes = workload.raw_bytes();
  }

  static void Generate(const Workload& workload, RunResult* result) {
    const Stopwatch watch;
    Workload::Cursor cursor(workload);
    for (uint64_t i = 0; i < workload.num(); ++i) {
      Use(cursor.key().data());
      Use(cursor.value().data());
      cursor.Next();
    }
    result->measured = watch.Stop();
    Count(workload, result);
  }

  static void GenerateKeys(const Workload& workload, RunResult* result) {
    const Stopwatch watch;
    Workload::Cursor cursor(workload);
    for (uint64_t i = 0; i < workload.num(); ++i) {
      Use(cursor.key().data());
      cursor.Next();
    }
    result->measured = watch.Stop();
    result->operations = workload.num();
  }

  // Hashes keys, and for each reads one byte of the line that a Bloom filter
  // would have for it. The lines of a batch are fetched together.
  void TouchLines(const BenchOptions& options, const Workload& workload,
                  RunResult* result) {
    constexpr size_t kLine = 64;
    constexpr size_t kMost = 64;
    const auto num_lines = static_cast<uint64_t>(
        static_cast<double>(workload.num()) * options.bloom_bits / 8 / kLine +
        1);
    lines_.resize(num_lines * kLine, 1);
    const auto batch = static_cast<size_t>(options.batch_size);
    const FilterQuestions questions(workload, options.num_reads(), batch);
    const Stopwatch watch;
    const char* lines[2][kMost];
    const auto fetch = [&](size_t begin, size_t into) {
      for (size_t j = 0; j < batch; ++j) {
        const std::string_view key = questions[begin + j];
        const auto hash =
            static_cast<uint32_t>(internal::FilterHash(key.data(), key.size()));
        lines[into][j] = lines_.data() + (hash * num_lines >> 32) * kLine;
        __builtin_prefetch(lines[into][j]);
      }
    };
    const size_t ahead = options.fetch_ahead ? batch : 0;
    if (ahead != 0 && questions.size() != 0) fetch(0, 0);
    for (size_t i = 0; i < questions.size(); i += batch) {
      const size_t turn = i / batch % 2;
      if (i + ahead < questions.size()) {
        fetch(i + ahead, ahead == 0 ? turn : turn ^ 1);
      }
      for (size_t j = 0; j < batch; ++j) {
        result->found += static_cast<uint8_t>(*lines[turn][j]);
      }
    }
    result->measured = watch.Stop();
    result->operations = questions.size();
  }

  // Calls full(bytes) whenever a block is full.
  template <typename Full>
  static void CopyBlocks(const BenchOptions& options, const Workload& workload,
                         Full full) {
    std::vector<char> block(options.block_size + workload.key_size() +
                            workload.Value(0).size());
    size_t at = 0;
    Workload::Cursor cursor(workload);
    for (uint64_t i = 0; i < workload.num(); ++i) {
      const std::string_view key = cursor.key();
      const std::string_view value = cursor.value();
      std::memcpy(block.data() + at, key.data(), key.size());
      at += key.size();
      std::memcpy(block.data() + at, value.data(), value.size());
      at += value.size();
      if (at >= options.block_size) {
        full(Slice(block.data(), at));
        at = 0;
      }
      cursor.Next();
    }
    full(Slice(block.data(), at));
  }

  // Copies all bytes into memory that has been touched before: a plain memcpy
  // of the table's contents, entry by entry.
  void Copy(const Workload& workload, RunResult* result) {
    if (copied_.empty()) copied_.assign(workload.raw_bytes(), 1);
    char* to = copied_.data();
    const Stopwatch watch;
    Workload::Cursor cursor(workload);
    for (uint64_t i = 0; i < workload.num(); ++i) {
      const std::string_view key = cursor.key();
      const std::string_view value = cursor.value();
      std::memcpy(to, key.data(), key.size());
      std::memcpy(to + key.size(), value.data(), value.size());
      to += key.size() + value.size();
      cursor.Next();
    }
    Use(copied_.data());
    result->measured = watch.Stop();
    Count(workload, result);
  }

  static Status Fill(const BenchOptions& options, const Workload& workload,
                     RunResult* result) {
    const CompressionType type =
        *ParseCompressionType(options.compression_type);
    std::unique_ptr<internal::Compressor> codec;
    if (type != CompressionType::kNoCompression) {
      CompressionOptions codec_options;
      codec_options.level = options.compression_level;
      auto made = internal::NewCompressor(type, codec_options);
      if (!made.ok()) return made.status();
      codec = std::move(made).value();
    }
    const Stopwatch watch;
    std::unique_ptr<WritableFile> file;
    if (!options.null_sink) {
      auto opened = OpenWritableFile(options.folder + "/limit.bin");
      if (!opened.ok()) return opened.status();
      file = std::move(opened).value();
    }
    internal::Buffer out;
    Status status;
    CopyBlocks(options, workload, [&](const Slice& block) {
      const size_t before = out.size();
      out.Reserve(block.size());
      const size_t size =
          codec ? codec->Compress(block, out.end(), block.size() / 8 * 7) : 0;
      out.Advance(size);
      if (size == 0) out.Append(block);
      const uint32_t checksum = internal::Checksum(
          ChecksumType::kXXH3, out.data() + before, out.size() - before);
      Use(&checksum);
      if (out.size() < kWriteBytes) return;
      if (file != nullptr && status.ok()) status = file->Append(out.slice());
      result->file_bytes += out.size();
      out.clear();
    });
    if (file != nullptr && status.ok()) status = file->Append(out.slice());
    if (file != nullptr && status.ok()) status = file->Close();
    result->measured = watch.Stop();
    Count(workload, result);
    return status;
  }

  // Reads the file in large pieces, and adds up its words or hashes it.
  static Status Walk(bool hash, const BenchOptions& options,
                     RunResult* result) {
    auto opened = OpenRandomAccessFile(options.folder + "/ashlar.sst");
    if (!opened.ok()) return opened.status();
    const RandomAccessFile& file = **opened;
    std::vector<char> buffer(kWriteBytes);
    uint64_t sum = 0;
    const Stopwatch watch;
    for (uint64_t offset = 0; offset < file.Size(); offset += kWriteBytes) {
      Slice data;
      Status status = file.Read(offset, kWriteBytes, buffer.data(), &data);
      if (!status.ok()) return status;
      if (hash) {
        sum +=
            internal::Checksum(ChecksumType::kXXH3, data.data(), data.size());
        continue;
      }
      for (size_t i = 0; i + 8 <= data.size(); i += 8) {
        uint64_t word;
        std::memcpy(&word, data.data() + i, sizeof word);
        sum += word;
      }
    }
    Use(&sum);
    result->measured = watch.Stop();
    result->operations = options.workload.num;
    result->bytes = file.Size();
    return {};
  }

  std::string kind_;
  std::vector<char> copied_;
  std::vector<char> lines_;  // for filterquery
};

}  // namespace

std::unique_ptr<Engine> NewLimitEngine(const std::string& kind) {
  return std::make_unique<LimitEngine>(kind);
}

}  // namespace ashlar::bench
